import type { GoalSettings } from "../config/configuration.ts";
import { AlisioError } from "../errors.ts";
import type { SessionStore } from "../session/session_store.ts";
import { type Evidence, type Goal, type GoalOwner, MAX_OBJECTIVE_CHARS } from "./goal.ts";
import { changeGoal, type GoalAction, stateOf } from "./goal_states.ts";
import { GoalStore } from "./goal_store.ts";
import { turnDisplay, turnPrompt } from "./goal_texts.ts";
import { GoalTurn, type GoalTurnOptions, type TurnPrompt, type TurnRun } from "./goal_turn.ts";
import { type TakenReport, takeReport } from "./report_goal.ts";
import { verifyEvidence } from "./verify_evidence.ts";

/** What the goals of an application work with. */
export interface SessionGoalsPorts {
  readonly store: SessionStore;
  /** Asked each time; the caps of a goal stay as they were when it was set. */
  readonly settings: () => GoalSettings;
  /** Id of the agent that runs. */
  readonly agent: () => string;
  /** Takes configured secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** Which goal somebody speaks of, as they saw it last. */
export interface ExpectedGoal {
  readonly goalId: string;
  readonly epoch: number;
}

/** The next turn of a goal, claimed for whoever asked. */
export interface ClaimedTurn {
  /** What the model is sent. */
  readonly prompt: string;
  /** What the conversation shows in its place. */
  readonly display: string;
  /** Known to the record, so that no turn runs twice. */
  readonly requestId: string;
}

/** The agent that plans works on no goal. */
const PLANNER = "plan";

/** The goals of the sessions of an application. */
export class SessionGoals {
  readonly #ports: SessionGoalsPorts;
  readonly #goals: GoalStore;

  /** @param ports What they work with. */
  constructor(ports: SessionGoalsPorts) {
    this.#ports = ports;
    this.#goals = new GoalStore(ports.store.database);
  }

  /**
   * The goal of a session.
   *
   * @param sessionId The session.
   */
  find(sessionId: string): Goal | undefined {
    return this.#goals.find(sessionId);
  }

  /**
   * Says what is wrong with an objective, before anything is begun for it.
   *
   * @param objective As it was typed.
   * @throws {AlisioError} `usage` if goals are switched off, or the objective is empty or too long.
   */
  assertObjective(objective: string): void {
    if (!this.#ports.settings().enabled) {
      throw refused('"goal.enabled" is false in the configuration');
    }
    this.#objective(objective);
  }

  /**
   * Sets the goal of a session, in place of any other. The caller holds its lease.
   *
   * @param sessionId The session.
   * @param wanted What is to be achieved, and tokens for it; null for any number.
   * @throws {AlisioError} `usage` if goals are switched off, or the objective is empty or too long.
   */
  create(
    sessionId: string,
    wanted: { readonly objective: string; readonly tokenBudget: number | null },
  ): Goal {
    this.assertObjective(wanted.objective);
    const { maxTurns, maxMinutes } = this.#ports.settings();
    const at = Date.now();
    const allowance = { turns: maxTurns, wallMs: maxMinutes * 60_000 };
    const goal: Goal = {
      sessionId,
      id: crypto.randomUUID(),
      epoch: 1,
      objective: this.#objective(wanted.objective),
      ...stateOf("created"),
      summary: "",
      evidence: [],
      tokenBudget: wanted.tokenBudget,
      tokensUsed: 0,
      turnsUsed: 0,
      maxTurns: allowance.turns,
      maxWallMs: allowance.wallMs,
      allowance,
      activeMs: 0,
      noToolStreak: 0,
      repeatStreak: 0,
      replyHash: "",
      blockedStreak: 0,
      blockedRun: "",
      continuations: 0,
      isInFlight: false,
      lastRunId: "",
      isContractSent: false,
      owner: this.#ownerOf(sessionId),
      createdAt: at,
      updatedAt: at,
      completedAt: null,
    };
    this.#goals.put(goal);
    return goal;
  }

