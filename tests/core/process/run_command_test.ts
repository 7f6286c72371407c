import assert from "node:assert/strict";
import { join } from "node:path";
import { CommandError } from "../../../core/process/command_error.ts";
import {
  type CommandOutcome,
  type CommandSpec,
  runCommand,
} from "../../../core/process/run_command.ts";
import { StreamRedactor } from "../../../core/process/stream_redactor.ts";
import { withTempDir } from "../../support/temp.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import { isRunning } from "./_is_running.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8" };
const unixOnly = { ignore: Deno.build.os === "windows" };
const linuxOnly = { ignore: Deno.build.os !== "linux" };

function run(
  program: string,
  args: readonly string[],
  changes: Partial<CommandSpec> = {},
): Promise<CommandOutcome> {
  return runCommand({
    program,
    args,
    cwd: "/",
    env: ENV,
    timeoutMs: 20_000,
    killGraceMs: 300,
    signal: new AbortController().signal,
    findEscaped: true,
    ...changes,
  });
}

const sh = (script: string, changes: Partial<CommandSpec> = {}) =>
  run("/bin/sh", ["-c", script], changes);

/** The ids that a script printed, one a line after `pid `. */
function printedPids(outcome: CommandOutcome): readonly number[] {
  const pids = [...outcome.stdout.matchAll(/^pid ([0-9]+)$/gm)].map((match) => Number(match[1]));
  assert.notEqual(pids.length, 0, `no process id in ${JSON.stringify(outcome)}`);
  return pids;
}

function assertGone(outcome: CommandOutcome): void {
  for (const pid of printedPids(outcome)) assert.equal(isRunning(pid), false, `process ${pid}`);
}

Deno.test("runCommand() reports a plain exit", unixOnly, async () => {
  const { durationMs, ...outcome } = await sh("echo out; echo err >&2; exit 3");
  assert.ok(durationMs >= 0 && durationMs < 10_000);
  assert.deepEqual(outcome, {
    exitCode: 3,
    signal: null,
    endedBy: "exit",
    stdout: "out\n",
    stderr: "err\n",
    stdoutBytes: 4,
    stderrBytes: 4,
    truncated: false,
    terminal: "out\nerr\n",
    terminalTruncated: false,
    leftBehind: "none",
  });
});

Deno.test("runCommand() passes arguments as they are", unixOnly, async () => {
  const args = ["-n", "a b", "", "*", "$HOME", "'\"", "new\nline", "ünï"];
  const outcome = await run("/bin/sh", ["-c", 'printf "<%s>" "$@"', "sh", ...args]);
  assert.equal(outcome.stdout, args.map((arg) => `<${arg}>`).join(""));
});

Deno.test("runCommand() hands on the given environment only", unixOnly, async () => {
  const outcome = await run("/usr/bin/env", [], { env: { ...ENV, GIVEN: "yes" } });
  const names = outcome.stdout.trim().split("\n").map((line) => line.split("=")[0]).sort();
  assert.deepEqual(names, ["ALISIO_CALL_ID", "GIVEN", "LC_ALL", "PATH"]);
});

Deno.test(
  "runCommand() gives standard input at its end (field case 83)",
  unixOnly,
  async () => {
    const outcome = await sh('cat; read -r line; echo "read ended with $?"');
    assert.equal(outcome.endedBy, "exit");
    assert.equal(outcome.stdout, "read ended with 1\n");
  },
);

Deno.test("runCommand() tells a signal from elsewhere", unixOnly, async () => {
  const outcome = await sh("kill -KILL $$");
  assert.deepEqual(
    [outcome.endedBy, outcome.exitCode, outcome.signal],
    ["signal", null, "SIGKILL"],
  );
});

Deno.test(
  "runCommand() returns when a silent child holds the pipe (field case 85)",
  unixOnly,
  async () => {
    const outcome = await sh("sleep 60 & echo pid $!; echo done");
    assert.equal(outcome.endedBy, "exit");
    assert.equal(outcome.exitCode, 0);
    assert.match(outcome.stdout, /done\n$/);
    assert.equal(outcome.leftBehind, "killed");
    assert.ok(outcome.durationMs < 5_000, `${outcome.durationMs}`);
    assertGone(outcome);
  },
);

