import assert from "node:assert/strict";
import { COMMANDS } from "../../cli/flags.ts";
import { VERSION } from "../../core/version.ts";
import { type CliScene, dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { jsonReply } from "../support/stub_server.ts";
import { assertNoControls, inParallel, sessionIds, useModel } from "./_support.ts";

Deno.test("alisio run prints the answer and nothing else", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "hello"]);
    assert.deepEqual(
      { status: run.status, stdout: run.stdout, stderr: run.stderr },
      { status: 0, stdout: "Done\n", stderr: "" },
    );
    const json = await cli.run(["run", "hello", "--json"]);
    assert.equal(json.stderr, "");
    assert.deepEqual(jsonLines(json).map(({ type }) => type), [
      "run_started",
      "text_delta",
      "turn_completed",
      "run_completed",
    ]);
  });
});

const USAGE_ROWS: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /Usage: alisio \[flags\]/],
  [["run", "--alow-write", "x"], /Unknown flag "--alow-write": did you mean "--allow-write"\?/],
  [["run", "--qwertzuiop", "x"], /Unknown flag "--qwertzuiop": see alisio --help/],
  [["run", "-q", "x"], /Unknown flag "-q"/],
  [["rnu", "x"], /Unknown command "rnu": did you mean "run"\?/],
  [["what is this"], /Unknown command "what is this": to give a task, write: alisio run/],
  [["sessions", "lst"], /Unknown action "lst": did you mean "list"\?/],
  [["sessions", "show"], /Session is missing: write alisio sessions show <id>/],
  [["resume"], /Session is missing: write alisio resume/],
  [["run"], /Prompt is empty: write alisio run "<prompt>"/],
  [["run", "  "], /Prompt is empty/],
  [["run", "x", "--model"], /Flag "--model" lacks its value: --model <id>/],
  [["run", "x", "--model", "--quiet"], /Flag "--model" lacks its value/],
  [["run", "x", "--json=yes"], /Flag "--json" takes no value/],
  [
    ["run", "x", "--limit", "3"],
    /Flag "--limit" belongs to "alisio sessions" and "alisio audit"\n/,
  ],
  [
    ["run", "x", "--base-url", "ftp://x"],
    /"--base-url" must be an http:\/\/ or https:\/\/ address/,
  ],
  [["run", "x", "--api-mode", "chatt"], /"--api-mode" must be .*did you mean "chat"\?/],
  [["help", "rnu"], /Unknown command "rnu": did you mean "run"\?/],
  [
    ["run", "x", "--disable-plugin", "nosuch"],
    /Unknown plugin "nosuch" of "--disable-plugin": the built-in plugins are "openai-compatible", "s/,
  ],
  [["doctor", "--disable-plugin", "scriptd"], /Unknown plugin .*; did you mean "scripted"\?/],
  [["run", "x", "--add-dir", "../config/config.json"], /Cannot use directory .*: it is not a dir/],
];

Deno.test("alisio answers wrong usage with what to write, and status 2", async () => {
  await withCli(async (cli) => {
    await cli.configure({ provider: { baseURL: "http://127.0.0.1:9/v1", model: "stub" } });
    for (const [args, message] of USAGE_ROWS) {
      const run = await cli.run(args);
      assert.equal(run.status, 2, `${args.join(" ")}: ${shown(run)}`);
      assert.equal(run.stdout, "", args.join(" "));
      assert.match(run.stderr, message);
      assert.doesNotMatch(run.stderr, /fault of Alisio/);
    }
    assert.deepEqual(await sessionIds(cli), []);
  });
});

Deno.test("alisio --json tells of a failure before a run in one line", async () => {
  const rows: readonly (readonly [readonly string[], number, string])[] = [
    [["run", "--alow-write", "x"], 2, "usage"],
    [["run"], 2, "usage"],
    [["run", "x"], 2, "provider_not_configured"],
    [["run", "x", "--cwd", "missing"], 2, "workspace_invalid"],
    [["run", "x", "--add-dir", "missing"], 2, "workspace_invalid"],
    [["run", "x", "--config", "missing.json"], 2, "config_unreadable"],
    [["resume", "abc", "x"], 2, "session_not_found"],
    [["sessions", "show", "abc"], 2, "session_not_found"],
    [["context", "explain"], 2, "usage"],
  ];
  await withCli(async (cli) => {
    for (const [args, status, code] of rows) {
      const run = await cli.run([...args, "--json"]);
      assert.equal(run.status, status, `${args.join(" ")}: ${shown(run)}`);
      const lines = jsonLines(run);
      assert.equal(lines.length, 1, args.join(" "));
      const { error, ...rest } = dataOf(run, "error");
      assert.deepEqual(rest, { code });
      assert.equal(run.stderr, `alisio: ${error}\n`);
    }
  });
});

