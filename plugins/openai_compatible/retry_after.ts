/**
 * How long a server asks to wait.
 *
 * @param headers The response's headers, if there was a response.
 * @param message The server's words, where some servers say it instead.
 * @param nowMs The current time, for waits that are given as a date.
 * @returns Milliseconds, or `undefined` where it does not ask for a wait.
 */
export function parseRetryAfter(
  headers: Headers | undefined,
  message: string,
  nowMs: number,
): number | undefined {
  return parseNumber(headers?.get("retry-after-ms"), 1) ??
    parseNumber(headers?.get("retry-after"), 1_000) ??
    toWait(Date.parse(headers?.get("retry-after") ?? "") - nowMs) ??
    parseMessage(message);
}

function parseNumber(value: string | null | undefined, unitMs: number): number | undefined {
  return value ? toWait(Number(value) * unitMs) : undefined;
}

const WAIT_REGEXP =
  /(?:try again|retry) (?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)\s*)+)/i;

function parseMessage(message: string): number | undefined {
  const wait = WAIT_REGEXP.exec(message)?.[1];
  if (wait === undefined) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of wait.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    totalMs += Number(amount) * toUnitMs(unit ?? "s");
  }
  return toWait(totalMs);
}

function toUnitMs(unit: string): number {
  const name = unit.toLowerCase();
  if (name === "ms" || name.startsWith("milli")) return 1;
  if (name.startsWith("h")) return 3_600_000;
  return name.startsWith("m") ? 60_000 : 1_000;
}

function toWait(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}
