import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type CliProcess,
  type CliScene,
  dataOf,
  jsonLines,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatChunk, chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, inParallel, onlySession, sessionIds, useModel } from "./_support.ts";

const IGNORE = Deno.build.os === "windows";

interface Stage {
  readonly name: string;
  readonly turns: (model: ScriptedModel) => readonly ModelTurn[];
  /** Resolves once the program is at the stage. */
  readonly reached: (cli: CliProcess, model: ScriptedModel) => Promise<unknown>;
  /** What the session's next request holds as results of tools. */
  readonly results: readonly RegExp[];
}

const READ = ["read_file", { path: "a.txt" }] as const;
const CREATE = ["write_file", { path: "new.txt", content: "1", expectedHash: null }] as const;
const HANG: ModelTurn = { steps: [{ do: "hang" }] };

const HALF_A_CALL = chatChunk({
  tool_calls: [{ index: 0, id: "a", function: { name: "shell", arguments: '{"comm' } }],
});

const STAGES: readonly Stage[] = [
  {
    name: "before the first token",
    turns: () => [HANG],
    reached: (_, model) => model.chat(0),
    results: [],
  },
  {
    name: "in the middle of a text",
    turns: () => [{ steps: [chatChunk({ content: "Half of" }), { do: "hang" }] }],
    reached: (cli) => cli.event("text_delta"),
    results: [],
  },
  {
    name: "in the middle of arguments",
    turns: () => [{ steps: [chatChunk({ content: "Half" }), HALF_A_CALL, { do: "hang" }] }],
    reached: (cli) => cli.event("text_delta"),
    results: [],
  },
  {
    name: "while a read runs",
    turns: () => [callTurn(["search_text", { pattern: "alpha" }])],
    reached: (_, model) => model.reported("search"),
    results: [/^Interrupted/],
  },
  {
    name: "while the second of three reads runs",
    turns: () => [callTurn(READ, ["search_text", { pattern: "alpha" }], READ)],
    reached: (_, model) => model.reported("search"),
    // Which of the others have begun by then is left to chance.
    results: [/alpha|^Interrupted|^Not run/, /^Interrupted/, /alpha|^Interrupted|^Not run/],
  },
  {
    name: "while a read runs after a finished write",
    turns: () => [callTurn(CREATE, ["search_text", { pattern: "alpha" }], CREATE)],
    reached: (_, model) => model.reported("search"),
    results: [/"sha256"/, /^Interrupted/, /^Not run/],
  },
  {
    name: "after a read, before the next answer",
    turns: () => [callTurn(READ), HANG],
    reached: (_, model) => model.chat(1),
    results: [/1: alpha/],
  },
  {
    name: "after a write, before the next answer",
    turns: () => [callTurn(CREATE, READ), HANG],
    reached: (_, model) => model.chat(1),
    results: [/"sha256"/, /1: alpha/],
  },
  {
    name: "in the middle of the last answer",
    turns: () => [callTurn(READ), { steps: [chatChunk({ content: "I saw" }), { do: "hang" }] }],
    reached: (cli) => cli.event("text_delta"),
    results: [/1: alpha/],
  },
];

Deno.test({
  name:
    "alisio resume goes on after kill -9 at every stage, with every call answered (field cases 141 and 143)",
  ignore: IGNORE,
  fn: async () => {
    await inParallel(STAGES, 3, async ({ name, turns, reached, results }) => {
      await using model = await startModel(turns);
      await withCli(async (cli) => {
        await useModel(cli, model);
        await writeTree(cli.workspace, { "a.txt": "alpha\n" });
        const env = { PATH: await withSlowSearch(cli, model) };
        const run = cli.start(["run", "first", "--json", "--allow-write"], { env });
        await reached(run, model);
        run.kill("SIGKILL");
        const ended = await run.ended;
        assert.equal(ended.signal, "SIGKILL", name);
        await killReported(model, "search");
        const session = await onlySession(cli);
        const request = await assertResumes(cli, session);
        const found = toolResults(request);
        assert.equal(found.length, results.length, `${name}: ${found}`);
        for (const [index, expected] of results.entries()) {
          assert.match(found[index] ?? "", expected, name);
        }
        assertShownIsStored(ended, found);
        assert.match(String(messagesOf(request).at(-1)?.content), /go on$/, name);
        await assertResumes(cli, session);
      });
    });
  },
});

