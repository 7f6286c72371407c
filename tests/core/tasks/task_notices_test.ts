import assert from "node:assert/strict";
import type { BackgroundTask } from "../../../core/tasks/background_task.ts";
import { formatTaskNotice, type TaskNotice } from "../../../core/tasks/task_notice.ts";
import { nextWakeAt, TaskNotices, WAKE_LIMITS } from "../../../core/tasks/task_notices.ts";
import { TaskStore } from "../../../core/tasks/task_store.ts";
import { type TaskScene, taskScene } from "./_scene.ts";

const ignore = Deno.build.os === "windows";
const FAST = { gatherMs: 50, retryMs: 20, gapMs: 100, maxWakes: 6, windowMs: 60_000 };

Deno.test("nextWakeAt() keeps ten seconds between wake-ups, and six in ten minutes", () => {
  const rows: readonly (readonly [readonly number[], number])[] = [
    [[], 0],
    [[1_000], 11_000],
    [[1_000, 20_000], 30_000],
    [[1_000, 11_000, 21_000, 31_000, 41_000, 51_000], 601_000],
    [[0, 1_000, 11_000, 21_000, 31_000, 41_000, 51_000], 601_000],
  ];
  for (const [wakes, at] of rows) assert.equal(nextWakeAt(wakes, WAKE_LIMITS), at);
});

Deno.test("formatTaskNotice() names ids, ends and how to read output", () => {
  const task: BackgroundTask = {
    ...{ id: "A1", sessionId: "s", rootSessionId: "s", workspace: "/w", label: 'the "build"' },
    ...{ command: "make", cwd: "/w", status: "failed", exitCode: 2, ownerPid: 1, ownerToken: "o" },
    ...{ timeoutMs: 1, isTruncated: false, logPath: "x", outputBytes: 1, createdAt: 1 },
  };
  assert.deepEqual(formatTaskNotice([task]), {
    prompt: 'A background task has ended:\n- A1 "the \\"build\\"": failed (exit code 2)\n' +
      "Read output with bg_output and the id, as far as you need it.",
    display: 'Background task finished: the "build" (failed)',
  });
  const { exitCode: _, ...late } = { ...task, id: "B2", signal: "SIGKILL", error: "too long" };
  const many = [task, ...Array.from({ length: 30 }, () => late)];
  const { prompt, display } = formatTaskNotice(many);
  assert.match(
    prompt,
    /^Background tasks have ended:\n.*\n- B2 .*: failed \(ended by SIGKILL; too long\)\n/,
  );
  assert.match(prompt, /\n- 11 more, which bg_list shows\n/);
  assert.match(display, / and 11 more$/);
});

interface WakeScene extends TaskScene {
  readonly notices: TaskNotices;
  /** The session that can be woken. */
  idle: string | undefined;
  /** Whether its run starts. */
  starts: boolean;
  readonly told: TaskNotice[];
  /** Waits for so many notices. */
  telling(count: number): Promise<void>;
}

async function wakeScene(fn: (scene: WakeScene) => Promise<void>): Promise<void> {
  await taskScene(async (scene) => {
    const told: TaskNotice[] = [];
    const waiting: { count: number; done: () => void }[] = [];
    const wake: WakeScene = {
      ...scene,
      told,
      idle: "s",
      starts: true,
      notices: new TaskNotices({
        tasks: scene.tasks,
        idleSession: () => wake.idle,
        limits: FAST,
        wake: (notice) => {
          told.push(notice);
          for (const { count, done } of waiting) if (told.length >= count) done();
          return Promise.resolve(wake.starts);
        },
      }),
      telling: (count) =>
        told.length >= count
          ? Promise.resolve()
          : new Promise((done) => void waiting.push({ count, done })),
    };
    try {
      await fn(wake);
    } finally {
      wake.notices.close();
    }
  });
}

Deno.test({
  name: "TaskNotices tells of tasks that end together in one notice, once",
  ignore,
  fn: async () => {
    await wakeScene(async (scene) => {
      const { tasks, request, told, telling, ended, store } = scene;
      scene.idle = undefined;
      const first = await tasks.start(request("true"));
      const second = await tasks.start(request("exit 1"));
      await Promise.all([ended(first.id), ended(second.id)]);
      scene.idle = "s";
      await telling(1);
      // Which of the two ended first is up to the machine.
      for (const { id } of [first, second]) assert.ok(told[0]?.prompt.includes(id));
      assert.ok(tasks.find("s", first.id).deliveredAt !== undefined);
      const third = await tasks.start(request("true"));
      await telling(2);
      assert.ok(!told[1]?.prompt.includes(first.id) && told[1]?.prompt.includes(third.id));
      assert.deepEqual(new TaskStore(store.database).deliver([third.id], 1), []);
    });
  },
});

Deno.test({
  name: "TaskNotices tells again where the run did not start",
  ignore,
  fn: async () => {
    await wakeScene(async (scene) => {
      scene.starts = false;
      const { id } = await scene.tasks.start(scene.request("true"));
      await scene.telling(1);
      scene.starts = true;
      await scene.telling(2);
      assert.deepEqual(scene.told[1], scene.told[0]);
      assert.ok(scene.tasks.find("s", id).deliveredAt !== undefined);
    });
  },
});

Deno.test({
  name: "TaskNotices tells nothing of what was stopped or read, nor to another session",
  ignore,
  fn: async () => {
    await wakeScene(async ({ tasks, request, told, telling, ended }) => {
      const stopped = await tasks.start(request("sleep 60"));
      await tasks.stop("s", stopped.id, "user");
      const other = await tasks.start(request("true", { sessionId: "t" }));
      const read = await tasks.start(request("true"));
      await Promise.all([ended(other.id), ended(read.id)]);
      tasks.markSeen([tasks.find("s", read.id)]);
      const last = await tasks.start(request("true"));
      await telling(1);
      assert.match(told[0]?.prompt ?? "", new RegExp(`^A background task[^]*${last.id}`));
    });
  },
});
