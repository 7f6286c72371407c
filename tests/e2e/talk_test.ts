import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliOptions, type CliScene, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, type ModelTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { assertResumes, isGone, onlySession, sessionIds, useModel } from "./_support.ts";

/** The same, with the state of the terminal after the program has ended. */
const THEN_STATE: CliOptions = {
  ...IN_TERMINAL,
  wrap: [
    "bash",
    "-c",
    'exec script -qec "$(printf "%q " "$@" --no-tui); stty -a" /dev/null',
    "bash",
  ],
};

const CTRL_C = "\x03";
const CTRL_D = "\x04";

interface TalkScene {
  readonly cli: CliScene;
  readonly person: Person;
  /** The results of tools that the model was sent with a request. */
  results(request: number): Promise<readonly string[]>;
}

interface TalkOptions {
  readonly args?: readonly string[];
  readonly terminal?: CliOptions;
  readonly prepare?: (cli: CliScene) => Promise<void>;
}

/** Holds a conversation with a model that plays turns. */
async function withTalk(
  turns: readonly ModelTurn[] | ((dir: string) => readonly ModelTurn[]),
  talk: (scene: TalkScene) => Promise<void>,
  options: TalkOptions = {},
): Promise<void> {
  await withCli(async (cli) => {
    await using model = await startModel(typeof turns === "function" ? turns(cli.dir) : turns);
    // The summary at the end would be one request more.
    await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
    await options.prepare?.(cli);
    const run = cli.start(options.args ?? [], options.terminal ?? IN_TERMINAL);
    const results = async (request: number) => toolResults(await model.chat(request));
    await talk({ cli, person: new Person(run), results });
    assert.deepEqual(model.violations, []);
  });
}

function talkTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !HAS_TERMINAL, fn });
}

const make = (name: string): readonly [string, Record<string, unknown>] => [
  "shell",
  { command: `echo made > ${name}` },
];

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

talkTest("alisio asks at a terminal: once, for the session, and not any more", async () => {
  await withTalk(
    [
      callTurn(make("denied")),
      callTurn(make("once")),
      callTurn(make("always")),
      callTurn(make("unasked")),
      chatReply({ text: "First answer" }),
    ],
    async ({ cli, person, results }) => {
      await person.atPrompt();
      await person.type("make files\r");
      await person.answer("n");
      await person.answer("y");
      await person.answer("a");
      await person.atPrompt();
      await person.type("and\r");
      await person.atPrompt();
      await person.type("/exit\r");
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /▞▞ Allow shell \(process\)\?\r\n {2}in: .*work\r\n/);
      assert.match(result.stdout, /│ echo made > once\r\n/);
      assert.match(result.stdout, /First answer\r\n[^]*Done\r\n/);
      assert.match(result.stdout, /The session is kept: alisio resume [0-9a-f]{8}\r\n/);
      assert.match((await results(1)).at(-1) ?? "", /the person refused "shell"/);
      const made = ["denied", "once", "always", "unasked"].map((name) =>
        exists(join(cli.workspace, name))
      );
      assert.deepEqual(await Promise.all(made), [false, true, true, true]);
      const audit = await cli.run(["audit", "--json", "--tool", "shell"]);
      const answers = audit.stdout.trim().split("\n").map((line) => JSON.parse(line))
        .filter(({ source }) => source === "operator");
      assert.deepEqual(
        answers.map(({ outcome, channel, scope }) => [outcome, channel, scope]),
        [
          ["denied", "terminal", undefined],
          ["granted", "terminal", "once"],
          ["granted", "terminal", "session"],
        ],
      );
      await assertResumes(cli, await onlySession(cli));
    },
  );
});

