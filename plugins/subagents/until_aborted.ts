/**
 * Waits for a promise, and no longer than until a signal aborts.
 *
 * @param promise What is waited for; it goes on by itself.
 * @param signal Ends the wait.
 * @returns What the promise gives.
 * @throws The reason of the signal, or whatever the promise rejects with.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
