import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempDir } from "../../support/temp.ts";
import { untilGone } from "./_connect.ts";

const PROGRAM = join(import.meta.dirname ?? "", "_servers", "connected_program.ts");

interface Connected {
  readonly program: Deno.ChildProcess;
  /** The server, and what it started. */
  readonly pids: readonly number[];
}

/** Starts a program that is connected to a server, and waits until it is. */
async function startConnected(
  cwd: string,
  flags: readonly string[],
  args: readonly string[],
): Promise<Connected> {
  const program = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...flags, PROGRAM, ...args],
    cwd,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let text = "";
  for await (const piece of program.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes("\n")) break;
  }
  const pids = text.trim().split(" ").map(Number);
  assert.equal(pids.length, 2, text);
  return { program, pids };
}

Deno.test("ServerProcess ends with all it started when Alisio exits, or is killed", async () => {
  await withTempDir(async (cwd) => {
    for (const mode of ["good", "stubborn"]) {
      for (const then of ["exit", "wait"]) {
        const { program, pids } = await startConnected(cwd, ["-A"], [mode, then]);
        if (then === "wait") program.kill("SIGKILL");
        await program.status;
        for (const pid of pids) await untilGone(pid);
      }
    }
  });
});

Deno.test("ServerProcess ends where Alisio may run the program of the server and no other", async () => {
  await withTempDir(async (cwd) => {
    const flags = ["--allow-env", "--allow-read", "--allow-write", "--allow-sys"];
    const run = [...flags, `--allow-run=${Deno.execPath()}`];
    for (const mode of ["good", "stubborn"]) {
      const { program, pids: [server = 0, child = 0] } = await startConnected(cwd, run, [
        mode,
        "close",
      ]);
      assert.equal((await program.status).code, 0);
      await untilGone(server);
      // Nobody could end what the server left behind: it was not to be signalled from there.
      Deno.kill(child, "SIGKILL");
    }
  });
});
