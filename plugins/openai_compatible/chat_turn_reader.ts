import type { ModelEvent, Usage } from "@alisio/sdk";
import { classifyServerError } from "./classify_server_error.ts";
import { type ExchangeContext, interruptedFailure, invalidResponse } from "./failures.ts";
import type { ResponseBudget } from "./response_budget.ts";
import { isErrorEnvelope } from "./server_error_body.ts";
import { TextBuffer } from "./text_buffer.ts";
import { ToolCallAssembler } from "./tool_call_assembler.ts";
import type { TurnReader, TurnResult } from "./turn_reader.ts";
import { parseUsage } from "./usage.ts";
import { toList, toRecord } from "./wire_values.ts";

/** Options of {@linkcode ChatTurnReader}. */
export interface ChatTurnReaderOptions {
  /** Names the exchange in messages. */
  readonly context: ExchangeContext;
  /** Bounds what is read. */
  readonly budget: ResponseBudget;
  /** Whether a tool of that name was offered. */
  readonly isKnownTool: (name: string) => boolean;
}

/** Understands Chat Completions, streamed or whole, as the many servers speak it. */
export class ChatTurnReader implements TurnReader {
  readonly #options: ChatTurnReaderOptions;
  readonly #calls: ToolCallAssembler;
  readonly #text = new TextBuffer();
  #reasoning: TextBuffer | undefined;
  #usage: Usage | undefined;
  #finishReason = "";
  #choiceIndex: number | undefined;

