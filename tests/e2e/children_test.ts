import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { jsonLines, shown, withCli } from "../support/cli_harness.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  type ScriptedModel,
  startModel,
} from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest } from "../support/stub_server.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { useModel } from "./_support.ts";

/** What each session is answered, by its first prompt; the last one again. */
function startRoles(roles: Readonly<Record<string, readonly ModelTurn[]>>): Promise<ScriptedModel> {
  const answer = async (request: RecordedRequest) => {
    const messages = messagesOf(request);
    const first = String(messages.find(({ role }) => role === "user")?.content);
    const turns = roles[first] ?? [];
    const turn = turns[messages.filter(({ role }) => role === "assistant").length] ?? turns.at(-1);
    if (turn === undefined) return chatReply({ text: "Nothing" });
    return typeof turn === "function" ? await turn(request) : turn;
  };
  return startModel(Array.from({ length: 50 }, () => answer));
}

const task = (prompt: string, more: Readonly<Record<string, unknown>> = {}) =>
  ["task", { description: `About ${prompt}`, prompt, subagent_type: "explore", ...more }] as const;

const TWO_EXPLORERS = {
  "Explore": [callTurn(task("HOST"), task("PANELS")), chatReply({ text: "Both reported." })],
  "HOST": [callTurn(["list_files", { path: "." }]), chatReply({ text: "The host is small" })],
  "PANELS": [chatReply({ text: "Panels are trees" })],
};

Deno.test("run --json prints events of children under their own sessions, in the order of all", async () => {
  await withCli(async (cli) => {
    await using model = await startRoles(TWO_EXPLORERS);
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "Explore"]);
    assert.equal(run.status, 0, shown(run));
    const events = jsonLines(run) as readonly RunEvent[];
    const main = events[0]?.sessionId;
    const sessions = [...new Set(events.map(({ sessionId }) => sessionId))];
    assert.equal(sessions.length, 3);
    for (const session of sessions) {
      const own = events.filter(({ sessionId }) => sessionId === session);
      assert.deepEqual(own.map(({ seq }) => seq), own.map((_, at) => at + 1));
      assert.deepEqual([own[0]?.type, own.at(-1)?.type], ["run_started", "run_completed"]);
      const ends = own.filter(({ type }) => type === "tool_completed").length;
      assert.equal(ends, own.filter(({ type }) => type === "tool_started").length);
    }
    const ids = events.flatMap(({ eventId }) => eventId === undefined ? [] : [Number(eventId)]);
    assert.deepEqual(ids, ids.toSorted((one, other) => one - other));
    // A child ends before the call that waits for it.
    const lastOfChild = events.findLastIndex(({ sessionId }) => sessionId !== main);
    const lastCall = events.findLastIndex(({ sessionId, type }) =>
      sessionId === main && type === "tool_completed"
    );
    assert.ok(lastOfChild < lastCall);
    assert.equal(events.at(-1)?.sessionId, main);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("run prints the answer of the main run alone, and what was refused to a child", async () => {
  await withCli(async (cli) => {
    await using model = await startRoles({
      ...TWO_EXPLORERS,
      "Explore": [
        callTurn(task("WRITE", { subagent_type: "general" })),
        chatReply({ text: "It reported." }),
      ],
      "WRITE": [callTurn(["shell", { command: "true" }]), chatReply({ text: "It cannot" })],
    });
    await useModel(cli, model);
    const run = await cli.run(["run", "Explore"]);
    assert.equal(run.stdout, "It reported.\n", shown(run));
    assert.match(
      run.stderr,
      /^ {2}\[general: About WRITE\] refused "shell" \(\S+\): to permit it, /m,
    );
    const quiet = await cli.run(["run", "--quiet", "Explore"]);
    assert.equal(quiet.stderr, "", shown(quiet));
  });
});

Deno.test("run --json ends with the events of a child that is stopped with it, and leaves nothing", async () => {
  await withCli(async (cli) => {
    await using model = await startRoles({
      "Explore": [
        callTurn(task("SLOW", { background: true })),
        async () => {
          await working.promise;
          return chatReply({ text: "I do not wait." });
        },
      ],
      "SLOW": [() => {
        working.resolve();
        return { steps: [{ do: "hang" }] };
      }],
    });
    const working = Promise.withResolvers<void>();
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "Explore"]);
    const events = jsonLines(run);
    const main = events[0]?.sessionId;
    const ended = events.filter(({ type }) => /^run_(completed|cancelled)$/.test(String(type)));
    assert.deepEqual(
      ended.map(({ type, sessionId }) => [type, sessionId === main]),
      [["run_completed", true], ["run_cancelled", false]],
      shown(run),
    );
  });
});

Deno.test("run answers /agents without a session, and says that there are no tasks", async () => {
  await withCli(async (cli) => {
    await using model = await startRoles({});
    await useModel(cli, model);
    const list = await cli.run(["run", "/agents list"]);
    assert.deepEqual([list.status, list.stdout], [
      0,
      "No session is open, so there are no tasks\n",
    ], shown(list));
    const defs = await cli.run(["run", "/agents defs", "--json"]);
    const [line] = jsonLines(defs);
    assert.equal(line?.type, "command_result");
    assert.match(JSON.stringify(line), /explore \(subagent, builtin, read-only, 9 tools\)/);
    const wrong = await cli.run(["run", "/agents opne x"]);
    assert.notEqual(wrong.status, 0);
    assert.match(wrong.stderr, /there is no "opne": write \/agents list, \/agents open <id>/);
    assert.deepEqual(model.chats.length, 0);
  });
});

Deno.test({
  name: "An agent in the background asks while a line is written, which goes on afterwards",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      const go = Promise.withResolvers<void>();
      await using model = await startRoles({
        "Begin": [
          callTurn(task("WRITE", { subagent_type: "general", background: true })),
          chatReply({ text: "Off it goes." }),
          chatReply({ text: "I heard of it." }),
        ],
        "WRITE": [
          async () => {
            await go.promise;
            return callTurn(["shell", { command: "echo made > made" }]);
          },
          chatReply({ text: "It is made" }),
        ],
      });
      await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
      const person = new Person(cli.start([], IN_TERMINAL));
      try {
        await person.atPrompt();
        await person.type("Begin\r");
        await person.sees(/Off it goes\./);
        await person.atPrompt();
        await person.type("half a li");
        await person.sees(/half a li/);
        go.resolve();
        await person.sees(/▞▞ general asks: Allow shell \(process\)/);
        await person.answer("y");
        // The line is shown again as it was.
        await person.atPrompt();
        await model.chat(3);
        await person.type("ne\r");
        await person.sees(/I heard of it\./);
        await person.sees(/done, \d+ tokens/);
        await person.atPrompt();
        await person.type("/agents list\r");
        await person.sees(/[0-9a-f]{8} {2}completed {4}general: About WRITE/);
        await person.atPrompt();
        await person.type("/exit\r");
      } finally {
        go.resolve();
      }
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.equal(await Deno.readTextFile(`${cli.workspace}/made`), "made\n");
      const last = messagesOf(model.chats.at(-1) ?? assert.fail("Nothing was asked"));
      assert.match(JSON.stringify(last), /half a line/);
      assert.deepEqual(model.violations, []);
    }),
});
