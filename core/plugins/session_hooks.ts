import type { SessionInfo } from "@alisio/sdk";
import { boundText } from "../text/bound_text.ts";
import { callHook } from "./call_hook.ts";

/** What a plugin wants to be called for at the beginning or the end of sessions. */
export interface SessionHook {
  readonly plugin: string;
  readonly handle: (info: SessionInfo) => unknown;
}

/** How hooks are called. */
export interface SessionHookOptions {
  readonly info: Omit<SessionInfo, "signal">;
  /** How long each may take. */
  readonly timeoutMs: number;
  /** Ends the wait for all of them, which is nobody's failure. */
  readonly signal: AbortSignal;
  /** Is told of a hook that fails or takes too long. */
  readonly failed: (plugin: string, error: unknown) => void;
}

/** How much one plugin may add to a session. */
const MAX_START_CHARS = 16_000;

/**
 * Asks hooks for what stands before the first prompt of a session, all at once.
 *
 * @param hooks The hooks.
 * @param options How they are called.
 * @returns The texts, in the order of the hooks.
 */
export async function sessionStartTexts(
  hooks: Iterable<SessionHook>,
  options: SessionHookOptions,
): Promise<readonly string[]> {
  const texts = await Promise.all([...hooks].map(async (hook) => {
    const text = await called(hook, options, (result) => {
      if (result === undefined || result === null || typeof result === "string") return;
      throw new TypeError("it returned no text");
    });
    if (typeof text !== "string" || text.trim() === "") return [];
    return [`# From plugin ${hook.plugin}\n\n${boundText(text.trim(), MAX_START_CHARS).text}`];
  }));
  return texts.flat();
}

/**
 * Tells hooks of the end of a session, all at once, and waits for them.
 *
 * @param hooks The hooks.
 * @param options How they are called.
 */
export async function tellSessionEnd(
  hooks: Iterable<SessionHook>,
  options: SessionHookOptions,
): Promise<void> {
  await Promise.all([...hooks].map((hook) => called(hook, options)));
}

/** What a hook returned; undefined if it failed, which hurts nobody else. */
async function called(
  { plugin, handle }: SessionHook,
  { info, ...options }: SessionHookOptions,
  check: (result: unknown) => void = () => {},
): Promise<unknown> {
  return await callHook({
    ...options,
    plugin,
    check,
    handle: (signal) => handle({ ...info, signal }),
  });
}