  /**
   * Prepares to read one response.
   *
   * @param options What the reader reports and checks with.
   */
  constructor(options: ChatTurnReaderOptions) {
    this.#options = options;
    this.#calls = new ToolCallAssembler({
      isKnownTool: options.isKnownTool,
      onChars: (chars) => options.budget.addArguments(chars),
      onCall: (count) => options.budget.assertCalls(count),
    });
  }

  get state(): "open" | "finishing" {
    return this.#finishReason === "" ? "open" : "finishing";
  }

  take(name: string, value: unknown): ModelEvent[] {
    if (isErrorEnvelope(name, value)) throw this.#serverError(value);
    const chunk = toRecord(value);
    if (chunk === undefined) return [];
    const choice = this.#selectChoice(chunk.choices);
    // The last report counts: some servers send a running total with every chunk.
    this.#usage = parseUsage(chunk.usage) ?? parseUsage(choice?.usage) ??
      parseUsage(toRecord(chunk.x_groq)?.usage) ?? this.#usage;
    return choice === undefined ? [] : this.#takeChoice(choice);
  }

  takeDocument(value: unknown): ModelEvent[] {
    if (!isErrorEnvelope("", value) && toRecord(value)?.choices === undefined) {
      const { context } = this.#options;
      const words = context.quote(JSON.stringify(value).slice(0, 8_000));
      throw invalidResponse(context, `it is no chat completion: "${words}"`);
    }
    const events = this.take("", value);
    if (this.#finishReason === "") this.#finishReason = "stop";
    return events;
  }

  result(): TurnResult {
    return {
      text: this.#text.toString(),
      ...(this.#reasoning === undefined ? {} : { reasoning: this.#reasoning.toString() }),
      calls: this.#calls.calls,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      truncated: isTruncated(this.#finishReason),
      continuation: [],
    };
  }

  /** Only one answer was asked for; the others of a server that sends more are left out. */
  #selectChoice(choices: unknown): Record<string, unknown> | undefined {
    for (const entry of toList(choices)) {
      const choice = toRecord(entry);
      if (choice === undefined) continue;
      const index = typeof choice.index === "number" ? choice.index : 0;
      this.#choiceIndex ??= index;
      if (index === this.#choiceIndex) return choice;
    }
    return undefined;
  }

  #takeChoice(choice: Record<string, unknown>): ModelEvent[] {
    if (isErrorEnvelope("", { error: choice.error })) throw this.#serverError(choice);
    const events = this.#takeMessage(this.#selectMessage(choice));
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
      events.push(...this.#finish(choice.finish_reason.toLowerCase()));
    }
    return events;
  }

  /** Some servers send a whole `message` where a `delta` belongs, or beside the deltas. */
  #selectMessage(choice: Record<string, unknown>): Record<string, unknown> {
    const delta = toRecord(choice.delta);
    if (delta !== undefined && Object.keys(delta).length > 0) return delta;
    const isEmpty = this.#text.length === 0 && this.#calls.calls.length === 0;
    return (isEmpty ? toRecord(choice.message) : undefined) ?? {};
  }

  #takeMessage(message: Record<string, unknown>): ModelEvent[] {
    const events: ModelEvent[] = [];
    const reasoning = findReasoning(message);
    if (reasoning !== undefined) this.#addReasoning(reasoning, events);
    this.#takeContent(message.content, events);
    this.#addText(toText(message.refusal), events);
    if (this.#takeCalls(message)) events.push({ type: "tool_delta" });
    return events;
  }

  #takeContent(content: unknown, events: ModelEvent[]): void {
    if (typeof content === "string") return this.#addText(content, events);
    const parts = Array.isArray(content) ? content : [content];
    for (const part of parts.map((entry) => typeof entry === "string" ? entry : toRecord(entry))) {
      if (typeof part === "string") this.#addText(part, events);
      else if (part?.type === "thinking") this.#addReasoning(toText(part.thinking), events);
      else if (part !== undefined) this.#addText(toText(part.text ?? part.refusal), events);
    }
  }

  #takeCalls(message: Record<string, unknown>): boolean {
    const single = toRecord(message.tool_calls);
    const calls = single === undefined ? toList(message.tool_calls) : [single];
    for (const call of calls) this.#calls.add(call);
    if (calls.length > 0) return true;
    if (toRecord(message.function_call) === undefined) return false;
    this.#calls.add(message.function_call, LEGACY_CALL_INDEX);
    return true;
  }

  #addText(text: string, events: ModelEvent[]): void {
    if (text === "") return;
    this.#options.budget.addText(text.length);
    this.#text.push(text);
    events.push({ type: "text_delta", delta: text });
  }

  #addReasoning(text: string, events: ModelEvent[]): void {
    this.#reasoning ??= new TextBuffer();
    if (text === "") return;
    this.#options.budget.addText(text.length);
    this.#reasoning.push(text);
    events.push({ type: "reasoning_delta", delta: text });
  }

  #finish(reason: string): ModelEvent[] {
    // A cut stays a cut, whatever reason follows it.
    if (isTruncated(this.#finishReason)) return [];
    this.#finishReason = reason;
    if (reason === "error" || reason === "network_error") {
      const why = `the server gave up with the reason "${reason}"`;
      throw interruptedFailure(this.#options.context, why);
    }
    if (reason !== "content_filter" && reason !== "sensitive") return [];
    const message = "The server's content filter ended the answer: it may be incomplete";
    return [{ type: "warning", message }];
  }

  #serverError(body: unknown): Error {
    return classifyServerError({ body }, this.#options.context);
  }
}

function isTruncated(reason: string): boolean {
  return TRUNCATED_REASONS.some((one) => one === reason);
}

/** Every word that servers have for an answer that was cut. */
const TRUNCATED_REASONS = [
  "length",
  "max_tokens",
  "max_output_tokens",
  "max_completion_tokens",
  "model_length",
  "model_context_window_exceeded",
] as const;

/** An index that no server uses, for the one call that the legacy form can hold. */
const LEGACY_CALL_INDEX = -1;

/** Routers send the same reasoning under several names, so the first one with text is taken. */
function findReasoning(message: Record<string, unknown>): string | undefined {
  const fields = [
    message.reasoning_content,
    message.reasoning,
    message.reasoning_text,
    message.thinking,
  ].filter((field) => field !== undefined && field !== null);
  const text = fields.map(toText).find((field) => field !== "");
  if (text !== undefined) return text;
  const details = toList(message.reasoning_details).map((entry) => {
    const detail = toRecord(entry);
    return toText(detail?.text ?? detail?.summary);
  }).join("");
  return details !== "" || fields.length > 0 ? details : undefined;
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(toText).join("");
  const record = toRecord(value);
  return record === undefined ? "" : toText(record.text ?? record.content);
}
