import { AsyncLocalStorage } from "node:async_hooks";
import { errorMessage } from "../errors.ts";
import { previewText } from "../text/bound_text.ts";
import type { ModuleHooks } from "./module_hooks.ts";

/** More than these tell a person nothing new. */
const MAX_NOTICES = 10;

/** So many plugins are named where it could have been any of them. */
const MAX_SUSPECTS = 5;

/** Where the program's own modules lie, however it was started. */
const OWN_MODULES = new URL("../../", import.meta.url).href;

/** Knows which plugin is at work. */
export interface StrayGuard {
  /**
   * Makes a plugin answerable for whatever the call does, and whatever comes of that later.
   *
   * @param plugin What the plugin is called in messages.
   * @param call Runs code of the plugin.
   */
  within<T>(plugin: string, call: () => T): T;
  /**
   * For a listener of the runtime: the plugin whose call it is told of, in words that begin a
   * sentence. Undefined if it is the program's own.
   */
  calling(): string | undefined;
  /** Lets failures end the program again. */
  close(): void;
}

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
): StrayGuard {
  const actors = new AsyncLocalStorage<string>();
  const suspects = new Set<string>();
  const said = new Set<string>();
  // The runtime fails by itself at what was asked of it before, and what is no error has no stack:
  // the program's own code does neither.
  const suspected = (stack: string): string | undefined =>
    stack.includes(OWN_MODULES) ? undefined : inWords(suspects);
  const named = (owner: string | undefined) => owner === undefined ? undefined : `Plugin ${owner}`;
  const report = (event: Event, reason: unknown, message: string) => {
    const stack = stackOf(reason);
    const actor = knowsActor(event, stack) ? actors.getStore() : undefined;
    const owner = named(ownerInStack(stack, hooks) ?? actor) ?? suspected(stack);
    if (owner === undefined) return;
    event.preventDefault();
    const notice = `${owner} failed in the background: ${previewText(message, 300)}`;
    if (said.has(notice) || said.size >= MAX_NOTICES) return;
    said.add(notice);
    notify(notice);
  };
  const onRejection = (event: PromiseRejectionEvent) =>
    report(event, event.reason, errorMessage(event.reason));
  // A worker's failure comes without the error.
  const onError = (event: ErrorEvent) =>
    report(event, event.error, event.error === null ? event.message : errorMessage(event.error));
  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  return {
    within(plugin, call) {
      suspects.add(plugin);
      return actors.run(plugin, call);
    },
    calling() {
      const stack = callerStack();
      return named(ownerInStack(stack, hooks)) ?? suspected(stack);
    },
    close() {
      globalThis.removeEventListener("unhandledrejection", onRejection);
      globalThis.removeEventListener("error", onError);
    },
  };
}

/** A timer that throws does not say who set it: the actor is whoever was at work before. */
function knowsActor({ type }: Event, stack: string): boolean {
  return type === "unhandledrejection" || (stack !== "" && !stack.includes("processTimers"));
}

/** One of them it was, and more is not known. */
function inWords(suspects: ReadonlySet<string>): string {
  const named = [...suspects].slice(0, MAX_SUSPECTS);
  if (suspects.size === 0) return "A plugin";
  if (suspects.size === 1) return `Plugin ${named[0]}`;
  const others = suspects.size > named.length ? ` and ${suspects.size - named.length} more` : "";
  return `One of the plugins ${named.join(", ")}${others}`;
}

/** Empty for what has none: a plugin can throw anything. */
function stackOf(reason: unknown): string {
  if (!(reason instanceof Error)) return "";
  try {
    const stack: unknown = reason.stack;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/** The stack to its end, from the runtime's own function on that told a listener. */
function callerStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  try {
    const stack = stackOf(new Error("Where the program is"));
    const start = stack.indexOf("ext:");
    return start < 0 ? "" : stack.slice(start);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The plugin that a stack leads through. */
function ownerInStack(stack: string, hooks: Pick<ModuleHooks, "ownerOf">): string | undefined {
  for (const [, url = ""] of stack.matchAll(/(file:\/\/\S+?):\d+:\d+/g)) {
    const owner = hooks.ownerOf(url);
    if (owner !== undefined) return owner;
  }
  return undefined;
}
