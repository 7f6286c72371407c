const UNITS = [[1_000_000, "M"], [1_000, "k"]] as const;

/**
 * A number of tokens in a few characters, such as `950`, `9.9k`, `128k` or `1.2M`.
 *
 * @param tokens How many.
 */
export function formatTokens(tokens: number): string {
  for (const [size, unit] of UNITS) {
    // What would be shown as a thousand of the smaller unit belongs to the larger one.
    if (tokens < size - size / 2_000) continue;
    const value = tokens / size;
    return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
  }
  return String(Math.round(tokens));
}

/**
 * A time in whole seconds, such as `7s`, `1m 05s` or `2h 03m`.
 *
 * @param ms Milliseconds.
 */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