Deno.test("alisio run without a provider names the ways to configure one", async () => {
  await withCli(async (cli) => {
    const run = await cli.run(["run", "x"]);
    assert.equal(run.status, 2);
    assert.match(run.stderr, /no provider is configured; do one of these:/);
    assert.match(
      run.stderr,
      / 1\. Connect: .*\n +2\. Flags: .*\n +3\. Environment: .*\n +4\. File: /,
    );
  });
});

Deno.test("alisio answers --help and --version on every command", async () => {
  await withCli(async (cli) => {
    const commands = [[], ...COMMANDS.map(({ name }) => [name])];
    await inParallel(commands, 2, async (command) => {
      const name = command.join(" ");
      for (const flag of ["--help", "-h"]) {
        const help = await cli.run([...command, flag]);
        assert.equal(help.status, 0, `${name}: ${shown(help)}`);
        assert.ok(help.stdout.includes(`Usage: alisio ${name === "" ? "[flags]" : name}`), name);
        assert.equal(help.stderr, "");
      }
      for (const flag of ["--version", "-V"]) {
        const version = await cli.run([...command, flag]);
        assert.deepEqual(
          { status: version.status, out: version.stdout, err: version.stderr },
          { status: 0, out: `${VERSION}\n`, err: "" },
        );
      }
    });
    assert.deepEqual(await namesIn(cli), ["work"]);
  });
});

Deno.test("alisio help is another way to write --help", async () => {
  await withCli(async (cli) => {
    const rows = [
      [["help"], ["--help"]],
      [["help", "run"], ["run", "--help"]],
      [["help", "sessions", "list"], ["sessions", "--help"]],
      [["help", "help"], ["--help"]],
    ];
    for (const [words = [], same = []] of rows) {
      const [help, expected] = [await cli.run(words), await cli.run(same)];
      assert.deepEqual([help.status, help.stderr], [0, ""], shown(help));
      assert.equal(help.stdout, expected.stdout);
    }
  });
});

Deno.test("alisio leaves out a plugin that a later release brings, which changes nothing", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--disable-plugin", "memory"]);
    assert.deepEqual([run.status, run.stderr], [0, ""], shown(run));
  });
});

Deno.test("alisio says which of its folders is none, whatever the command", async () => {
  await withCli(async (cli) => {
    const file = `${cli.dir}/file`;
    await Deno.writeTextFile(file, "");
    const commands = [
      ["run", "x"],
      ["resume", "a", "x"],
      ["doctor"],
      ["sessions", "list"],
      [
        "trust",
        "list",
      ],
      ["trust", "add"],
      ["context", "explain", "."],
      ["setup"],
    ];
    const rows = commands.flatMap((command) => [
      { command, env: { ALISIO_CONFIG_HOME: file }, what: "configuration" },
      { command, env: { ALISIO_STATE_HOME: `${file}/below` }, what: "state" },
    ]);
    await inParallel(rows, 2, async ({ command, env, what }) => {
      const run = await cli.run([...command, "--json"], { env });
      assert.equal(run.status, 2, `${command.join(" ")}: ${shown(run)}`);
      const { code, error } = dataOf(run, "error");
      assert.equal(code, "config_invalid");
      assert.match(String(error), new RegExp(`^Cannot use the ${what} folder ".*/file`));
    });
  });
});

Deno.test({
  name: "alisio run closes a state folder that others may look into, and says so",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await Deno.mkdir(cli.stateHome);
      for (
        const [flags, stderr] of [[[], /^Other users could look into ".*state"; its mode is/], [
          ["--quiet"],
          /^$/,
        ]] as const
      ) {
        await Deno.chmod(cli.stateHome, 0o777);
        const run = await cli.run(["run", "x", ...flags]);
        assert.equal(run.status, 0, shown(run));
        assert.match(run.stderr, stderr);
        assert.equal(((await Deno.stat(cli.stateHome)).mode ?? 0) & 0o777, 0o700);
      }
    });
  },
});

