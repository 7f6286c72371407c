import assert from "node:assert/strict";
import { join } from "node:path";
import { dataOf, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import {
  callTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { assertNoControls, assertResumes, isGone, useModel } from "./_support.ts";

const IGNORE = Deno.build.os === "windows";
const MAX_RESULT_BYTES = 48 * 1024;

interface CommandRow {
  readonly name: string;
  readonly call: (model: ScriptedModel) => readonly [string, Readonly<Record<string, unknown>>];
  readonly result: RegExp;
  /** Most time that the call may take. */
  readonly withinMs?: number;
  readonly isError?: boolean;
}

const shell = (command: string) => () => ["shell", { command }] as const;
const run = (timeoutMs: number, ...[command, ...args]: readonly string[]) => () =>
  ["run_process", { command, args, timeoutMs }] as const;

const ROWS: readonly CommandRow[] = [
  {
    name: "a flood",
    call: shell("yes 0123456789 | head -c 30000000; echo the-end"),
    result: /"stdout":"0123456789\\n.* of 30000008 bytes .*the-end\\n"/,
  },
  {
    name: "a flood on standard error",
    call: shell("yes oops | head -c 30000000 >&2; echo the-end"),
    result: /"stdout":"the-end\\n","stderr":"oops/,
  },
  {
    name: "a flood without end",
    call: run(500, "yes"),
    result: /"endedBy":"timeout".*Stopped at the time limit of 500 ms/,
    isError: true,
  },
  {
    name: "one endless line",
    call: shell("head -c 5000000 /dev/zero | tr '\\0' x"),
    result: /"stdout":"x+/,
  },
  {
    name: "bytes that are not text",
    call: shell("printf 'a\\377\\000\\033[2Jb'"),
    result: /"stdout":"a\\\\xff\\\\x00\\\\x1b\[2Jb"/,
  },
  {
    name: "a child that ignores the request to end",
    call: run(300, "bash", "-c", 'trap "" TERM; while :; do sleep 0.1; done'),
    result: /"exitCode":null,"endedBy":"timeout".*Stopped at the time limit of 300 ms/,
    withinMs: 9_000,
    isError: true,
  },
  {
    name: "a background child that keeps the pipe open",
    call: (model) => ["shell", {
      command: `( ${model.report("pipe")}; sleep 60 ) & echo done`,
    }],
    result: /left processes running; they were ended with it.*"stdout":"done\\n"/,
    withinMs: 5_000,
  },
  {
    name: "a child of a session of its own",
    call: (model) => ["shell", {
      command: `setsid bash -c '${model.report("session")}; sleep 60' & echo done`,
    }],
    result: /left processes running; they were ended with it.*"stdout":"done\\n"/,
    withinMs: 5_000,
  },
  {
    name: "a program that reads standard input",
    call: shell("cat; read -r line || echo at-the-end"),
    result: /"exitCode":0.*"stdout":"at-the-end\\n"/,
    withinMs: 3_000,
  },
  {
    name: "a program that asks at the terminal",
    call: shell("read -r line < /dev/tty || echo no-terminal"),
    result: /no-terminal/,
    withinMs: 3_000,
  },
  {
    name: "a program that fails",
    call: shell("echo broken >&2; exit 3"),
    result: /"exitCode":3.*"stderr":"broken\\n"/,
  },
  {
    name: "a program that is not there",
    call: run(1_000, "no-such-program"),
    result: /Cannot run "no-such-program": it is not in PATH/,
    isError: true,
  },
  {
    name: "a program that kills itself",
    call: shell("kill -9 $$"),
    result: /"exitCode":null,"endedBy":"signal","signal":"SIGKILL"/,
  },
];

Deno.test({
  name:
    "alisio run gets over whatever a command does, and leaves none behind (field cases 83, 85, 86, 88 and 91)",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) =>
      ROWS.map(({ call }) => callTurn(call(server)))
    );
    await withCli(async (cli) => {
      await useModel(cli, model);
      const result = await cli.run(["run", "x", "--json", "--allow-process"]);
      assert.equal(result.status, 0, shown(result));
      assertNoControls(result);
      const completed = jsonLines(result).filter(({ type }) => type === "tool_completed");
      const texts = toolResults(await model.chat(ROWS.length));
      for (const [index, row] of ROWS.entries()) {
        const text = texts[index] ?? "";
        assert.match(text, row.result, row.name);
        assert.ok(new TextEncoder().encode(text).length <= MAX_RESULT_BYTES, row.name);
        const { isError, durationMs } = completed[index]?.data ?? {};
        assert.equal(isError, row.isError ?? false, row.name);
        assert.ok(Number(durationMs) < (row.withinMs ?? 20_000), `${row.name}: ${durationMs} ms`);
      }
      assert.ok(await isGone(await model.reported("session")));
      assert.ok(result.stdout.length < 100_000, "events are bounded");
      await assertResumes(cli, sessionOf(result));
    });
  },
});

