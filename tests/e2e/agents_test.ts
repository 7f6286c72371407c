import assert from "node:assert/strict";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { jsonReply, type RecordedRequest } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

function definition(name: string, more: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\nmode: primary\n${more}---\n\n` +
    `You are ${name} indeed.\n`;
}

function systemOf(request: RecordedRequest): string {
  return String(messagesOf(request)[0]?.content);
}

function toolsOf({ json }: RecordedRequest): readonly string[] {
  const tools: readonly { readonly function: { readonly name: string } }[] =
    (json as Record<string, never>).tools ?? [];
  return tools.map((tool) => tool.function.name).sort();
}

/** What one run asks the model with. */
async function requestOf(
  cli: CliScene,
  config: Record<string, unknown>,
  ...flags: readonly string[]
): Promise<{ readonly request: RecordedRequest; readonly stderr: string }> {
  await using model = await startModel([chatReply({ text: "Hi" })]);
  await useModel(cli, model, config);
  const run = await cli.run(["run", "hi", "--trust-project", ...flags]);
  assert.deepEqual([run.status, run.stdout], [0, "Hi\n"], shown(run));
  return { request: await model.chat(0), stderr: run.stderr };
}

Deno.test("An agent of a file holds the conversation, with its prompt and its tools", async () => {
  await withCli(async (cli) => {
    await writeTree(cli.workspace, {
      ".claude/agents/reviewer.md": definition("reviewer", "tools: Read, Grep, Bash\n"),
    });
    const { request, stderr } = await requestOf(
      cli,
      { agents: { active: "reviewer" } },
      "--allow-process",
      "--allow-write",
    );
    assert.equal(stderr, "");
    assert.match(
      systemOf(request),
      /You work as the agent "reviewer"\.\n\nYou are reviewer indeed\.$/,
    );
    assert.deepEqual(toolsOf(request), ["read_file", "run_process", "search_text", "shell"]);
  });
});

Deno.test("An agent of a plugin and one of the command line hold a conversation too", async () => {
  await withCli(async (cli) => {
    await writeTree(cli.dir, {
      "plugin/p.js": pluginSource("acme.p", 'api.resources.agents("./agents");'),
      "plugin/agents/helper.md": definition("helper", ""),
    });
    const brought = await requestOf(
      cli,
      { agents: { active: "acme.p:helper" } },
      "--plugin",
      `${cli.dir}/plugin/p.js`,
    );
    assert.match(systemOf(brought.request), /You are helper indeed/);
    const typed = await requestOf(
      cli,
      { agents: { active: "typed" } },
      "--agents",
      JSON.stringify({
        typed: { description: "d", prompt: "You are typed.", mode: "all", tools: [] },
      }),
    );
    assert.match(systemOf(typed.request), /You are typed\.$/);
    assert.deepEqual(toolsOf(typed.request), []);
  });
});

Deno.test("A project takes no limit away with a definition of the same name", async () => {
  const free = definition("looker", "");
  const configured = { looker: { description: "d", prompt: "You are free.", mode: "primary" } };
  const rows: readonly (readonly [string, Record<string, string>])[] = [
    ["a file", { ".agents/agents/looker.md": free }],
    ["its configuration", {
      ".alisio/config.json": JSON.stringify({
        builtinPlugins: { subagents: { agents: configured } },
      }),
    }],
  ];
  for (const [name, tree] of rows) {
    await withCli(async (cli) => {
      await writeTree(cli.configHome, {
        "agents/looker.md": definition("looker", "tools: Read\n"),
      });
      await writeTree(cli.workspace, tree);
      const { request } = await requestOf(
        cli,
        { agents: { active: "looker" } },
        "--allow-process",
        "--allow-write",
      );
      assert.deepEqual(toolsOf(request), ["read_file"], name);
    });
  }
});

Deno.test("A definition takes an effect away that flags permit", async () => {
  await withCli(async (cli) => {
    await writeTree(cli.configHome, {
      "agents/writer.md": definition("writer", "permission:\n  bash: ask\n  edit: allow\n"),
      "agents/looker.md": definition("looker", "readOnly: true\n"),
    });
    const flags = ["--allow-process", "--allow-write"];
    const writer = await requestOf(cli, { agents: { active: "writer" } }, ...flags);
    const changing = ["edit_file", "run_process", "shell", "write_file"];
    const found = (tools: readonly string[]) => changing.filter((name) => tools.includes(name));
    assert.deepEqual(found(toolsOf(writer.request)), ["edit_file", "write_file"]);
    const looker = await requestOf(cli, { agents: { active: "looker" } }, ...flags);
    assert.deepEqual(found(toolsOf(looker.request)), []);
  });
});

Deno.test("Definitions of a project that is not trusted are not read", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Hi" })]);
    await useModel(cli, model, { agents: { active: "reviewer" } });
    await writeTree(cli.workspace, {
      ".alisio/agents/reviewer.md": definition("reviewer", "tools: Read\n"),
    });
    const run = await cli.run(["run", "hi"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(run.stderr, /There is no agent "reviewer", so "build" runs/);
    assert.doesNotMatch(systemOf(await model.chat(0)), /reviewer/);
  });
});

Deno.test("An agent that is gone, broken or for other work lets no other one write in its place", async () => {
  const rows: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ["gone", {}, /There is no agent "looker", so "build" runs and only looks/],
    [
      "broken",
      { "agents/looker.md": "---\nname: [\n---\nLook.\n" },
      /so "build" runs and only looks/,
    ],
    [
      "for other work",
      { "agents/looker.md": "---\ndescription: d\nreadOnly: true\n---\nLook.\n" },
      /no agent "looker" that could run.*the "mode" "primary"/,
    ],
  ];
  for (const [name, tree, notice] of rows) {
    await withCli(async (cli) => {
      await using model = await startModel([
        chatReply({
          calls: [{ id: "w", name: "write_file", arguments: { path: "a.txt", content: "x" } }],
        }),
        chatReply({ text: "Done" }),
      ]);
      await useModel(cli, model, { agents: { active: "looker" } });
      await writeTree(cli.configHome, tree);
      const run = await cli.run(["run", "hi", "--allow-write", "--allow-process"]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      assert.match(run.stderr, notice, name);
      const tools = toolsOf(await model.chat(0));
      const changing = ["write_file", "edit_file", "shell", "run_process", "webfetch"];
      assert.deepEqual(tools.filter((tool) => changing.includes(tool)), [], name);
      assert.ok(tools.includes("read_file"), name);
      await assert.rejects(Deno.stat(`${cli.workspace}/a.txt`), Deno.errors.NotFound);
    });
  }
});

Deno.test("The effort that is asked for reaches the model", async () => {
  await withCli(async (cli) => {
    const effort = ({ json }: RecordedRequest) =>
      (json as Record<string, unknown>).reasoning_effort;
    assert.equal(effort((await requestOf(cli, {})).request), undefined);
    assert.equal(effort((await requestOf(cli, {}, "--effort", "high")).request), "high");
    // What is only remembered needs a model that is known to have it.
    assert.equal(
      effort((await requestOf(cli, { agents: { effort: "low" } })).request),
      undefined,
    );
  });
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["{", /Cannot use "--agents": it is no JSON: /],
  [
    "[]",
    /Cannot use "--agents": it is no object; write \{"name": \{"description": "…", "prompt": "…"\}\}/,
  ],
  ['{"a": 1}', /Cannot use "--agents": "a" is no object/],
  ['{"a": {"description": "d"}}', /Cannot use "--agents": "a" has no "prompt"/],
  ['{"a": {"prompt": "p"}}', /Cannot use "--agents": "a": it has no "description"/],
  ['{"A b": {"prompt": "p", "description": "d"}}', /Cannot use "--agents": "A b": its name "A b"/],
  ['{"a": {"prompt": "p", "description": "d", "prompt": "q"}}', /"a\.prompt" stands in it twice/],
];

Deno.test("What an agent asks of answers is sent, and left out once a server refuses it", async () => {
  const product = "alisio:\n  text:\n    verbosity: low\n    format:\n      type: json_object\n";
  const fields = ({ json }: RecordedRequest) => {
    const { verbosity, response_format } = json as Record<string, unknown>;
    return [verbosity, response_format];
  };
  const asked = ["low", { type: "json_object" }];
  const refusal = jsonReply({
    error: { message: "Unsupported parameter: 'verbosity'", type: "invalid_request_error" },
  }, 400);
  const read = () => callTurn(["read_file", { path: "a.txt" }]);
  const rows: readonly (readonly [string, readonly ModelTurn[], readonly unknown[], number])[] = [
    ["taken", [read(), chatReply({ text: "Hi" })], [asked, asked], 0],
    ["refused", [refusal, read(), chatReply({ text: "Hi" })], [asked, [], []], 1],
    ["about something else", [refusal, refusal], [asked, []], 0],
  ];
  for (const [name, turns, sent, notices] of rows) {
    await withCli(async (cli) => {
      await using model = await startModel(turns);
      await useModel(cli, model, { agents: { active: "terse" } });
      await writeTree(cli.configHome, { "agents/terse.md": definition("terse", product) });
      await writeTree(cli.workspace, { "a.txt": "x" });
      const run = await cli.run(["run", "hi", "--json"]);
      assert.equal(run.status === 0, name !== "about something else", `${name}: ${shown(run)}`);
      const requests = model.chats.map(fields);
      assert.deepEqual(
        requests.map((each) => each.filter((value) => value !== undefined)),
        sent,
        name,
      );
      const told = jsonLines(run).filter(({ data }) =>
        (data as Record<string, unknown> | undefined)?.code === "answer_style"
      );
      assert.deepEqual(
        told.map(({ data }) => (data as Record<string, unknown>).message),
        Array.from(
          { length: notices },
          () =>
            "The server refuses what the agent asks of answers (verbosity low, format " +
            "json_object), so it is left out",
        ),
      );
      if (name === "about something else") assert.match(run.stdout, /Unsupported parameter/);
    });
  }
});

Deno.test("alisio run --agents says what is wrong with a definition", async () => {
  await withCli(async (cli) => {
    for (const [text, message] of WRONG) {
      const run = await cli.run(["run", "hi", "--agents", text]);
      assert.equal(run.status, 2, shown(run));
      assert.match(run.stderr, message);
    }
  });
});

Deno.test("agents list and show name how agents are defined and what is wrong", async () => {
  await withCli(async (cli) => {
    await writeTree(cli.workspace, {
      ".claude/agents/reviewer.md": definition("reviewer", "tools: Read, Grep\nstrange: 1\n"),
      ".alisio/agents/broken.md": "no fields\n",
    });
    await cli.configure({
      builtinPlugins: {
        subagents: { agents: { configured: { description: "From\x1b[2J there", prompt: "Do." } } },
      },
    });
    const flag = ["--agents", '{"named": {"description": "By a flag", "prompt": "Go."}}'];
    const list = await cli.run(["agents", "list", "--trust-project", ...flag]);
    const file = `${cli.workspace}/.claude/agents/reviewer.md`;
    const problems = [
      `${cli.workspace}/.alisio/agents/broken.md: Left out: its first line is not "---", which ` +
      "begins the fields\n",
      `${file}: "strange" is not known, so it is ignored\n`,
    ];
    const columns = (text: string) => text.trimEnd().split("\n").map((row) => row.split(/ {2,}/));
    const withoutWords = (rows: readonly (readonly string[])[]) =>
      rows.map((row) => row[2] === "builtin" ? row.slice(0, 3) : row);
    const builtin = ["general", "explore", "plan"].map((id) => [id, "subagent", "builtin"]);
    assert.deepEqual([list.status, withoutWords(columns(list.stdout)), list.stderr], [
      0,
      [
        ["named", "subagent", "flag", "By a flag"],
        ["configured", "subagent", "config", "From\\x1b[2J there"],
        ["reviewer", "primary", file, "About reviewer"],
        ...builtin,
      ],
      problems.join(""),
    ]);
    const json = await cli.run(["agents", "list", "--json", "--trust-project", ...flag]);
    assert.deepEqual(jsonLines(json).map(({ type }) => type), [
      ...["agent", "agent", "agent", "agent", "agent", "agent"],
      ...["agent_diagnostic", "agent_diagnostic"],
    ]);
    const show = await cli.run(["agents", "show", "reviewer", "--trust-project"]);
    assert.deepEqual([show.status, show.stdout, show.stderr], [
      0,
      `id           reviewer
description  About reviewer
source       ${file}
mode         primary
tools        read_file, search_text

You are reviewer indeed.
`,
      problems[1],
    ]);
    const one = await cli.run(["agents", "show", "reviewer", "--trust-project", "--json"]);
    assert.deepEqual(jsonLines(one).map(({ type }) => type), ["agent", "agent_diagnostic"]);
    for (
      const [args, said] of [
        [["show", "reviwer", "--trust-project"], /there is none; did you mean "reviewer"\?$/],
        [["show"], /Id is missing: write alisio agents list \| show <id>$/],
        [["lits"], /Unknown action "lits": did you mean "list"\?$/],
        [["list", "x"], /Unexpected argument "x": write /],
        [[], /Action is missing: write /],
      ] as const
    ) {
      const run = await cli.run(["agents", ...args]);
      assert.equal(run.status, 2, shown(run));
      assert.match(run.stderr.trimEnd().split("\n").at(-1) ?? "", said);
    }
    const untrusted = await cli.run(["agents", "list"]);
    assert.deepEqual(columns(untrusted.stdout).map(([id]) => id), [
      "configured",
      ...builtin.map(([id]) => id),
    ]);
    const explore = await cli.run(["agents", "show", "explore"]);
    assert.match(explore.stdout, /^source +builtin$[^]*^tools +read_file,[^]*^only looks +yes$/m);
    const off = await cli.run(["agents", "list", "--disable-plugin", "subagents"]);
    assert.deepEqual(columns(off.stdout).map(([id]) => id), ["configured"]);
    const own = '{"explore": {"description": "My own", "prompt": "Look."}}';
    const hiding = await cli.run(["agents", "list", "--agents", own]);
    assert.equal(columns(hiding.stdout).filter(([id]) => id === "explore").length, 1);
    assert.match(hiding.stderr, /^builtin: Left out: "explore" is defined by flag already$/m);
  });
});