Deno.test({
  name:
    "alisio resume asks to recover after kill -9 during an effect, and never repeats it (field case 141)",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(READ, [
        "shell",
        { command: `echo once >> done.txt; ${server.report("tool")}; sleep 60` },
      ], READ),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      await writeTree(cli.workspace, { "a.txt": "alpha\n" });
      const run = cli.start(["run", "first", "--json", "--allow-process"]);
      await model.reported("tool");
      run.kill("SIGKILL");
      await run.ended;
      await killReported(model, "tool");

      const session = await onlySession(cli);
      const refused = await cli.run(["resume", session, "go on", "--json", "--allow-process"]);
      assert.equal(refused.status, 4, shown(refused));
      const { code, error } = dataOf(refused, "error");
      assert.equal(code, "session_needs_recovery");
      assert.match(
        String(error),
        /a call of "shell" was interrupted and may or may not have happened/,
      );
      assert.ok(String(error).includes(`"alisio sessions recover ${session} --acknowledge"`));
      assert.match((await cli.run(["sessions", "list"])).stdout, /needs recovery\]$/m);

      const looked = await cli.run(["sessions", "recover", session]);
      assert.equal(looked.status, 4, shown(looked));
      assert.match(looked.stdout, /^shell \(process, began .*echo once >> done\.txt/);
      assert.equal((await cli.run(["resume", session, "go on"])).status, 4);

      const accepted = await cli.run(["sessions", "recover", session, "--acknowledge"]);
      assert.equal(accepted.status, 0, shown(accepted));
      const request = await assertResumes(cli, session, ["--allow-process"]);
      const [first, second, third] = toolResults(request);
      assert.match(first ?? "", /1: alpha/);
      assert.match(second ?? "", /may or may not have/);
      assert.match(third ?? "", /^Not run/);
      assert.equal(await Deno.readTextFile(join(cli.workspace, "done.txt")), "once\n");
      assert.equal(model.chats.length, 1);
    });
  },
});

Deno.test({
  name: "alisio leaves nothing behind when it is killed while it reads standard input",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = cli.start(["run", "x", "-"], { stdin: "open" });
      await run.stdin.write(new TextEncoder().encode("half"));
      run.kill("SIGKILL");
      await run.ended;
      assert.deepEqual(await sessionIds(cli), []);
      assert.equal((await cli.run(["run", "x"])).status, 0);
    });
  },
});

Deno.test({
  name:
    "alisio resume tells the second of two owners, and the session outlives the first (field case 146)",
  ignore: IGNORE,
  fn: async () => {
    const go = Promise.withResolvers<void>();
    await using model = await startModel([
      { steps: [{ wait: go.promise }, ...stepsOf("First")] },
      HANG,
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const first = cli.start(["run", "x", "--json"]);
      await model.chat(0);
      const session = await onlySession(cli);
      const second = await cli.run(["resume", session, "y", "--json"]);
      assert.equal(second.status, 1, shown(second));
      const { code, error } = dataOf(second, "error");
      assert.equal(code, "session_locked");
      assert.match(
        String(error),
        new RegExp(`^Session is already in use by process ${first.pid} since .*\\. End that proc`),
      );
      assert.equal((await cli.run(["sessions", "recover", session])).status, 1);
      assert.equal((await cli.run(["sessions", "delete", session, "--yes"])).status, 1);
      assert.match(
        (await cli.run(["sessions", "show", session])).stdout,
        /\[user\] \(message \d+\)\nx\n/,
      );
      go.resolve();
      const ended = await first.ended;
      assert.equal(ended.status, 0, shown(ended));
      assert.equal(dataOf(ended, "run_completed").text, "First");

      const third = cli.start(["resume", session, "y", "--json"]);
      await model.chat(1);
      third.kill("SIGKILL");
      await third.ended;
      await assertResumes(cli, session);
    });
  },
});

Deno.test("alisio run starts in one state from many processes at once", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, index) => cli.run(["run", `prompt ${index}`, "--json"])),
    );
    for (const run of runs) assert.equal(run.status, 0, shown(run));
    assert.equal(new Set(await sessionIds(cli)).size, runs.length);
  });
});

/** A search program that reports and then waits, before the real one in PATH. */
async function withSlowSearch(cli: CliScene, model: ScriptedModel): Promise<string> {
  const bin = join(cli.dir, "bin");
  await writeTree(bin, { rg: `#!/usr/bin/env bash\n${model.report("search")}\nexec sleep 60\n` });
  await Deno.chmod(join(bin, "rg"), 0o755);
  return `${bin}:${Deno.env.get("PATH") ?? ""}`;
}

/** Nothing can end what a killed program had started, so the test does. */
async function killReported(model: ScriptedModel, mark: string): Promise<void> {
  const pid = await Promise.race([model.reported(mark), Promise.resolve(undefined)]);
  if (pid !== undefined) Deno.kill(-pid, "SIGKILL");
}

/** Every result that was shown before the end is part of the history afterwards. */
function assertShownIsStored(
  ended: { readonly stdout: string },
  results: readonly string[],
): void {
  const whole = ended.stdout.slice(0, ended.stdout.lastIndexOf("\n") + 1);
  if (whole === "") return;
  for (const { type, data } of jsonLines({ stdout: whole })) {
    if (type !== "tool_completed") continue;
    const start = String(data.preview).replace(/…$/, "");
    assert.ok(results.some((result) => result.startsWith(start)), `lost: ${start}`);
  }
}

function stepsOf(text: string): readonly string[] {
  const { steps } = chatReply({ text });
  assert.ok(Array.isArray(steps));
  return steps;
}