Deno.test({
  name:
    "alisio run runs no program and writes no file without permission, and says which flag gives it (field case 108)",
  ignore: IGNORE,
  fn: async () => {
    const calls = [
      callTurn(["shell", { command: "touch ran.txt" }]),
      callTurn(["run_process", { command: "touch", args: ["ran.txt"] }]),
      callTurn(["write_file", { path: "ran.txt", content: "", expectedHash: null }]),
    ];
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /"shell" .*run again with --allow-process\n.*\n.*"write_file".*with --allow-write/],
      [["--read-only", "--allow-process", "--allow-write"], /run again without --read-only/],
    ];
    for (const [flags, advice] of rows) {
      await using model = await startModel(calls);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const result = await cli.run(["run", "x", ...flags]);
        assert.equal(result.status, 5, shown(result));
        assert.match(result.stderr, advice);
        const texts = toolResults(await model.chat(calls.length));
        assert.ok(texts.every((text) => text.startsWith("Refused: ")), texts.join("\n"));
        assert.deepEqual(await Array.fromAsync(Deno.readDir(cli.workspace)), []);
        const offered = JSON.stringify((await model.chat(0)).json);
        assert.ok(!offered.includes('"name":"shell"') && offered.includes('"name":"read_file"'));
      });
    }
  },
});

Deno.test({
  name: "alisio run hands a command neither keys nor its own settings",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel([callTurn(["shell", { command: "env" }])]);
    await withCli(async (cli) => {
      const provider = { baseURL: model.baseUrl, model: "stub", apiKeyEnv: "STUB_KEY" };
      await cli.configure({ provider });
      const env = { STUB_KEY: "sk-sentinel-1234567890", MY_TOKEN: "hidden-token-123456" };
      const result = await cli.run(["run", "x", "--json", "--allow-process"], { env });
      assert.equal(result.status, 0, shown(result));
      const [text = ""] = toolResults(await model.chat(1));
      assert.match(text, /PATH=/);
      assert.doesNotMatch(text, /sentinel|hidden-token|ALISIO_STATE_HOME/);
      assert.equal(dataOf(result, "run_completed").text, "Done");
    });
  },
});

Deno.test({
  name: "alisio run writes no configured key into the log of a long output, and hides it from Git",
  ignore: IGNORE,
  fn: async () => {
    const key = "sk-sentinel-1234567890";
    await using model = await startModel([
      callTurn(["shell", { command: "git init -q; cat leak.txt; cat leak.txt >&2" }]),
      callTurn(["shell", { command: "git add -A; git status --porcelain" }]),
    ]);
    await withCli(async (cli) => {
      const provider = { baseURL: model.baseUrl, model: "stub", apiKeyEnv: "STUB_KEY" };
      await cli.configure({ provider });
      // Lines of many lengths, so that pieces of the stream begin and end anywhere in the key.
      const lines = Array.from({ length: 20_000 }, (_, i) => `${"x".repeat(i % 13)}${key}\n`);
      await Deno.writeTextFile(join(cli.workspace, "leak.txt"), lines.join(""));
      const env = { STUB_KEY: key };
      const result = await cli.run(["run", "x", "--json", "--allow-process"], { env });
      assert.equal(result.status, 0, shown(result));
      const folder = join(cli.workspace, ".alisio", "cache", "output");
      const logs = await Array.fromAsync(Deno.readDir(folder));
      assert.equal(logs.length, 1);
      const log = await Deno.readTextFile(join(folder, logs[0]?.name ?? ""));
      assert.equal(log.split("[redacted]").length, 2 * lines.length + 1);
      for (const text of [log, result.stdout, toolResults(await model.chat(2)).join("")]) {
        assert.doesNotMatch(text, /sentinel|1234567890/);
      }
      const [, status = ""] = toolResults(await model.chat(2));
      assert.equal(JSON.parse(status).stdout, "A  leak.txt\n");
    });
  },
});
