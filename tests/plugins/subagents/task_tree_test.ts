import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { TaskTree } from "../../../plugins/subagents/task_tree.ts";

/** An event of the task `c1`. */
function event(type: RunEvent["type"], data: RunEvent["data"]): RunEvent {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return { schemaVersion: 1, runId: "r", sessionId: "c1", seq: 1, timestamp, type, data };
}

Deno.test("TaskTree shows that an agent waits for an answer for as long as it does", () => {
  const task = { id: "c1", parentId: "s", rootId: "s", agent: "general", title: "Write" } as const;
  const tree = new TaskTree(() => [{ ...task, state: "running", isBackground: false }]);
  const detail = () => tree.nodes({ sessionId: "s" })[0]?.detail;
  tree.follow("c1", 0);
  const call = { id: "w", name: "write_file", effect: "write", channel: "terminal" };
  tree.observe(event("tool_started", { ...call, arguments: '{"path":"a.txt"}' }));
  tree.observe(event("approval_requested", { ...call, label: "/ws/a.txt" }));
  assert.equal(detail(), "waits for an answer: write_file /ws/a.txt");
  tree.observe(event("approval_resolved", { ...call, decision: "once", source: "operator" }));
  assert.equal(detail(), "write_file /ws/a.txt");
});
