/**
 * How long something took, as a person reads it: `60ms`, `2.9s`, `1m 05s`, `2h 03m`.
 *
 * @param ms Milliseconds.
 */
export function formatDuration(ms: number): string {
  if (!(ms >= 0)) return "0ms";
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${padded(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${padded(minutes % 60)}m`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