Deno.test("alisio run takes what follows -- as the prompt, however it starts", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const prompts = [["--help"], ["-rf", "--json"], ["run", "--", "x"]];
    for (const [index, words] of prompts.entries()) {
      const run = await cli.run(["run", "--", ...words]);
      assert.equal(run.status, 0, shown(run));
      assert.equal(messagesOf(await model.chat(index)).at(-1)?.content, words.join(" "));
    }
  });
});

Deno.test("alisio --quiet prints nothing on standard error while no run fails", async () => {
  const write = callTurn(["write_file", { path: "a.txt", content: "x", expectedHash: null }]);
  await using model = await startModel([
    write,
    chatReply({ text: "Not done", finishReason: "length" }),
    write,
    chatReply({ text: "Not done", finishReason: "length" }),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxOutputTokens: 100 } });
    const loud = await cli.run(["run", "x"]);
    assert.equal(loud.status, 5, shown(loud));
    assert.match(loud.stderr, /Refused "write_file".*run again with --allow-write/);
    assert.match(loud.stderr, /The answer was cut at 100 tokens/);
    const quiet = await cli.run(["run", "x", "--quiet"]);
    assert.deepEqual([quiet.status, quiet.stdout, quiet.stderr], [5, "Not done\n", ""]);
    const failed = await cli.run(["resume", "none", "x", "--quiet"]);
    assert.equal(failed.status, 2);
    assert.match(failed.stderr, /^alisio: Cannot find session "none"/);
  });
});

Deno.test("alisio shows what a model or a server wrote and never obeys it (field cases 155 and 156)", async () => {
  const evil = "\x1b]0;title\x07\x1b[2J\x1b]52;c;eA==\x1b\\\x9b31m\x7f\r red é \u{1f642}";
  const halves = ["a\x1b", "[31mred\x1b]8;;http://x", "\x1b\\b \x9d0;t", "\x9c end"];
  await using model = await startModel([
    { steps: [...halves.map((text) => delta(text)), delta("", "stop"), "data: [DONE]\n\n"] },
    callTurn([evil, { path: evil }], ["read_file", { path: `${evil}.txt` }], ["list_files", {}]),
    chatReply({ text: evil }),
    callTurn([evil, { path: evil }], ["read_file", { path: `${evil}.txt` }], ["list_files", {}]),
    chatReply({ text: evil, reasoning: evil }),
    jsonReply({ error: { message: evil } }, 400),
    jsonReply({ error: { message: evil } }, 400),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    await Deno.writeTextFile(`${cli.workspace}/x\x1b[2J\u009b.txt`, "");
    const runs = [
      await cli.run(["run", "halves"]),
      await cli.run(["run", evil]),
      await cli.run(["run", evil, "--json"]),
      await cli.run(["run", "fail"]),
      await cli.run(["run", "fail", "--json"]),
      await cli.run(["sessions", "list"]),
      await cli.run(["sessions", "list", "--json"]),
      await cli.run(["resume", evil, "x"]),
      await cli.run(["resume", evil, "x", "--json"]),
      await cli.run(["run", "x", `--${evil}`, "--json"]),
      await cli.run(["run", "x", "--cwd", evil, "--json"]),
      await cli.run(["run", "x", "--model", evil, "--base-url", "http://127.0.0.1:9", "--json"]),
      await cli.run(["context", "explain", evil]),
      await cli.run(["context", "explain", evil, "--json"]),
    ];
    for (const run of runs) assertNoControls(run);
    assert.deepEqual(runs.slice(0, 5).map(({ status }) => status), [0, 0, 0, 1, 1]);
    assert.match(runs[0]?.stdout ?? "", /^a\\x1b\[31mred\\x1b/);
    assert.match(runs[1]?.stdout ?? "", /\\x1b\[2J.* é \u{1f642}\n$/u);
    assert.equal(dataOf(runs[2] ?? { stdout: "" }, "run_completed").text, evil);
  });
});

function delta(content: string, finishReason: string | null = null): string {
  const choice = { index: 0, delta: { content }, finish_reason: finishReason };
  return `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
}

async function namesIn(cli: CliScene): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(cli.dir))).map(({ name }) => name).sort();
}