talkTest("alisio asks about three parallel calls one after another (R34)", async () => {
  await withTalk([callTurn(make("a"), make("b"), make("c"))], async ({ cli, person, results }) => {
    await person.atPrompt();
    await person.type("x\r");
    for (const [name, keys] of [["a", "y"], ["b", "n"], ["c", "y"]] as const) {
      await person.sees(new RegExp(`│ echo made > ${name}\r\n`));
      await person.answer(keys);
    }
    await person.atPrompt();
    await person.type(CTRL_D);
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    const refused = (await results(1)).map((text) => /the person refused/.test(text));
    assert.deepEqual(refused, [false, true, false]);
    const made = ["a", "b", "c"].map((name) => exists(join(cli.workspace, name)));
    assert.deepEqual(await Promise.all(made), [true, false, true]);
  });
});

talkTest(
  "alisio asks for a directory, and an answer for the session covers what is below",
  async () => {
    await withTalk(
      (dir) => [
        callTurn(["read_file", { path: join(dir, "outside", "a.txt") }]),
        callTurn(["read_file", { path: join(dir, "outside", "deep", "b.txt") }]),
        callTurn(["read_file", { path: join(dir, "other", "c.txt") }]),
      ],
      async ({ cli, person, results }) => {
        await person.atPrompt();
        await person.type("x\r");
        await person.answer("a");
        await person.answer("n");
        await person.atPrompt();
        await person.type(CTRL_D);
        const result = await person.run.ended;
        assert.equal(result.status, 0, shown(result));
        assert.match(
          result.stdout,
          /Allow read_file \(read\) to reach a directory outside the workspace\?\r\n {2}directory: \S+outside\r\n/,
        );
        const [first, second, third] = await results(3);
        assert.match(first ?? "", /text of a/);
        assert.match(second ?? "", /text of b/);
        assert.match(third ?? "", /refused/);
        assert.equal(await exists(join(cli.dir, "other", "c.txt")), true);
      },
      {
        prepare: async ({ dir }) => {
          await Deno.mkdir(join(dir, "outside", "deep"), { recursive: true });
          await Deno.mkdir(join(dir, "other"));
          await Deno.writeTextFile(join(dir, "outside", "a.txt"), "text of a\n");
          await Deno.writeTextFile(join(dir, "outside", "deep", "b.txt"), "text of b\n");
          await Deno.writeTextFile(join(dir, "other", "c.txt"), "text of c\n");
        },
      },
    );
  },
);

talkTest("alisio stops a run on Ctrl+C at a question, and leaves on two more", async () => {
  await withTalk([callTurn(make("file"))], async ({ cli, person }) => {
    await person.atPrompt();
    await person.type("x\r");
    await person.asked();
    await person.type(CTRL_C);
    await person.atPrompt();
    await person.sees(/alisio: Stopped by Ctrl\+C\r\n/);
    await person.type(CTRL_C);
    await person.sees(/Press Ctrl\+C again to leave\r\n/);
    await person.atPrompt();
    await person.type(CTRL_C);
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    assert.equal(await exists(join(cli.workspace, "file")), false);
    await assertResumes(cli, await onlySession(cli));
  });
});

talkTest("alisio stops what runs on Ctrl+C, and goes on with the next prompt", async () => {
  await withCli(async (cli) => {
    await using model = await startModel((server) => [
      callTurn(["shell", { command: `${server.report("tool")}; sleep 60` }]),
    ]);
    await useModel(cli, model);
    const person = new Person(cli.start(["--allow-process"], IN_TERMINAL));
    await person.atPrompt();
    await person.type("x\r");
    const pid = await model.reported("tool");
    await person.type(`typed meanwhile${CTRL_C}`);
    await person.atPrompt();
    assert.ok(await isGone(pid), "the command still runs");
    await person.type("go on\r");
    await person.sees(/Done\r\n/);
    await person.atPrompt();
    await person.type("/exit\r");
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    assert.deepEqual(model.violations, []);
  });
});

