import assert from "node:assert/strict";
import { join } from "node:path";
import { CommandError } from "../../../core/process/command_error.ts";
import { processStart } from "../../../core/process/process_start.ts";
import { type BackgroundTask, isLive } from "../../../core/tasks/background_task.ts";
import { TaskRefusal } from "../../../core/tasks/background_tasks.ts";
import { sweepTasks } from "../../../core/tasks/sweep_tasks.ts";
import { TaskStore } from "../../../core/tasks/task_store.ts";
import { isRunning } from "../process/_is_running.ts";
import { taskScene } from "./_scene.ts";

const ignore = Deno.build.os === "windows";

interface EndRow {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs?: number;
  readonly end: Partial<BackgroundTask>;
}

const ENDS: readonly EndRow[] = [
  { name: "success", command: "true", end: { status: "succeeded", exitCode: 0 } },
  { name: "failure", command: "exit 3", end: { status: "failed", exitCode: 3 } },
  { name: "a signal", command: "kill -9 $$", end: { status: "failed", signal: "SIGKILL" } },
  {
    name: "the time limit",
    command: 'trap "" TERM; while :; do sleep 0.1; done',
    timeoutMs: 200,
    end: {
      status: "failed",
      signal: "SIGKILL",
      stoppedBy: "timeout",
      errorCode: "timeout",
      error: "stopped at the time limit of 200 ms",
    },
  },
];

Deno.test({
  name: "BackgroundTasks.start() runs a task to its end, whatever that is",
  ignore,
  fn: async (t) => {
    for (const { name, command, timeoutMs, end } of ENDS) {
      await t.step(name, () =>
        taskScene(async ({ tasks, request, ended }) => {
          const { id } = await tasks.start(
            request(command, timeoutMs === undefined ? {} : { timeoutMs }),
          );
          await ended(id);
          const { status, exitCode, signal, stoppedBy, errorCode, error } = tasks.find("s", id);
          const found = { status, exitCode, signal, stoppedBy, errorCode, error };
          assert.deepEqual(
            Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)),
            end,
          );
        }));
    }
  },
});

Deno.test({
  name: "BackgroundTasks.start() keeps output as it comes, without secrets, in little memory",
  ignore,
  fn: async () => {
    await taskScene(async ({ dir, tasks, request, ended }) => {
      const before = Deno.memoryUsage().rss;
      const { id } = await tasks.start(request(
        "printf 'key sekrit-value\\n\\377'; yes 0123456789 | head -c 60000000; echo the-end",
      ));
      await ended(id);
      const task = tasks.find("s", id);
      const bytes = await Deno.readFile(join(dir, task.logPath));
      assert.equal(bytes.length, task.outputBytes);
      assert.ok(bytes.length < 65_536 + 33_000 && task.isTruncated);
      const first = await tasks.read("s", id, { offset: 0, limit: 22 });
      assert.equal(first.text, "key [redacted]\n\\xff012345");
      const last = await tasks.read("s", id, { offset: bytes.length - 8, limit: 100 });
      assert.deepEqual([last.text, last.isAtEnd], ["the-end\n", true]);
      assert.ok(Deno.memoryUsage().rss - before < 80 * 1024 * 1024);
    });
  },
});

Deno.test({
  name: "BackgroundTasks.stop() ends what ignores the request and what fled from its group",
  ignore,
  fn: async () => {
    await taskScene(async ({ dir, tasks, request }) => {
      const { id } = await tasks.start(request(
        `trap "" TERM; setsid sh -c 'echo $$ >fled.tmp; mv fled.tmp fled; sleep 60' & while :; do sleep 0.1; done`,
      ));
      const fled = await appears(join(dir, "fled"));
      const task = await tasks.stop("s", id, "user");
      assert.deepEqual([task.status, task.stoppedBy], ["cancelled", "user"]);
      assert.ok(!isRunning(Number(fled)));
      assert.ok(!isRunning(task.pid ?? 0));
      assert.deepEqual(await tasks.stop("s", id, "model"), task);
    });
  },
});

