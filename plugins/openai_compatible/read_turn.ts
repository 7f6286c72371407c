import {
  type AssistantMessage,
  type ModelEvent,
  type ModelRequest,
  type ModelToolCall,
  ProviderError,
} from "@alisio/sdk";
import { ChatTurnReader } from "./chat_turn_reader.ts";
import {
  type ExchangeContext,
  interruptedFailure,
  invalidResponse,
  unexpectedFailure,
} from "./failures.ts";
import type { ResponseLimits } from "./limits.ts";
import type { OpenAiProfile } from "./profile.ts";
import { ResponseBudget } from "./response_budget.ts";
import { type ServerEvent, ServerEvents } from "./server_events.ts";
import { TextBuffer } from "./text_buffer.ts";
import {
  DECISIVE_CHARS,
  MAX_TEXT_CALL_CHARS,
  mayBecomeTextToolCall,
  parseTextToolCalls,
} from "./text_tool_calls.ts";
import type { TurnReader, TurnResult } from "./turn_reader.ts";
import { toRecord } from "./wire_values.ts";

/** What reading a response depends on. */
export interface ReadTurnOptions {
  /** What was asked. */
  readonly request: ModelRequest;
  /** How the server speaks. */
  readonly profile: OpenAiProfile;
  /** Marks opaque items as belonging to this provider. */
  readonly providerId: string;
  /** Names the exchange in messages. */
  readonly context: ExchangeContext;
  /** Bounds of the response. */
  readonly limits: ResponseLimits;
}

/**
 * Reads a successful response to its end. The connection is released when the answer is complete,
 * when the caller stops listening, and on every failure, even if the server keeps it open.
 *
 * @param response A response whose body was not read.
 * @param options What reading depends on.
 * @throws {ProviderError} If the answer is an error, is cut, or passes a bound.
 * @throws The signal's reason, if it aborts.
 */
export async function* readTurn(
  response: Response,
  options: ReadTurnOptions,
): AsyncGenerator<ModelEvent> {
  const { context, limits, request: { signal } } = options;
  const source = new ServerEvents(response, { signal, context, limits });
  try {
    yield { type: "activity" };
    yield* readEvents(source, options);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ProviderError ? error : unexpectedFailure(context, error);
  } finally {
    await source.cancel();
  }
}

async function* readEvents(
  source: ServerEvents,
  options: ReadTurnOptions,
): AsyncGenerator<ModelEvent> {
  const reader = await createReader(options);
  const filter = new TurnFilter(options);
  let untilMs: number | undefined;
  const pieces = { objects: 0, others: 0 };
  while (reader.state !== "complete") {
    const event = await source.next(untilMs);
    if (event.type === "end") assertHasObjects(pieces, options.context);
    if (isLast(event, reader, options.context)) break;
    if (event.type === "event") {
      pieces[toRecord(event.value) === undefined ? "others" : "objects"]++;
    }
    yield* filter.filter(takeEvent(event, reader, options.context));
    if (event.type === "document") break;
    // Comments do not extend the wait: only the server's facts do.
    if (event.type === "event" && reader.state === "finishing") {
      untilMs = performance.now() + options.limits.finishWaitMs;
    }
  }
  // Before the completion, because a host may listen no further than that.
  await source.release(options.limits.releaseWaitMs);
  options.request.signal.throwIfAborted();
  yield* filter.complete(reader.result());
}

/** A profile speaks one protocol; the usual one is not loaded late. */
async function createReader(options: ReadTurnOptions): Promise<TurnReader> {
  const { context, limits, request, profile } = options;
  const budget = new ResponseBudget(context, limits);
  if (profile.apiMode === "responses") {
    const { ResponsesTurnReader } = await import("./responses_turn_reader.ts");
    return new ResponsesTurnReader({ context, budget });
  }
  const names = new Set(request.tools.map((tool) => tool.name));
  return new ChatTurnReader({ context, budget, isKnownTool: (name) => names.has(name) });
}

/** A stream that came to its end and held `null` or the like is no answer that was cut. */
function assertHasObjects(
  pieces: { readonly objects: number; readonly others: number },
  context: ExchangeContext,
): void {
  if (pieces.objects > 0 || pieces.others === 0) return;
  throw invalidResponse(
    context,
    `its stream holds no object, and ${pieces.others} other value(s): the server is at fault`,
  );
}

