import type { Effect } from "@alisio/sdk";
import type { Call } from "./entry.ts";
import { humaniseToolName, isMcpTool } from "./tool_name.ts";

/** Calls that are told together when they follow one another. */
export type CallKind = "read" | "write" | "process" | "mcp" | "task";

/** What calls of a kind are called together, and how they are counted. */
const KINDS: Readonly<Record<CallKind, { readonly mixed: string; readonly noun: string }>> = {
  read: { mixed: "Explored", noun: "reads" },
  write: { mixed: "Edited", noun: "files" },
  process: { mixed: "Ran", noun: "commands" },
  mcp: { mixed: "MCP", noun: "calls" },
  task: { mixed: "Delegated", noun: "tasks" },
};

/** Effects of tools that everyone has, for calls of another time. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  read_file: "read",
  list_files: "read",
  search_text: "read",
  git_status: "read",
  git_diff: "read",
  context_explain: "read",
  skill_load: "read",
  skill_search: "read",
  skill_resource: "read",
  write_file: "write",
  edit_file: "write",
  run_process: "process",
  shell: "process",
  bg_run: "process",
};

/**
 * The kind of a call, if calls like it are told together.
 *
 * @param call The call.
 */
export function kindOfCall(call: Pick<Call, "name" | "effect">): CallKind | undefined {
  if (call.name === "task") return "task";
  if (isMcpTool(call.name)) return "mcp";
  const effect = call.effect ??
    (Object.hasOwn(EFFECTS, call.name) ? EFFECTS[call.name] : undefined);
  return effect === "read" || effect === "write" || effect === "process" ? effect : undefined;
}

/**
 * Whether two calls, one right after the other, are told as one. What still runs, was refused or
 * stopped, or shows a block of its own stays by itself.
 *
 * @param before The first.
 * @param after The second.
 */
export function mergesWith(before: Call, after: Call): boolean {
  const kind = kindOfCall(before);
  return kind !== undefined && kind === kindOfCall(after) &&
    before.parentId === after.parentId && mayMerge(before) && mayMerge(after);
}

/**
 * The heading of calls that are told together, such as "Read File — 3 reads".
 *
 * @param calls At least two calls of one kind.
 */
export function groupTitle(
  calls: readonly [Call, ...Call[]],
): { readonly name: string; readonly count: string } {
  const kind = KINDS[kindOfCall(calls[0]) ?? "read"];
  const isMixed = calls.some(({ name }) => name !== calls[0].name);
  return {
    name: isMixed ? kind.mixed : humaniseToolName(calls[0].name),
    count: `${calls.length} ${kind.noun}`,
  };
}

function mayMerge({ status, result, hasNative }: Call): boolean {
  if ((status !== "done" && status !== "failed") || hasNative === true) return false;
  return result === undefined || (result.blocks.length === 0 && result.images.length === 0);
}
