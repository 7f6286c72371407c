import type { Goal } from "../../core/goals/goal.ts";
import { ACTIONS, type GoalAction } from "../../core/goals/goal_states.ts";
import { shownObjective } from "../../core/goals/goal_texts.ts";
import { formatTokenBudget } from "../../core/goals/parse_budget.ts";
import type { SessionGoals } from "../../core/goals/session_goals.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { askLine, askToConfirm, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { describeGoal } from "./goal_driver.ts";
import { parseGoalArgument } from "./parse_goal_argument.ts";

const USAGE = [
  "/goal <objective> [budget=50k]: work toward it, turn after turn",
  "/goal pause, /goal resume: stop after the turn at hand, and go on",
  "/goal edit [objective]: change it",
  "/goal budget=50k, /goal budget=clear: set the tokens that it may use, or none",
  "/goal clear: forget it",
].join("\n");

const ACTION_NAMES: Readonly<Record<(typeof ACTIONS)["active"][number], string>> = {
  pause: "Stop after the turn at hand",
  resume: "Go on",
  edit: "Change the objective",
  budget: "Change the tokens that it may use",
  clear: "Forget the goal",
};

/**
 * Runs `/goal`.
 *
 * @param stage The conversation.
 * @param argument What follows it.
 * @throws {AlisioError} If the goal cannot be set or changed.
 */
export async function runGoalCommand(stage: Stage, argument: string): Promise<void> {
  const wanted = parseGoalArgument(argument);
  const goals = await stage.application.goals();
  const goal = goals.find(stage.session()?.id ?? "");
  switch (wanted.kind) {
    case "help":
      return stage.say(USAGE);
    case "wrong":
      return stage.say(`Cannot read that: ${wanted.problem}`, "warning");
    case "set":
      return await setGoal(stage, { goals, goal }, wanted);
    case "menu":
      return goal === undefined ? stage.say(USAGE) : await openMenu(stage, goals, goal);
    default:
      if (goal === undefined) return stage.say("There is no goal; /goal <objective> sets one");
      return wanted.kind === "clear"
        ? clear(stage, goals, goal)
        : act(stage, goals, { goal, action: wanted });
  }
}

async function setGoal(
  stage: Stage,
  { goals, goal }: { readonly goals: SessionGoals; readonly goal: Goal | undefined },
  wanted: { readonly objective: string; readonly tokens: number | null | undefined },
): Promise<void> {
  goals.assertObjective(wanted.objective);
  if (goal !== undefined) {
    const isSure = await askToConfirm(stage, {
      title: "Replace the goal?",
      body: `${visibleName(shownObjective(goal))}\n${describeGoal(goal)}`,
    });
    if (!isSure) return stage.say("The goal stays as it is");
  }
  const session = await stage.ensureSession();
  const { objective, tokens: tokenBudget = null } = wanted;
  goals.create(session.id, { objective, tokenBudget });
  if (stage.application.agents.active.id === "plan") {
    stage.say("The goal waits until another agent than plan runs", "warning");
  }
  stage.goalChanged();
}

async function openMenu(stage: Stage, goals: SessionGoals, goal: Goal): Promise<void> {
  const choice = await pickFromList<(typeof ACTIONS)["active"][number] | "help">(stage, {
    title: `Goal: ${describeGoal(goal)}`,
    items: [
      ...ACTIONS[goal.status].map((value) => ({
        value,
        label: value,
        description: ACTION_NAMES[value],
      })),
      { value: "help" as const, label: "help", description: "Show what can be written" },
    ],
  });
  if (choice === undefined) return;
  if (choice === "help") return stage.say(USAGE);
  if (choice === "clear") return clear(stage, goals, goal);
  if (choice !== "budget") {
    const action = choice === "edit" ? { kind: choice, objective: "" } : { kind: choice };
    return act(stage, goals, { goal, action });
  }
  const typed = await askLine(stage, "Token budget", {
    label: "Tokens, such as 50k, or clear",
  });
  if (typed !== undefined && typed !== "") await runGoalCommand(stage, `budget=${typed}`);
}

function act(
  stage: Stage,
  goals: SessionGoals,
  { goal, action }: { readonly goal: Goal; readonly action: GoalAction },
): void {
  if (action.kind === "edit" && action.objective.trim() === "") {
    stage.setDraft(`/goal edit ${goal.objective}`);
    return;
  }
  const changed = goals.act(goal.sessionId, { goalId: goal.id, epoch: goal.epoch }, action);
  stage.say(whatChanged(changed, action), "success");
  stage.goalChanged();
}

function clear(stage: Stage, goals: SessionGoals, goal: Goal): void {
  goals.clear(goal.sessionId, { goalId: goal.id, epoch: goal.epoch });
  stage.say("The goal is forgotten", "success");
  stage.goalChanged();
}

function whatChanged(goal: Goal, action: GoalAction): string {
  switch (action.kind) {
    case "pause":
      return "The goal is paused; the turn at hand goes on to its end";
    case "resume":
      return "The goal goes on";
    case "edit":
      return `The goal is another one: ${visibleName(shownObjective(goal))}`;
    case "budget":
      return goal.tokenBudget === null
        ? "The goal has no token budget"
        : `The goal may use ${formatTokenBudget(goal.tokenBudget)} tokens`;
    default:
      return action satisfies never;
  }
}
