import type { JsonValue, ModelEvent, ModelToolCall, Usage } from "@alisio/sdk";
import { classifyServerError } from "./classify_server_error.ts";
import { type ExchangeContext, interruptedFailure, invalidResponse } from "./failures.ts";
import type { ResponseBudget } from "./response_budget.ts";
import { isErrorEnvelope } from "./server_error_body.ts";
import { TextBuffer } from "./text_buffer.ts";
import type { TurnReader, TurnResult } from "./turn_reader.ts";
import { SourceList } from "./source_list.ts";
import { parseUsage } from "./usage.ts";
import { toList, toRecord } from "./wire_values.ts";

/** Options of {@linkcode ResponsesTurnReader}. */
export interface ResponsesTurnReaderOptions {
  /** Names the exchange in messages. */
  readonly context: ExchangeContext;
  /** Bounds what is read. */
  readonly budget: ResponseBudget;
}

/**
 * Understands the Responses protocol, streamed or whole.
 *
 * An answer is a list of items. Servers differ in which events they send for one, so the reader
 * keeps what it knows of each item and takes from a later, fuller event only what is missing.
 */
export class ResponsesTurnReader implements TurnReader {
  readonly #options: ResponsesTurnReaderOptions;
  /** In order of appearance. */
  readonly #items = new Map<string, PartialItem>();
  #state: "open" | "complete" = "open";
  readonly #text = new TextBuffer();
  #textKey = "";
  #reasoning: TextBuffer | undefined;
  #usage: Usage | undefined;
  #truncated = false;
  #calls = 0;
  /** Pages that the answer cites, where the server searched the web. */
  readonly #sources = new SourceList();

  /**
   * Prepares to read one response.
   *
   * @param options What the reader reports and checks with.
   */
  constructor(options: ResponsesTurnReaderOptions) {
    this.#options = options;
  }

  get state(): "open" | "complete" {
    return this.#state;
  }

