import assert from "node:assert/strict";
import { join } from "node:path";
import type { CeilingFacts } from "../../../core/wall/ceiling.ts";
import { prepareFile } from "../../../core/session/database_file.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";
import { isRunning } from "../process/_is_running.ts";
import { entryArgs, LineProcess } from "./_entry.ts";
import { createWorld, factsOf, type World } from "./_world.ts";
import type { BenignWorld } from "./fixtures/benign.ts";
import type { EntryOptions } from "./fixtures/entry.ts";

const FORMS = ["replace", "child"] as const;
const ignore = Deno.build.os === "windows";

for (const form of FORMS) {
  Deno.test({
    ignore,
    name: `launch() lets the agent do its work behind the wall (${form})`,
    fn: () => withTempDir(async (root) => await testBenign(await createWorld(root), form, {})),
  });

  Deno.test({
    ignore,
    name: `launch() hands over standard input and the exit status (${form})`,
    fn: () =>
      withWaiting({ form }, async (agent) => {
        await agent.write("hello\n");
        assert.equal(await agent.line(), "got hello");
        await agent.write("exit 7\n");
        assert.equal((await agent.child.status).code, 7);
      }),
  });

  Deno.test({
    ignore,
    name: `launch() reports the signal that ended the agent (${form})`,
    fn: () =>
      withWaiting({ form }, async (agent) => {
        await agent.write("die\n");
        assert.equal((await agent.child.status).code, 128 + 9);
      }),
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    for (const target of ["process", "group"] as const) {
      Deno.test({
        ignore,
        name: `launch() delivers ${signal} to the ${target} once (${form})`,
        fn: () =>
          withWaiting({ form, args: ["stubborn"] }, async (agent) => {
            const { pid } = agent.child;
            Deno.kill(target === "group" ? -pid : pid, signal);
            assert.equal(await agent.line(), signal);
            // As long as a signal that was passed on would take to arrive.
            await new Promise((resolve) => setTimeout(resolve, form === "child" ? 450 : 50));
            await agent.write("exit 0\n");
            assert.deepEqual(await agent.lines(), []);
            assert.equal((await agent.child.status).code, 0);
          }),
      });
    }
  }

  Deno.test({
    ignore,
    name: `launch() delivers two signals in a row twice (${form})`,
    fn: () =>
      withWaiting({ form, args: ["stubborn"] }, async (agent) => {
        Deno.kill(agent.child.pid, "SIGINT");
        assert.equal(await agent.line(), "SIGINT");
        Deno.kill(agent.child.pid, "SIGINT");
        assert.equal(await agent.line(), "SIGINT");
      }),
  });

  Deno.test({
    ignore,
    name: `launch() leaves no agent behind when the launcher is killed (${form})`,
    fn: () =>
      withWaiting({ form }, async (agent, agentPid) => {
        Deno.kill(agent.child.pid, "SIGKILL");
        // The output ends when the last process that holds it has ended.
        const ended = agent.lines().then(() => true, () => false);
        try {
          assert.equal(await Promise.race([ended, expired(5_000)]), true);
          assert.equal(await hasEnded(agentPid), true);
        } finally {
          if (isRunning(agentPid)) Deno.kill(agentPid, "SIGKILL");
        }
      }),
  });

  Deno.test({
    ignore: Deno.build.os !== "linux",
    name: `launch() keeps the terminal, and Ctrl+C reaches the agent once (${form})`,
    fn: () =>
      withTempDir(async (root) => {
        const options = await waitingOptions(await createWorld(root), form);
        const words = [DENO, ...entryArgs(options, "waiting.ts", "stubborn")];
        await using terminal = new LineProcess("script", {
          // A shell that stays in between would die of the Ctrl+C itself.
          args: ["-qfec", `exec ${words.map(quote).join(" ")}`, "/dev/null"],
        });
        assert.match(await terminal.lineOf("ready") ?? "", / true$/);
        await terminal.write("\x03");
        assert.match(await terminal.line() ?? "", /SIGINT$/);
        await new Promise((resolve) => setTimeout(resolve, form === "child" ? 450 : 50));
        await terminal.write("exit 5\n");
        const rest = await terminal.lines();
        assert.equal(rest.some((line) => line.includes("SIGINT")), false, rest.join("\n"));
        assert.equal((await terminal.child.status).code, 5);
      }),
  });
}

Deno.test({
  ignore,
  name: "launch() keeps the process id when the process becomes the agent",
  fn: () =>
    withWaiting({ form: "replace" }, (agent, agentPid) => {
      assert.equal(agentPid, agent.child.pid);
      return Promise.resolve();
    }),
});

Deno.test({
  ignore,
  name: "launch() serves a database that --db puts elsewhere",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const databaseFolder = join(root, "elsewhere");
      await Deno.mkdir(databaseFolder);
      const database = join(databaseFolder, "my.sqlite");
      await testBenign(world, "replace", { database, databaseFolder });
    }),
});

