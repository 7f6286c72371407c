import assert from "node:assert/strict";
import { join } from "node:path";
import { CommandError } from "../../../core/process/command_error.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import { isRunning } from "../process/_is_running.ts";
import { BACKENDS, bash, openInWorld, type SandboxWorld, withSandboxWorld } from "./_world.ts";

/** Tells processes of this test from all others. */
const MARK = `alisio-${crypto.randomUUID()}`;
/** The same for a program that cannot be given another name: a part of a second. */
const FRACTION = String(crypto.getRandomValues(new Uint32Array(1))[0]);

/** Starts a process under a name that it can be found by outside, and does not wait for it. */
const named = (seconds: string): string => `exec -a ${MARK}-$$ sleep ${seconds}`;

for (const backend of BACKENDS) {
  Deno.test(`The sandbox "${backend}" ends a command at its time limit, politely first`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const polite = await bash(
        sandbox,
        world,
        "trap 'echo bye; exit 3' TERM; echo on; sleep 60 & wait",
        { timeoutMs: 500, killGraceMs: 10_000 },
      );
      assert.equal(polite.endedBy, "timeout");
      assert.equal(polite.stdout, "on\nbye\n");
      assert.equal(polite.exitCode, 3);
      const plain = await bash(sandbox, world, "exec sleep 60", { timeoutMs: 500 });
      const { endedBy, exitCode, signal } = plain;
      assert.deepEqual({ endedBy, exitCode, signal }, {
        endedBy: "timeout",
        exitCode: null,
        signal: "SIGTERM",
      });
    });
  });

  Deno.test(`The sandbox "${backend}" leaves no process of a command that ignores the request to end`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const script = `trap '' TERM; (setsid bash -c '${named("61")}' &) ; ` +
        `(trap '' TERM; ${named("61")}) & echo on; while :; do sleep 1; done`;
      const outcome = await bash(sandbox, world, script, { timeoutMs: 700 });
      assert.equal(outcome.endedBy, "timeout");
      assert.equal(outcome.stdout, "on\n");
      assert.deepEqual(await lasting("61"), []);
      assert.notEqual(outcome.leftBehind, "unknown");
    });
  });

  Deno.test(`The sandbox "${backend}" ends what a command leaves in the background`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const script = `(setsid bash -c '${named("62")}' </dev/null >/dev/null 2>&1 &); ` +
        `bash -c '${named("62")}' & env -i setsid sleep 62.${FRACTION} & echo on`;
      const outcome = await bash(sandbox, world, script);
      assert.equal(outcome.endedBy, "exit");
      assert.equal(outcome.exitCode, 0);
      assert.equal(outcome.stdout, "on\n");
      assert.ok(outcome.durationMs < 15_000);
      assert.deepEqual(await lasting("62"), []);
    });
  });

  Deno.test(`The sandbox "${backend}" ends a command that is cancelled`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const controller = new AbortController();
      const outcome = await bash(sandbox, world, `echo on; ${named("63")}`, {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      assert.equal(outcome.endedBy, "cancelled");
      assert.deepEqual(await lasting("63"), []);
    });
  });

  Deno.test(`The sandbox "${backend}" keeps output within its bounds`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo err >&2; exit 7";
      const outcome = await bash(sandbox, world, script, { maxCaptureBytes: 1_000 });
      assert.equal(outcome.exitCode, 7);
      assert.equal(outcome.stdoutBytes, 3_000_001);
      assert.ok(outcome.stdout.length < 2_000);
      assert.equal(outcome.stderr, "err\n");
    });
  });

  Deno.test(`The sandbox "${backend}" runs commands side by side, each with its own temporary files`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const script =
        'test ! -e "$TMPDIR/x" && echo x > "$TMPDIR/x" && sleep 0.3 && ls .alisio later';
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () => bash(sandbox, world, script)),
      );
      for (const { stderr, exitCode } of outcomes) {
        // What holds the place of closed folders is there until the last command has ended.
        if (backend === "bubblewrap") assert.equal(exitCode, 0, stderr);
        else assert.match(stderr, /cannot access '\.alisio'/);
      }
      for (const name of [".alisio", "later"]) {
        await assert.rejects(Deno.lstat(join(world.workspace, name)), Deno.errors.NotFound);
      }
    });
  });

  Deno.test(`The sandbox "${backend}" tells a program that is not there from a failure of its own`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      await Deno.writeTextFile(join(world.workspace, "plain"), "no program\n");
      for (
        const [program, code, message] of [
          [
            "no-such-program",
            "program_not_found",
            /^Cannot run "no-such-program": it is not in PATH$/,
          ],
          [
            "./no-such",
            "program_not_found",
            /^Cannot run "\.\/no-such": that file does not exist$/,
          ],
          ["./plain", "program_not_executable", /^Cannot run "\.\/plain": the system does not let/],
        ] as const
      ) {
        await assert.rejects(
          bash(sandbox, world, "", { program, args: [] }),
          (error) =>
            error instanceof CommandError && error.code === code && message.test(error.message),
        );
      }
      const own = await bash(sandbox, world, "echo 'bwrap: it broke' >&2; exit 1");
      assert.deepEqual([own.exitCode, own.stderr], [1, "bwrap: it broke\n"]);
      const starter = await bash(sandbox, world, `echo '{"what":"sandbox"}' >&2; exit 125`);
      assert.equal(starter.exitCode, 125);
    });
  });

  Deno.test(`The sandbox "${backend}" closes a forbidden path from the command on that finds it`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world, {
        forbidden: [join(world.workspace, "later"), join(world.workspace, "far/away")],
      });
      const read = "cat later/key; cat far/away/key";
      await bash(sandbox, world, "true");
      await Deno.mkdir(join(world.workspace, "later"));
      await Deno.writeTextFile(join(world.workspace, "later/key"), "key\n");
      await Deno.mkdir(join(world.workspace, "far/away"), { recursive: true });
      await Deno.writeTextFile(join(world.workspace, "far/away/key"), "key\n");
      const { stdout } = await bash(sandbox, world, read);
      assert.equal(stdout, backend === "landlock" ? "key\nkey\n" : "");
      // What was there stays as it was.
      assert.equal(await Deno.readTextFile(join(world.workspace, "later/key")), "key\n");
    });
  });

  Deno.test({
    name: `The sandbox "${backend}" leaves no file that makes Git read another configuration`,
    ignore: backend !== "bubblewrap",
    fn: async () => {
      await withSandboxWorld(async (world) => {
        const sandbox = await openInWorld(backend, world);
        const git = join(world.workspace, ".git");
        const script = "mkdir evil; echo ../evil > .git/commondir; echo x > .git/config.worktree";
        const { exitCode, stderr } = await bash(sandbox, world, script);
        assert.equal(exitCode, 0, stderr);
        for (const name of ["commondir", "config.worktree"]) {
          await assert.rejects(Deno.lstat(join(git, name)), Deno.errors.NotFound);
        }
        // What the person has stays, and cannot be changed.
        await Deno.writeTextFile(join(git, "config.worktree"), "[core]\n");
        const changed = await bash(sandbox, world, "echo x > .git/config.worktree");
        assert.notEqual(changed.exitCode, 0);
        assert.equal(await Deno.readTextFile(join(git, "config.worktree")), "[core]\n");
      });
    },
  });

  Deno.test({
    name: `The sandbox "${backend}" puts back a link among what no command may change`,
    ignore: backend !== "bubblewrap",
    fn: async () => {
      await withSandboxWorld(async (world) => {
        const sandbox = await openInWorld(backend, world);
        const link = async (name: string, target: string): Promise<void> => {
          await Deno.remove(join(world.workspace, name), { recursive: true }).catch(() => {});
          await Deno.symlink(target, join(world.workspace, name));
        };
        await Deno.mkdir(join(world.workspace, "shared"));
        await link(".git/hooks", "../shared");
        await link(".alisio", "nowhere");
        const exchange = (name: string): string =>
          `rm ${name} && mkdir ${name} && echo x > ${name}/pre-commit`;
        const { exitCode, stderr } = await bash(
          sandbox,
          world,
          `${exchange(".git/hooks")} && ${exchange(".alisio")} && echo ../evil > .git/commondir`,
        );
        assert.equal(exitCode, 0, stderr);
        const redirection = Deno.lstat(join(world.workspace, ".git/commondir"));
        await assert.rejects(redirection, Deno.errors.NotFound);
        assert.equal(await Deno.readLink(join(world.workspace, ".git/hooks")), "../shared");
        assert.equal(await Deno.readLink(join(world.workspace, ".alisio")), "nowhere");
        // One that starts meanwhile changes nothing about that.
        const outcomes = await Promise.all([
          bash(sandbox, world, `${exchange(".git/hooks")}; touch done; sleep 1`),
          bash(sandbox, world, "until test -e done; do sleep 0.05; done; sleep 1.5"),
        ]);
        assert.deepEqual(outcomes.map((outcome) => outcome.exitCode), [0, 0]);
        assert.equal(await Deno.readLink(join(world.workspace, ".git/hooks")), "../shared");
      });
    },
  });

  Deno.test({
    name: `The sandbox "${backend}" ends with Alisio when that is killed`,
    ignore: backend === "sandbox-exec",
    fn: async () => {
      await withSandboxWorld(async (world) => {
        const pids = await startAndKill(backend, world);
        assert.equal(pids.length, backend === "bubblewrap" ? 2 : 1);
        const limit = performance.now() + 5_000;
        while (pids.some(isRunning) && performance.now() < limit) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        assert.deepEqual(pids.filter(isRunning), []);
      });
    },
  });
}

