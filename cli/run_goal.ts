import type { Application } from "../core/application.ts";
import { AlisioError } from "../core/errors.ts";
import type { Goal, GoalReason } from "../core/goals/goal.ts";
import { REASONS, STATUS_NAMES } from "../core/goals/goal_states.ts";
import { BUDGET_FORMS, formatTokenBudget, parseTokenBudget } from "../core/goals/parse_budget.ts";
import type { ClaimedTurn, SessionGoals } from "../core/goals/session_goals.ts";
import { isBorneOut } from "../core/goals/verify_evidence.ts";
import { type Breaker, noticedIn } from "../core/goals/settle_turn.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import type { OpenSession } from "../core/run/open_session.ts";
import { RunCancelledError, RunFailedError } from "../core/run/run_error.ts";
import type { RunObserver } from "../core/run/run_events.ts";
import { assertPromptFits } from "./assert_prompt_fits.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS, exitStatusOf } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { openApplication } from "./open_application.ts";
import { readPrompt } from "./read_prompt.ts";
import { waitLimit } from "./run_prompt.ts";
import { createJsonFrontEnd, createTextFrontEnd } from "./text_front_end.ts";

/** A flag of a command as the command line gives it. */
type FlagValue = CommandContext["commandFlags"][string] | undefined;

/**
 * `alisio run --goal`: works toward a goal in a new session.
 *
 * @param context What the command was called with.
 * @param wanted The goal, and the budget as it was typed.
 * @returns The exit status.
 * @throws {AlisioError} If the goal cannot be set or no run can start.
 */
export async function runNewGoal(
  context: CommandContext,
  wanted: { readonly objective: string; readonly budget: FlagValue },
): Promise<number> {
  const tokenBudget = readBudget(wanted.budget) ?? null;
  return await runGoal(context, context.args, async (application, goals) => {
    assertMayWork(application);
    const { objective } = wanted;
    goals.assertObjective(objective);
    const session = await application.createSession({ signal: context.signal });
    return { session, goal: goals.create(session.id, { objective, tokenBudget }) };
  });
}

/**
 * `alisio resume --resume-goal`: goes on with the goal of a stored session.
 *
 * @param context What the command was called with.
 * @param wanted The session, and the words of a prompt.
 * @returns The exit status.
 * @throws {AlisioError} If there is no goal that could go on, or no run can start.
 */
export async function runStoredGoal(
  context: CommandContext,
  wanted: { readonly session: string; readonly words: readonly string[] },
): Promise<number> {
  const tokens = readBudget(context.commandFlags["budget"]);
  return await runGoal(context, wanted.words, async (application, goals) => {
    assertMayWork(application);
    const session = await application.openSession(wanted.session, { signal: context.signal });
    try {
      let goal = goals.find(session.id);
      if (goal === undefined) {
        const reason = 'the session has none; alisio run --goal "<text>" sets one';
        throw new AlisioError("usage", `Cannot resume the goal: ${reason}`);
      }
      if (tokens !== undefined) {
        goal = goals.act(session.id, expected(goal), { kind: "budget", tokens });
      }
      if (goal.status !== "active") {
        goal = goals.act(session.id, expected(goal), { kind: "resume" });
      }
      return { session, goal };
    } catch (error) {
      await session.close();
      throw error;
    }
  });
}

function expected({ id, epoch }: Goal): { readonly goalId: string; readonly epoch: number } {
  return { goalId: id, epoch };
}

function readBudget(flag: FlagValue): number | null | undefined {
  if (typeof flag !== "string") return undefined;
  const tokens = parseTokenBudget(flag);
  if (tokens !== undefined) return tokens;
  throw new AlisioError(
    "usage",
    `Flag "--budget" is not a number of tokens: write ${BUDGET_FORMS}`,
  );
}

function assertMayWork({ agents }: Application): void {
  if (agents.active.id !== "plan") return;
  throw new AlisioError(
    "usage",
    'Cannot work toward a goal: the agent "plan" changes nothing; name another in "agents.active"',
  );
}

