import type { ProviderError } from "@alisio/sdk";
import {
  adviseBaseUrl,
  type ExchangeContext,
  interruptedFailure,
  invalidResponse,
  tooLargeFailure,
  webPageFailure,
} from "./failures.ts";
import type { ResponseLimits } from "./limits.ts";
import { SseDecoder, type SseItem } from "./sse_decoder.ts";

/** What a server sent next. */
export type ServerEvent =
  /** An event whose data is JSON. */
  | { readonly type: "event"; readonly name: string; readonly value: unknown }
  /** The whole answer as one JSON document: the server does not stream. */
  | { readonly type: "document"; readonly value: unknown }
  | { readonly type: "keep_alive" }
  /** Data that is not JSON. */
  | { readonly type: "unreadable"; readonly text: string }
  /** The end marker. */
  | { readonly type: "done" }
  /** The server closed the body. */
  | { readonly type: "end" }
  /** The connection broke. */
  | { readonly type: "cut" }
  /** Nothing came within the time that the caller waits. */
  | { readonly type: "quiet" };

/** Options of {@linkcode ServerEvents}. */
export interface ServerEventsOptions {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Names the exchange in messages. */
  readonly context: ExchangeContext;
  /** Bounds of the response. */
  readonly limits: ResponseLimits;
}

/**
 * Reads a response body as events, whatever its content type claims: gateways label streams as
 * JSON and answer a streaming request with one document.
 */
export class ServerEvents {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #options: ServerEventsOptions;
  readonly #decoder = new TextDecoder();
  readonly #sse: SseDecoder;
  readonly #isEventStream: boolean;
  readonly #status: number;
  #form: "unknown" | "events" | "document" = "unknown";
  #document: string[] = [];
  #documentChars = 0;
  /** Text that made no event so far. */
  #start = "";
  #hasEvents = false;
  #bytes = 0;
  #queue: SseItem[] = [];
  #head = 0;
  #pending: Promise<Chunk> | undefined;
  #end: ServerEvent | undefined;

  /**
   * Takes over the body of a response.
   *
   * @param response A response whose body was not read.
   * @param options What bounds the reading.
   */
  constructor(response: Response, options: ServerEventsOptions) {
    this.#reader = response.body?.getReader();
    this.#options = options;
    this.#sse = new SseDecoder(options.limits.maxEventChars);
    const type = response.headers.get("content-type") ?? "";
    this.#isEventStream = type.includes("event-stream");
    this.#status = response.status;
  }

  /**
   * Waits for the next event. After `end`, `cut` or a document it answers `end` for ever.
   *
   * @param untilMs When to give up with `quiet`, on the clock of `performance.now()`.
   * @throws {ProviderError} If the body is of no known form or larger than a bound.
   * @throws The signal's reason, if it aborts.
   */
  async next(untilMs?: number): Promise<ServerEvent> {
    while (true) {
      this.#options.signal.throwIfAborted();
      const item = this.#queue[this.#head];
      if (item !== undefined) {
        this.#head++;
        return this.#toEvent(item);
      }
      if (this.#end !== undefined) return this.#takeEnd(this.#end);
      this.#queue = [];
      this.#head = 0;
      const chunk = await this.#read(untilMs);
      if (chunk === "quiet") return { type: "quiet" };
      const event = chunk.type === "bytes" ? this.#take(chunk.bytes) : this.#finish(chunk);
      if (event !== undefined) return event;
    }
  }

  /**
   * Releases the connection after an answer that is complete. The end of the body is usually on its
   * way, and only a body that was read to its end leaves a connection for the next turn, which
   * saves a handshake.
   *
   * @param waitMs How long to wait for that end; then the connection is closed.
   */
  async release(waitMs: number): Promise<void> {
    const untilMs = performance.now() + waitMs;
    while (this.#end === undefined && performance.now() < untilMs) {
      const chunk = await this.#read(untilMs);
      if (chunk === "quiet" || chunk.type !== "bytes") break;
    }
    await this.cancel();
  }

  /** Closes the connection. Never fails. */
  async cancel(): Promise<void> {
    try {
      await this.#reader?.cancel();
    } catch {
      // A connection that broke is released already.
    }
  }

  async #read(untilMs: number | undefined): Promise<Chunk | "quiet"> {
    this.#pending ??= this.#readChunk();
    const pending = this.#pending;
    const chunk = untilMs === undefined ? await pending : await waitUntil(pending, untilMs);
    if (chunk !== "quiet") this.#pending = undefined;
    return chunk;
  }

  async #readChunk(): Promise<Chunk> {
    if (this.#reader === undefined) return { type: "end" };
    try {
      const { value, done } = await this.#reader.read();
      return done ? { type: "end" } : { type: "bytes", bytes: value };
    } catch {
      // Why it broke is in no field; an abort is told apart by the signal.
      return { type: "cut" };
    }
  }

