import type { RunEvent } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { RunStatus } from "./session_records.ts";
import type { SessionStore } from "./session_store.ts";

/** Tokens as servers counted them. */
export interface TokenCounts {
  /** Of requests, cached ones included. */
  readonly input: number;
  /** Of responses. */
  readonly output: number;
  /** The part of `input` that came from a cache. */
  readonly cachedInput: number;
}

/** What became of the calls of one tool. */
export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  /** Calls that failed; refused ones not counted. */
  readonly errors: number;
  /** Calls that permissions refused. */
  readonly refused: number;
  readonly durationMs: number;
}

/** What one model answered. */
export interface ModelStats {
  readonly model: string;
  readonly turns: number;
  readonly tokens: TokenCounts;
}

/** What happened in a session, over every process that it was open in. */
export interface SessionStats {
  /** Prompts by how their runs ended; running ones included. */
  readonly runs: Readonly<Partial<Record<RunStatus, number>>>;
  readonly turns: number;
  /** Turns whose server counted no tokens. */
  readonly uncountedTurns: number;
  readonly tokens: TokenCounts;
  /** From the first to the last event of each run, added up; waiting for the person included. */
  readonly durationMs: number;
  /** What models took. */
  readonly modelMs: number;
  /** To the first token, in the middle of all turns that streamed; null where none did. */
  readonly firstTokenMs: number | null;
  /** By name. */
  readonly tools: readonly ToolStats[];
  /** In the order of their first answer. */
  readonly models: readonly ModelStats[];
  /** Requests that were sent again. */
  readonly retries: number;
  /** What the runs got over, without repetitions: at most 20. */
  readonly warnings: readonly string[];
}

const PAGE = 1_000;
const MAX_WARNINGS = 20;

/**
 * Works out what happened in a session from what is stored of it.
 *
 * @param store The record.
 * @param sessionId The session.
 * @throws {AlisioError} With a `database_*` code.
 */
export function readSessionStats(
  store: Pick<SessionStore, "eventsOf" | "runs">,
  sessionId: string,
): SessionStats {
  const tally = new Tally();
  for (const { status } of store.runs(sessionId)) {
    tally.runs[status] = (tally.runs[status] ?? 0) + 1;
  }
  let afterSeq = 0;
  while (true) {
    const events = store.eventsOf(sessionId, { afterSeq, limit: PAGE });
    for (const event of events) tally.count(event);
    const last = Number(events.at(-1)?.eventId ?? 0);
    if (events.length < PAGE || last <= afterSeq) return tally.stats();
    afterSeq = last;
  }
}

const NO_TOKENS: TokenCounts = { input: 0, output: 0, cachedInput: 0 };

class Tally {
  readonly runs: Partial<Record<RunStatus, number>> = {};
  readonly #tools = new Map<string, ToolStats>();
  readonly #models = new Map<string, ModelStats>();
  readonly #spans = new Map<string, { readonly from: number; readonly to: number }>();
  readonly #firstTokens: number[] = [];
  readonly #warnings = new Set<string>();
  #uncountedTurns = 0;
  #modelMs = 0;
  #retries = 0;

  count(event: RunEvent): void {
    const { data } = event;
    this.#countTime(event);
    switch (event.type) {
      case "turn_completed":
        return this.#countTurn(data);
      case "tool_completed":
        return this.#countCall(data);
      case "request_retry":
      case "truncation_recovery":
        this.#retries++;
        return;
      case "run_warning":
        if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(textOf(data["message"]));
        return;
      case "plugin_hook_failed":
        if (this.#warnings.size < MAX_WARNINGS) {
          const hook = `Plugin "${textOf(data["source"])}" failed in ${textOf(data["hook"])}`;
          this.#warnings.add(`${hook}: ${textOf(data["error"])}`);
        }
    }
  }

  stats(): SessionStats {
    const models = [...this.#models.values()];
    return {
      runs: this.runs,
      turns: models.reduce((sum, { turns }) => sum + turns, 0),
      uncountedTurns: this.#uncountedTurns,
      tokens: models.map(({ tokens }) => tokens).reduce(add, NO_TOKENS),
      durationMs: [...this.#spans.values()].reduce((sum, { from, to }) => sum + to - from, 0),
      modelMs: this.#modelMs,
      firstTokenMs: median(this.#firstTokens),
      tools: [...this.#tools.values()].sort((a, b) => a.name < b.name ? -1 : 1),
      models,
      retries: this.#retries,
      warnings: [...this.#warnings],
    };
  }

  #countTime({ runId, timestamp }: RunEvent): void {
    const at = Date.parse(timestamp);
    if (Number.isNaN(at)) return;
    const { from, to } = this.#spans.get(runId) ?? { from: at, to: at };
    this.#spans.set(runId, { from: Math.min(from, at), to: Math.max(to, at) });
  }

  #countTurn(data: RunEvent["data"]): void {
    const model = textOf(data["model"]);
    const usage = data["usage"];
    const tokens = isObject(usage)
      ? {
        input: numberOf(usage["input"]),
        output: numberOf(usage["output"]),
        cachedInput: numberOf(usage["cachedInput"]),
      }
      : NO_TOKENS;
    if (!isObject(usage)) this.#uncountedTurns++;
    this.#modelMs += numberOf(data["durationMs"]);
    if (typeof data["ttftMs"] === "number") this.#firstTokens.push(data["ttftMs"]);
    const before = this.#models.get(model) ?? { model, turns: 0, tokens: NO_TOKENS };
    const turns = before.turns + 1;
    this.#models.set(model, { model, turns, tokens: add(before.tokens, tokens) });
  }

  #countCall(data: RunEvent["data"]): void {
    const name = textOf(data["name"]);
    const isRefused = data["refused"] !== undefined;
    const before = this.#tools.get(name) ??
      { name, calls: 0, errors: 0, refused: 0, durationMs: 0 };
    this.#tools.set(name, {
      name,
      calls: before.calls + 1,
      errors: before.errors + (data["isError"] === true && !isRefused ? 1 : 0),
      refused: before.refused + (isRefused ? 1 : 0),
      durationMs: before.durationMs + numberOf(data["durationMs"]),
    });
  }
}

function add(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cachedInput: a.cachedInput + b.cachedInput,
  };
}

function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