/** Opens what a goal needs, works toward it, and closes everything again. */
async function runGoal(
  context: CommandContext,
  words: readonly string[],
  open: (
    application: Application,
    goals: SessionGoals,
  ) => Promise<{ readonly session: OpenSession; readonly goal: Goal }>,
): Promise<number> {
  const waitMs = await waitLimit(context);
  const prompt = words.length === 0 ? "" : await readPrompt({
    words,
    command: "alisio run --goal",
    stdin: { isTerminal: Deno.stdin.isTerminal(), read: (into) => Deno.stdin.read(into) },
    onNotWaited: () => {
      context.err(
        "Standard input stayed silent and was left out; give it no input with </dev/null\n",
      );
    },
  });
  const application = await openApplication(context, { taskEnds: "at_end" });
  try {
    assertPromptFits(prompt, application.loaded.configuration.limits.maxContextChars);
    const expanded = prompt === "" ? null : await application.expandPrompt(prompt);
    const goals = await application.goals();
    const { session, goal } = await open(application, goals);
    try {
      return await new GoalRun(context, { application, session, goals, waitMs }).work(
        goal,
        expanded?.text ?? prompt,
      );
    } finally {
      if (application.hasBackgroundWork) {
        const { stopLeftoverAgents } = await import("./leftover_tasks.ts");
        stopLeftoverAgents(application, session.id, (text) => context.err(text));
      }
      await session.close();
    }
  } finally {
    if (application.hasTasks) {
      const { stopLeftoverTasks } = await import("./leftover_tasks.ts");
      await stopLeftoverTasks(application, (text) => context.err(text));
    }
    await application.close();
  }
}

/** What is worked toward a goal with. */
export interface GoalRunPorts {
  readonly application: Application;
  readonly session: OpenSession;
  readonly goals: SessionGoals;
  /** How long background tasks are waited for; null for as long as they take. */
  readonly waitMs: number | null;
  /**
   * What a person writes to go on later.
   *
   * @default The command line for it.
   */
  readonly goOn?: string;
}

/** Works toward a goal, turn after turn. */
export class GoalRun {
  readonly #context: CommandContext;
  readonly #application: Application;
  readonly #session: OpenSession;
  readonly #goals: SessionGoals;
  readonly #waitMs: number | null;
  readonly #goOn: string | undefined;
  readonly #observer: RunObserver;

  /**
   * @param context Where it is shown, and what ends the work.
   * @param ports What it works with.
   */
  constructor(
    context: CommandContext,
    { application, session, goals, waitMs, goOn }: GoalRunPorts,
  ) {
    const { output, flags: { json, quiet } } = context;
    this.#context = context;
    this.#application = application;
    this.#session = session;
    this.#goals = goals;
    this.#waitMs = waitMs;
    this.#goOn = goOn;
    this.#observer = json
      ? createJsonFrontEnd(output)
      : createTextFrontEnd(output, { quiet, isOneOfMany: true });
  }

  /**
   * Works until the goal stops.
   *
   * @param goal The goal, which is active.
   * @param prompt What goes with the first turn; may be empty.
   * @returns The exit status.
   */
  async work(goal: Goal, prompt: string): Promise<number> {
    this.#tell(goal);
    let failure: unknown;
    let extra = prompt;
    for (let turn = this.#claim(); turn !== null; turn = this.#claim()) {
      failure = await this.#run(turn, extra);
      const now = this.#goals.find(this.#session.id);
      if (now !== undefined) this.#tell(now);
      extra = await this.#tasksEnded();
    }
    const { signal } = this.#context;
    if (signal.aborted) this.#stopBetweenTurns();
    const last = this.#goals.find(this.#session.id) ?? goal;
    this.#sayEnd(last);
    return statusOf(last, failure ?? (signal.aborted ? signal.reason : undefined));
  }

