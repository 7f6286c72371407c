import { AsyncLocalStorage } from "node:async_hooks";
import { errorMessage } from "../errors.ts";
import { previewText } from "../text/bound_text.ts";
import type { ModuleHooks } from "./module_hooks.ts";

/** More than these tell a person nothing new. */
const MAX_NOTICES = 10;

/** So many plugins are named where it could have been any of them. */
const MAX_SUSPECTS = 5;

/** A line of a stack that is no code of the runtime's. */
const MODULE_FRAME_REGEXP = /^ +at .*\b(?:file|https?):\/\//m;

/** Knows which plugin is at work. */
export interface StrayGuard {
  /**
   * Makes a plugin answerable for whatever the call does, and whatever comes of that later.
   *
   * @param plugin What the plugin is called in messages.
   * @param call Runs code of the plugin.
   */
  within<T>(plugin: string, call: () => T): T;
  /** Tells nobody any more. What fails without a word of whose it is ends the program again. */
  close(): void;
}

/** A guard that is open. */
interface OpenGuard {
  /** What its plugins are called. */
  readonly suspects: Set<string>;
  readonly notify: (owner: string, message: string) => void;
}

/**
 * What plugins have begun cannot be stopped, so it may fail when nobody is there any more who could
 * be told. The listeners stay therefore, once for the whole process, as the modules do.
 */
const GUARDS = new Set<OpenGuard>();
/** Every plugin that ever was at work. */
const SUSPECTS = new Set<string>();
const ACTORS = new AsyncLocalStorage<string>();
let ownerOfModule: ((url: string) => string | undefined) | undefined;

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
  if (ownerOfModule === undefined) {
    globalThis.addEventListener("unhandledrejection", onRejection);
    globalThis.addEventListener("error", onError);
  }
  ownerOfModule = (url) => hooks.ownerOf(url);
  const said = new Set<string>();
  const guard: OpenGuard = {
    suspects: new Set(),
    notify(owner, message) {
      const notice = `${owner} failed in the background: ${previewText(message, 300)}`;
      if (said.has(notice) || said.size >= MAX_NOTICES) return;
      said.add(notice);
      notify(notice);
    },
  };
  GUARDS.add(guard);
  return {
    within(plugin, call) {
      guard.suspects.add(plugin);
      SUSPECTS.add(plugin);
      return ACTORS.run(plugin, call);
    },
    close: () => void GUARDS.delete(guard),
  };
}

function onRejection(event: PromiseRejectionEvent): void {
  report(event, event.reason, () => errorMessage(event.reason));
}

function onError(event: ErrorEvent): void {
  // A worker's failure comes without the error.
  report(
    event,
    event.error,
    () => event.error === null ? event.message : errorMessage(event.error),
  );
}

function report(event: Event, reason: unknown, message: () => string): void {
  const stack = stackOf(reason);
  const actor = knowsActor(event, stack) ? ACTORS.getStore() : undefined;
  const known = ownerInStack(stack) ?? actor;
  // Of two applications in one process, either may have loaded the plugin.
  const guards = [...GUARDS];
  const guard = guards.find(({ suspects }) => known !== undefined && suspects.has(known)) ??
    guards.at(-1);
  const owner = named(known) ??
    (guard === undefined ? undefined : suspected(stack, guard.suspects));
  if (owner === undefined) return;
  event.preventDefault();
  guard?.notify(owner, message());
}

function named(plugin: string | undefined): string | undefined {
  return plugin === undefined ? undefined : `Plugin ${plugin}`;
}

/**
 * The runtime fails by itself at what was asked of it before, and what is no error has no stack:
 * the code of modules does neither.
 */
function suspected(stack: string, suspects: ReadonlySet<string>): string | undefined {
  return MODULE_FRAME_REGEXP.test(stack) ? undefined : inWords(suspects);
}

/**
 * For a listener of the event `unload`: the plugin that ends the program, in words that begin a
 * sentence. Undefined if it ends by itself, or by other code.
 */
export function endingPlugin(): string | undefined {
  const stack = callerStack();
  const owner = named(ownerInStack(stack));
  if (owner !== undefined) return owner;
  return /\bexit\b.* \(ext:/.test(stack) ? suspected(stack, SUSPECTS) : undefined;
}

/** A timer that throws does not say who set it: the actor is whoever was at work before. */
function knowsActor({ type }: Event, stack: string): boolean {
  return type === "unhandledrejection" || stack.includes("processTicks") ||
    (stack !== "" && !stack.includes("processTimers"));
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
function ownerInStack(stack: string): string | undefined {
  for (const [, url = ""] of stack.matchAll(/(file:\/\/\S+?):\d+:\d+/g)) {
    const owner = ownerOfModule?.(url);
    if (owner !== undefined) return owner;
  }
  return undefined;
}
