/**
 * Waits for a promise, but no longer than a signal allows.
 *
 * @param promise What is waited for; it goes on, unheeded, when the signal aborts.
 * @param signal Ends the wait.
 * @throws The signal's reason, if it aborts first.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
