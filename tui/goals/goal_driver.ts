import type { Application } from "../../core/application.ts";
import { type Blocker, findBlocker } from "../../core/goals/find_blocker.ts";
import type { Goal } from "../../core/goals/goal.ts";
import { REASONS, STATUS_NAMES } from "../../core/goals/goal_states.ts";
import type { ClaimedTurn } from "../../core/goals/session_goals.ts";
import { noticedIn } from "../../core/goals/settle_turn.ts";
import { isBorneOut } from "../../core/goals/verify_evidence.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import type { Theme } from "../theme/theme.ts";
import type { NoticeKind } from "../stage.ts";
import { goalBar, whyItWaits } from "./goal_bar.ts";

/** What the goal of a conversation is gone on with. */
export interface GoalDriverPorts {
  readonly application: () => Application | undefined;
  readonly session: () => OpenSession | undefined;
  readonly isRunning: () => boolean;
  /** Whether something is typed, or waits to be sent. */
  readonly hasDraft: () => boolean;
  /** Whether a question waits for the person. */
  readonly asksPerson: () => boolean;
  /** Runs a turn to its end; what goes wrong is shown. */
  readonly run: (turn: ClaimedTurn) => Promise<void>;
  readonly say: (text: string, kind: NoticeKind) => void;
  readonly redraw: () => void;
}

/** Goes on with the goal of the session that is open, and draws its bar. */
export class GoalDriver {
  readonly #ports: GoalDriverPorts;
  #goal: Goal | undefined;
  #blocker: Blocker | null = null;
  #looking: Promise<void> | undefined;
  /** Whether a turn is begun, or goes on. */
  #isRunning = false;

  /** @param ports What it works with. */
  constructor(ports: GoalDriverPorts) {
    this.#ports = ports;
  }

  /**
   * The rows of its bar; none without a goal.
   *
   * @param theme The colours.
   * @param columns Columns.
   */
  rows(theme: Theme, columns: number): readonly string[] {
    const goal = this.#goal;
    if (goal === undefined || goal.sessionId !== this.#ports.session()?.id) return [];
    return goalBar({ goal, blocker: this.#blocker }, theme, columns);
  }

  /** Looks how things are, and begins the next turn where nothing is in its way. Never throws. */
  look(): void {
    this.#looking ??= this.#look().catch((error: unknown) => {
      this.#ports.say(error instanceof Error ? error.message : String(error), "error");
    }).finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    const { application: opened, session: open } = this.#ports;
    const [application, session] = [opened(), open()];
    if (application?.store.hasGoal(session?.id ?? "") !== true || session === undefined) {
      return this.#show(undefined, null);
    }
    const [goals, tasks] = await Promise.all([
      application.goals(),
      application.hasTasks ? application.tasks() : undefined,
    ]);
    if (open()?.id !== session.id || opened() !== application) return;
    const goal = goals.find(session.id);
    const blocker = goal === undefined ? null : findBlocker({
      isEnabled: application.loaded.configuration.goal.enabled,
      status: goal.status,
      isBusy: this.#isRunning || this.#ports.isRunning() || session.isBusy,
      hasDraft: this.#ports.hasDraft(),
      // Permission is asked for in runs alone, which the status bar tells.
      asksPermission: false,
      asksPerson: this.#ports.asksPerson(),
      agent: application.agents.active.id,
      hasLiveTasks: tasks !== undefined && tasks.live().length > 0,
    });
    this.#show(goal, blocker);
    if (goal === undefined || blocker !== null) return;
    if (goal.isInFlight) goals.release(session.id);
    const turn = goals.claim(session.id);
    if (turn !== null) void this.#run(turn);
  }

  async #run(turn: ClaimedTurn): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#ports.run(turn);
    } finally {
      this.#isRunning = false;
      this.look();
    }
  }

  #show(goal: Goal | undefined, blocker: Blocker | null): void {
    const before = this.#goal;
    this.#goal = goal;
    this.#blocker = blocker;
    if (goal !== undefined && before?.id === goal.id) this.#tell(before, goal);
    if (before !== goal) this.#ports.redraw();
  }

  /** Stops by itself are told once; what the person did they know. */
  #tell(before: Goal, goal: Goal): void {
    const { say } = this.#ports;
    if (before.turnsUsed !== goal.turnsUsed) {
      for (const breaker of noticedIn(goal)) say(NOTICES[breaker], "warning");
    }
    const hasStopped = before.status === "active" && goal.status !== "active";
    if (!hasStopped || goal.reason === "user_paused") return;
    if (goal.status === "complete") {
      const unverified = goal.evidence.filter(({ verified }) => verified === false).length;
      const note = isBorneOut(goal)
        ? ""
        : unverified === 0
        ? " (not verified: the model names no command or test)"
        : ` (${unverified} of its evidence not verified)`;
      return say(`Goal complete: ${goal.summary}${note}`, "success");
    }
    say(`Goal ${STATUS_NAMES[goal.status].toLowerCase()}: ${whyItWaits(goal, null)}`, "warning");
  }
}

const NOTICES = {
  repeated_reply: "The last reply was the same as the one before",
  no_tool_turns: "The last turn called no tool",
} as const;

/**
 * What the state of a goal says to a person, in one line.
 *
 * @param goal The goal.
 */
export function describeGoal(goal: Goal): string {
  return `${STATUS_NAMES[goal.status]}: ${REASONS[goal.reason].text}`;
}
