import type { JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { HashedDiagram } from "./plan_hash.ts";

/** What becomes of a plan. */
export type PlanStatus =
  | "pending"
  | "approved"
  | "implementing"
  | "skipped"
  | "feedback"
  | "cancelled";

/** What a session keeps of its plan. */
export interface PlanState {
  readonly planId: string;
  /** From 1. */
  readonly revision: number;
  readonly hash: string;
  readonly title: string;
  readonly status: PlanStatus;
  /** The call that proposed this revision. */
  readonly callId?: string;
  readonly artifactId?: string;
  /** The Markdown that was approved; only until it is implemented. */
  readonly plan?: string;
  readonly diagrams?: readonly HashedDiagram[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** Where the state stands among the options of a session. */
export const PLAN_OPTION = "plan";

const NEXT: Readonly<Record<PlanStatus, readonly PlanStatus[]>> = {
  pending: ["approved", "skipped", "feedback", "cancelled"],
  approved: ["implementing", "cancelled"],
  implementing: ["cancelled"],
  skipped: [],
  feedback: [],
  cancelled: [],
};

/**
 * Reads the state of a plan. Pure.
 *
 * @param value What is stored.
 * @returns Null if there is none, or it is broken.
 */
export function readPlanState(value: unknown): PlanState | null {
  if (!isObject(value)) return null;
  const { planId, revision, hash, title, status, updatedAt } = value;
  const { callId, artifactId, plan, diagrams } = value;
  if (!isText(planId) || !isText(hash) || !isText(title)) return null;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 1) return null;
  if (typeof updatedAt !== "number" || !isStatus(status)) return null;
  // An approval of nothing cannot be carried out.
  if (status === "approved" && !isText(plan)) return null;
  return {
    planId,
    revision,
    hash,
    title,
    status,
    ...(isText(callId) ? { callId } : {}),
    ...(isText(artifactId) ? { artifactId } : {}),
    ...(isText(plan) ? { plan } : {}),
    ...(Array.isArray(diagrams) ? { diagrams: diagrams.filter(isHashedDiagram) } : {}),
    updatedAt,
  };
}

/**
 * The state after a step. Pure. What was approved is kept only until it is implemented.
 *
 * @param state The state before.
 * @param status What it becomes.
 * @param change When, and what was approved.
 * @returns Null if that step is not possible.
 */
export function advancePlan(
  state: PlanState,
  status: PlanStatus,
  change: { readonly at: number; readonly plan?: string },
): PlanState | null {
  if (!NEXT[state.status].includes(status)) return null;
  const { plan: _, ...rest } = state;
  const kept = status === "approved" && change.plan !== undefined ? { plan: change.plan } : {};
  return { ...rest, status, ...kept, updatedAt: change.at };
}

/**
 * Which plan and revision the next proposal is. Pure. A plan that is being implemented is over;
 * what comes next is another one.
 *
 * @param before The state before.
 * @param createId Makes an id for another plan.
 */
export function nextRevision(
  before: PlanState | null,
  createId: () => string,
): Pick<PlanState, "planId" | "revision"> {
  if (before === null || before.status === "implementing" || before.status === "approved") {
    return { planId: createId(), revision: 1 };
  }
  return { planId: before.planId, revision: before.revision + 1 };
}

/**
 * A state as it is stored.
 *
 * @param state The state.
 */
export function planStateJson(state: PlanState): JsonValue {
  return JSON.parse(JSON.stringify(state));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isStatus(value: unknown): value is PlanStatus {
  return typeof value === "string" && Object.hasOwn(NEXT, value);
}

function isHashedDiagram(value: unknown): value is HashedDiagram {
  return isObject(value) && isText(value["id"]) && isText(value["title"]) && isText(value["hash"]);
}