  #stopBetweenTurns(): void {
    const goal = this.#goals.interrupt(this.#session.id);
    if (goal !== undefined) this.#tell(goal);
  }

  #claim(): ClaimedTurn | null {
    return this.#context.signal.aborted ? null : this.#goals.claim(this.#session.id);
  }

  /** Waits for background tasks, and answers what the model is told of them; empty for nothing. */
  async #tasksEnded(): Promise<string> {
    const { signal, flags: { quiet } } = this.#context;
    const isActive = this.#goals.find(this.#session.id)?.status === "active";
    if (!isActive || !this.#application.hasBackgroundWork || signal.aborted) return "";
    const { waitForTasks } = await import("./leftover_tasks.ts");
    const { hasTasks, children } = this.#application;
    const isWaiting = (hasTasks && (await this.#application.tasks()).live().length > 0) ||
      (children?.live() ?? []).length > 0;
    if (isWaiting && !quiet) this.#context.err("Goal: waiting for background tasks\n");
    try {
      const limitMs = this.#waitMs ?? Infinity;
      const notice = await waitForTasks(this.#application, this.#session.id, { limitMs, signal });
      return notice?.prompt ?? "";
    } catch (error) {
      if (signal.aborted) return "";
      throw error;
    }
  }

  /** Answers what the run threw, if it did. */
  async #run({ prompt, display, requestId }: ClaimedTurn, extra: string): Promise<unknown> {
    const { output, signal } = this.#context;
    try {
      await this.#session.run(extra === "" ? prompt : `${prompt}\n\n${extra}`, {
        signal,
        display: extra === "" ? display : `${display}\n\n${extra}`,
        requestId,
        observers: [this.#observer],
        drained: () => output.drained(),
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof RunFailedError) && !(error instanceof RunCancelledError)) throw error;
      this.#context.err(`alisio: ${visibleLines(error.message)}\n`);
      return error;
    }
  }

  /** For a program each state, for a person what is worth a look. */
  #tell(goal: Goal): void {
    const { flags: { json, quiet } } = this.#context;
    if (json) {
      this.#context.out(jsonLine({
        schemaVersion: 1,
        sessionId: goal.sessionId,
        type: "goal_updated",
        timestamp: new Date(goal.updatedAt).toISOString(),
        data: eventData(goal),
      }));
    }
    if (quiet) return;
    for (const breaker of noticedIn(goal)) this.#context.err(`Goal: ${NOTICES[breaker]}\n`);
  }

  #sayEnd(goal: Goal): void {
    const { flags: { quiet }, err } = this.#context;
    if (quiet) return;
    const { status, reason, detail, evidence, sessionId } = goal;
    const why = detail === "" ? "" : ` (${detail})`;
    err(
      visibleLines(
        `Goal ${STATUS_NAMES[status].toLowerCase()}${completion(goal)}: ${REASONS[reason].text}` +
          `${why}; ${usedOf(goal)}`,
      ) + "\n",
    );
    for (const { kind, detail: text, verified } of evidence) {
      const mark = verified === undefined ? "" : verified ? ", verified" : ", not verified";
      err(`  ${kind}${mark}: ${visibleLines(text).replaceAll("\n", " ")}\n`);
    }
    if (status !== "complete") {
      const isLimited = status === "budget_limited";
      const budget = isLimited ? " --budget <more>" : "";
      const goOn = isLimited && this.#goOn !== undefined ? "/goal budget=<more>" : this.#goOn;
      const command = `alisio resume ${sessionId.slice(0, 8)} --resume-goal${budget}`;
      err(`Go on with: ${goOn ?? command}\n`);
    }
  }
}

const NOTICES: Readonly<Record<Breaker, string>> = {
  repeated_reply: "the last reply was the same as the one before",
  no_tool_turns: "the last turn called no tool",
};

/** The word of the model alone is not what a person takes for certain. */
function completion(goal: Goal): string {
  if (goal.status !== "complete") return "";
  return isBorneOut(goal) ? ", verified" : ", not verified";
}

/**
 * What a goal has used, for a person.
 *
 * @param goal The goal.
 */
export function usedOf({ turnsUsed, maxTurns, tokensUsed, tokenBudget }: Goal): string {
  const budget = tokenBudget === null ? "" : ` of ${formatTokenBudget(tokenBudget)}`;
  return `${turnsUsed} of ${maxTurns} turns, ${formatTokenBudget(tokensUsed)}${budget} tokens`;
}

/** What a program is told of a goal. */
function eventData(goal: Goal): Readonly<Record<string, unknown>> {
  const { id, epoch, objective, status, reason, detail, summary, evidence } = goal;
  return {
    goalId: id,
    epoch,
    objective,
    status,
    reason,
    ...(detail === "" ? {} : { detail }),
    turns: goal.turnsUsed,
    maxTurns: goal.maxTurns,
    tokens: goal.tokensUsed,
    ...(goal.tokenBudget === null ? {} : { tokenBudget: goal.tokenBudget }),
    activeMs: Math.round(goal.activeMs),
    maxWallMs: Math.round(goal.maxWallMs),
    noToolTurns: goal.noToolStreak,
    repeatedReplies: goal.repeatStreak,
    ...(summary === "" ? {} : { summary }),
    ...(evidence.length === 0 ? {} : { evidence }),
    ...(status === "complete" ? { verified: isBorneOut(goal) } : {}),
  };
}

/** Where a goal ended says how a script goes on; a failed run and a signal keep their own. */
const STATUS_OF: Readonly<Partial<Record<GoalReason, number>>> = {
  model_complete: EXIT_STATUS.completed,
  max_turns: EXIT_STATUS.turnsExceeded,
  max_wall: EXIT_STATUS.turnsExceeded,
  token_budget: EXIT_STATUS.turnsExceeded,
  no_progress: EXIT_STATUS.goalBlocked,
  model_blocked: EXIT_STATUS.goalBlocked,
  policy_denied: EXIT_STATUS.goalBlocked,
};

function statusOf({ reason }: Goal, failure: unknown): number {
  return STATUS_OF[reason] ?? (failure === undefined ? EXIT_STATUS.failed : exitStatusOf(failure));
}