  /**
   * Does to a goal what the person wants.
   *
   * @param expected The goal as the person sees it.
   * @param sessionId Its session.
   * @param action What they want.
   * @throws {AlisioError} `usage` if there is another goal by now, or its state forbids it.
   */
  act(sessionId: string, expected: ExpectedGoal, action: GoalAction): Goal {
    const wanted = action.kind === "edit"
      ? { ...action, objective: this.#objective(action.objective) }
      : action;
    const isStarting = action.kind === "resume" || action.kind === "edit";
    if (isStarting && !this.#ports.settings().enabled) {
      throw refused('"goal.enabled" is false in the configuration');
    }
    const owner = this.#ownerOf(sessionId);
    const goal = this.#goals.change(sessionId, (before) => {
      assertExpected(before, expected);
      const change = changeGoal(before, wanted);
      if (change.kind === "refused") {
        throw new AlisioError("usage", `Cannot ${action.kind} the goal: ${change.problem}`);
      }
      return { ...change.goal, owner };
    });
    if (goal === undefined) throw changedMeanwhile();
    return goal;
  }

  /**
   * Forgets a goal.
   *
   * @param sessionId The session.
   * @param expected The goal as the person sees it.
   * @throws {AlisioError} `usage` if there is another goal by now.
   */
  clear(sessionId: string, expected: ExpectedGoal): void {
    this.#ports.store.transaction(() => {
      const goal = this.#goals.find(sessionId);
      if (goal === undefined) throw changedMeanwhile();
      assertExpected(goal, expected);
      this.#goals.remove(goal);
    });
  }

  /**
   * Claims the next turn of an active goal; nobody else can, until it has run.
   *
   * @param sessionId The session.
   * @returns Null where nothing is to be done, or somebody else was faster.
   */
  claim(sessionId: string): ClaimedTurn | null {
    if (!this.#ports.settings().enabled || this.#ports.agent() === PLANNER) return null;
    let claimed: Goal | undefined;
    const goal = this.#goals.change(sessionId, (before) => {
      if (before.status !== "active" || before.isInFlight) return null;
      claimed = before;
      const continuations = before.continuations + 1;
      return { ...before, continuations, isInFlight: true, isContractSent: true };
    });
    if (goal === undefined || claimed === undefined) return null;
    return {
      prompt: turnPrompt(claimed),
      display: turnDisplay(claimed),
      requestId: `goal-${goal.id}-${goal.continuations}`,
    };
  }

  /**
   * Runs a prompt, as a turn where the session has an active goal: within what is left of it, and
   * counted towards it.
   *
   * @param sessionId The session.
   * @param options The prompt's, and what is known of the session.
   * @param run Runs it.
   * @throws What `run` throws.
   */
  async runTurn<P extends TurnPrompt, T extends TurnRun>(
    sessionId: string,
    options: GoalTurnOptions<P>,
    run: (narrowed: P) => Promise<T>,
  ): Promise<T> {
    const isOn = this.#ports.settings().enabled && this.#ports.agent() !== PLANNER;
    const { requestId = "" } = options.prompt;
    const goal = isOn ? this.#begin(sessionId, requestId) : undefined;
    if (goal === undefined) {
      if (!isClaim(requestId)) return await run(options.prompt);
      this.release(sessionId);
      throw new AlisioError("usage", "Cannot go on with the goal: it changed meanwhile");
    }
    const turn = new GoalTurn(goal, options, {
      goals: this.#goals,
      settings: this.#ports.settings,
      redact: this.#ports.redact,
    });
    return await turn.run(run);
  }

  #begin(sessionId: string, requestId: string): Goal | undefined {
    return this.#goals.change(sessionId, (goal) => {
      if (goal.status !== "active") return null;
      const isClaimed = requestId === `goal-${goal.id}-${goal.continuations}`;
      // The lease of the session keeps every other run out, so an older mark means nothing.
      return isClaimed || !isClaim(requestId) ? { ...goal, isInFlight: true } : null;
    });
  }

  /**
   * Pauses an active goal because the person or the system stopped the program, or will.
   *
   * @param sessionId The session.
   * @returns The goal, if it was paused.
   */
  interrupt(sessionId: string): Goal | undefined {
    return this.#goals.change(
      sessionId,
      (goal) =>
        goal.status === "active"
          ? { ...goal, ...stateOf("user_interrupt"), isInFlight: false, epoch: goal.epoch + 1 }
          : null,
    );
  }

  /**
   * Gives a claimed turn back that was not run.
   *
   * @param sessionId The session.
   */
  release(sessionId: string): void {
    this.#goals.change(
      sessionId,
      (goal) => goal.isInFlight ? { ...goal, isInFlight: false } : null,
    );
  }

  /**
   * Takes what the model says of the goal.
   *
   * @param sessionId The session.
   * @param callId The call that says it.
   * @param report What it says.
   * @returns What became of it; null where the session has no active goal.
   */
  report(
    sessionId: string,
    callId: string,
    report: {
      readonly status: "complete" | "blocked";
      readonly summary: string;
      readonly evidence: readonly Evidence[];
    },
  ): TakenReport | null {
    if (this.#ports.agent() === PLANNER) return null;
    const { store, redact } = this.#ports;
    const runId = store.call(sessionId, callId)?.runId ?? "";
    const { blockedRepeats } = this.#ports.settings();
    let taken: TakenReport | null = null;
    this.#goals.change(sessionId, (goal) => {
      if (goal.status !== "active") return null;
      const journal = {
        commands: this.#goals.ranCommands(goal),
        refusals: this.#goals.refusals(goal),
      };
      const evidence = verifyEvidence(report.evidence, journal)
        .map((piece) => ({ ...piece, detail: redact(piece.detail) }));
      const said = { ...report, summary: redact(report.summary), evidence };
      taken = takeReport(goal, said, { runId, blockedRepeats, at: Date.now() });
      return taken.goal;
    });
    return taken;
  }

  /**
   * Pauses an active goal whose process is gone. Called by the holder of the lease: whoever worked
   * on it does so no more.
   *
   * @param sessionId The session.
   * @returns The goal, if it was paused.
   */
  recover(sessionId: string): Goal | undefined {
    const owner = this.#ownerOf(sessionId);
    return this.#goals.change(sessionId, (goal) => {
      const isOurs = goal.owner.pid === owner.pid && goal.owner.token === owner.token;
      if (goal.status !== "active" || isOurs) return null;
      return { ...goal, ...stateOf("restart"), isInFlight: false, epoch: goal.epoch + 1, owner };
    });
  }

  #objective(text: string): string {
    const objective = text.trim();
    if (objective === "") throw refused("the objective is empty; say what is to be achieved");
    if (objective.length > MAX_OBJECTIVE_CHARS) {
      throw refused(
        `the objective has ${objective.length} characters, the limit is ${MAX_OBJECTIVE_CHARS}; ` +
          "put the rest into a file and name that",
      );
    }
    return this.#ports.redact(objective);
  }

  /** The process that holds the lease, as the session notes it. */
  #ownerOf(sessionId: string): GoalOwner {
    const owner = this.#ports.store.session(sessionId)?.owner;
    return { pid: owner?.pid ?? Deno.pid, token: owner?.token ?? "" };
  }
}

function isClaim(requestId: string): boolean {
  return requestId.startsWith("goal-");
}

function assertExpected(goal: Goal, { goalId, epoch }: ExpectedGoal): void {
  if (goal.id !== goalId || goal.epoch !== epoch) throw changedMeanwhile();
}

function changedMeanwhile(): AlisioError {
  return new AlisioError("usage", "Cannot change the goal: it changed meanwhile; look at it again");
}

function refused(reason: string): AlisioError {
  return new AlisioError("usage", `Cannot set the goal: ${reason}`);
}