Deno.test({
  ignore,
  name: "launch() serves a database in a folder that holds more",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const folder = join(root, "elsewhere");
      await Deno.mkdir(folder);
      await Deno.writeTextFile(join(folder, "mine.txt"), "");
      // As the launcher does: behind the wall nothing but this file can be opened there.
      const database = prepareFile(join(folder, "my.sqlite"));
      await testBenign(world, "replace", { database });
    }),
});

Deno.test({
  ignore,
  name: "launch() serves a database in the workspace, whose other files stay closed",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const database = join(world.workspace, "my.sqlite");
      await Deno.writeTextFile(database, "");
      const possible = { write: false, process: false, external: false };
      const results = await runBenign(world, "replace", { database, possible }, {});
      assert.equal(results["store"], 1);
      assert.match(String(results["replace"]), /permission/i);
    }),
});

Deno.test({
  ignore,
  name: "launch() serves a database that is named through a link",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      await Deno.symlink(world.state, join(root, "link"));
      const database = join(root, "link", "sessions.sqlite");
      const aliases = [join(root, "link")];
      assert.equal((await runBenign(world, "replace", { aliases }, {}, database))["store"], 1);
      const refused = await runBenign(world, "replace", {}, {}, database);
      assert.match(String(refused["store"]), /Requires (?:read|write) access/);
    }),
});

Deno.test({
  ignore,
  name: "launch() creates the state home of a first start",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      await Deno.remove(world.state, { recursive: true });
      const options = { facts: { ...factsOf(world), readable: [ROOT] } };
      const { code } = await new Deno.Command(DENO, {
        args: entryArgs(options, "nothing.ts"),
        stdin: "null",
      }).output();
      assert.equal(code, 0);
      assert.equal(((await Deno.stat(world.state)).mode ?? 0) & 0o777, 0o700);
    }),
});

Deno.test({
  ignore,
  name: "launch() raises the wall whatever the environment says",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const env = {
        ALISIO_LAUNCHED: "as 1",
        ALISIO_KERNEL_WALL: "Landlock version 7",
        ALISIO_LAUNCHER_LINK: join(world.outside, "secret"),
      };
      const results = await runBenign(world, "replace", {}, env);
      assert.equal(results["wall"], "flags");
    }),
});

Deno.test({
  ignore,
  name: "launch() starts a child under the flags where FFI is not to be had",
  fn: () =>
    withTempDir(async (root) => {
      const options = await waitingOptions(await createWorld(root), "replace");
      const [command = "", ...args] = entryArgs(options, "waiting.ts");
      await using agent = new LineProcess(DENO, { args: [command, "--deny-ffi", ...args] });
      const ready = /^ready (\d+)/.exec(await agent.line() ?? "");
      assert.notEqual(Number(ready?.[1]), agent.child.pid);
      await agent.write("kernel\n");
      assert.match(await agent.line() ?? "", /^unavailable: the C library cannot be called/);
      await agent.write("exit 0\n");
      assert.equal((await agent.child.status).code, 0);
    }),
});