  #take(bytes: Uint8Array): ServerEvent | undefined {
    const { context, limits } = this.#options;
    this.#bytes += bytes.byteLength;
    if (this.#bytes > limits.maxBytes) {
      throw tooLargeFailure(context, `it is larger than ${limits.maxBytes} bytes`);
    }
    return this.#takeText(this.#decoder.decode(bytes, { stream: true }));
  }

  #takeText(text: string): ServerEvent | undefined {
    if (this.#form === "unknown") {
      const first = text.trimStart()[0];
      // Blank lines keep a connection alive while a document is being prepared.
      if (first === undefined) return { type: "keep_alive" };
      if (first === "<") throw webPageFailure(this.#options.context, this.#status);
      // No event begins so, whatever the label says.
      this.#form = first === "{" || first === "[" ? "document" : "events";
    }
    if (this.#form === "document") this.#addToDocument(text);
    else this.#queue = this.#decodeEvents(() => this.#sse.push(text));
    if (this.#queue.length > 0) this.#hasEvents = true;
    else if (!this.#hasEvents) this.#start = (this.#start + text).slice(0, MAX_QUOTED_CHARS);
    return undefined;
  }

  #finish(chunk: Chunk): ServerEvent | undefined {
    this.#options.signal.throwIfAborted();
    const rest = this.#decoder.decode();
    if (rest !== "") this.#takeText(rest);
    const end: ServerEvent = chunk.type === "cut" ? { type: "cut" } : { type: "end" };
    if (this.#form === "document" && chunk.type === "end") {
      this.#end = { type: "end" };
      return { type: "document", value: this.#parseDocument() };
    }
    this.#end = end;
    this.#queue = [...this.#queue, ...this.#decodeEvents(() => this.#sse.end())];
    const hasNone = this.#form === "events" && !this.#hasEvents && this.#queue.length === 0;
    // A stream may end before its first event; what is whole JSON was never one.
    const isNeither = hasNone && (!this.#isEventStream || parseJson(this.#start) !== undefined);
    if (isNeither && chunk.type === "end") {
      const { context } = this.#options;
      const words = context.quote(this.#start);
      const reason = `it is neither a stream of events nor JSON: "${words}": ` +
        adviseBaseUrl(context);
      throw invalidResponse(context, reason, this.#status);
    }
    return undefined;
  }

  #takeEnd(end: ServerEvent): ServerEvent {
    this.#end = { type: "end" };
    return end;
  }

  #decodeEvents(decode: () => SseItem[]): SseItem[] {
    try {
      return decode();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const limit = this.#options.limits.maxEventChars;
      throw tooLargeFailure(this.#options.context, `one event is larger than ${limit} characters`);
    }
  }

  #toEvent(item: SseItem): ServerEvent {
    if (item.type === "comment") return { type: "keep_alive" };
    if (item.data === "[DONE]") return { type: "done" };
    if (item.data.trim() === "") return { type: "keep_alive" };
    const value = parseJson(item.data);
    if (value !== undefined) return { type: "event", name: item.event, value };
    const lines = item.data.split("\n");
    if (lines.length === 1) return { type: "unreadable", text: item.data };
    // A server that separates events by one line end only.
    const items = lines.map((data): SseItem => ({ type: "data", event: item.event, data }));
    this.#queue = [...items, ...this.#queue.slice(this.#head)];
    this.#head = 0;
    return { type: "keep_alive" };
  }

  #addToDocument(text: string): void {
    const { context, limits } = this.#options;
    this.#document.push(text);
    this.#documentChars += text.length;
    if (this.#documentChars <= limits.maxEventChars) return;
    throw tooLargeFailure(context, `it is larger than ${limits.maxEventChars} characters`);
  }

  #parseDocument(): unknown {
    const text = this.#document.join("");
    const value = parseJson(text);
    if (value !== undefined) return value;
    throw this.#invalidDocument(text);
  }

  #invalidDocument(text: string): ProviderError {
    const { context } = this.#options;
    const quote = context.quote(text.slice(0, MAX_QUOTED_CHARS));
    if (!/[}\]]\s*$/.test(text.slice(-MAX_QUOTED_CHARS))) {
      return interruptedFailure(context, `the document is incomplete: "${quote}"`);
    }
    return invalidResponse(context, `it is not valid JSON: "${quote}"`, this.#status);
  }
}

/** Enough for any quote, and little to search. */
const MAX_QUOTED_CHARS = 8_000;

type Chunk =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "end" }
  | { readonly type: "cut" };

async function waitUntil(pending: Promise<Chunk>, untilMs: number): Promise<Chunk | "quiet"> {
  const quiet = Promise.withResolvers<"quiet">();
  const timer = setTimeout(() => quiet.resolve("quiet"), Math.max(0, untilMs - performance.now()));
  try {
    return await Promise.race([pending, quiet.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** `undefined` stands for text that is not JSON, which JSON itself cannot hold. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