Deno.test({
  name: "BackgroundTasks.start() refuses more tasks than may run, and says what cannot be started",
  ignore,
  fn: async () => {
    await taskScene(async ({ tasks, request, ended }) => {
      const first = await tasks.start(request("sleep 60"));
      await tasks.start(request("sleep 60"));
      await assert.rejects(tasks.start(request("sleep 60")), TaskRefusal);
      await tasks.start(request("true", { sessionId: "t" }));
      await tasks.stop("s", first.id, "model");
      const broken = request("true");
      const spec = { ...broken.spec, program: "no-such-program" };
      await assert.rejects(tasks.start({ ...broken, spec }), CommandError);
      const [failed] = tasks.list("s", { limit: 1 });
      assert.deepEqual([failed?.status, failed?.errorCode], ["failed", "start_failed"]);
      assert.ok(failed !== undefined && !tasks.isAnnounced(failed));
      const { id } = await tasks.start(request("true"));
      await ended(id);
    });
  },
});

Deno.test({
  name: "BackgroundTasks.find() knows no task of another session",
  ignore,
  fn: async () => {
    await taskScene(async ({ tasks, request }) => {
      const { id } = await tasks.start(request("sleep 60"));
      assert.throws(() => tasks.find("t", id), TaskRefusal);
      await assert.rejects(tasks.stop("t", id, "user"), TaskRefusal);
      await assert.rejects(tasks.read("t", id, { offset: 0, limit: 1 }), TaskRefusal);
      assert.deepEqual(tasks.list("t", { limit: 9 }), []);
    });
  },
});

Deno.test({
  name: "BackgroundTasks.close() ends every task as shut down",
  ignore,
  fn: async () => {
    await taskScene(async ({ tasks, request }) => {
      const { id } = await tasks.start(request("sleep 60"));
      await tasks.close();
      const { status, stoppedBy, pid = 0 } = tasks.find("s", id);
      assert.deepEqual([status, stoppedBy], ["cancelled", "shutdown"]);
      assert.ok(!isRunning(pid));
      await assert.rejects(tasks.start(request("true")), TaskRefusal);
    });
  },
});

Deno.test({
  name: "BackgroundTasks.reap() loses tasks of dead owners alone, and signals no other process",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await taskScene(async ({ store, tasks, request, open }) => {
      const alive = await tasks.start(request("sleep 60"));
      const records = new TaskStore(store.database);
      using survivor = new Survivor();
      using other = new Survivor();
      const start = await processStart(survivor.pid) ?? "";
      const abandoned = (id: string, pid: number, processStart: string) => {
        records.create({ ...alive, id, ownerToken: "gone" }, 99);
        records.start(id, pid, Date.now());
        records.identify(id, processStart);
      };
      abandoned("a", survivor.pid, start);
      abandoned("b", other.pid, `${start}0`);
      const lost = await open().reap();
      assert.deepEqual(lost.map(({ id }) => id).sort(), ["a", "b"]);
      assert.equal(tasks.find("s", "a").status, "lost");
      assert.ok(isLive(tasks.find("s", alive.id)));
      assert.equal(await survivor.signal(), "SIGKILL");
      assert.ok(isRunning(other.pid), "its id stands for another process by now");
    });
  },
});

Deno.test({
  name: "BackgroundTasks.reap() leaves what it may not end to a process that may",
  ignore,
  permissions: { read: true, write: true, env: true, sys: true, run: false },
  fn: async () => {
    await taskScene(async ({ store, tasks }) => {
      const records = new TaskStore(store.database);
      const task = {
        ...{ id: "a", sessionId: "s", rootSessionId: "s", workspace: "/w", label: "l" },
        ...{ command: "c", cwd: "/w", ownerPid: 1, ownerToken: "gone", timeoutMs: 1, logPath: "x" },
        createdAt: 1,
      };
      records.create(task, 1);
      records.start("a", Deno.pid, 2);
      assert.deepEqual(await tasks.reap(), []);
      assert.equal(tasks.find("s", "a").status, "running");
    });
  },
});