  take(name: string, value: unknown): ModelEvent[] {
    if (isErrorEnvelope(name, value)) throw this.#serverError(value);
    const event = toRecord(value);
    if (event === undefined) return [];
    const type = typeof event.type === "string" ? event.type : name;
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#addText(this.#itemOf(event, "message"), toText(event.delta));
      case "response.output_text.done":
        return this.#completeText(this.#itemOf(event, "message"), toText(event.text));
      case "response.output_text.annotation.added":
        this.#sources.add(event.annotation);
        return [];
      case "response.refusal.done":
        return this.#completeText(this.#itemOf(event, "message"), toText(event.refusal));
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
      case "response.reasoning_summary.delta":
      case "response.reasoning.delta":
        return this.#addReasoning(this.#itemOf(event, "reasoning"), toText(event.delta));
      case "response.output_item.added":
      case "response.output_item.done":
        return this.#takeItem(event);
      case "response.function_call_arguments.delta":
        return this.#addArguments(this.#itemOf(event, "function_call"), event.delta);
      case "response.function_call_arguments.done":
        return this.#setArguments(this.#itemOf(event, "function_call"), event.arguments);
      case "response.completed":
      case "response.done":
      case "response.incomplete":
        return this.#complete(toRecord(event.response) ?? {});
      case "response.failed":
      case "response.cancelled":
        throw this.#failed(event);
      default:
        return [];
    }
  }

  takeDocument(value: unknown): ModelEvent[] {
    if (isErrorEnvelope("", value)) throw this.#serverError(value);
    const response = toRecord(value);
    if (response !== undefined && Array.isArray(response.output)) {
      if (response.status === "failed") throw this.#failed({ response });
      return this.#complete(response);
    }
    const { context } = this.#options;
    const words = context.quote(JSON.stringify(value).slice(0, 8_000));
    throw invalidResponse(context, `it is no response object: "${words}"`);
  }

  result(): TurnResult {
    const items = [...this.#items.values()];
    // A search is sent back for the reasoning beside it; the answer says what came of it.
    const isReplayed = items.some((item) => item.type === "reasoning" && item.opaque !== undefined);
    return {
      text: this.#text.toString(),
      ...(this.#reasoning === undefined ? {} : { reasoning: this.#reasoning.toString() }),
      calls: items.filter((item) => item.type === "function_call").map(toModelCall),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      truncated: this.#truncated,
      continuation: isReplayed
        ? items.map((item) => item.opaque).filter((item) => item !== undefined)
        : [],
    };
  }

  /** The position names an item best: some servers change its id from event to event. */
  #itemOf(event: Record<string, unknown>, type: string): PartialItem {
    const id = typeof event.item_id === "string" ? event.item_id : "";
    const index = typeof event.output_index === "number" ? String(event.output_index) : "";
    return this.#item(index === "" ? `${type} ${id}` : index, type);
  }

  #item(key: string, type: string): PartialItem {
    let item = this.#items.get(key);
    if (item === undefined) {
      item = {
        key,
        type,
        callId: "",
        name: "",
        arguments: new TextBuffer(),
        text: new TextBuffer(),
        hasText: false,
        opaque: undefined,
      };
      this.#items.set(key, item);
      this.#options.budget.assertItems(this.#items.size);
      if (type === "function_call") this.#options.budget.assertCalls(++this.#calls);
    }
    return item;
  }

  #takeItem(event: Record<string, unknown>): ModelEvent[] {
    const value = toRecord(event.item);
    if (value === undefined) return [];
    return this.#mergeItem(
      this.#itemOf({ item_id: value.id, ...event }, toText(value.type)),
      value,
    );
  }

  #mergeItem(item: PartialItem, value: Record<string, unknown>): ModelEvent[] {
    switch (value.type) {
      case "message":
        for (const part of toList(value.content)) this.#sources.addAll(toRecord(part)?.annotations);
        return this.#completeText(item, toList(value.content).map(toPartText).join(""));
      case "reasoning":
        this.#setOpaque(item, toOpaqueReasoning(value));
        return this.#completeReasoning(item, value);
      case "web_search_call":
        // Reasoning that led to it is refused without it.
        this.#setOpaque(item, toOpaqueSearch(value));
        return [];
      case "function_call":
        this.#nameCall(item, toText(value.call_id) || toText(value.id), toText(value.name));
        return this.#setArguments(item, value.arguments);
      default:
        return [];
    }
  }

  #addText(item: PartialItem, text: string): ModelEvent[] {
    if (text === "") return [];
    const isNextMessage = this.#text.length > 0 && this.#textKey !== item.key;
    const delta = isNextMessage ? `\n\n${text}` : text;
    this.#options.budget.addText(delta.length);
    this.#textKey = item.key;
    this.#text.push(delta);
    item.text.push(text);
    return [{ type: "text_delta", delta }];
  }

  /** Adds what the deltas of an item left out. */
  #completeText(item: PartialItem, text: string): ModelEvent[] {
    const known = item.text.toString();
    return text.startsWith(known) ? this.#addText(item, text.slice(known.length)) : [];
  }

  #addReasoning(item: PartialItem, text: string): ModelEvent[] {
    this.#reasoning ??= new TextBuffer();
    item.hasText ||= text !== "";
    if (text === "") return [];
    this.#options.budget.addText(text.length);
    this.#reasoning.push(text);
    return [{ type: "reasoning_delta", delta: text }];
  }

  #completeReasoning(item: PartialItem, value: Record<string, unknown>): ModelEvent[] {
    if (item.hasText) return [];
    const parts = [...toList(value.summary), ...toList(value.content)].map(toPartText);
    const text = parts.filter((part) => part !== "").join("\n\n");
    return text === "" ? [] : this.#addReasoning(item, text);
  }

  #setOpaque(item: PartialItem, opaque: JsonValue | undefined): void {
    if (opaque === undefined) return;
    const known = item.opaque === undefined ? 0 : JSON.stringify(item.opaque).length;
    this.#options.budget.addText(Math.max(0, JSON.stringify(opaque).length - known));
    item.opaque = opaque;
  }

  #nameCall(item: PartialItem, callId: string, name: string): void {
    const before = item.callId.length + item.name.length;
    if (item.callId === "") item.callId = callId;
    if (item.name === "") item.name = name;
    this.#options.budget.addArguments(item.callId.length + item.name.length - before);
  }

  #addArguments(item: PartialItem, delta: unknown): ModelEvent[] {
    const text = toArgumentsText(delta);
    this.#options.budget.addArguments(text.length);
    item.arguments.push(text);
    return [{ type: "tool_delta" }];
  }

  /** The whole arguments replace what the deltas gave, unless they are missing. */
  #setArguments(item: PartialItem, value: unknown): ModelEvent[] {
    const text = toArgumentsText(value);
    if (text.length > item.arguments.length) {
      this.#options.budget.addArguments(text.length - item.arguments.length);
    }
    if (text !== "") {
      item.arguments.clear();
      item.arguments.push(text);
    }
    return [{ type: "tool_delta" }];
  }

  #complete(response: Record<string, unknown>): ModelEvent[] {
    const events = this.#mergeOutput(toList(response.output));
    this.#usage = parseUsage(response.usage) ?? this.#usage;
    this.#state = "complete";
    const sources = this.#sources.format(this.#text.toString());
    if (sources !== "") events.push(...this.#addText(this.#item("sources", "sources"), sources));
    const reason = toText(toRecord(response.incomplete_details)?.reason);
    if (reason === "content_filter") {
      const message = "The server's content filter ended the answer: it may be incomplete";
      events.push({ type: "warning", message });
    } else {
      this.#truncated = reason !== "" || response.status === "incomplete";
    }
    return events;
  }

  /**
   * Holds the final list against what was streamed. The n-th item of a type is the n-th of that
   * type in the stream: positions and ids may differ, and ids may repeat.
   */
  #mergeOutput(output: readonly unknown[]): ModelEvent[] {
    const streamed = Map.groupBy(this.#items.values(), (item) => item.type);
    return output.flatMap((entry, index) => {
      const value = toRecord(entry);
      if (value === undefined) return [];
      const type = toText(value.type);
      const item = streamed.get(type)?.shift() ?? this.#item(`final ${index}`, type);
      return this.#mergeItem(item, value);
    });
  }

  #failed(event: Record<string, unknown>): Error {
    const response = toRecord(event.response);
    if (toRecord(response?.error) !== undefined) return this.#serverError({ response });
    return interruptedFailure(this.#options.context, "the server gave up without a reason");
  }

  #serverError(body: unknown): Error {
    return classifyServerError({ body }, this.#options.context);
  }
}

