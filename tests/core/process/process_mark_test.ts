import assert from "node:assert/strict";
import {
  findMarkedProcesses,
  killMarkedProcesses,
} from "../../../core/process/find_marked_processes.ts";
import { startMarked } from "../../../core/process/process_mark.ts";
import { isRunning } from "./_is_running.ts";
import { inOwnProcess } from "./_own_process.ts";

function start(script: string) {
  return startMarked((env) =>
    new Deno.Command("/bin/sh", {
      args: ["-c", script],
      env: { PATH: "/usr/bin:/bin", ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn()
  );
}

/** The soft limit of file locks. */
function fileLocks(pid: number): string {
  const limits = Deno.readTextFileSync(`/proc/${pid}/limits`);
  return /^Max file locks +(\S+)/m.exec(limits)?.[1] ?? "";
}

async function setFileLocks(limit: string): Promise<void> {
  const args = ["--pid", `${Deno.pid}`, `--locks=${limit}:`];
  assert.ok((await new Deno.Command("prlimit", { args }).output()).success);
}

async function printedLine(child: Deno.ChildProcess): Promise<string> {
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text.trim();
}

/** A process that is killed is there until the kernel has taken it apart. */
async function untilEnded(pid: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (isRunning(pid)) {
    assert.ok(performance.now() < deadline, `Process ${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function registerTests(): void {
  Deno.test("startMarked() marks the child, and this process no longer than that", async () => {
    const own = fileLocks(Deno.pid);
    try {
      for (const before of ["unlimited", "4711"]) {
        await setFileLocks(before);
        const { child, mark, confirmed } = start("exec sleep 60");
        try {
          assert.ok(mark.fileLocks !== null && mark.fileLocks > 2 ** 40);
          assert.deepEqual(await confirmed, mark);
          assert.equal(fileLocks(child.pid), String(mark.fileLocks));
          assert.equal(fileLocks(Deno.pid), before);
        } finally {
          child.kill("SIGKILL");
          await child.status;
        }
        const fail = () => {
          throw new RangeError("not started");
        };
        assert.throws(() => startMarked(fail), RangeError);
        assert.equal(fileLocks(Deno.pid), before);
      }
    } finally {
      await setFileLocks(own);
    }
  });

  Deno.test("startMarked() relies on no limit that another one changed meanwhile", async () => {
    const own = fileLocks(Deno.pid);
    const started = startMarked((env) => {
      const command = new Deno.Command("sleep", { args: ["60"], env, stdin: "null" });
      new Deno.Command("prlimit", { args: ["--pid", `${Deno.pid}`, "--locks=99:"] }).outputSync();
      return command.spawn();
    });
    try {
      const { variable } = started.mark;
      assert.deepEqual(await started.confirmed, { variable, fileLocks: null });
      assert.equal(fileLocks(Deno.pid), own);
    } finally {
      started.child.kill("SIGKILL");
      await started.child.status;
    }
  });

  Deno.test(
    "findMarkedProcesses() finds what bears a mark, and nothing else",
    async () => {
      const one = start("sleep 60 & echo $!; wait");
      const other = start("sleep 60 & echo $!; wait");
      const inner = Number(await printedLine(one.child));
      const otherInner = Number(await printedLine(other.child));
      try {
        for (const fileLocks of [one.mark.fileLocks, null]) {
          assert.deepEqual(
            new Set(await findMarkedProcesses({ ...one.mark, fileLocks }, one.child.pid)),
            new Set([one.child.pid, inner]),
          );
        }
        killMarkedProcesses(one.mark);
        await Promise.all([one.child.status, one.confirmed]);
        await untilEnded(inner);
        assert.deepEqual(await findMarkedProcesses(one.mark, one.child.pid), []);
        assert.deepEqual(
          new Set(await findMarkedProcesses(other.mark, other.child.pid)),
          new Set([other.child.pid, otherInner]),
        );
      } finally {
        killMarkedProcesses(other.mark);
        await Promise.all([other.child.status, other.confirmed]);
      }
    },
  );

  Deno.test("findMarkedProcesses() passes over what waits to be reaped", async () => {
    // The program that the shell becomes knows nothing of its child.
    const { child, confirmed } = start("sleep 0.05 & echo $!; exec sleep 60");
    const mark = await confirmed;
    const pid = Number(await printedLine(child));
    try {
      while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.match(await Deno.readTextFile(`/proc/${pid}/status`), /^State:\tZ/m);
      assert.equal(fileLocks(pid), String(mark.fileLocks));
      assert.deepEqual(await findMarkedProcesses(mark, child.pid), [child.pid]);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  });
}

inOwnProcess(import.meta.filename, {
  name: "process marks are set, found and ended in a process that nothing else uses",
  ignore: Deno.build.os !== "linux",
  register: registerTests,
});
