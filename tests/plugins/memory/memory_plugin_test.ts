import assert from "node:assert/strict";
import type { ModelRequest, RunEvent } from "@alisio/sdk";
import type { Application } from "../../../core/application.ts";
import type { ApplicationOptions, BuiltinPlugin } from "../../../core/application_options.ts";
import { createMemoryPlugin } from "../../../plugins/memory/mod.ts";
import { type ApplicationScene, withScene } from "../../support/application_scene.ts";
import { calls, PlayedProvider, type PlayedTurn, says } from "../../support/run_harness.ts";

const NO_STOP = { signal: new AbortController().signal, observers: [] };
const SAVE = calls([["memory_save", {
  title: "Tests run with make",
  content: "make test, because of the database",
  type: "decision",
}]]);
const SEARCH = calls(
  Array.from({ length: 4 }, (_, at) => ["memory_search", { query: `nothing ${at}` }]),
);
const SUMMARY = JSON.stringify({
  goal: "Ship the shop",
  nextSteps: ["Pay", "Deliver"],
  observations: [
    { title: "Payments", content: "Stripe, by webhook", type: "architecture" },
    { title: 7, content: "no title" },
    "nonsense",
  ],
});

function memory({ folder }: ApplicationScene): BuiltinPlugin {
  return {
    id: "memory",
    isNeeded: true,
    load: ({ redact }) =>
      Promise.resolve(createMemoryPlugin({
        redact,
        databasePath: `${folder}/state/memory.sqlite`,
        workspace: `${folder}/ws`,
      })),
  };
}

/** Opens an application with the plugin and a model that plays turns. */
async function opened(
  scene: ApplicationScene,
  turns: readonly PlayedTurn[],
  options: Partial<ApplicationOptions> = {},
): Promise<{ readonly application: Application; readonly provider: PlayedProvider }> {
  const provider = new PlayedProvider(turns);
  const application = await scene.open({
    provider,
    model: "m",
    plugins: [memory(scene)],
    ...options,
  });
  return { application, provider };
}

function said(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === "user"
      ? message.content.map((part) => part.type === "text" ? part.text : "")
      : message.role === "tool"
      ? [message.text]
      : []
  );
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("The plugin makes no file before something is kept, and only then", async () => {
  await withScene({}, async (scene) => {
    const path = `${scene.folder}/state/memory.sqlite`;
    const { application, provider } = await opened(scene, [says("hi"), SAVE, says("kept")]);
    const session = await application.createSession();
    await session.run("Hello", NO_STOP);
    await application.endScript(session, NO_STOP.signal);
    assert.equal(await exists(path), false, "an answer alone is worth no summary in a script");
    assert.match(provider.requests[0]?.system ?? "", /memory that outlives this session/);
    await session.run("Keep it", NO_STOP);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    assert.match(said(provider.requests[2]).at(-1) ?? "", /^\{"id":1,"action":"created"\}/);
    await application.endScript(session, NO_STOP.signal);
    assert.equal(provider.requests.length, 3, "nor is a short script");
  });
});