talkTest("alisio begins a new session on /new, and asks aside on /btw", async () => {
  await withCli(async (cli) => {
    await using model = await startModel(() => []);
    await useModel(cli, model);
    const person = new Person(cli.start([], IN_TERMINAL));
    for (const line of ["/btw early?", "one", "/btw aside?", "/new", "two", "/exit"]) {
      await person.atPrompt();
      await person.type(`${line}\r`);
    }
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    assert.match(result.stdout, /There is no conversation yet[^]*A new session begins/);
    const requests = await Promise.all([0, 1, 2].map((index) => model.chat(index)));
    const texts = requests.map(({ json }) => JSON.stringify(json));
    assert.match(texts[1] ?? "", /aside\?/);
    assert.match(texts[2] ?? "", /"two"/);
    assert.doesNotMatch(texts[2] ?? "", /"one"|aside/);
    assert.equal((await sessionIds(cli)).length, 2);
    assert.deepEqual(model.violations, []);
  });
});

/** A turn that tells which process the agent is, and one that has to be asked about. */
const TURNS_WITH_PID: readonly ModelTurn[] = [
  callTurn(["shell", { command: "tr '\\0' '\\n' < /proc/$PPID/cmdline; echo pid $PPID" }]),
  callTurn(["write_file", { path: "file", content: "x", expectedHash: null }]),
];

async function agentOf(results: readonly string[]): Promise<{ pid: number; command: string }> {
  const text = results.at(-1) ?? "";
  const pid = Number(/pid (\d+)/.exec(text)?.[1]);
  assert.ok(pid > 1, text);
  return await Promise.resolve({ pid, command: text });
}

for (const [signal, status] of [["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  talkTest(`alisio runs nothing that is asked about when ${signal} ends it (R39)`, async () => {
    await withTalk(TURNS_WITH_PID, async ({ cli, person, results }) => {
      await person.atPrompt();
      await person.type("x\r");
      await person.asked();
      Deno.kill((await agentOf(await results(1))).pid, signal);
      const result = await person.run.ended;
      assert.equal(result.status, status, shown(result));
      assert.match(result.stdout, /Taken back: no answer is needed any more\r\n/);
      assert.equal(await exists(join(cli.workspace, "file")), false);
      await assertResumes(cli, await onlySession(cli));
    }, { args: ["--allow-process"] });
  });
}

talkTest("alisio runs nothing that is asked about when its terminal is closed (R9)", async () => {
  await withTalk(TURNS_WITH_PID, async ({ cli, person, results }) => {
    await person.atPrompt();
    await person.type("x\r");
    await person.asked();
    const { pid } = await agentOf(await results(1));
    person.run.kill("SIGKILL");
    await person.run.ended;
    assert.ok(await isGone(pid), "the agent outlives its terminal");
    assert.equal(await exists(join(cli.workspace, "file")), false);
    await assertResumes(cli, await onlySession(cli));
  }, { args: ["--allow-process"] });
});

talkTest("alisio at a terminal stands behind the second wall", async () => {
  await withTalk(TURNS_WITH_PID, async ({ cli, person, results }) => {
    await person.atPrompt();
    await person.type("x\r");
    await person.answer("y");
    await person.atPrompt();
    await person.type(CTRL_D);
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    const { command } = await agentOf(await results(1));
    assert.match(command, /--no-prompt/);
    // A search of the web is what the person could still permit.
    assert.match(command, /--allow-net(?!=)/);
    assert.match(command, /--deny-ffi/);
    assert.doesNotMatch(command, /--allow-all|-A\b/);
    assert.equal(await exists(join(cli.workspace, "file")), true);
  }, { args: ["--allow-process"] });
});

talkTest("alisio --read-only asks for nothing and can still read", async () => {
  await withTalk(
    (dir) => [callTurn(make("file"), ["read_file", { path: join(dir, "outside.txt") }])],
    async ({ cli, person, results }) => {
      await person.atPrompt();
      await person.type("x\r");
      await person.atPrompt();
      await person.type("/tools\r");
      await person.sees(/shell +refused process: [^]*\(read-only:process\)/);
      await person.atPrompt();
      await person.type(CTRL_D);
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      for (const text of await results(1)) assert.match(text, /Refused/);
      assert.equal(await exists(join(cli.workspace, "file")), false);
    },
    { args: ["--read-only"] },
  );
});

