/**
 * How long a server asks to wait.
 *
 * @param headers The response's headers, if there was a response.
 * @param message The server's words, where some servers say it instead.
 * @param nowMs The current time, for waits that are given as a date.
 * @returns Milliseconds, or `undefined` where it asks for no wait, or for one that has passed.
 */
export function parseRetryAfter(
  headers: Headers | undefined,
  message: string,
  nowMs: number,
): number | undefined {
  return parseNumber(headers?.get("retry-after-ms"), 1) ??
    parseNumber(headers?.get("retry-after"), 1_000) ??
    parseDate(headers?.get("retry-after"), nowMs) ??
    parseMessage(message);
}

function parseNumber(value: string | null | undefined, unitMs: number): number | undefined {
  return value ? toWait(Number(value) * unitMs) : undefined;
}

/** A date begins with the name of its day; `Date.parse` takes much else for a date, `-5` too. */
function parseDate(value: string | null | undefined, nowMs: number): number | undefined {
  return /^\s*[a-z]/i.test(value ?? "") ? toWait(Date.parse(value ?? "") - nowMs) : undefined;
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

/** A wait that is too long to count is still one that the server asks for. */
function toWait(ms: number): number | undefined {
  return ms >= 0 ? Math.min(Math.ceil(ms), Number.MAX_SAFE_INTEGER) : undefined;
}