Deno.test("A new session begins with what earlier ones kept; one that goes on does not (row M13)", async () => {
  await withScene({ "ws/.git/HEAD": "x" }, async (scene) => {
    const first = await opened(scene, [SAVE, SEARCH, says("kept"), says(SUMMARY)]);
    const session = await first.application.createSession();
    await session.run("Use <private>hunter2</private> make", NO_STOP);
    await first.application.leaveSession(session, NO_STOP.signal);
    await first.application.close();
    assert.equal(first.provider.requests.length, 4);
    const [asked = ""] = said(first.provider.requests[3]);
    assert.match(asked, /User: Use \[REDACTED\] make/);
    assert.match(asked, /Call of memory_save/);

    const second = await opened(scene, [says("go on")]);
    const next = await second.application.createSession();
    await next.run("What now?", NO_STOP);
    const [block = "", prompt] = said(second.provider.requests[0]);
    assert.equal(prompt, "What now?");
    assert.match(block, /^# From plugin memory\n\n<memory>\n/);
    for (
      const part of [
        "## Goal\nShip the shop",
        "## Next steps\n- Pay\n- Deliver",
        "Use [REDACTED] make",
        "#1 decision: Tests run with make — make test, because of the database",
        "architecture: Payments — Stripe, by webhook",
      ]
    ) assert.ok(block.includes(part), part);
    assert.ok(!block.includes("hunter2"));
    await second.application.close();

    const third = await opened(scene, [says("again")]);
    const resumed = await third.application.openSession(next.id);
    await resumed.run("And now?", NO_STOP);
    assert.deepEqual(
      said(third.provider.requests[0]).filter((text) => text.includes("<memory>"))
        .length,
      1,
    );
  });
});

Deno.test("The plugin keeps observations of a compaction, and recalls what fits", async () => {
  await withScene({}, async (scene) => {
    const checkpoint = JSON.stringify({
      goal: "Move the database",
      nextSteps: ["Measure the database"],
      observations: [{ title: "Database", content: "It is SQLite", type: "discovery" }],
    });
    const { application, provider } = await opened(scene, [
      SAVE,
      says("kept"),
      says("two"),
      says("three"),
      says(checkpoint),
    ]);
    const session = await application.createSession();
    for (const prompt of ["one", "two", "three"]) {
      await session.run(`${prompt} `.repeat(3_000), NO_STOP);
    }
    const events: RunEvent[] = [];
    const observers = [(event: RunEvent) => void events.push(event)];
    const outcome = await session.compact({ signal: NO_STOP.signal, observers });
    assert.equal(outcome.status, "completed");
    const summariser = provider.requests.at(-1);
    assert.match(JSON.stringify(summariser), /observations/);
    const reports = JSON.stringify(events);
    assert.match(reports, /"memory":"1 new, 0 updated, 0 known, summary confirmed, 2 recalled/);
    await session.run("Go on", NO_STOP);
    const texts = said(provider.requests.at(-1)).join("\n");
    assert.match(
      texts,
      /## Recalled\n- #\d discovery: Database[^]*- #\d decision: Tests run with make/,
    );
  });
});

Deno.test("/memory shows, searches, pins and forgets, and says how it is used", async () => {
  await withScene({}, async (scene) => {
    const { application } = await opened(scene, [SAVE, says("kept")]);
    const session = await application.createSession();
    await session.run("Keep it", NO_STOP);
    const run = async (args: string) => {
      const answer = await application.runCommand(`/memory ${args}`, { signal: NO_STOP.signal });
      return answer?.text ?? "";
    };
    assert.match(await run(""), /^1 of project ws-[0-9a-f]{8}, 0 personal\n#1 decision: Tests run/);
    assert.match(await run("database nowhere"), /^#1 decision/);
    assert.match(await run("nowhere"), /^Nothing is remembered of "nowhere"/);
    assert.match(
      await run("show 1"),
      /scope project, revision 1, seen 1 time\(s\).*\n\nmake test/s,
    );
    assert.equal(await run("pin 1"), "Observation 1 is pinned");
    assert.match(await run(""), /#1 decision \(pinned\)/);
    assert.equal(await run("unpin 1"), "Observation 1 is no longer pinned");
    assert.equal(await run("forget 1"), "Observation 1 is forgotten");
    assert.equal(await run("forget 1"), "There is no observation 1 in this project");
    assert.match(await run("show me"), /^Usage: \/memory/);
    assert.match(await run("pin"), /^Usage: \/memory/);
  });
});

Deno.test("A database that is none hurts no session, and its tools say so (row M14)", async () => {
  await withScene(
    { "state/memory.sqlite": "This is a letter, no database.".repeat(50) },
    async (scene) => {
      const { application, provider } = await opened(scene, [SAVE, says("done")]);
      const session = await application.createSession();
      const events: RunEvent[] = [];
      await session.run("Keep it", { ...NO_STOP, observers: [(event) => events.push(event)] });
      assert.match(said(provider.requests[1]).at(-1) ?? "", /Cannot open .*memory\.sqlite/);
      const failed = events.filter(({ type }) => type === "plugin_hook_failed");
      assert.equal(failed.length, 1, JSON.stringify(events.map(({ type }) => type)));
    },
  );
});

Deno.test("The tools are internal: they work under --read-only, and refuse what is malformed", async () => {
  await withScene({}, async (scene) => {
    const { application, provider } = await opened(scene, [
      SAVE,
      calls([["memory_search", { query: "database" }]]),
      calls([["memory_get", { id: 1 }], ["memory_get", { id: 9 }]]),
      calls([["memory_timeline", { id: 1 }], ["memory_context", {}]]),
      calls([["memory_save", { title: "x", content: "y", type: "poem" }]]),
      calls([["memory_pin", { id: 1, pinned: true }], ["memory_forget", { id: 1, hard: true }]]),
      says("done"),
    ], { readOnly: true });
    const session = await application.createSession();
    await session.run("Go", NO_STOP);
    const texts = said(provider.requests.at(-1)).slice(1);
    assert.deepEqual(texts.map((text) => text.slice(0, 40)), [
      '{"id":1,"action":"created"}',
      '{"results":[{"id":1,"type":"decision","t',
      '{"id":1,"type":"decision","title":"Tests',
      "There is no observation 9 in this projec",
      '{"observations":[{"id":1,"type":"decisio',
      texts[5]?.slice(0, 40),
      texts[6]?.slice(0, 40),
      '{"id":1,"pinned":true}',
      '{"id":1,"forgotten":true,"hard":true}',
    ]);
    assert.match(texts[5] ?? "", /^<memory>/);
    assert.match(texts[6] ?? "", /type/);
  });
});