talkTest("alisio takes a pasted text for one prompt", async () => {
  await withCli(async (cli) => {
    await using model = await startModel();
    await useModel(cli, model);
    const person = new Person(cli.start([], IN_TERMINAL));
    await person.atPrompt();
    await person.type("look at \x1b[200~first\nsecond\n\x1b[201~ please\r");
    await person.atPrompt();
    await person.type(CTRL_D);
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    assert.equal(model.chats.length, 1);
    assert.match(JSON.stringify((await model.chat(0)).json), /look at first\\nsecond\\n please/);
    assert.match(result.stdout, /look at \[paste 1: 3 lines\] please/);
  });
});

talkTest("alisio resume <session> goes on with a session at a terminal", async () => {
  await withCli(async (cli) => {
    await using model = await startModel();
    await useModel(cli, model);
    await cli.run(["run", "the first"]);
    const session = await onlySession(cli);
    const person = new Person(cli.start(["resume", session.slice(0, 8)], IN_TERMINAL));
    await person.atPrompt();
    await person.type("the second\r");
    await person.atPrompt();
    await person.type(CTRL_D);
    const result = await person.run.ended;
    assert.equal(result.status, 0, shown(result));
    assert.match(JSON.stringify((await model.chat(1)).json), /the first[^]*the second/);
    assert.deepEqual(await sessionIds(cli), [session]);
    const unknown = await cli.run(["resume", "ffffffff"], IN_TERMINAL);
    assert.equal(unknown.status, 2, shown(unknown));
    assert.match(unknown.stdout, /alisio: .*ffffffff/);
  });
});

