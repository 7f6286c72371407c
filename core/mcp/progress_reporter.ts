import type { McpProgress } from "./mcp_connection.ts";

/** A server may send news of its progress as often as it likes; people are told so often. */
const INTERVAL_MS = 200;
const MAX_MESSAGE_CHARS = 500;

/**
 * Tells people how far a call is, never more often than they can read.
 *
 * @param emit Tells it.
 */
export function progressReporter(
  emit: (data: unknown) => void,
): (progress: McpProgress) => void {
  let toldAt = -Infinity;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - toldAt < INTERVAL_MS) return;
    toldAt = now;
    const share = total === undefined ? String(progress) : `${progress} of ${total}`;
    const words = message === undefined || message === "" ? share : message;
    emit({
      message: words.slice(0, MAX_MESSAGE_CHARS),
      completed: progress,
      ...(total === undefined ? {} : { total }),
    });
  };
}
