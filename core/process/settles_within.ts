/**
 * Waits for a promise, but not longer than a limit.
 *
 * @param promise Must not reject.
 * @param limitMs How long to wait.
 * @returns Whether it settled in time.
 */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), Math.max(0, limitMs));
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
