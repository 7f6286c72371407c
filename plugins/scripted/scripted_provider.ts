import {
  type AssistantMessage,
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  type ModelToolCall,
  ProviderError,
  type ToolMessage,
} from "@alisio/sdk";
import { fillPlaceholders } from "./placeholders.ts";
import type { Script, ScriptCall, ScriptError, ScriptExpectation, ScriptTurn } from "./script.ts";

const DELTAS_PER_TEXT = 4;
const MAX_QUOTE_CHARS = 300;

/**
 * Plays a script of model turns. No server is asked.
 *
 * The number of assistant messages in a request picks the turn, so a script goes on where it was
 * when a session is resumed. Past its end every request gets a text that says so.
 */
export class ScriptedProvider implements ModelProvider {
  /** Names the script, so that two scripts are two providers. */
  readonly id: string;
  readonly #script: Script;
  readonly #path: string;
  /** Requests that each turn has failed so far, by turn. */
  readonly #failures = new Map<number, number>();

  /**
   * Prepares to play; nothing is read or opened.
   *
   * @param script What to play.
   * @param path Where it comes from; the model's id.
   */
  constructor(script: Script, path: string) {
    this.id = `scripted:${path}`;
    this.#script = script;
    this.#path = path;
  }

  /**
   * Plays one turn.
   *
   * @param request The conversation so far.
   */
  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    const { signal, messages } = request;
    signal.throwIfAborted();
    const played = messages.filter((message) => message.role === "assistant").length;
    const { turns, loop } = this.#script;
    const index = loop === true ? played % turns.length : played;
    const turn = turns[index] ?? { text: `The script ended after its ${turns.length} turns.` };
    const message = this.#compose(turn, request, played);
    if (turn.delayMs !== undefined) await delay(turn.delayMs, signal);
    for (const event of deltasOf(turn)) {
      yield event;
      signal.throwIfAborted();
    }
    if (turn.error !== undefined && this.#fails(turn.error, index)) throw errorOf(turn.error);
    for (const _ of message.calls) yield { type: "tool_delta" };
    yield {
      type: "completed",
      message,
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
      ...(turn.truncated === undefined ? {} : { truncated: turn.truncated }),
    };
  }

  /** Lists the models that the script names. */
  listModels(): Promise<readonly ModelInfo[]> {
    return Promise.resolve(this.#script.models ?? [{ id: this.#path }]);
  }

  #compose(turn: ScriptTurn, request: ModelRequest, played: number): AssistantMessage {
    const results = request.messages.filter((message) => message.role === "tool");
    const problem = turn.expect === undefined
      ? undefined
      : mismatchOf(turn.expect, request, results.at(-1));
    if (problem !== undefined) throw this.#invalid(played, problem);
    try {
      const calls = (turn.calls ?? []).map((call, index) =>
        callOf(call, `call_${played + 1}_${index + 1}`, results)
      );
      return { role: "assistant", text: turn.text ?? "", calls };
    } catch (cause) {
      throw this.#invalid(played, cause instanceof Error ? cause.message : String(cause), cause);
    }
  }

  #invalid(played: number, problem: string, cause?: unknown): ProviderError {
    const message = `Cannot play turn ${played + 1} of script "${this.#path}": ${problem}`;
    return new ProviderError(message, { code: "invalid_request", cause });
  }

  #fails(error: ScriptError, index: number): boolean {
    const failures = this.#failures.get(index) ?? 0;
    if (failures >= (error.times ?? Infinity)) return false;
    this.#failures.set(index, failures + 1);
    return true;
  }
}

function callOf(call: ScriptCall, id: string, results: readonly ToolMessage[]): ModelToolCall {
  const text = typeof call.arguments === "string"
    ? call.arguments
    : JSON.stringify(fillPlaceholders(call.arguments, results));
  return { id: call.id ?? id, name: call.name, arguments: text };
}

function mismatchOf(
  expect: ScriptExpectation,
  request: ModelRequest,
  result: ToolMessage | undefined,
): string | undefined {
  const { lastToolIncludes, toolIsError, promptIncludes } = expect;
  if (promptIncludes !== undefined) {
    const prompt = promptOf(request);
    if (!prompt.includes(promptIncludes)) return differs("prompt", promptIncludes, prompt);
  }
  if (lastToolIncludes === undefined && toolIsError === undefined) return undefined;
  if (result === undefined) return "expected a tool result, and there is none";
  if (lastToolIncludes !== undefined && !result.text.includes(lastToolIncludes)) {
    return differs(`result of "${result.name}"`, lastToolIncludes, result.text);
  }
  if (toolIsError !== undefined && result.isError !== toolIsError) {
    const wanted = toolIsError ? "an error" : "no error";
    return `expected ${wanted} from "${result.name}", got ${quote(result.text)}`;
  }
  return undefined;
}

function promptOf(request: ModelRequest): string {
  const message = request.messages.findLast((candidate) => candidate.role === "user");
  if (message?.role !== "user") return "";
  return message.content.map((part) => part.type === "text" ? part.text : "").join("\n");
}

function differs(what: string, expected: string, actual: string): string {
  return `expected the ${what} to contain ${quote(expected)}, got ${quote(actual)}`;
}

function quote(text: string): string {
  const cut = text.length > MAX_QUOTE_CHARS;
  return JSON.stringify(text.slice(0, MAX_QUOTE_CHARS)) + (cut ? " (cut)" : "");
}

function errorOf(error: ScriptError): ProviderError {
  const { code, message, retryable, retryAfterMs } = error;
  return new ProviderError(message, {
    code,
    ...(retryable === undefined ? {} : { retryable }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function deltasOf(turn: ScriptTurn): readonly ModelEvent[] {
  const reasoning = pieces(turn.reasoning ?? "");
  return [
    ...reasoning.map((delta) => ({ type: "reasoning_delta", delta }) as const),
    ...pieces(turn.text ?? "").map((delta) => ({ type: "text_delta", delta }) as const),
  ];
}

/** Whole code points stay whole. */
function pieces(text: string): readonly string[] {
  const points = [...text];
  const size = Math.max(1, Math.ceil(points.length / DELTAS_PER_TEXT));
  const starts = Array.from({ length: Math.ceil(points.length / size) }, (_, at) => at * size);
  return starts.map((start) => points.slice(start, start + size).join(""));
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    function abort(): void {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener("abort", abort, { once: true });
  });
}
