import { createParser } from "eventsource-parser";
import { McpError } from "../../../core/mcp/mcp_connection.ts";

/** One event of a stream. */
export interface ServerEvent {
  /** Its kind; `message` where the server named none. */
  readonly kind: string;
  readonly data: string;
  /** What the stream can be taken up from. */
  readonly id?: string;
}

/** What a stream of events is read with. */
export interface ServerEventsOptions {
  /** Longest event, in bytes as they come. */
  readonly maxBytes: number;
  /** Is told how long to wait before the stream is taken up again. */
  readonly onRetry?: (waitMs: number) => void;
}

/**
 * Reads a stream of server-sent events.
 *
 * @param body The stream. It is cancelled when nobody reads on.
 * @param options What bounds it.
 * @throws {McpError} With the code `too_large` for an event above the limit.
 * @throws What the stream breaks with.
 */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  { maxBytes, onRetry }: ServerEventsOptions,
): AsyncGenerator<ServerEvent> {
  const events: ServerEvent[] = [];
  let sinceEvent = 0;
  const parser = createParser({
    onEvent({ event, data, id }) {
      sinceEvent = 0;
      events.push({ kind: event ?? "message", data, ...(id === undefined ? {} : { id }) });
    },
    onComment: () => void (sinceEvent = 0),
    ...(onRetry === undefined ? {} : { onRetry }),
  });
  const decoder = new TextDecoder();
  for await (const piece of body) {
    sinceEvent += piece.length;
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* events.splice(0);
    if (sinceEvent > maxBytes) {
      throw new McpError(
        "too_large",
        `the answer has more than ${Math.floor(maxBytes / 1024 / 1024)} MB`,
      );
    }
  }
}