Deno.test(
  "runCommand() returns when a child writes without end (field case 85)",
  unixOnly,
  async () => {
    const outcome = await sh("(while :; do echo again; done) & echo pid $!", { drainMs: 50 });
    assert.equal(outcome.endedBy, "exit");
    assert.equal(outcome.leftBehind, "killed");
    assert.ok(outcome.durationMs < 5_000, `${outcome.durationMs}`);
    assertGone(outcome);
  },
);

Deno.test("runCommand() waits for a child that is about to end", unixOnly, async () => {
  const outcome = await sh("(sleep 0.1; echo late) & echo early");
  assert.equal(outcome.stdout, "early\nlate\n");
  assert.equal(outcome.leftBehind, "none");
});

Deno.test(
  "runCommand() kills a leftover that ignores SIGTERM (field case 88)",
  unixOnly,
  async () => {
    const outcome = await sh("(trap '' TERM; sleep 60; sleep 60) & echo pid $!");
    assert.equal(outcome.endedBy, "exit");
    assert.equal(outcome.leftBehind, "killed");
    assertGone(outcome);
  },
);

Deno.test(
  "runCommand() finds a child in a session of its own (field case 86)",
  linuxOnly,
  async () => {
    const scripts = [
      "setsid sleep 60 & echo pid $!",
      "setsid sleep 60 </dev/null >/dev/null 2>&1 & echo pid $!",
      "setsid sh -c 'trap \"\" TERM; echo pid $$; sleep 60; sleep 60' & sleep 0.1",
    ];
    for (const script of scripts) {
      const outcome = await sh(script);
      assert.equal(outcome.endedBy, "exit", script);
      assert.equal(outcome.leftBehind, "killed", script);
      assertGone(outcome);
    }
  },
);

Deno.test(
  "runCommand() tells of what it can neither find for certain nor exclude",
  linuxOnly,
  async () => {
    const module = new URL("core/process/run_command.ts", `file://${ROOT}/`).href;
    await withTempDir(async (folder) => {
      const left = "env -i setsid /bin/sh -c 'echo $$ > pid; exec sleep 60' >/dev/null 2>&1 &";
      const script = `
        import { runCommand } from ${JSON.stringify(module)};
        const run = (line) => runCommand({
          program: "/bin/sh", args: ["-c", line], cwd: ${JSON.stringify(folder)},
          env: { PATH: "/usr/bin:/bin" }, timeoutMs: 5000, findEscaped: true,
          signal: new AbortController().signal,
        });
        const first = await run("true");
        const second = await run(${JSON.stringify(`${left} until [ -s pid ]; do :; done`)});
        console.log(first.leftBehind, second.leftBehind);
      `;
      // Without permission for one more program, processes are marked in their environment alone.
      const { stdout, stderr } = await new Deno.Command(DENO, {
        args: [
          "run",
          "--no-prompt",
          "--no-check",
          "--ext=ts",
          "--allow-read",
          "--allow-run=/bin/sh",
          `data:application/typescript,${encodeURIComponent(script)}`,
        ],
        cwd: ROOT,
      }).output();
      const pid = Number(await Deno.readTextFile(join(folder, "pid")));
      try {
        assert.equal(
          new TextDecoder().decode(stdout),
          "none unknown\n",
          new TextDecoder().decode(stderr),
        );
        assert.equal(isRunning(pid), true);
      } finally {
        Deno.kill(pid, "SIGKILL");
      }
    });
  },
);

Deno.test(
  "runCommand() ends at the limit though a child escaped (field case 86)",
  linuxOnly,
  async () => {
    const outcome = await sh("setsid sh -c 'echo pid $$; exec sleep 60'", { timeoutMs: 300 });
    assert.equal(outcome.endedBy, "timeout");
    assert.equal(outcome.exitCode, null);
    assert.ok(outcome.durationMs < 5_000, `${outcome.durationMs}`);
    assertGone(outcome);
  },
);

