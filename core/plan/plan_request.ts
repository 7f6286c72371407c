import { previewText } from "../text/bound_text.ts";
import type { PlanRevision } from "./plan_history.ts";

/** What a person wants to see of the plans of a session. */
export type PlanRequest =
  | { readonly kind: "list" }
  | { readonly kind: "show"; readonly plan: PlanRevision }
  | { readonly kind: "diff"; readonly before: PlanRevision; readonly after: PlanRevision }
  | { readonly kind: "problem"; readonly message: string };

const USAGE = "write /plan, /plan <number>, or /plan diff [<number> <number>]";

/**
 * Reads what follows `/plan`. Pure.
 *
 * @param words The words.
 * @param history The plans of the session.
 */
export function readPlanRequest(
  words: readonly string[],
  history: readonly PlanRevision[],
): PlanRequest {
  const [first, ...rest] = words;
  if (history.length === 0) {
    return problem("There is no plan in this session; the agent plan makes one (/agent:plan)");
  }
  if (first === undefined) return { kind: "list" };
  if (first === "diff") return readDiff(rest, history);
  if (rest.length > 0) return problem(`Cannot show that: ${USAGE}`);
  const plan = find(first, history);
  return typeof plan === "string" ? problem(plan) : { kind: "show", plan };
}

/**
 * One line for each plan of a session. Pure.
 *
 * @param history The plans.
 */
export function describePlans(history: readonly PlanRevision[]): readonly string[] {
  return history.map(({ number, title, revision, decision, feedback }) => {
    const name = revision > 1 ? `${title} (revision ${revision})` : title;
    const said = feedback === undefined ? "" : `: ${previewText(feedback, 200)}`;
    return `${number}. ${name} - ${DECISIONS[decision ?? ""] ?? "not decided"}${said}`;
  });
}

const DECISIONS: Readonly<Record<string, string>> = {
  approved: "approved",
  skipped: "skipped",
  feedback: "context was added",
  unavailable: "nobody could decide",
};

function readDiff(words: readonly string[], history: readonly PlanRevision[]): PlanRequest {
  if (words.length === 0) {
    const after = history.at(-1);
    const before = history.filter(({ planId }) => planId === after?.planId).at(-2);
    return after === undefined || before === undefined
      ? problem("The latest plan has one revision; name two, such as /plan diff 1 2")
      : { kind: "diff", before, after };
  }
  const [first = "", second = "", ...rest] = words;
  if (second === "" || rest.length > 0) return problem(`Cannot compare that: ${USAGE}`);
  const before = find(first, history);
  const after = find(second, history);
  if (typeof before === "string") return problem(before);
  return typeof after === "string" ? problem(after) : { kind: "diff", before, after };
}

function find(word: string, history: readonly PlanRevision[]): PlanRevision | string {
  const plan = /^\d{1,9}$/.test(word) ? history[Number(word) - 1] : undefined;
  if (plan !== undefined) return plan;
  const known = history.length === 1 ? "there is one, 1" : `they go from 1 to ${history.length}`;
  return `There is no plan ${JSON.stringify(previewText(word, 40))}: ${known}`;
}

function problem(message: string): PlanRequest {
  return { kind: "problem", message };
}