interface PartialItem {
  readonly key: string;
  readonly type: string;
  callId: string;
  name: string;
  readonly arguments: TextBuffer;
  /** Text of a message so far. */
  readonly text: TextBuffer;
  /** Whether visible reasoning came. */
  hasText: boolean;
  opaque: JsonValue | undefined;
}

function toModelCall(item: PartialItem): ModelToolCall {
  return { id: item.callId.trim(), name: item.name, arguments: item.arguments.toString() };
}

/**
 * Keeps of a reasoning item what the server needs back and nothing that it would refuse. Without
 * the encrypted part there is nothing to replay, because the server stores no item.
 */
function toOpaqueReasoning(value: Record<string, unknown>): JsonValue | undefined {
  if (typeof value.encrypted_content !== "string" || value.encrypted_content === "") {
    return undefined;
  }
  return {
    type: "reasoning",
    ...(typeof value.id === "string" && value.id !== "" ? { id: value.id } : {}),
    summary: toList(value.summary).map((part) => ({
      type: "summary_text",
      text: toPartText(part),
    })),
    encrypted_content: value.encrypted_content,
  };
}

/** A search that the server did, as it has to see it again. */
function toOpaqueSearch(value: Record<string, unknown>): JsonValue | undefined {
  if (typeof value.id !== "string" || value.id === "") return undefined;
  return JSON.parse(JSON.stringify({
    type: "web_search_call",
    id: value.id,
    status: value.status ?? "completed",
    ...(value.action === undefined ? {} : { action: value.action }),
  }));
}

function toPartText(part: unknown): string {
  if (typeof part === "string") return part;
  const record = toRecord(part);
  return toText(record?.text ?? record?.refusal);
}

function toArgumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
