import { untilAborted } from "../until_aborted.ts";

/** How a hook of a plugin is called. */
export interface HookCall {
  /** The plugin. */
  readonly plugin: string;
  /** Calls the hook; the signal aborts when its time is over, or nobody waits for it any more. */
  readonly handle: (signal: AbortSignal) => unknown;
  /**
   * Throws if what the hook returned is not what it may return.
   *
   * @default Whatever it is, is fine.
   */
  readonly check?: (result: unknown) => void;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Ends the wait, which is nobody's failure. */
  readonly signal: AbortSignal;
  /** Is told of a hook that fails or takes too long. */
  readonly failed: (plugin: string, error: unknown) => void;
}

/**
 * Calls a hook of a plugin. One that throws, hangs or returns nonsense hurts nobody else.
 *
 * @param call How it is called.
 * @returns What the hook returned; undefined if it failed.
 */
export async function callHook(call: HookCall): Promise<unknown> {
  const { plugin, handle, check, timeoutMs, signal, failed } = call;
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new Error(`it did not end within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    const run = async () => await handle(either);
    const result = await untilAborted(run(), either);
    check?.(result);
    return result;
  } catch (error) {
    if (!signal.aborted) failed(plugin, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
