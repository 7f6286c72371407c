import assert from "node:assert/strict";
import { join } from "node:path";
import { openSessionStore, type SessionStore } from "../../core/session/session_store.ts";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import {
  type CliResult,
  type CliScene,
  dataOf,
  jsonLines,
  sessionOf,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { callTurn, messagesOf, type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { jsonReply } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const SUMMARY: ModelTurn = chatReply({
  text: JSON.stringify({ goal: "Ship it", discoveries: ["FACT: the port is 4317"] }),
});

const DONE: ModelTurn = chatReply({ text: "done" });

const textOf = (request: Parameters<typeof messagesOf>[0]) => JSON.stringify(messagesOf(request));

const typesOf = (run: CliResult) =>
  jsonLines(run).map(({ type }) => String(type)).filter((type) =>
    /^compaction|^context/.test(type)
  );

/** Whether a request asks for a summary. */
const isSummary = (request: Parameters<typeof messagesOf>[0]) =>
  String(messagesOf(request)[0]?.content).startsWith("You write the checkpoint");

/** Begins a session, and stores messages in it behind the program's back. */
async function sessionWith(
  cli: CliScene,
  messages: (store: SessionStore, session: string) => void,
): Promise<string> {
  const run = await cli.run(["run", "begin", "--json"]);
  assert.equal(run.status, 0, shown(run));
  const session = sessionOf(run);
  withStore(cli, (store) => store.transaction(() => messages(store, session)));
  return session;
}

function withStore<T>(cli: CliScene, use: (store: SessionStore) => T): T {
  const store = openSessionStore(join(cli.stateHome, "sessions.sqlite"));
  try {
    return use(store);
  } finally {
    store.close();
  }
}

function turn(index: number, chars: number): readonly StoredMessage[] {
  const call = { id: `c${index}`, name: "read_file", arguments: '{"path":"a.txt"}' };
  return [
    { role: "user", content: [{ type: "text", text: `prompt ${index}` }] },
    { role: "assistant", text: "", calls: [call] },
    {
      role: "tool",
      callId: call.id,
      name: call.name,
      content: [{ type: "text", text: `result ${index} ${"r".repeat(chars)}` }],
      isError: false,
    },
    { role: "assistant", text: `answer ${index}`, calls: [] },
  ];
}

function addTurns(count: number, chars: number) {
  return (store: SessionStore, session: string) => {
    for (let index = 0; index < count; index++) {
      for (const message of turn(index, chars)) store.appendMessage(session, message, Date.now());
    }
  };
}

Deno.test("A prompt that fills the window at once is refused, not kept, and asks nobody", async () => {
  await using model = await startModel([DONE], { entry: { context_length: 8_000 } });
  await withCli(async (cli) => {
    await useModel(cli, model);
    const stdin = new TextEncoder().encode("x".repeat(60_000));
    const run = await cli.run(["run", "look at this", "--json"], { stdin });
    assert.equal(run.status, 1, shown(run));
    const { error, code } = dataOf(run, "run_failed");
    assert.equal(code, "context_budget");
    assert.match(String(error), /can hold 8000 tokens; the prompt was not kept: shorten it/);
    assert.equal(model.chats.length, 0);
    const next = await cli.run(["resume", sessionOf(run), "hello"]);
    assert.deepEqual([next.status, next.stdout], [0, "done\n"], shown(next));
  });
});

Deno.test("A window that the tools alone fill ends the run with what is too large (field case 39)", async () => {
  await using model = await startModel([DONE]);
  await withCli(async (cli) => {
    for (const contextWindow of [300, 600]) {
      await cli.configure({ provider: { baseURL: model.baseUrl, model: "stub", contextWindow } });
      const run = await cli.run(["run", "hello", "--json"]);
      assert.equal(run.status, 1, shown(run));
      assert.match(
        String(dataOf(run, "run_failed").error),
        /the instructions \(\d+ characters\) and tools \(\d+ characters\) take about \d+ tokens/,
      );
      assert.deepEqual(typesOf(run), []);
    }
    assert.equal(model.chats.length, 0);
  });
});

Deno.test("A window that nobody knows is bounded by the characters of the configuration", async () => {
  await using model = await startModel([DONE, SUMMARY, DONE, DONE]);
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxContextChars: 60_000 } });
    const session = await sessionWith(cli, addTurns(9, 6_000));
    const run = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(typesOf(run), ["compaction_started", "compaction_completed"]);
    assert.match(textOf(await model.chat(2)), /FACT: the port is 4317/);
    // It does not come again for what it has made short.
    const again = await cli.run(["resume", session, "and on", "--json"]);
    assert.deepEqual([again.status, typesOf(again)], [0, []], shown(again));
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("A summary that fails in any way changes nothing, is bounded, and lets the run go on", async () => {
  const overflow = jsonReply({
    error: { message: "maximum context length is 4000 tokens", code: "context_length_exceeded" },
  }, 400);
  const rows: readonly (readonly [string, readonly ModelTurn[], RegExp])[] = [
    ["a tool call (field case 46)", [callTurn(["read_file", { path: "a.txt" }])], /called a tool/],
    ["nothing", [chatReply({ text: " " })], /wrote nothing that could stand/],
    ["a refusal", [jsonReply({ error: { message: "no" } }, 403)], /no/],
    ["an overflow again and again (field case 40)", [overflow, overflow, overflow], /4000/],
    [
      "an answer cut before it began",
      [chatReply({ text: "", finishReason: "length" })],
      /raise "compaction.maxOutputTokens"/,
    ],
    ["more than it stands for", [chatReply({ text: "z".repeat(200_000) })], /longer than what/],
  ];
  for (const [name, turns, why] of rows) {
    await using model = await startModel([DONE, ...turns, DONE, DONE]);
    await withCli(async (cli) => {
      await useModel(cli, model, { limits: { maxContextChars: 60_000 } });
      await writeTree(cli.workspace, { "a.txt": "x" });
      const isLong = name.startsWith("more");
      const session = await sessionWith(cli, isLong ? addTurns(200, 10) : addTurns(9, 6_000));
      const before = withStore(cli, (store) => store.activeMessages(session).length);
      const run = isLong
        ? await cli.run(["sessions", "compact", session, "--json"])
        : await cli.run(["resume", session, "go on", "--json"]);
      const failure = dataOf(run, "compaction_failed");
      assert.match(String(failure.error), why, `${name}: ${shown(run)}`);
      assert.equal(model.chats.filter(isSummary).length, turns.length, name);
      const after = withStore(cli, (store) => store.activeMessages(session).length);
      if (isLong) return assert.deepEqual([run.status, after], [1, before]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      assert.equal(after, before + 2, name);
      const again = await cli.run(["resume", session, "and on", "--json"]);
      assert.equal(again.status, 0, shown(again));
      assert.equal(model.chats.filter(isSummary).length, turns.length, `${name}: waits`);
      assert.deepEqual(model.violations, []);
    });
  }
});

Deno.test("One huge turn is cut inside at marked places, and a run goes on in it", async () => {
  await using model = await startModel([DONE, SUMMARY, DONE], {
    entry: { context_length: 12_000 },
  });
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = await sessionWith(cli, (store, id) => {
      const [prompt, ...rest] = turn(0, 30_000);
      const args = JSON.stringify({ path: "a.txt", content: "a".repeat(30_000) });
      const calls = [{ id: "w", name: "write_file", arguments: args }];
      const written: readonly StoredMessage[] = [
        { role: "assistant", text: "", calls },
        {
          role: "tool",
          callId: "w",
          name: "write_file",
          content: [{ type: "text", text: "w".repeat(30_000) }],
          isError: false,
        },
      ];
      for (const message of [prompt, ...rest.slice(0, 2), ...written]) {
        if (message !== undefined) store.appendMessage(id, message, Date.now());
      }
    });
    const run = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.ok(typesOf(run).length > 0);
    const last = model.chats.at(-1);
    assert.ok(last !== undefined);
    const sent = textOf(last);
    assert.ok(sent.length < 48_000, `${sent.length} characters`);
    assert.deepEqual(model.violations, []);
    const originals = withStore(
      cli,
      (store) => store.messagesPage(session).filter(({ compacted }) => compacted),
    );
    assert.ok(JSON.stringify(originals).includes("a".repeat(30_000)), "nothing is deleted");
  });
});

