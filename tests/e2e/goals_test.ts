import assert from "node:assert/strict";
import { join } from "node:path";
import { openSessionStore } from "../../core/session/session_store.ts";
import { SessionGoals } from "../../core/goals/session_goals.ts";
import {
  type CliResult,
  type CliScene,
  type JsonLine,
  jsonLines,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { callTurn, messagesOf, type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { jsonReply } from "../support/stub_server.ts";
import { useModel } from "./_support.ts";

const complete = (...evidence: readonly Readonly<Record<string, unknown>>[]): ModelTurn =>
  callTurn(["update_goal", { status: "complete", summary: "All done", evidence }]);
const blocked = (kind: string, detail = "The server wants a key"): ModelTurn =>
  callTurn(["update_goal", { status: "blocked", summary: "No key", evidence: [{ kind, detail }] }]);
const look = (): ModelTurn => callTurn(["list_files", {}]);
const say = (text: string): ModelTurn => chatReply({ text });

/** The states that a run told, without what the tests of units are about. */
function states(result: Pick<CliResult, "stdout">): readonly JsonLine["data"][] {
  return jsonLines(result).filter(({ type }) => type === "goal_updated").map(({ data }) => data);
}

function lastState(result: CliResult): Readonly<Record<string, unknown>> {
  const { status, reason, detail, turns } = states(result).at(-1) ?? {};
  return { status, reason, turns, ...(detail === undefined ? {} : { detail }) };
}

async function workToward(
  turns: readonly ModelTurn[],
  args: readonly string[],
  check: (result: CliResult, chats: readonly string[], cli: CliScene) => Promise<void> | void,
  config: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await using model = await startModel(turns);
  await withCli(async (cli) => {
    await useModel(cli, model, config);
    const result = await cli.run(["run", "--json", "--goal", "Make <it> work", ...args]);
    assert.deepEqual(model.violations, []);
    await check(result, model.chats.map((chat) => JSON.stringify(messagesOf(chat))), cli);
  });
}

Deno.test("alisio run --goal goes on until the model completes the goal, and checks its evidence", async () => {
  await workToward(
    [
      callTurn(["shell", { command: "cd . && echo fine" }]),
      say("One step is done"),
      callTurn(["shell", { command: "exit 3" }]),
      complete(
        { kind: "test", detail: "`echo fine` passed" },
        { kind: "test", detail: "exit 3" },
        { kind: "command", detail: "exit 3" },
        { kind: "command", detail: "npm test" },
        { kind: "file", detail: "a.txt" },
      ),
      say("It works"),
    ],
    ["--allow-process", "--budget", "1.5M", "use the shell"],
    (result, chats) => {
      assert.equal(result.status, 0, shown(result));
      assert.deepEqual(states(result).map(({ status, reason, turns }) => [status, reason, turns]), [
        ["active", "created", 0],
        ["active", "created", 1],
        ["complete", "model_complete", 2],
      ]);
      const { evidence, summary, tokenBudget, verified } = states(result).at(-1) ?? {};
      assert.deepEqual({ evidence, summary, tokenBudget, verified }, {
        summary: "All done",
        verified: false,
        tokenBudget: 1_500_000,
        evidence: [
          { kind: "test", detail: "`echo fine` passed", verified: true },
          { kind: "test", detail: "exit 3", verified: false },
          { kind: "command", detail: "exit 3", verified: true },
          { kind: "command", detail: "npm test", verified: false },
          { kind: "file", detail: "a.txt" },
        ],
      });
      assert.match(chats[0] ?? "", /<goal_objective>\\nMake <it> work\\n<\/goal_objective>/);
      assert.match(chats[0] ?? "", /use the shell/);
      assert.match(chats[2] ?? "", /Go on with the goal: take the next step/);
      assert.match(chats.at(-1) ?? "", /notFoundInTheRecord[^\]]*npm test/);
      assert.match(result.stderr, /^Goal complete, not verified: /m);
      assert.match(result.stderr, /command, not verified: npm test/);
    },
  );
});

interface Row {
  readonly name: string;
  readonly turns: readonly ModelTurn[];
  readonly args?: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly state: Readonly<Record<string, unknown>>;
}

const LONG = { usage: { input: 900, output: 200 } };

const ROWS: readonly Row[] = [
  {
    name: "never calls a tool",
    turns: [say("a"), say("b"), say("c")],
    status: 6,
    state: { status: "paused", reason: "no_progress", detail: "no_tool_turns", turns: 3 },
  },
  {
    name: "repeats itself",
    turns: [look(), say("Same"), look(), say("same "), look(), say("Same"), look(), say("SAME")],
    status: 6,
    state: { status: "paused", reason: "no_progress", detail: "repeated_reply", turns: 4 },
  },
  {
    name: "claims completion without evidence",
    turns: [complete(), say("a"), complete(), say("b"), complete(), say("c")],
    config: { goal: { maxTurns: 3 } },
    status: 3,
    state: { status: "paused", reason: "max_turns", turns: 3 },
  },
  {
    name: "reports a blocker twice",
    turns: [blocked("log"), say("a"), blocked("log", "And again"), say("b")],
    status: 6,
    state: { status: "blocked", reason: "model_blocked", turns: 2 },
  },
  {
    name: "reports a blocker twice in the same words",
    turns: [blocked("log"), say("a"), blocked("log"), say("b"), say("c"), look()],
    config: { goal: { maxTurns: 3 } },
    status: 3,
    state: { status: "paused", reason: "max_turns", turns: 3 },
  },
  {
    name: "is refused a permission",
    turns: [
      callTurn(["write_file", { path: ".git/config", content: "x", expectedHash: null }]),
      blocked("denied", "write_file: .git/config is protected"),
      say("a"),
    ],
    args: ["--allow-write"],
    status: 6,
    state: { status: "blocked", reason: "policy_denied", turns: 1 },
  },
  {
    name: "may not run programs",
    turns: [
      callTurn(["shell", { command: "make" }]),
      blocked("denied", "The tool shell is refused"),
      say("a"),
    ],
    status: 6,
    state: { status: "blocked", reason: "policy_denied", turns: 1 },
  },
  {
    name: "claims a refusal that there was not",
    turns: [blocked("denied"), say("a"), blocked("denied", "Refused again"), say("b")],
    status: 6,
    state: { status: "blocked", reason: "model_blocked", turns: 2 },
  },
  {
    name: "uses its tokens",
    turns: [chatReply({ text: "a", ...LONG }), chatReply({ text: "b", ...LONG })],
    args: ["--budget", "2k"],
    status: 3,
    state: { status: "budget_limited", reason: "token_budget", turns: 2 },
  },
  {
    name: "uses its tokens within a run of which nothing is reported",
    turns: Array.from({ length: 9 }, look),
    args: ["--budget", "1k"],
    status: 3,
    state: { status: "budget_limited", reason: "token_budget", turns: 1 },
  },
  {
    name: "has a run that fails",
    turns: [jsonReply({ error: { message: "no key" } }, 401)],
    status: 1,
    state: { status: "blocked", reason: "run_error", turns: 1 },
  },
];

for (const { name, turns, args = [], config = {}, status, state } of ROWS) {
  Deno.test(`alisio run --goal stops a goal that ${name}`, async () => {
    await workToward(turns, args, (result) => {
      assert.equal(result.status, status, shown(result));
      const { detail, ...rest } = lastState(result);
      const isError = rest["reason"] === "run_error";
      assert.equal(isError, String(detail).includes("no key"));
      assert.deepEqual(isError || detail === undefined ? rest : { ...rest, detail }, state);
    }, config);
  });
}

Deno.test("alisio run --goal refuses what it cannot work with before a model is asked", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [["run", "--goal", "x", "--budget", "many"], /not a number of tokens: write 50k/],
      [["run", "--goal", "x", "--budget", "1.2345"], /not a number of tokens/],
      [["run", "--budget", "50k", "do it"], /"--budget" needs a goal/],
      [["run", "--goal", "y".repeat(4_001)], /4001 characters, the limit is 4000/],
      [["run", "--goal", "  "], /the objective is empty/],
    ];
    for (const [args, message] of rows) {
      const result = await cli.run(args);
      assert.equal(result.status, 2, shown(result));
      assert.match(result.stderr, message);
    }
    assert.equal(model.chats.length, 0);
  });
});