Deno.test(
  "runCommand() ends at the limit though nobody can find the child",
  linuxOnly,
  async () => {
    const started = await sh(
      "prlimit --locks=unlimited: env -i setsid /bin/sh -c 'echo pid $$; exec sleep 60' & sleep 0.2",
      { drainMs: 50 },
    );
    const [pid] = printedPids(started);
    assert.ok(pid !== undefined);
    try {
      assert.equal(started.leftBehind, "unknown");
      assert.ok(started.durationMs < 5_000, `${started.durationMs}`);
      assert.equal(
        isRunning(pid),
        true,
        "the survivor has to exist for this test to mean anything",
      );
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
  },
);

Deno.test(
  "runCommand() escalates when the leader ignores SIGTERM (field case 88)",
  unixOnly,
  async () => {
    const outcome = await sh("trap '' TERM; echo pid $$; while :; do sleep 1; done", {
      timeoutMs: 200,
      killGraceMs: 200,
    });
    assert.deepEqual([outcome.endedBy, outcome.signal], ["timeout", "SIGKILL"]);
    assert.ok(outcome.durationMs >= 400, `${outcome.durationMs}`);
    assertGone(outcome);
  },
);

Deno.test(
  "runCommand() escalates on the group when the leader has gone (field case 88)",
  unixOnly,
  async () => {
    const outcome = await sh("(trap '' TERM; sleep 60; sleep 60) & echo pid $!; sleep 60", {
      timeoutMs: 200,
      killGraceMs: 200,
    });
    assert.deepEqual([outcome.endedBy, outcome.signal], ["timeout", "SIGTERM"]);
    assert.ok(outcome.durationMs >= 400, `${outcome.durationMs}`);
    assertGone(outcome);
  },
);

Deno.test("runCommand() gives a program time to end politely", unixOnly, async () => {
  const outcome = await sh("trap 'echo saved; exit 0' TERM; echo ready; sleep 60 & wait", {
    timeoutMs: 300,
    killGraceMs: 10_000,
  });
  assert.deepEqual([outcome.endedBy, outcome.exitCode], ["timeout", 0]);
  assert.equal(outcome.stdout, "ready\nsaved\n");
  assert.ok(outcome.durationMs < 5_000, `${outcome.durationMs}`);
});

Deno.test("runCommand() ends a stopped program at the limit", unixOnly, async () => {
  const outcome = await sh("echo pid $$; kill -STOP $$", { timeoutMs: 200, killGraceMs: 10_000 });
  assert.equal(outcome.endedBy, "timeout");
  assert.ok(outcome.durationMs < 5_000, `${outcome.durationMs}`);
  assertGone(outcome);
});

Deno.test("runCommand() is cancelled with its children", unixOnly, async () => {
  const controller = new AbortController();
  let seen = "";
  const outcome = await sh("sleep 60 & echo pid $!; echo pid $$; wait", {
    signal: controller.signal,
    onOutput(bytes) {
      seen += new TextDecoder().decode(bytes);
      if (seen.match(/pid [0-9]+\npid [0-9]+\n/)) controller.abort();
    },
  });
  assert.equal(outcome.endedBy, "cancelled");
  assert.equal(printedPids(outcome).length, 2);
  assertGone(outcome);
});

Deno.test(
  "runCommand() ends the command when this process exits (field case 89)",
  unixOnly,
  async () => {
    const scripts = [
      'trap "" TERM; echo "pid $$"; while :; do sleep 0.1; done',
      ...(Deno.build.os === "linux"
        ? [
          "setsid sh -c 'trap \"\" TERM; echo pid $$; while :; do sleep 0.1; done'",
          "env -i setsid /bin/sh -c 'echo pid $$; exec /bin/sleep 60 >/dev/null 2>&1' & wait",
        ]
        : []),
    ];
    for (const script of scripts) {
      const program = `
      import { runCommand } from ${JSON.stringify(`${ROOT}/core/process/run_command.ts`)};
      const spec = ${
        JSON.stringify({ program: "/bin/sh", args: ["-c", script], cwd: "/", env: ENV })
      };
      await runCommand({
        ...spec,
        timeoutMs: 20_000,
        findEscaped: true,
        signal: new AbortController().signal,
        onOutput(bytes) {
          Deno.stdout.writeSync(bytes);
          Deno.exit(7);
        },
      });`;
      const { code, stdout } = await new Deno.Command(DENO, {
        args: ["eval", "--ext=ts", program],
        stdin: "null",
      }).output();
      assert.equal(code, 7);
      const pid = Number(new TextDecoder().decode(stdout).replace("pid ", ""));
      assert.ok(pid > 0);
      const giveUpAt = performance.now() + 2_000;
      while (isRunning(pid)) {
        assert.ok(performance.now() < giveUpAt, `still running: ${script}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  },
);

Deno.test("runCommand() starts nothing once the signal has aborted", unixOnly, async () => {
  await withTempDir(async (cwd) => {
    const outcome = await sh("touch marker", { cwd, signal: AbortSignal.abort() });
    assert.deepEqual(
      [outcome.endedBy, outcome.exitCode, outcome.stdout],
      ["cancelled", null, ""],
    );
    assert.deepEqual(await Array.fromAsync(Deno.readDir(cwd)), []);
  });
});

Deno.test("runCommand() drains a flood in bounded memory", unixOnly, async () => {
  const before = Deno.memoryUsage().rss;
  let highest = 0;
  let pieces = 0;
  const outcome = await sh("head -c 300000000 /dev/zero; echo end", {
    onOutput() {
      if (pieces++ % 500 === 0) highest = Math.max(highest, Deno.memoryUsage().rss);
    },
  });
  assert.equal(outcome.exitCode, 0);
  assert.equal(outcome.stdoutBytes, 300_000_004);
  assert.equal(outcome.truncated, true);
  assert.match(outcome.stdout, /end\n$/);
  assert.ok(outcome.stdout.length < 33_000);
  assert.ok(highest - before < 150_000_000, `grew by ${(highest - before) / 1e6} MB`);
});

Deno.test("runCommand() reads both streams at once", unixOnly, async () => {
  const outcome = await sh(
    "head -c 1000000 /dev/zero | tr '\\0' e >&2; head -c 1000000 /dev/zero | tr '\\0' o",
  );
  assert.deepEqual([outcome.stdoutBytes, outcome.stderrBytes], [1_000_000, 1_000_000]);
  assert.equal(outcome.terminal, "e".repeat(256 * 1024));
  assert.equal(outcome.terminalTruncated, true);
});

Deno.test(
  "runCommand() keeps characters that arrive byte by byte (field case 92)",
  unixOnly,
  async () => {
    const text = "aé€😀".repeat(20);
    const bytes = [...new TextEncoder().encode(text)];
    const script = bytes.map((byte) => `printf '\\${byte.toString(8).padStart(3, "0")}'`).join(";");
    const outcome = await sh(`${script}; printf '\\377'`);
    assert.equal(outcome.stdout, `${text}\\xff`);
  },
);

Deno.test(
  "runCommand() writes the full output only when it is cut (field case 91)",
  unixOnly,
  async () => {
    await withTempDir(async (workspace) => {
      const log = { workspace, name: "call-0123abcd.log" };
      const short = await sh("echo short", { log, maxCaptureBytes: 100 });
      assert.equal(short.fullOutput, undefined);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(workspace)), []);

      const long = await sh("echo first >&2; seq 1 1000", { log, maxCaptureBytes: 100 });
      const path = join(workspace, ".alisio", "cache", "output", "call-0123abcd.log");
      assert.equal(long.fullOutput, `full output in ${JSON.stringify(path)}`);
      assert.ok(long.stdout.includes(`; ${long.fullOutput}]`));
      const lines = (await Deno.readTextFile(path)).split("\n");
      assert.equal(lines.length, 1002);
      assert.deepEqual(new Set(lines), new Set(["first", "", ...range(1, 1000)]));
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    });
  },
);

Deno.test("runCommand() bounds the log with the full output", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const log = { workspace, name: "call-0123abcd.log" };
    const outcome = await sh("head -c 12000000 /dev/zero", { log });
    assert.ok(outcome.stdout.includes("first 10 MiB of the output in "));
    const path = join(workspace, ".alisio", "cache", "output", log.name);
    assert.equal((await Deno.stat(path)).size, 10 * 1024 * 1024);
  });
});

Deno.test("runCommand() goes on and says so when no log can be written", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await Deno.writeTextFile(join(workspace, ".alisio"), "mine");
    const log = { workspace, name: "call-0123abcd.log" };
    const outcome = await sh("seq 1 1000", { log, maxCaptureBytes: 100 });
    assert.equal(outcome.exitCode, 0);
    assert.match(outcome.stdout, /; the rest was dropped, because no log of it could be written\]/);
    assert.equal(await Deno.readTextFile(join(workspace, ".alisio")), "mine");
  });
});

Deno.test("runCommand() lets no secret out, in whatever pieces it comes", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const secret = "sk-config-abcdefgh-0123456789";
    const pieces = (by: number) =>
      [...secret.matchAll(new RegExp(`.{1,${by}}`, "g"))]
        .map(([piece]) => `printf %s ${piece}; sleep 0.01`).join("; ");
    const seen: string[] = [];
    const name = "call-0123abcd.log";
    const outcome = await sh(
      // The limit of the capture falls into the middle of a secret, and the pieces of one stream
      // come between those of the other one.
      `printf %s ${"x".repeat(40)}${secret}; (${pieces(3)}) >&2 & ${pieces(7)}; wait; ` +
        `seq 1 100; echo end ${secret.slice(0, 9)}`,
      {
        log: { workspace, name },
        maxCaptureBytes: 100,
        createRedactor: () => new StreamRedactor([secret]),
        onOutput: (bytes, stream) => {
          if (stream === "stdout") seen.push(new TextDecoder().decode(bytes));
        },
      },
    );
    const log = await Deno.readTextFile(join(workspace, ".alisio", "cache", "output", name));
    assert.equal(log.split("[redacted]").length, 4);
    for (const text of [log, outcome.stdout, outcome.stderr, outcome.terminal, seen.join("")]) {
      for (const part of ["sk-config-a", "abcdefgh", "23456789"]) {
        assert.ok(!text.includes(part), `${part} in ${text}`);
      }
    }
    // What only begins like a secret is no secret.
    assert.match(outcome.stdout, /end sk-config\n$/);
    assert.equal(outcome.stderr, "[redacted]");
  });
});

Deno.test("runCommand() says why a command cannot start", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(join(folder, "plain"), "x", { mode: 0o644 });
    const rows: readonly (readonly [Partial<CommandSpec>, string, RegExp])[] = [
      [
        { program: "no-such-program" },
        "program_not_found",
        /"no-such-program": it is not in PATH$/,
      ],
      [{ program: "./nothing" }, "program_not_found", /that file does not exist$/],
      [{ program: "" }, "program_not_found", /not in PATH$/],
      [{ program: join(folder, "plain") }, "program_not_executable", /does not let it be executed/],
      [{ program: folder }, "program_not_executable", /does not let it be executed/],
      [{ cwd: join(folder, "gone") }, "cwd_missing", /working directory ".*gone" is gone/],
      [{ cwd: join(folder, "plain") }, "cwd_missing", /is not a directory/],
      [{ args: ["a\0b"] }, "arguments_invalid", /NUL/],
      [{ program: "a\0b" }, "arguments_invalid", /NUL/],
      [{ args: ["\ud83d"] }, "arguments_invalid", /surrogate/],
      [{ args: ["x".repeat(5_000_000)] }, "arguments_invalid", /longer than the system accepts/],
    ];
    for (const [changes, code, message] of rows) {
      await assert.rejects(
        run("true", [], { cwd: folder, ...changes }),
        (error) => {
          assert.ok(error instanceof CommandError, String(error));
          assert.equal(error.code, code);
          assert.match(error.message, message);
          assert.ok(error.message.length < 1_000);
          return true;
        },
      );
    }
  });
});

Deno.test("runCommand() works with permission for one program only", linuxOnly, async () => {
  const module = new URL("core/process/run_command.ts", `file://${ROOT}/`).href;
  const script = `
    import { runCommand } from ${JSON.stringify(module)};
    const run = (program, args, timeoutMs) => runCommand({
      program, args, timeoutMs, cwd: "/", env: { PATH: "/usr/bin:/bin" },
      killGraceMs: 200, signal: new AbortController().signal,
    });
    const plain = await run("/bin/sh", ["-c", "echo fine"], 5000);
    const slow = await run("/bin/sh", ["-c", "exec sleep 60"], 200);
    const refused = await run("/usr/bin/env", [], 5000).catch((error) => error);
    console.log(JSON.stringify([plain.stdout, slow.endedBy, slow.signal, refused.code]));
  `;
  await withTempDir(async (folder) => {
    const file = join(folder, "narrow.ts");
    await Deno.writeTextFile(file, script);
    const { stdout, stderr } = await new Deno.Command(DENO, {
      args: ["run", "--no-prompt", "--no-check", "--allow-read", "--allow-run=/bin/sh", file],
      cwd: ROOT,
    }).output();
    assert.deepEqual(
      new TextDecoder().decode(stdout).trim(),
      JSON.stringify(["fine\n", "timeout", "SIGTERM", "permission_denied"]),
      new TextDecoder().decode(stderr),
    );
  });
});

function range(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}
