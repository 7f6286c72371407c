import { isObject } from "../config/is_object.ts";
import type { JournalCall } from "../session/session_records.ts";
import { splitPlan } from "./plan_sections.ts";

/** A revision of a plan, as the record of its session has it. */
export interface PlanRevision {
  /** Its place among all of the session, from 1. */
  readonly number: number;
  readonly planId: string;
  /** From 1 in each plan. */
  readonly revision: number;
  readonly title: string;
  readonly markdown: string;
  /** Absent while nobody decided. */
  readonly decision?: string;
  /** Words of the person. */
  readonly feedback?: string;
  readonly artifactId?: string;
  /** Epoch milliseconds, where it is known. */
  readonly at?: number;
}

/** The tool that plans are proposed with. */
export const PLAN_TOOL = "exit_plan";

const MAX_TITLE_CHARS = 120;

/**
 * The plans of a session, from the calls that proposed them. Pure. Calls that proposed nothing, and
 * entries that are damaged, are left out.
 *
 * @param calls The calls, in the order they began.
 */
export function planHistory(calls: readonly JournalCall[]): readonly PlanRevision[] {
  return calls.filter(({ name, isError }) => name === PLAN_TOOL && !isError)
    .map(readCall)
    .filter((found) => found !== null)
    .map((found, index) => ({ number: index + 1, ...found }));
}

function readCall(call: JournalCall): Omit<PlanRevision, "number"> | null {
  const input = parse(call.arguments);
  const answer = (call.content ?? []).map((part) => part.type === "text" ? parse(part.text) : null)
    .find(isObject) ?? {};
  if (!isObject(input) || typeof input["plan"] !== "string") return null;
  const { plan: markdown, title } = input;
  const { planId, revision, decision, feedback, artifactId } = answer;
  return {
    planId: text(planId) ?? call.callId,
    revision: typeof revision === "number" ? revision : 1,
    title: titleOf(text(title), markdown),
    markdown,
    ...optional("decision", decision),
    ...optional("feedback", feedback),
    ...optional("artifactId", artifactId),
    ...(call.startedAt === undefined ? {} : { at: call.startedAt }),
  };
}

function titleOf(given: string | undefined, markdown: string): string {
  const { title, lead, sections } = splitPlan(markdown);
  const first = lead.find((line) => line.trim() !== "");
  return (given ?? title ?? first ?? sections[0]?.title ?? "Plan").replace(/\s+/g, " ").trim()
    .slice(0, MAX_TITLE_CHARS);
}

function optional<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  const found = text(value);
  return found === undefined ? {} : { [key]: found } as Partial<Record<K, string>>;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
