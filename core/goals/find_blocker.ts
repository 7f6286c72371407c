import type { GoalStatus } from "./goal.ts";

/** What may keep a goal from going on at a moment. */
export interface BlockerFacts {
  readonly isEnabled: boolean;
  readonly status: GoalStatus;
  /** Whether a run goes on, or the next turn is claimed. */
  readonly isBusy: boolean;
  /** Whether the person has typed something that is not sent. */
  readonly hasDraft: boolean;
  readonly asksPermission: boolean;
  /** Whether a question or a plan waits for the person. */
  readonly asksPerson: boolean;
  /** Id of the agent that runs. */
  readonly agent: string;
  readonly hasLiveTasks: boolean;
}

/** Why a goal waits. */
export type Blocker =
  | "not_active"
  | "busy"
  | "draft"
  | "permission"
  | "question"
  | "plan_agent"
  | "tasks";

/** What a person reads of each; empty where the state or the run says it. */
export const BLOCKER_TEXTS: Readonly<Record<Blocker, string>> = {
  not_active: "",
  busy: "",
  draft: "Waiting until you send or clear your text",
  permission: "Waiting for permission",
  question: "Waiting for your answer",
  plan_agent: "Waiting until another agent than plan runs",
  tasks: "Waiting for background tasks",
};

/** In the order in which they count. */
const RULES: readonly (readonly [Blocker, (facts: BlockerFacts) => boolean])[] = [
  ["not_active", ({ status, isEnabled }) => status !== "active" || !isEnabled],
  ["busy", ({ isBusy }) => isBusy],
  ["draft", ({ hasDraft }) => hasDraft],
  ["permission", ({ asksPermission }) => asksPermission],
  ["question", ({ asksPerson }) => asksPerson],
  ["plan_agent", ({ agent }) => agent === "plan"],
  ["tasks", ({ hasLiveTasks }) => hasLiveTasks],
];

/**
 * The first thing that keeps a goal from going on; null where nothing does. Pure.
 *
 * @param facts How things are.
 */
export function findBlocker(facts: BlockerFacts): Blocker | null {
  return RULES.find(([, applies]) => applies(facts))?.[0] ?? null;
}