talkTest(
  "alisio leaves the terminal as it was, and no session where nothing was asked",
  async () => {
    await withTalk([], async ({ cli, person }) => {
      await person.atPrompt();
      await person.type("/help\r");
      await person.sees(/\/exit +Leave; the session is kept\r\n/);
      await person.atPrompt();
      await person.type("/exot\r");
      await person.sees(/Unknown command "\/exot": did you mean \/exit\?\r\n/);
      await person.atPrompt();
      await person.type(CTRL_D);
      const result = await person.run.ended;
      assert.match(result.stdout, /\nisig icanon iexten echo /, shown(result));
      assert.match(result.stdout, /\[\?2004h[^]*\[\?2004l/);
      assert.doesNotMatch(result.stdout, /The session is kept/);
      assert.deepEqual(await sessionIds(cli), []);
    }, { terminal: THEN_STATE });
  },
);

talkTest(
  "alisio asks once whether a project is trusted, before it reads its configuration",
  async () => {
    const rows: readonly (readonly [string, RegExp, string, string])[] = [
      ["y\n", /Write what you want done/, "of-the-project", "trusted"],
      ["\n", /Not trusted, and not asked again/, "stub", "refused"],
      [CTRL_D, /Not trusted; it is asked again next time/, "stub", "unknown"],
    ];
    for (const [answer, then, model, state] of rows) {
      await withCli(async (cli) => {
        await using server = await startModel();
        await useModel(cli, server);
        await Deno.mkdir(join(cli.workspace, ".alisio"));
        await Deno.writeTextFile(
          join(cli.workspace, ".alisio", "config.json"),
          JSON.stringify({ provider: { baseURL: server.baseUrl, model: "of-the-project" } }),
        );
        const person = new Person(cli.start([], IN_TERMINAL));
        await person.sees(/\.alisio\/config\.json[^]*Trust it\? \[y\/N\] $/);
        await person.type(answer);
        await person.sees(then);
        await person.atPrompt();
        await person.type("x\r");
        await person.atPrompt();
        await person.type(CTRL_D);
        const result = await person.run.ended;
        assert.equal(result.status, 0, shown(result));
        const { json } = await server.chat(0);
        assert.match(JSON.stringify(json), new RegExp(`"model":"${model}"`));
        const list = await cli.run(["trust", "list", "--json"]);
        assert.equal(list.stdout === "" ? "unknown" : JSON.parse(list.stdout).state, state);
        if (state === "unknown") return;
        const again = new Person(cli.start([], IN_TERMINAL));
        await again.atPrompt();
        await again.type(CTRL_D);
        assert.doesNotMatch((await again.run.ended).stdout, /Trust it\?/);
      });
    }
  },
);

talkTest("alisio chooses a permission mode, which forgets what was granted", async () => {
  await withTalk(
    [
      callTurn(make("asked")),
      chatReply({ text: "First" }),
      callTurn(make("again")),
      chatReply({ text: "Second" }),
      callTurn(make("unasked")),
    ],
    async ({ cli, person }) => {
      await person.atPrompt();
      await person.type("x\r");
      await person.answer("a");
      await person.atPrompt();
      await person.type("/permission auto\r");
      await person.sees(/Permission mode auto: write on, process ask, external ask\r\n/);
      await person.atPrompt();
      await person.type("x\r");
      await person.answer("n");
      await person.atPrompt();
      await person.type("/permission full\r");
      await person.sees(/not a sandbox/);
      await person.answer("y");
      await person.atPrompt();
      await person.type("/tools\r");
      await person.sees(/shell +runs +process: [^\r]*\(mode:process\)/);
      await person.atPrompt();
      await person.type("x\r");
      await person.atPrompt();
      await person.type(CTRL_D);
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      const made = ["asked", "again", "unasked"].map((name) => exists(join(cli.workspace, name)));
      assert.deepEqual(await Promise.all(made), [true, false, true]);
    },
  );
});

talkTest("alisio hands the model what the person answers in place of a call", async () => {
  await withTalk([callTurn(make("file"))], async ({ cli, person, results }) => {
    await person.atPrompt();
    await person.type("x\r");
    await person.answer("e");
    await person.sees(/a line with only a dot ends it\r\n/);
    await person.type("make is not here\ruse ninja\r.\r");
    assert.match((await results(1)).join(), /make is not here\nuse ninja/);
    await person.atPrompt();
    await person.type(CTRL_D);
    assert.equal((await person.run.ended).status, 0);
    assert.equal(await exists(join(cli.workspace, "file")), false);
  });
});

talkTest("alisio puts a question of the model to the person", async () => {
  const questions = [{
    header: "Colour",
    question: "Which one?",
    options: [{ label: "Red" }, { label: "Blue" }],
  }];
  await withTalk([callTurn(["ask_user_question", { questions }])], async ({ person, results }) => {
    await person.atPrompt();
    await person.type("x\r");
    await person.answer("2");
    assert.match((await results(1)).join(), /"selected":\["Blue"\]/);
    await person.atPrompt();
    await person.type(CTRL_D);
    assert.equal((await person.run.ended).status, 0);
  });
});

talkTest("alisio leaves the terminal as it was when two signals cut it short", async () => {
  await withCli(async (cli) => {
    await using model = await startModel((server) => [
      callTurn(["shell", {
        command: `${server.report("tool")}; trap "" TERM; sleep 60; sleep 60`,
      }]),
    ]);
    await useModel(cli, model);
    const person = new Person(cli.start(["--allow-process"], THEN_STATE));
    await person.atPrompt();
    await person.type("x\r");
    const tool = await model.reported("tool");
    const [, agent] = /^PPid:\s*(\d+)/m.exec(await Deno.readTextFile(`/proc/${tool}/status`)) ?? [];
    Deno.kill(Number(agent), "SIGTERM");
    // Two equal ones could arrive as one.
    Deno.kill(Number(agent), "SIGHUP");
    const result = await person.run.ended;
    assert.match(result.stdout, /Cut short by SIG(?:TERM|HUP)/, shown(result));
    assert.match(result.stdout, /\nisig icanon iexten echo /, shown(result));
    assert.ok(await isGone(tool), "the command outlives the program");
  });
});

const touch = (name: string): readonly [string, Record<string, unknown>] => [
  "shell",
  { command: `touch ${name}` },
];

talkTest(
  "alisio offers no answer for the session about what a profile always asks (R2)",
  async () => {
    await withTalk([callTurn(touch("file")), callTurn(touch("other"))], async ({ cli, person }) => {
      await person.atPrompt();
      await person.type("x\r");
      await person.sees(/\r\n {2}y allow once\r\n {2}e deny/);
      await person.answer("a");
      await person.answer("y");
      await person.atPrompt();
      await person.type(CTRL_D);
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.equal(await exists(join(cli.workspace, "file")), false);
      assert.equal(await exists(join(cli.workspace, "other")), true);
    }, { args: ["--risk-profile", "bold"], prepare: addProfiles });
  },
);

talkTest("alisio forgets an answer for the session when it is left (R6, R8)", async () => {
  await withTalk(
    [
      callTurn(touch("asked")),
      callTurn(touch("unasked")),
      chatReply({ text: "Half" }),
      callTurn(touch("again")),
    ],
    async ({ cli, person }) => {
      await person.atPrompt();
      await person.type("x\r");
      await person.sees(/a always allow every call of shell in this session/);
      await person.answer("a");
      await person.atPrompt();
      await person.type(CTRL_D);
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.equal(await exists(join(cli.workspace, "unasked")), true);
      const args = ["resume", await onlySession(cli), "--risk-profile", "careful"];
      const again = new Person(cli.start(args, IN_TERMINAL));
      await again.atPrompt();
      await again.type("go on\r");
      await again.answer("n");
      await again.atPrompt();
      await again.type(CTRL_D);
      assert.equal((await again.run.ended).status, 0);
      assert.equal(await exists(join(cli.workspace, "again")), false);
    },
    { args: ["--risk-profile", "careful"], prepare: addProfiles },
  );
});

/** Adds profiles to the configuration that names the model. */
async function addProfiles(cli: CliScene): Promise<void> {
  const path = join(cli.configHome, "config.json");
  const config = JSON.parse(await Deno.readTextFile(path));
  const open = { allowedCommands: ["*"], sandboxEnabled: false };
  await cli.configure({
    ...config,
    riskProfiles: {
      bold: { ...open, level: "full", alwaysAsk: ["shell"] },
      careful: { ...open, level: "supervised" },
    },
  });
}

talkTest(
  "alisio asks for the place and for the write, and the second wall lets both through",
  async () => {
    const write = (path: string) =>
      callTurn(["write_file", { path, content: "x", expectedHash: null }]);
    await withTalk(
      (dir) => [
        write(join(dir, "outside", "denied")),
        write(join(dir, "outside", "allowed")),
        write(".alisio/config.json"),
      ],
      async ({ cli, person, results }) => {
        await person.atPrompt();
        await person.type("x\r");
        await person.answer("y");
        await person.sees(/Allow write_file \(write\)\?\r\n {2}path: \S+denied\r\n/);
        await person.answer("n");
        await person.answer("a");
        await person.answer("y");
        await person.answer("y");
        await person.asked();
        await person.sees(/to change a protected file\?/);
        await person.sees(/file: \S+\.alisio\/config\.json\r\n[^]*y allow once\r\n {2}e deny/);
        await person.type("n\r");
        await person.atPrompt();
        await person.type(CTRL_D);
        const result = await person.run.ended;
        assert.equal(result.status, 0, shown(result));
        const refused = (await results(3)).map((text) => /the person refused/.test(text));
        assert.deepEqual(refused, [true, false, true]);
        assert.equal(await exists(join(cli.dir, "outside", "denied")), false);
        assert.equal(await exists(join(cli.dir, "outside", "allowed")), true);
        assert.equal(await exists(join(cli.workspace, ".alisio", "config.json")), false);
      },
      { prepare: ({ dir }) => Deno.mkdir(join(dir, "outside")) },
    );
  },
);
