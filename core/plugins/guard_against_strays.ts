import { errorMessage } from "../errors.ts";
import { previewText } from "../text/bound_text.ts";
import type { ModuleHooks } from "./module_hooks.ts";

/** More than these tell a person nothing new. */
const MAX_NOTICES = 10;

/**
 * Keeps a failure that nobody waits for, in a timer or a promise of a plugin, from ending the
 * program. Failures of the program's own code still do.
 *
 * @param hooks Knows whose module is whose.
 * @param notify Is told which plugin failed, and how.
 */
export function guardAgainstStrays(
  hooks: Pick<ModuleHooks, "ownerOf">,
  notify: (notice: string) => void,
): { close(): void } {
  const said = new Set<string>();
  const report = (event: Event, reason: unknown) => {
    const owner = ownerOf(reason, hooks);
    if (owner === undefined) return;
    event.preventDefault();
    const notice = `${owner} failed in the background: ${previewText(errorMessage(reason), 300)}`;
    if (said.has(notice) || said.size >= MAX_NOTICES) return;
    said.add(notice);
    notify(notice);
  };
  const onRejection = (event: PromiseRejectionEvent) => report(event, event.reason);
  const onError = (event: ErrorEvent) => report(event, event.error);
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return {
    close() {
      globalThis.removeEventListener("unhandledrejection", onRejection);
      globalThis.removeEventListener("error", onError);
    },
  };
}

/** Whoever's module was running. What is no error at all is not thrown by the program itself. */
function ownerOf(reason: unknown, hooks: Pick<ModuleHooks, "ownerOf">): string | undefined {
  if (!(reason instanceof Error)) return "A plugin";
  const owner = ownerInStack(reason.stack ?? "", hooks);
  return owner === undefined ? undefined : `Plugin ${owner}`;
}

/**
 * The plugin that a stack leads through.
 *
 * @param stack The stack of an error.
 * @param hooks Knows whose module is whose.
 */
export function ownerInStack(
  stack: string,
  hooks: Pick<ModuleHooks, "ownerOf">,
): string | undefined {
  for (const [, url = ""] of stack.matchAll(/(file:\/\/\S+?):\d+:\d+/g)) {
    const owner = hooks.ownerOf(url);
    if (owner !== undefined) return owner;
  }
  return undefined;
}