Deno.test("A session of 10,000 messages is summarised once, keeps its originals and goes on", async () => {
  await using model = await startModel([DONE, SUMMARY, DONE], {
    entry: { context_length: 1_000_000 },
  });
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxContextChars: 8_000_000 } });
    const session = await sessionWith(cli, addTurns(2_500, 1_200));
    const done = await cli.run(["sessions", "compact", session]);
    assert.equal(done.status, 0, shown(done));
    assert.match(
      done.stderr,
      /^Summarised \d{4} messages: about \d+ tokens of context are \d+ now(?:; memory: .*)?$/m,
    );
    const run = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(textOf(await model.chat(2)), /FACT: the port is 4317/);
    const { all, active } = withStore(cli, (store) => ({
      all: store.loadMessages(session, { includeCompacted: true }).length,
      active: store.activeMessages(session).length,
    }));
    assert.equal(all, 10_005);
    assert.ok(active < 20, `${active}`);
  });
});

Deno.test("A session with a call whose outcome is not known is not summarised", async () => {
  await using model = await startModel([DONE, SUMMARY]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = await sessionWith(cli, (store, id) => {
      addTurns(9, 6_000)(store, id);
      const runId = store.runs(id)[0]?.id ?? "";
      const call = { id: "sure", name: "shell", arguments: "{}" };
      store.appendMessage(id, { role: "assistant", text: "", calls: [call] }, Date.now());
      store.beginCall({
        sessionId: id,
        callId: "sure",
        runId,
        name: "shell",
        effect: "process",
        arguments: "{}",
        startedAt: Date.now(),
      });
    });
    const run = await cli.run(["sessions", "compact", session]);
    assert.notEqual(run.status, 0, shown(run));
    assert.match(run.stderr, /may or may not have happened|recover/);
    assert.equal(model.chats.length, 1);
  });
});