/** Whether the answer is over. Without the model's word or the end marker, an end is a cut. */
function isLast(event: ServerEvent, reader: TurnReader, context: ExchangeContext): boolean {
  switch (event.type) {
    case "done":
    case "quiet":
      return true;
    case "end":
    case "cut":
      if (reader.state !== "open") return true;
      throw interruptedFailure(
        context,
        event.type === "cut" ? "the connection broke" : "the server closed the connection",
      );
    default:
      return false;
  }
}

function takeEvent(event: ServerEvent, reader: TurnReader, context: ExchangeContext): ModelEvent[] {
  switch (event.type) {
    case "event":
      return reader.take(event.name, event.value);
    case "document":
      return reader.takeDocument(event.value);
    case "unreadable": {
      const words = context.quote(event.text.slice(0, 8_000));
      const message = `The server sent a piece that is not JSON, which was skipped: "${words}"`;
      return [{ type: "warning", message }];
    }
    default:
      return [];
  }
}

/** Most warnings of one response; a server that is broken throughout says so once or twice. */
const MAX_WARNINGS = 8;

/** Turns what the reader reports into what the host is told. */
class TurnFilter {
  readonly #options: ReadTurnOptions;
  readonly #readsTextCalls: boolean;
  #warnings = 0;
  /** Text that may still turn out to be a call; `undefined` once it cannot. */
  #held: TextBuffer | undefined;
  /** What decides about the held text. */
  #heldStart = "";

  constructor(options: ReadTurnOptions) {
    this.#options = options;
    this.#readsTextCalls = options.profile.textToolCalls && options.request.tools.length > 0;
    this.#held = this.#readsTextCalls ? new TextBuffer() : undefined;
  }

  filter(events: readonly ModelEvent[]): ModelEvent[] {
    const told = events.flatMap((event) => this.#filterOne(event));
    return told.length === 0 ? [{ type: "activity" }] : told;
  }

  *complete(result: TurnResult): Generator<ModelEvent> {
    const written = result.calls.length > 0
      ? undefined
      : parseTextToolCalls(result.text, this.#options.request.tools);
    const isCall = written !== undefined && this.#readsTextCalls;
    if (this.#held !== undefined && this.#held.length > 0 && !isCall) {
      yield { type: "text_delta", delta: this.#held.toString() };
    }
    if (written !== undefined && !isCall) yield this.#hint(written);
    yield {
      type: "completed",
      message: this.#toMessage(isCall ? { ...result, text: "", calls: written } : result),
      ...(result.usage === undefined ? {} : { usage: result.usage }),
      ...(result.truncated ? { truncated: true } : {}),
    };
  }

  #filterOne(event: ModelEvent): ModelEvent[] {
    if (event.type === "warning" && ++this.#warnings > MAX_WARNINGS) return [];
    if (event.type !== "text_delta" || this.#held === undefined) return [event];
    const held = this.#held;
    held.push(event.delta);
    if (this.#heldStart.length < DECISIVE_CHARS) {
      this.#heldStart = (this.#heldStart + event.delta).trimStart().slice(0, DECISIVE_CHARS);
    }
    if (held.length <= MAX_TEXT_CALL_CHARS && mayBecomeTextToolCall(this.#heldStart)) {
      return [{ type: "tool_delta" }];
    }
    this.#held = undefined;
    return [{ type: "text_delta", delta: held.toString() }];
  }

  #hint(calls: readonly ModelToolCall[]): ModelEvent {
    const names = calls.slice(0, 3).map((call) => `"${call.name}"`).join(", ");
    return {
      type: "warning",
      message: `The model wrote a call of ${names} as plain text, so nothing ran: ` +
        'if this model always does, set "provider.textToolCalls" to true',
    };
  }

  #toMessage(result: TurnResult): AssistantMessage {
    const { profile, providerId } = this.#options;
    return {
      role: "assistant",
      text: result.text,
      calls: result.calls.map((call) => ({ ...call, name: this.#resolveName(call.name) })),
      ...(profile.keepReasoning && result.reasoning !== undefined
        ? { reasoning: result.reasoning }
        : {}),
      ...(result.continuation.length === 0
        ? {}
        : { continuation: { provider: providerId, items: result.continuation } }),
    };
  }

  /** Some templates leak their markup into a name: a namespace before it, a channel after it. */
  #resolveName(name: string): string {
    const tools = this.#options.request.tools;
    const isKnown = (candidate: string) => tools.some((tool) => tool.name === candidate);
    if (isKnown(name)) return name;
    const bare = (name.split("<|")[0] ?? "").trim().replace(/^functions?[.:]/, "");
    return isKnown(bare) ? bare : name;
  }
}
