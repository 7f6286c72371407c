import type { Application } from "../../core/application.ts";
import type { Goal } from "../../core/goals/goal.ts";
import { ACTIONS, REASONS, STATUS_NAMES } from "../../core/goals/goal_states.ts";
import { shownObjective } from "../../core/goals/goal_texts.ts";
import type { SessionGoals } from "../../core/goals/session_goals.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import { parseGoalArgument } from "../../tui/goals/parse_goal_argument.ts";
import type { CommandContext } from "../command_context.ts";
import { GoalRun, usedOf } from "../run_goal.ts";

/** What `/goal` between lines works with. */
export interface GoalCommandPorts {
  /** Where it is shown; its signal ends the work, and pauses the goal. */
  readonly context: CommandContext;
  readonly application: Application;
  /** The session, once one is open. */
  readonly session: OpenSession | undefined;
  /** Opens one. */
  readonly openSession: () => Promise<OpenSession>;
  readonly confirm: (question: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

const USAGE = [
  "/goal <objective> [budget=50k]: work toward it, turn after turn; Ctrl+C pauses it",
  "/goal: show it",
  "/goal resume, /goal pause: go on, or have prompts of yours be no turns of it",
  "/goal edit <objective>: change it",
  "/goal budget=50k, /goal budget=clear: set the tokens that it may use, or none",
  "/goal clear: forget it",
].join("\n");

/**
 * Runs `/goal` between lines, and works toward the goal wherever it is active then.
 *
 * @param argument What follows the command.
 * @param ports What it works with.
 * @throws {AlisioError} If the goal cannot be set or changed.
 */
export async function runGoalLine(argument: string, ports: GoalCommandPorts): Promise<void> {
  const { application, session, say } = ports;
  const wanted = parseGoalArgument(argument);
  if (wanted.kind === "help") return say(USAGE);
  if (wanted.kind === "wrong") return say(`Cannot read that: ${wanted.problem}`);
  const goals = await application.goals();
  const goal = session === undefined ? undefined : goals.find(session.id);
  if (wanted.kind === "set") return await setGoal(goals, { ports, goal, wanted });
  if (goal === undefined || session === undefined) {
    return say(wanted.kind === "menu" ? USAGE : "There is no goal; /goal <objective> sets one");
  }
  if (wanted.kind === "menu") return say(describe(goal));
  const expected = { goalId: goal.id, epoch: goal.epoch };
  if (wanted.kind === "clear") {
    goals.clear(session.id, expected);
    return say("The goal is forgotten");
  }
  if (wanted.kind === "edit" && wanted.objective.trim() === "") {
    return say(`Write the whole of it: /goal edit ${visibleName(goal.objective)}`);
  }
  const changed = goals.act(session.id, expected, wanted);
  if (changed.status === "active") return await work(goals, { ports, session, goal: changed });
  say(describe(changed));
}

async function setGoal(
  goals: SessionGoals,
  { ports, goal, wanted }: {
    readonly ports: GoalCommandPorts;
    readonly goal: Goal | undefined;
    readonly wanted: { readonly objective: string; readonly tokens: number | null | undefined };
  },
): Promise<void> {
  goals.assertObjective(wanted.objective);
  if (goal !== undefined && !await ports.confirm(`${describe(goal)}\nReplace the goal?`)) {
    return ports.say("The goal stays as it is");
  }
  const session = ports.session ?? await ports.openSession();
  const { objective, tokens: tokenBudget = null } = wanted;
  const created = goals.create(session.id, { objective, tokenBudget });
  await work(goals, { ports, session, goal: created });
}

async function work(
  goals: SessionGoals,
  { ports: { application, context, say }, session, goal }: {
    readonly ports: GoalCommandPorts;
    readonly session: OpenSession;
    readonly goal: Goal;
  },
): Promise<void> {
  if (application.agents.active.id === "plan") {
    return say("The goal waits until another agent than plan runs");
  }
  const goOn = "/goal resume";
  await new GoalRun(context, { application, session, goals, waitMs: null, goOn }).work(goal, "");
}

function describe(goal: Goal): string {
  const { status, reason, detail } = goal;
  const why = `${REASONS[reason].text}${detail === "" ? "" : ` (${visibleName(detail)})`}`;
  const actions = ACTIONS[status].map((action) =>
    action === "budget" ? "/goal budget=<tokens>" : `/goal ${action}`
  );
  return [
    `Goal: ${visibleName(shownObjective(goal))}`,
    `${STATUS_NAMES[status]}: ${why}; ${usedOf(goal)}`,
    `What you can do: ${actions.join(", ")}`,
  ].join("\n");
}