/** Runs a command in a process of its own, kills that, and tells which processes it had started. */
async function startAndKill(
  backend: string,
  world: SandboxWorld,
): Promise<readonly number[]> {
  const module = new URL("./_run_in_world.ts", import.meta.url).href;
  // With Landlock only the program itself is sure to end.
  const script = backend === "bubblewrap"
    ? `(setsid bash -c '${named("64")}' &); echo on; ${named("64")}`
    : `echo on; ${named("64")}`;
  const child = new Deno.Command(DENO, {
    args: ["run", "-A", "--quiet", module, backend, world.root, script],
    cwd: ROOT,
    env: world.env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.match(new TextDecoder().decode(value), /^on/);
  const wanted = backend === "bubblewrap" ? 2 : 1;
  let pids: readonly number[] = [];
  const limit = performance.now() + 5_000;
  while (pids.length < wanted && performance.now() < limit) pids = await survivors("64");
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  return pids;
}

/** Those that a signal has not ended a moment later: what was killed may take one to be gone. */
async function lasting(seconds: string): Promise<readonly number[]> {
  const limit = performance.now() + 5_000;
  let pids = await survivors(seconds);
  while (pids.length > 0 && performance.now() < limit) pids = await survivors(seconds);
  return pids;
}

/** Ids of processes that sleep for so many seconds under the mark. */
async function survivors(seconds: string): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    const [program = "", argument = ""] = line.split("\0");
    const isOurs = program.startsWith(MARK) && argument === seconds ||
      program === "sleep" && argument === `${seconds}.${FRACTION}`;
    if (isOurs && isRunning(Number(name))) found.push(Number(name));
  }
  return found;
}
