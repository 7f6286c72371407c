import assert from "node:assert/strict";
import { DENO, ROOT } from "./paths.ts";
import { streamProcess } from "./stream_process.ts";
import { withTempDir } from "./temp.ts";

const QUIET = { cwd: ROOT, timeoutMs: 20_000, show: "nothing" } as const;

Deno.test("streamProcess() keeps the end of both streams and the status", async () => {
  const script = 'for i in 1 2 3; do echo "out $i"; done; echo problem >&2; exit 7';
  assert.deepEqual(await streamProcess("sh", ["-c", script], QUIET), {
    code: 7,
    timedOut: false,
    stdoutTail: "out 1\nout 2\nout 3\n",
    stderrTail: "problem\n",
  });
});

Deno.test("streamProcess() bounds what it keeps of a flood", async () => {
  const run = await streamProcess("sh", ["-c", "yes flood | head -c 3000000; echo end"], QUIET);
  assert.equal(run.stdoutTail.length, 65_536);
  assert.ok(run.stdoutTail.endsWith("end\n"));
});

Deno.test("streamProcess() ends the whole group on its time limit", async () => {
  await withTempDir(async (dir) => {
    const script = `sleep 300 & echo $! > ${dir}/pid; wait`;
    const run = await streamProcess("sh", ["-c", script], { ...QUIET, timeoutMs: 300 });
    assert.equal(run.code, 124);
    assert.equal(await isRunning(`${dir}/pid`), false);
  });
});

Deno.test("streamProcess() ends what a finished program left behind", async () => {
  await withTempDir(async (dir) => {
    const run = await streamProcess("sh", ["-c", `sleep 300 & echo $! > ${dir}/pid`], QUIET);
    assert.equal(run.code, 0);
    assert.equal(await isRunning(`${dir}/pid`), false);
  });
});

Deno.test("run.ts ends with its one line and the status of the tests", async () => {
  await withTempDir(async (dir) => {
    const cases = [
      { body: 'Deno.test("a", () => {});', line: "1 passed, 0 failed", code: 0 },
      { body: 'Deno.test("a", () => { throw 1; });', line: "0 passed, 1 failed", code: 1 },
      { body: "", line: "0 passed, 1 failed", code: 1 },
      { body: "const a: string = 1;", line: "0 passed, 1 failed", code: 1 },
    ];
    for (const [index, { body, line, code }] of cases.entries()) {
      const path = `${dir}/t${index}_test.ts`;
      await Deno.writeTextFile(path, body);
      const run = await streamProcess(DENO, ["run", "-A", "tests/run.ts", path], QUIET);
      assert.equal(run.stdoutTail.trimEnd().split("\n").at(-1), line, body);
      assert.equal(run.code, code, body);
    }
  });
});

/** Whether a process is still there a while after it was killed; the kernel takes its time. */
async function isRunning(pidFile: string): Promise<boolean> {
  const pid = (await Deno.readTextFile(pidFile)).trim();
  for (let attempt = 0; attempt < 200; attempt++) {
    const state = await processState(pid);
    if (state === "" || state.startsWith("Z")) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

async function processState(pid: string): Promise<string> {
  if (Deno.build.os === "linux") {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
    return stat.slice(stat.lastIndexOf(")") + 1).trim();
  }
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] }).output();
  return new TextDecoder().decode(stdout).trim();
}