Deno.test("alisio run --goal is paused by a signal, and by the end of its process", async () => {
  await using model = await startModel(Array.from({ length: 4 }, (): ModelTurn => ({
    steps: [{ do: "hang" }],
  })));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = cli.start(["run", "--json", "--goal", "Wait"]);
    await model.chat(0);
    run.kill("SIGINT");
    const result = await run.ended;
    assert.equal(result.status, 130, shown(result));
    assert.deepEqual(lastState(result), { status: "paused", reason: "user_interrupt", turns: 1 });
    const session = String(jsonLines(result)[0]?.sessionId);

    const resumed = cli.start(["resume", session, "--resume-goal", "--json"]);
    await model.chat(1);
    const second = await cli.run(["resume", session, "--resume-goal"]);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /already in use/);
    resumed.kill("SIGKILL");
    await resumed.ended;

    const plain = cli.start(["resume", session, "hello"]);
    await model.chat(2);
    const store = openSessionStore(join(cli.stateHome, "sessions.sqlite"));
    try {
      const goals = new SessionGoals({
        store,
        settings: () => assert.fail("nothing is set"),
        agent: () => "build",
        redact: (text) => text,
      });
      const { status, reason, isInFlight } = goals.find(session) ?? {};
      assert.deepEqual({ status, reason, isInFlight }, {
        status: "paused",
        reason: "restart",
        isInFlight: false,
      });
    } finally {
      store.close();
    }
    plain.kill("SIGKILL");
    await plain.ended;
  });
});

