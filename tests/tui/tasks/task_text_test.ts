import assert from "node:assert/strict";
import type { BackgroundTask } from "../../../core/tasks/background_task.ts";
import { describeTask, statusLabel, taskDuration } from "../../../tui/tasks/task_text.ts";

const TASK: BackgroundTask = {
  ...{ id: "A", sessionId: "s", rootSessionId: "s", workspace: "/w", label: "l", command: "make" },
  ...{ cwd: "/w/sub", status: "running", ownerPid: 1, ownerToken: "o", timeoutMs: 1 },
  ...{ isTruncated: false, logPath: "x", outputBytes: 0, createdAt: 500 },
};

const LABELS: readonly (readonly [Partial<BackgroundTask>, string])[] = [
  [{ status: "queued" }, "queued"],
  [{ status: "running" }, "running"],
  [{ status: "stopping", stoppedBy: "user" }, "stopping"],
  [{ status: "succeeded", exitCode: 0 }, "done"],
  [{ status: "failed", exitCode: 2 }, "failed · exit 2"],
  [{ status: "failed", signal: "SIGKILL" }, "failed · SIGKILL"],
  [{ status: "failed", signal: "SIGKILL", errorCode: "timeout" }, "failed · time limit"],
  [{ status: "failed", errorCode: "start_failed" }, "failed · not started"],
  [{ status: "cancelled", stoppedBy: "user" }, "stopped · by user"],
  [{ status: "cancelled", stoppedBy: "model" }, "stopped · by model"],
  [{ status: "cancelled", stoppedBy: "shutdown" }, "stopped · with Alisio"],
  [{ status: "lost" }, "lost"],
];

Deno.test("statusLabel() says where a task stands, and why", () => {
  for (const [facts, label] of LABELS) assert.equal(statusLabel({ ...TASK, ...facts }), label);
});

Deno.test("taskDuration() counts from the start to the end, or to now", () => {
  assert.equal(taskDuration(TASK, 9_000), "");
  assert.equal(taskDuration({ ...TASK, startedAt: 1_000 }, 3_900), "2.9s");
  assert.equal(
    taskDuration({ ...TASK, status: "succeeded", startedAt: 1_000, endedAt: 2_500 }, 9_000),
    "1.5s",
  );
});

Deno.test("describeTask() shows command, directory and status", () => {
  const task = { ...TASK, startedAt: 1_000, pid: 7, error: "its log could not be written" };
  assert.equal(
    describeTask(task, 3_000),
    "Command: make\nDirectory: /w/sub\n" +
      "Status: running · 2.0s · process 7 · its log could not be written",
  );
});
