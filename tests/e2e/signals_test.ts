import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type CliProcess,
  type CliResult,
  type CliScene,
  jsonLines,
  sessionOf,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import {
  callTurn,
  type ModelTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatChunk } from "../support/stub_replies.ts";
import { jsonReply } from "../support/stub_server.ts";
import { assertResumes, inParallel, isGone, sessionIds, useModel } from "./_support.ts";

const IGNORE = Deno.build.os === "windows";

/** Only Linux shows what has left the group of its command. */
const IS_LINUX = Deno.build.os === "linux";

/** What ends at once ends within this, however busy the machine is. */
const AT_ONCE_MS = 3_000;

/** A tool that does not want to end is forced after five seconds. */
const FORCED_MS = 8_000;

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

const STATUSES: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

interface Stage {
  readonly name: string;
  readonly turns: (model: ScriptedModel) => readonly ModelTurn[];
  /** Resolves once the program is at the stage. */
  readonly reached: (cli: CliProcess, model: ScriptedModel) => Promise<unknown>;
  readonly withinMs?: number;
}

const HALF_A_CALL = chatChunk({
  tool_calls: [{ index: 0, id: "a", function: { name: "shell", arguments: '{"comm' } }],
});

const STAGES: readonly Stage[] = [
  {
    name: "before the headers",
    turns: () => [{ framing: "raw", steps: [{ do: "hang" }] }],
    reached: (_, model) => model.chat(0),
  },
  {
    name: "before the first token",
    turns: () => [{ steps: [": hello\n\n", { do: "hang" }] }],
    reached: (_, model) => model.chat(0),
  },
  {
    name: "in the middle of a text",
    turns: () => [{ steps: [chatChunk({ content: "Half of" }), { do: "hang" }] }],
    reached: (cli) => cli.event("text_delta"),
  },
  {
    name: "in the middle of arguments",
    turns: () => [{ steps: [chatChunk({ content: "Half" }), HALF_A_CALL, { do: "hang" }] }],
    reached: (cli) => cli.event("text_delta"),
  },
  {
    name: "in a pause before a request is sent again",
    turns: () => [jsonReply({}, 503, { "retry-after": "60" })],
    reached: (cli) => cli.event("request_retry"),
  },
  {
    name: "while a command runs",
    turns: (model) => [callTurn(["shell", { command: `${model.report("tool")}; sleep 60` }])],
    reached: (_, model) => model.reported("tool"),
  },
  {
    name: "while a command runs that ignores the request to end",
    turns: (model) => [callTurn(["shell", { command: stubborn(model) }])],
    reached: (_, model) => model.reported("tool"),
    withinMs: FORCED_MS,
  },
  {
    name: "between two calls of one answer",
    turns: (model) => [
      callTurn(
        ["shell", { command: `${model.report("tool")}; sleep 60` }],
        ["shell", { command: "echo second > second.txt" }],
      ),
    ],
    reached: (_, model) => model.reported("tool"),
  },
];

const SIGNALS: readonly Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

Deno.test({
  name:
    "alisio run ends in order on a signal at every stage, and its session goes on (field cases 89 and 144)",
  ignore: IGNORE,
  fn: async () => {
    const rows = STAGES.flatMap((stage) => SIGNALS.map((signal) => ({ stage, signal })));
    await inParallel(rows, 4, async ({ stage, signal }) => {
      const name = `${signal} ${stage.name}`;
      await using model = await startModel(stage.turns);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const run = cli.start(["run", "x", "--json", "--allow-process"]);
        await stage.reached(run, model);
        const { result, tookMs } = await endBy(run, signal);
        assert.equal(result.status, STATUSES[signal], `${name}: ${shown(result)}`);
        assert.equal(result.signal, null, name);
        assert.ok(tookMs < (stage.withinMs ?? AT_ONCE_MS), `${name}: took ${tookMs} ms`);
        assert.deepEqual(jsonLines(result).at(-1)?.data, { error: `Stopped by ${signal}` }, name);
        assert.equal(jsonLines(result).at(-1)?.type, "run_cancelled", name);
        const session = sessionOf(result);
        assert.equal(
          result.stderr,
          `alisio: Stopped by ${signal}\nThe session is kept: alisio resume ${session} "…"\n`,
        );
        await assertLeftNothing(cli, model);
        await (await model.chat(0)).closed;
        await assertResumes(cli, session);
      });
    });
  },
});

