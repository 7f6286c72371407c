/**
 * Replies of model servers, whole and in pieces, for {@linkcode startStubServer}.
 *
 * @module
 */
import { jsonReply, type StubReply, type StubStep } from "./stub_server.ts";

/** One tool call of a scripted answer. */
export interface StubCall {
  readonly id: string;
  readonly name: string;
  /** An object is sent as its JSON text. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

/** An answer that a well-behaved server streams. */
export interface StubAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly StubCall[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** @default "stop" or "tool_calls" */
  readonly finishReason?: string;
}

/**
 * One server-sent event.
 *
 * @param value The data; text is sent as it is, anything else as JSON.
 * @param event The event's name.
 */
export function sse(value: unknown, event?: string): string {
  const data = typeof value === "string" ? value : JSON.stringify(value);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}

/** The end marker of a stream. */
export const SSE_DONE = "data: [DONE]\n\n";

/**
 * A chunk of Chat Completions.
 *
 * @param delta The delta of its one choice.
 * @param fields More fields of the choice, for example `finish_reason`.
 */
export function chatChunk(delta: unknown, fields: Readonly<Record<string, unknown>> = {}): string {
  return sse({
    id: "chatcmpl-stub",
    object: "chat.completion.chunk",
    created: 1,
    model: "stub",
    choices: [{ index: 0, delta, finish_reason: null, ...fields }],
  });
}

/**
 * The chunk that ends an answer.
 *
 * @param finishReason Why it ends.
 */
export function chatFinish(finishReason: string): string {
  return chatChunk({}, { finish_reason: finishReason });
}

/**
 * A reply that streams the steps.
 *
 * @param steps Events, bytes and actions.
 */
export function streamReply(steps: readonly StubStep[]): StubReply {
  return { headers: { "content-type": "text/event-stream" }, steps };
}

/**
 * A well-formed answer in Chat Completions.
 *
 * @param answer What the model says.
 */
export function chatReply(answer: StubAnswer): StubReply {
  const steps: string[] = [chatChunk({ role: "assistant", content: "" })];
  if (answer.reasoning !== undefined) {
    steps.push(chatChunk({ reasoning_content: answer.reasoning }));
  }
  for (const piece of pieces(answer.text ?? "")) steps.push(chatChunk({ content: piece }));
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const head = { index, id: call.id, type: "function" };
    steps.push(
      chatChunk({ tool_calls: [{ ...head, function: { name: call.name, arguments: "" } }] }),
    );
    for (const piece of pieces(toArguments(call))) {
      steps.push(chatChunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  const hasCalls = (answer.calls ?? []).length > 0;
  steps.push(chatFinish(answer.finishReason ?? (hasCalls ? "tool_calls" : "stop")));
  if (answer.usage !== undefined) steps.push(sse({ choices: [], usage: chatUsage(answer.usage) }));
  return streamReply([...steps, SSE_DONE]);
}

/**
 * An answer in Chat Completions from a server that does not stream.
 *
 * @param answer What the model says.
 */
export function chatDocument(answer: StubAnswer): StubReply {
  const calls = (answer.calls ?? []).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: toArguments(call) },
  }));
  const message = {
    role: "assistant",
    content: answer.text ?? null,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const reason = answer.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");
  return jsonReply({
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: reason }],
    ...(answer.usage === undefined ? {} : { usage: chatUsage(answer.usage) }),
  });
}

/**
 * A well-formed answer in the Responses protocol.
 *
 * @param answer What the model says; its reasoning is also sent in encrypted form.
 */
export function responsesReply(answer: StubAnswer): StubReply {
  const { output, response } = toResponse(answer);
  const steps = [sse({ type: "response.created", response: { status: "in_progress" } })];
  for (const [index, item] of output.entries()) {
    const at = { output_index: index, item_id: item.id };
    const added = { type: "response.output_item.added", output_index: index };
    if (item.type === "reasoning") {
      steps.push(sse({ ...added, item: { ...item, summary: [] } }));
      for (const delta of pieces(answer.reasoning ?? "")) {
        steps.push(sse({ type: "response.reasoning_summary_text.delta", ...at, delta }));
      }
    } else if (item.type === "message") {
      steps.push(sse({ ...added, item: { ...item, content: [] } }));
      for (const delta of pieces(answer.text ?? "")) {
        steps.push(sse({ type: "response.output_text.delta", ...at, content_index: 0, delta }));
      }
    } else {
      steps.push(sse({ ...added, item: { ...item, arguments: "" } }));
      for (const delta of pieces(String(item.arguments))) {
        steps.push(sse({ type: "response.function_call_arguments.delta", ...at, delta }));
      }
    }
    steps.push(sse({ type: "response.output_item.done", output_index: index, item }));
  }
  const end = response.status === "incomplete" ? "response.incomplete" : "response.completed";
  return streamReply([...steps, sse({ type: end, response })]);
}

/**
 * An answer in the Responses protocol from a server that does not stream.
 *
 * @param answer What the model says.
 */
export function responsesDocument(answer: StubAnswer): StubReply {
  return jsonReply(toResponse(answer).response);
}

/**
 * The bytes of a text one by one, which cuts every character of more than one byte.
 *
 * @param text The text.
 */
export function oneByteAtATime(text: string): readonly Uint8Array[] {
  return [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
}

interface StubItem {
  readonly id: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

function toResponse(answer: StubAnswer): {
  readonly output: readonly StubItem[];
  readonly response: Readonly<Record<string, unknown>>;
} {
  const output: StubItem[] = [];
  if (answer.reasoning !== undefined) {
    const summary = [{ type: "summary_text", text: answer.reasoning }];
    output.push({
      id: "rs_1",
      type: "reasoning",
      summary,
      encrypted_content: "opaque",
      status: null,
    });
  }
  if (answer.text !== undefined) {
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    output.push({ id: "msg_1", type: "message", role: "assistant", content });
  }
  for (const [index, call] of (answer.calls ?? []).entries()) {
    output.push({
      id: `fc_${index}`,
      type: "function_call",
      call_id: call.id,
      name: call.name,
      arguments: toArguments(call),
    });
  }
  const isCut = answer.finishReason === "length";
  const usage = answer.usage && {
    input_tokens: answer.usage.input,
    output_tokens: answer.usage.output,
    input_tokens_details: { cached_tokens: answer.usage.cached ?? 0 },
  };
  const response = {
    object: "response",
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output,
    ...(usage === undefined ? {} : { usage }),
  };
  return { output, response };
}

function chatUsage(usage: NonNullable<StubAnswer["usage"]>): Readonly<Record<string, unknown>> {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    ...(usage.cached === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: usage.cached } }),
  };
}

function toArguments(call: StubCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

/** A few pieces for short texts and not too many for long ones. */
function pieces(text: string): readonly string[] {
  const size = Math.max(7, Math.ceil(text.length / 50));
  const found: string[] = [];
  for (let start = 0; start < text.length; start += size) {
    found.push(text.slice(start, start + size));
  }
  return found;
}