Deno.test({
  ignore,
  name: "launch() refuses to start again what it started already",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      const options: EntryOptions = { facts: factsOf(world) };
      const { code, stderr } = await new Deno.Command("/bin/sh", {
        args: [
          "-c",
          'ALISIO_LAUNCHED="as $$" exec "$@"',
          "sh",
          DENO,
          ...entryArgs(options, "x.ts"),
        ],
        stdin: "null",
      }).output();
      assert.equal(code, 1);
      assert.match(new TextDecoder().decode(stderr), /it was started again and still has all perm/);
    }),
});

async function testBenign(
  world: World,
  form: "replace" | "child",
  change: Partial<CeilingFacts>,
): Promise<void> {
  const database = change.database ?? join(world.state, "sessions.sqlite");
  const results = await runBenign(world, form, change, {});
  assert.deepEqual(results, {
    wall: "flags",
    store: 1,
    replace: "new\n",
    judgeInside: true,
    judgeOutside: null,
    judgeLink: null,
    fetch: "provider",
    rg: "1",
    git: "true",
    package: "function",
    sqlite: "function",
    temporary: true,
    terminal: false,
    signals: true,
    environment: "yes",
  });
  assert.ok((await Deno.stat(database)).size > 0);
}

async function runBenign(
  world: World,
  form: "replace" | "child",
  change: Partial<CeilingFacts>,
  env: Readonly<Record<string, string>>,
  database: string = change.database ?? join(world.state, "sessions.sqlite"),
): Promise<Readonly<Record<string, unknown>>> {
  await using provider = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("provider"),
  );
  const own: BenignWorld = {
    workspace: world.workspace,
    outside: world.outside,
    database,
    temporary: join(world.state, "tmp"),
    provider: `127.0.0.1:${provider.addr.port}`,
  };
  await Deno.mkdir(own.temporary, { recursive: true });
  const facts: CeilingFacts = {
    ...factsOf(world),
    possible: { write: true, process: false, external: false },
    providers: [own.provider],
    readable: [ROOT],
    tempFolder: own.temporary,
    ...change,
  };
  const options: EntryOptions = {
    facts,
    form,
    config: join(ROOT, "deno.json"),
    env: { TMPDIR: own.temporary },
  };
  const output = await new Deno.Command(DENO, {
    args: entryArgs(options, "benign.ts", JSON.stringify(own)),
    cwd: world.workspace,
    stdin: "null",
    // A library path that the person has set must not keep programs from starting.
    env: { LD_LIBRARY_PATH: "/opt/lib", BENIGN: "yes", ...env },
  }).output();
  const stderr = new TextDecoder().decode(output.stderr);
  assert.equal(output.code, 0, stderr);
  return JSON.parse(new TextDecoder().decode(output.stdout));
}

async function withWaiting(
  { form, args = [] }: { readonly form: "replace" | "child"; readonly args?: readonly string[] },
  use: (agent: LineProcess, agentPid: number) => Promise<void>,
): Promise<void> {
  await withTempDir(async (root) => {
    const options = await waitingOptions(await createWorld(root), form);
    await using agent = new LineProcess(DENO, {
      args: entryArgs(options, "waiting.ts", ...args),
      detached: true,
    });
    const ready = /^ready (\d+)/.exec(await agent.line() ?? "");
    assert.ok(ready);
    await use(agent, Number(ready[1]));
  });
}

function waitingOptions(world: World, form: "replace" | "child"): Promise<EntryOptions> {
  return Promise.resolve({ facts: { ...factsOf(world), readable: [ROOT] }, form });
}

function expired(limitMs: number): Promise<false> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(() => resolve(false), limitMs)));
}

/** A process that ends closes its files first, and is gone a moment later. */
async function hasEnded(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 200 && isRunning(pid); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return !isRunning(pid);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