Deno.test("TaskStore never leaves a final status, and lets one of two changes count", async () => {
  await taskScene(({ store }) => {
    const records = new TaskStore(store.database);
    const task = {
      ...{ id: "a", sessionId: "s", rootSessionId: "s", workspace: "/w", label: "l" },
      ...{ command: "c", cwd: "/w", ownerPid: 1, ownerToken: "o", timeoutMs: 1, logPath: "x" },
      createdAt: 1,
    };
    const end = { status: "succeeded", isTruncated: false, outputBytes: 3, endedAt: 9 } as const;
    assert.ok(records.create(task, 1));
    assert.ok(!records.create({ ...task, id: "b" }, 1));
    assert.ok(records.start("a", 7, 2));
    assert.ok(!records.start("a", 8, 2));
    assert.ok(records.stop("a", "user"));
    assert.ok(!records.stop("a", "model"));
    assert.ok(!records.end("a", "running", end));
    assert.ok(records.end("a", "stopping", { ...end, status: "cancelled" }));
    assert.ok(!records.end("a", "stopping", end));
    assert.ok(!records.stop("a", "model"));
    assert.deepEqual(records.deliver(["a", "b"], 5), ["a"]);
    assert.deepEqual(records.deliver(["a"], 6), []);
    const { status, stoppedBy, deliveredAt } = records.find("a") ?? {};
    assert.deepEqual([status, stoppedBy, deliveredAt], ["cancelled", "user", 5]);
    records.undeliver(["a"], 5);
    assert.equal(records.find("a")?.deliveredAt, undefined);
    return Promise.resolve();
  });
});

Deno.test({
  name: "sweepTasks() deletes what ended long ago, and 0 days keep everything",
  ignore,
  fn: async () => {
    await taskScene(async ({ dir, store, tasks, request, ended }) => {
      const old = await tasks.start(request("echo x"));
      await ended(old.id);
      const runs = await tasks.start(request("sleep 60"));
      const records = new TaskStore(store.database);
      const inDays = (days: number) => Date.now() + days * 86_400_000;
      assert.equal(sweepTasks(records, dir, { retentionDays: 0, nowMs: inDays(99) }), 0);
      assert.equal(sweepTasks(records, dir, { retentionDays: 7, nowMs: inDays(6) }), 0);
      assert.equal(sweepTasks(records, dir, { retentionDays: 7, nowMs: inDays(8) }), 1);
      assert.deepEqual(tasks.list("s", { limit: 9 }).map(({ id }) => id), [runs.id]);
      await assert.rejects(Deno.stat(join(dir, old.logPath)), Deno.errors.NotFound);
    });
  },
});

Deno.test({
  name: "SessionStore.deleteSession() takes tasks and logs along, unless one runs",
  ignore,
  fn: async () => {
    await taskScene(async ({ dir, store, tasks, request }) => {
      const { id, logPath } = await tasks.start(request("sleep 60"));
      assert.throws(() => store.deleteSession("s"), /a background task of it runs/);
      await tasks.stop("s", id, "user");
      store.deleteSession("s");
      assert.equal(new TaskStore(store.database).find(id), undefined);
      await assert.rejects(Deno.stat(join(dir, logPath)), Deno.errors.NotFound);
    });
  },
});

/** A process that leads a group of its own. */
class Survivor {
  readonly #child = new Deno.Command("sleep", { args: ["60"], detached: true }).spawn();

  get pid(): number {
    return this.#child.pid;
  }

  async signal(): Promise<string | null> {
    return (await this.#child.status).signal;
  }

  [Symbol.dispose](): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

async function appears(path: string): Promise<string> {
  for (let look = 0; look < 500; look++) {
    try {
      return await Deno.readTextFile(path);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  throw new Error(`${path} does not appear`);
}