Deno.test({
  name: "alisio run ends on a signal while it reads standard input",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel();
    for (const signal of SIGNALS) {
      await withCli(async (cli) => {
        await useModel(cli, model);
        const run = cli.start(["run"], { stdin: "open" });
        await run.stdin.write(new TextEncoder().encode("a prompt without"));
        await createdDatabase(cli);
        const { result, tookMs } = await endBy(run, signal);
        assert.equal(result.status, STATUSES[signal], shown(result));
        assert.ok(tookMs < AT_ONCE_MS);
        assert.equal(result.stdout, "");
        assert.equal(result.stderr, `alisio: Stopped by ${signal}\n`);
        assert.deepEqual(await sessionIds(cli), []);
      });
    }
    assert.deepEqual(model.chats, []);
  },
});

Deno.test({
  name:
    "alisio run ends at once on a second signal, and takes its commands with it (field case 89)",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["shell", {
        command: (IS_LINUX ? escapes(server) : "") + stubborn(server),
      }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = cli.start(["run", "x", "--json", "--allow-process"]);
      const marks = IS_LINUX ? ["tool", "escaped", "cleared"] : ["tool"];
      const pids = await Promise.all(marks.map((mark) => model.reported(mark)));
      run.kill("SIGINT");
      await model.reported("asked");
      const { result, tookMs } = await endBy(run, "SIGINT");
      assert.equal(result.status, 130, shown(result));
      assert.ok(tookMs < AT_ONCE_MS, `took ${tookMs} ms`);
      assert.equal(
        result.stderr,
        'alisio: Cut short by SIGINT: the session may need "alisio sessions recover" before it ' +
          "goes on\n",
      );
      for (const pid of pids) assert.ok(await isGone(pid), "a process of the command still runs");
      const session = sessionOf(result);
      assert.equal((await cli.run(["resume", session, "y"])).status, 4);
      assert.equal((await cli.run(["sessions", "recover", session, "--acknowledge"])).status, 0);
      await assertResumes(cli, session);
    });
  },
});

Deno.test({
  name: "alisio run keeps what was said and done before a signal (field cases 143 and 144)",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel([
      callTurn(["write_file", { path: "a.txt", content: "1", expectedHash: null }]),
      { steps: [chatChunk({ content: "I wrote" }), { do: "hang" }] },
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = cli.start(["run", "x", "--json", "--allow-write"]);
      await run.event("text_delta");
      const { result } = await endBy(run, "SIGINT");
      const session = sessionOf(result);
      for (let time = 0; time < 3; time++) {
        const request = await assertResumes(cli, session);
        assert.match(toolResults(request)[0] ?? "", /"sha256"/);
        assert.equal(request.body.split("I wrote").length, 2);
      }
    });
  },
});

/** Ignores requests to end, and tells of them. */
function stubborn(model: ScriptedModel): string {
  return `trap '${model.report("asked")}' TERM; ${model.report("tool")}; ` +
    "for _ in {1..600}; do sleep 0.1; done";
}

/** Leaves the group of the command, with its environment and without. */
function escapes(model: ScriptedModel): string {
  return `setsid bash -c '${model.report("escaped")}; sleep 60' & ` +
    `env -i PATH="$PATH" setsid bash -c '${model.report("cleared")}; sleep 60' & `;
}

async function endBy(
  run: CliProcess,
  signal: Signal,
): Promise<{ readonly result: CliResult; readonly tookMs: number }> {
  const startedAt = performance.now();
  run.kill(signal);
  const result = await run.ended;
  return { result, tookMs: performance.now() - startedAt };
}

async function assertLeftNothing(cli: CliScene, model: ScriptedModel): Promise<void> {
  const pid = await Promise.race([model.reported("tool"), Promise.resolve(undefined)]);
  if (pid !== undefined) assert.ok(await isGone(pid), "a command still runs");
  await assert.rejects(() => Deno.stat(join(cli.workspace, "second.txt")), Deno.errors.NotFound);
}

/** The database is opened while standard input is read, long after signals are listened for. */
async function createdDatabase(cli: CliScene): Promise<void> {
  const watcher = Deno.watchFs(cli.dir);
  try {
    for await (const _ of watcher) {
      const found = await Deno.stat(join(cli.stateHome, "sessions.sqlite")).catch(() => null);
      if (found !== null) return;
    }
  } finally {
    watcher.close();
  }
}
