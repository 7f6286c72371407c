import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import type { GoalSettings } from "../config/configuration.ts";
import { errorMessage } from "../errors.ts";
import { RunCancelledError, RunFailedError } from "../run/run_error.ts";
import type { RunLimits } from "../run/run_limits.ts";
import { previewText } from "../text/bound_text.ts";
import type { Goal } from "./goal.ts";
import { stateOf, tokensLeft } from "./goal_states.ts";
import type { GoalStore } from "./goal_store.ts";
import { settleTurn, type TurnFacts } from "./settle_turn.ts";

/** What a run answers, as far as a goal counts it. */
export interface TurnRun {
  readonly runId: string;
  readonly text: string;
}

/** The options of a prompt, as far as a turn narrows them. */
export interface TurnPrompt {
  readonly signal: AbortSignal;
  readonly observers: readonly ((event: RunEvent) => void)[];
  readonly requestId?: string;
  readonly limits?: Partial<RunLimits>;
}

/**
 * What a prompt of a session with a goal comes with.
 *
 * @typeParam P The options of the prompt.
 */
export interface GoalTurnOptions<P extends TurnPrompt> {
  /** The options of the prompt. */
  readonly prompt: P;
  /** What the run may use where no goal says less. */
  readonly limits: Pick<RunLimits, "maxTokens" | "timeoutMs">;
  /** Tokens of the conversation as it is, estimated where nothing is reported. */
  readonly contextTokens: () => number;
  /** Milliseconds of the run so far; waiting for a person does not count. */
  readonly activeMs: () => number;
}

/** What a turn is counted with. */
export interface GoalTurnPorts {
  readonly goals: GoalStore;
  readonly settings: () => GoalSettings;
  readonly redact: (text: string) => string;
}

/** The reason of the signal of a run that used the tokens of its goal. */
class BudgetUsed extends Error {
  constructor() {
    super("The token budget of the goal is used");
  }
}

const MAX_ERROR_CHARS = 1_000;

/**
 * One run as a turn of a goal.
 *
 * @typeParam P The options of the prompt.
 */
export class GoalTurn<P extends TurnPrompt> {
  readonly #goal: Goal;
  readonly #options: GoalTurnOptions<P>;
  readonly #ports: GoalTurnPorts;
  readonly #budget = new AbortController();
  #runId = "";
  #tokens = 0;
  #toolCalls = 0;

  /**
   * Begins a turn.
   *
   * @param goal The goal, as it is before.
   * @param options What the prompt comes with.
   * @param ports What it is counted with.
   */
  constructor(goal: Goal, options: GoalTurnOptions<P>, ports: GoalTurnPorts) {
    this.#goal = goal;
    this.#options = options;
    this.#ports = ports;
  }

  /**
   * Runs it within what is left, and counts it however it ends.
   *
   * @param run Runs the prompt.
   * @throws What `run` throws.
   */
  async run<T extends TurnRun>(
    run: (narrowed: P) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await run(this.#narrowed());
      this.#settle({ end: "answered", error: "", replyHash: await hashOf(result.text) });
      return result;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #narrowed(): P {
    const { prompt, limits } = this.#options;
    const left = tokensLeft(this.#goal);
    const { maxTokens, timeoutMs } = { ...limits, ...prompt.limits };
    return {
      ...prompt,
      signal: AbortSignal.any([prompt.signal, this.#budget.signal]),
      observers: [...prompt.observers, (event) => this.#observe(event as KnownRunEvent)],
      limits: {
        ...prompt.limits,
        maxTokens: left === null ? maxTokens : Math.min(maxTokens, left),
        timeoutMs: Math.max(1, Math.min(timeoutMs, this.#goal.maxWallMs - this.#goal.activeMs)),
      },
    };
  }

  #observe(event: KnownRunEvent): void {
    this.#runId = event.runId;
    const isCall = event.type === "tool_completed" && event.data.parentId === undefined;
    if (isCall) this.#toolCalls += 1;
    if (event.type !== "turn_completed") return;
    const { usage, calls } = event.data;
    this.#tokens += usage === undefined
      ? this.#options.contextTokens()
      : usage.input + usage.output;
    const left = tokensLeft(this.#goal);
    // What is reported the run counts itself; what is estimated nobody else does.
    if (usage === undefined && calls > 0 && left !== null && this.#tokens >= left) {
      this.#budget.abort(new BudgetUsed());
    }
  }

  #fail(error: unknown): void {
    const isByPerson = this.#options.prompt.signal.aborted;
    if (!isByPerson && this.#budget.signal.aborted) {
      return this.#settle({ end: "exhausted", error: "" });
    }
    if (isByPerson || error instanceof RunCancelledError) {
      return this.#settle({ end: "stopped", error: "" });
    }
    const code = error instanceof RunFailedError ? error.code : "";
    const isRunTimeout = error instanceof RunFailedError && error.data.timeout?.kind === "run";
    if (isRunTimeout) return this.#settle({ end: "answered", error: "" });
    const left = tokensLeft(this.#goal);
    const isExhausted = code === "token_budget" && left !== null && this.#tokens >= left;
    this.#settle({
      end: isExhausted ? "exhausted" : "failed",
      error: previewText(this.#ports.redact(errorMessage(error)), MAX_ERROR_CHARS),
    });
  }

  #settle(
    { end, error, replyHash = "" }:
      & Pick<TurnFacts, "end" | "error">
      & Partial<Pick<TurnFacts, "replyHash">>,
  ): void {
    const { settings } = this.#ports;
    const facts: TurnFacts = {
      runId: this.#runId,
      end,
      error,
      tokens: this.#tokens,
      activeMs: this.#options.activeMs(),
      toolCalls: this.#toolCalls,
      replyHash,
    };
    const change = this.#runId === ""
      ? (goal: Goal) => this.#giveBack(goal, facts)
      : (goal: Goal) => settleTurn(goal, facts, settings());
    try {
      this.#ports.goals.change(
        this.#goal.sessionId,
        (goal) => goal.id === this.#goal.id ? change(goal) : null,
      );
    } catch (failure) {
      // The record itself may be what failed; whoever opens the session next pauses the goal.
      if (end === "answered") throw failure;
    }
  }

  /** A prompt that never became a run is no turn; one that nobody typed would be tried for ever. */
  #giveBack(goal: Goal, { end, error }: TurnFacts): Goal {
    const free = { ...goal, isInFlight: false };
    if (this.#options.prompt.requestId === undefined || goal.status !== "active") return free;
    const state = end === "stopped" ? stateOf("user_interrupt") : stateOf("run_error", error);
    return { ...free, ...state, epoch: goal.epoch + 1 };
  }
}

/** Two replies are the same whatever their blanks and capitals. */
async function hashOf(text: string): Promise<string> {
  const words = text.toLowerCase().replace(/\s+/g, " ").trim();
  if (words === "") return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words));
  return new Uint8Array(digest).toHex();
}