Deno.test("alisio resume --resume-goal goes on with another budget", async () => {
  await using model = await startModel([
    chatReply({ text: "a", ...LONG }),
    complete({ kind: "log", detail: "It says so" }),
    say("b"),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const first = await cli.run(["run", "--json", "--goal", "Go far", "--budget", "1k"]);
    assert.equal(first.status, 3, shown(first));
    const session = String(jsonLines(first)[0]?.sessionId);
    const refused = await cli.run(["resume", session, "--resume-goal"]);
    assert.equal(refused.status, 2, shown(refused));
    assert.match(refused.stderr, /it is budget reached; what can be done is budget, edit, clear/);
    const run = await cli.run(["resume", session, "--resume-goal", "--budget", "1M", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(lastState(run), { status: "complete", reason: "model_complete", turns: 2 });
    const again = await cli.run(["resume", session, "--resume-goal"]);
    assert.equal(again.status, 2, shown(again));
  });
});

Deno.test("alisio run --goal waits for background tasks before it goes on", async () => {
  await workToward(
    [
      callTurn(["bg_run", { command: "sleep 1; echo done > made.txt", label: "make" }]),
      say("It runs"),
      callTurn(["read_file", { path: "made.txt" }]),
      complete({ kind: "file", detail: "made.txt" }),
      say("There it is"),
    ],
    ["--allow-process", "--allow-write"],
    (result, chats) => {
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stderr, /waiting for background tasks/);
      assert.match(chats[3] ?? "", /1: done/);
    },
  );
});

Deno.test("alisio run --goal takes a background task that ended for evidence, and says it is verified", async () => {
  await workToward(
    [
      callTurn(
        ["bg_run", { command: "cd . && test -d .", label: "check" }],
        ["bg_run", { command: "exit 4" }],
      ),
      say("They run"),
      complete(
        { kind: "test", detail: "test -d . passed" },
        { kind: "command", detail: "`exit 4`" },
      ),
      say("Done"),
    ],
    ["--allow-process"],
    (result) => {
      assert.equal(result.status, 0, shown(result));
      const { evidence, verified } = states(result).at(-1) ?? {};
      assert.deepEqual({ evidence, verified }, {
        verified: true,
        evidence: [
          { kind: "test", detail: "test -d . passed", verified: true },
          { kind: "command", detail: "`exit 4`", verified: true },
        ],
      });
      assert.match(result.stderr, /^Goal complete, verified: /m);
    },
  );
});

Deno.test("A goal is paused by a rewind, taken back by its undoing, and left out of a fork", async () => {
  await using model = await startModel([
    callTurn(["shell", { command: "test -d ." }]),
    say("One step"),
    complete({ kind: "test", detail: "test -d ." }),
    say("Done"),
    complete({ kind: "test", detail: "test -d ." }),
    say("Done again"),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const first = await cli.run(["run", "--json", "--goal", "Look", "--allow-process"]);
    assert.equal(first.status, 0, shown(first));
    assert.equal(states(first).at(-1)?.["verified"], true);
    const session = String(jsonLines(first)[0]?.sessionId);
    const fork = await cli.run(["sessions", "fork", session]);
    const copy = await cli.run(["resume", fork.stdout.trim(), "--resume-goal"]);
    assert.equal(copy.status, 2, shown(copy));
    assert.match(copy.stderr, /the session has none/);

    const show = await cli.run(["sessions", "show", session]);
    const number = /\[user\] \(message (\d+)\)/.exec(show.stdout)?.[1] ?? "";
    const rewind = ["sessions", "rewind", session, number];
    assert.equal((await cli.run(rewind)).status, 0);
    assert.equal((await cli.run(["sessions", "rewind", session, "--undo"])).status, 0);
    const complete = await cli.run(["resume", session, "--resume-goal"]);
    assert.match(complete.stderr, /it is complete/);
    assert.equal((await cli.run(rewind)).status, 0);
    const again = await cli.run(["resume", session, "--resume-goal", "--json"]);
    assert.equal(again.status, 0, shown(again));
    const sent = JSON.stringify(messagesOf(await model.chat(4)));
    assert.match(sent, /<goal_objective>\\nLook\\n/);
    assert.doesNotMatch(sent, /One step/);
    const { verified, evidence } = states(again).at(-1) ?? {};
    assert.deepEqual([verified, evidence], [
      false,
      [{ kind: "test", detail: "test -d .", verified: false }],
    ], "what was put aside proves nothing");
    assert.deepEqual(model.violations, []);
  });
});