Deno.test("No request asks for more than its window holds, unless a person says so", async () => {
  await using model = await startModel([DONE, DONE, DONE], { entry: { context_length: 12_000 } });
  await withCli(async (cli) => {
    const asked = async (at: number) => {
      const { json } = await model.chat(at);
      return Number((json as Record<string, unknown>).max_tokens);
    };
    await useModel(cli, model);
    const run = await cli.run(["run", "hello", "--json"]);
    const length = (await model.chat(0)).body.length;
    assert.ok(await asked(0) + length / 4 < 12_000, `${await asked(0)}`);
    assert.ok(await asked(0) > 9_000, `${await asked(0)}`);
    const stdin = new TextEncoder().encode("x".repeat(28_000));
    const next = await cli.run(["resume", sessionOf(run), "look"], { stdin });
    assert.equal(next.status, 0, shown(next));
    assert.ok(await asked(1) < 4_000, `${await asked(1)}`);
    await useModel(cli, model, { limits: { maxOutputTokens: 16_000 } });
    assert.equal((await cli.run(["run", "hello"])).status, 0);
    assert.equal(await asked(2), 16_000);
  });
});

Deno.test("SIGKILL while a checkpoint is written leaves all of the session or all of its checkpoint", async () => {
  await using model = await startModel([DONE, SUMMARY, SUMMARY, DONE]);
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxContextChars: 8_000_000 } });
    const session = await sessionWith(cli, addTurns(2_500, 1_200));
    const before = withStore(cli, (store) => store.activeMessages(session));
    const log = join(cli.stateHome, "sessions.sqlite-wal");
    const killed = cli.start(["sessions", "compact", session, "--json"]);
    await model.chat(1);
    const sizeAtRequest = await sizeOf(log);
    // What is replaced is more than SQLite holds back until it commits.
    let hasEnded = false;
    void killed.ended.then(() => hasEnded = true);
    while (!hasEnded && await sizeOf(log) < sizeAtRequest + 100_000);
    killed.kill("SIGKILL");
    await killed.ended;
    const left = withStore(cli, (store) => store.activeMessages(session));
    const isWhole = left.length === before.length;
    assert.ok(isWhole || left.length < 20, `${left.length} of ${before.length} messages`);
    const all = withStore(
      cli,
      (store) => store.loadMessages(session, { includeCompacted: true }).length,
    );
    assert.equal(all, before.length + (isWhole ? 0 : 1));
    const again = await cli.run(["sessions", "compact", session, "--json"]);
    assert.equal(again.status, 0, shown(again));
    assert.deepEqual(
      typesOf(again),
      isWhole ? ["compaction_started", "compaction_completed"] : ["compaction_skipped"],
    );
    const run = await cli.run(["resume", session, "go on"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(textOf(model.chats.at(-1) ?? assert.fail()), /FACT: the port is 4317/);
    assert.deepEqual(model.violations, []);
  });
});

/** Of a file that may not be there. */
async function sizeOf(path: string): Promise<number> {
  return await Deno.stat(path).then(({ size }) => size, () => 0);
}
