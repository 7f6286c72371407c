import { MAX_PARALLEL_CALLS } from "../../core/run/tool_calls.ts";
import type { NestedCalls, NestedOutcome } from "../../core/tools/nested_calls.ts";

/** One call of a snippet, as its result lists it. */
export interface ListedCall {
  readonly tool: string;
  /** `not started` for one that the end of the snippet overtook. */
  readonly outcome: NestedOutcome["status"] | "not started" | "over the limit";
  readonly durationMs?: number;
}

/** What a snippet is told about its call. */
export interface CallAnswer {
  readonly ok: boolean;
  readonly text: string;
}

interface WaitingCall {
  readonly place: number;
  readonly name: string;
  readonly input: string;
  readonly answer: (answer: CallAnswer) => void;
}

/** Deeper input is no input of any tool, and costs whoever reads it. */
const MAX_INPUT_DEPTH = 100;

/**
 * Makes the calls of one snippet, in the order in which they come: reads side by side, everything
 * with an effect alone. Once it is closed, what runs is waited for and nothing starts.
 */
export class CallQueue {
  readonly #calls: NestedCalls;
  readonly #maxCalls: number;
  readonly #signal: AbortSignal;
  readonly #waiting: WaitingCall[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #list: ListedCall[] = [];
  readonly #instructions = new Set<string>();
  #isAlone = false;
  #isClosed = false;
  #dropped = 0;
  #failure: { readonly error: unknown } | null = null;

  /**
   * Starts empty.
   *
   * @param calls Makes them.
   * @param options How many, and what stops those that run.
   */
  constructor(
    calls: NestedCalls,
    options: { readonly maxCalls: number; readonly signal: AbortSignal },
  ) {
    this.#calls = calls;
    this.#maxCalls = options.maxCalls;
    this.#signal = options.signal;
  }

  /** What was asked for, in order. */
  get list(): readonly ListedCall[] {
    return this.#list;
  }

  /** How many calls were beyond the limit. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Instructions that the results carried, for the model. */
  get instructions(): readonly string[] {
    return [...this.#instructions];
  }

  /**
   * Adds a call.
   *
   * @param name Name of the tool.
   * @param input JSON text.
   * @param answer Is told how it ended, unless the snippet ends before it starts.
   */
  add(name: string, input: string, answer: (answer: CallAnswer) => void): void {
    if (this.#isClosed) return;
    if (this.#list.length >= this.#maxCalls) {
      this.#dropped += 1;
      return answer({
        ok: false,
        text:
          `Cannot call "${name}": this snippet has made ${this.#maxCalls} calls, which is the ` +
          "limit; use another snippet for the rest",
      });
    }
    const place = this.#list.push({ tool: name, outcome: "not started" }) - 1;
    if (isDeeper(input, MAX_INPUT_DEPTH)) {
      this.#list[place] = { tool: name, outcome: "failed" };
      return answer({ ok: false, text: `Cannot call "${name}": its input is nested too deeply` });
    }
    this.#waiting.push({ place, name, input, answer });
    this.#startNext();
  }

  /**
   * Waits for what runs; nothing starts any more.
   *
   * @throws What the record of a call threw.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    while (this.#running.size > 0) await Promise.all(this.#running);
    if (this.#failure !== null) throw this.#failure.error;
  }

  #startNext(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#isClosed || this.#isAlone || this.#signal.aborted) return;
      const overlaps = this.#calls.mayOverlap(next.name);
      if (this.#running.size >= (overlaps ? MAX_PARALLEL_CALLS : 1)) return;
      this.#waiting.shift();
      this.#isAlone = !overlaps;
      const running = this.#make(next).finally(() => {
        this.#running.delete(running);
        this.#isAlone = false;
        this.#startNext();
      });
      this.#running.add(running);
    }
  }

  async #make({ place, name, input, answer }: WaitingCall): Promise<void> {
    const tool = name;
    try {
      const outcome = await this.#calls.call({ name, arguments: input }, this.#signal);
      const { status, text, durationMs, instructions } = outcome;
      this.#list[place] = { tool, outcome: status, durationMs };
      if (instructions !== undefined) this.#instructions.add(instructions);
      // What the end of the snippet stopped is no news for it: it would end with another word.
      if (!this.#signal.aborted) answer({ ok: status === "done", text });
    } catch (error) {
      this.#failure ??= { error };
      this.#list[place] = { tool, outcome: "failed" };
      answer({ ok: false, text: "The call could not be recorded" });
    }
  }
}

/** Whether JSON text is nested deeper than that; brackets in texts do not count. */
function isDeeper(json: string, max: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText) {
      if (char === "\\") at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > max) return true;
    } else if (char === "}" || char === "]") depth -= 1;
  }
  return false;
}
