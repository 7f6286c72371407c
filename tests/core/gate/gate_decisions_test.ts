import assert from "node:assert/strict";
import type { DecisionRecord } from "../../../core/gate/decision_record.ts";
import { person, withGate } from "../../support/gate_scene.ts";

/** A record in one line: outcome, rule, who, where, and how far a grant reaches. */
function line({ outcome, rule, source, channel, scope }: DecisionRecord): string {
  return [outcome, rule, source, channel, scope].filter((part) => part !== undefined).join(" ");
}

Deno.test("Gate.call() records every decision about a call, in order", async () => {
  const rows: readonly (readonly [string, Parameters<typeof withGate>[0], readonly string[]])[] = [
    ["a flag permits", { allowWrite: true }, ["allowed flags:write policy headless"]],
    ["no flag permits", {}, ["blocked flags:write policy headless"]],
    ["a person permits once", person("once"), [
      "requested flags:write policy host",
      "granted flags:write operator host once",
    ]],
    ["a person permits for the session", person("session"), [
      "requested flags:write policy host",
      "granted flags:write operator host session",
    ]],
    ["a person refuses", person("deny"), [
      "requested flags:write policy host",
      "denied flags:write operator host",
    ]],
  ];
  for (const [name, options, expected] of rows) {
    await withGate(options, async ({ call, decisions }) => {
      await call("change", { path: "a" });
      assert.deepEqual(decisions.map(line), expected, name);
      for (const { callId, tool, effect, arguments: text } of decisions) {
        assert.deepEqual([callId, tool, effect, text], [
          "call_1",
          "change",
          "write",
          '{"path":"a"}',
        ]);
      }
    });
  }
});

Deno.test("Gate.call() records what a grant for the session lets through as allowed", async () => {
  await withGate(person("session"), async ({ call, decisions }) => {
    await call("change", { path: "a" });
    await call("change", { path: "b" });
    assert.deepEqual(decisions.slice(2).map(line), ["allowed session:granted policy host"]);
  });
});

Deno.test("Gate.call() records each question of a call that takes two", async () => {
  await withGate(person("session", "deny"), async ({ folder, call, called, decisions }) => {
    await Deno.mkdir(`${folder}/other`);
    await call("change", { path: "../other/a" });
    assert.deepEqual(decisions.map(line), [
      "requested roots:outside policy host",
      "granted roots:outside operator host session",
      "requested flags:write policy host",
      "denied flags:write operator host",
    ]);
    assert.deepEqual(called, []);
  });
});

Deno.test("Gate.call() records calls without an effect, and no decision about an unknown tool", async () => {
  await withGate({}, async ({ call, decisions }) => {
    await call("look", { path: "a" });
    await call("nothing_of_the_kind", {});
    assert.deepEqual(decisions.map(line), ["allowed flags:read policy headless"]);
  });
});

Deno.test("Gate.call() runs no call whose decision cannot be recorded", async () => {
  for (const outcome of ["allowed", "requested", "granted"]) {
    const asks = outcome !== "allowed";
    const { approver, asked } = person("session");
    await withGate(asks ? { approver } : { allowWrite: true }, async (scene) => {
      const recordDecision = (record: DecisionRecord) => {
        if (record.outcome === outcome) throw new Error("the disk is full");
      };
      await assert.rejects(scene.call("change", {}, { recordDecision }), /the disk is full/);
      assert.deepEqual([scene.called, scene.records], [[], []], outcome);
      assert.equal(asked.length, outcome === "granted" ? 1 : 0, outcome);
      if (!asks) return;
      const verdict = scene.gate.status("s1").find(({ tool }) => tool.name === "change");
      assert.equal(verdict?.decision.decision, "ask", "what was not recorded was not granted");
    });
  }
});

Deno.test("Gate.call() records a question that the end of the run takes back (row R39)", async () => {
  const stop = new AbortController();
  const approver = () => {
    stop.abort(new Error("shutdown"));
    return new Promise<never>(() => {});
  };
  await withGate({ approver }, async ({ call, called, decisions }) => {
    const outcome = await call("change", {}, { signal: stop.signal });
    assert.equal(outcome.skipped, true);
    assert.deepEqual(decisions.map(line), [
      "requested flags:write policy host",
      "denied flags:write unavailable host",
    ]);
    assert.deepEqual(called, []);
  });
});

Deno.test("Gate.call() shows and records the input that runs where a model wrote it twice", async () => {
  const { approver, asked } = person("once");
  await withGate({ approver }, async ({ gate, called, decisions }) => {
    await gate.call(
      { id: "c", name: "change", arguments: '{"path":"harmless","path":"other"}' },
      {
        sessionId: "s1",
        signal: new AbortController().signal,
        emit: () => {},
        recordStart: () => {},
        recordDecision: (record) => void decisions.push(record),
        pauseWhile: (wait) => wait(),
      },
    );
    assert.deepEqual(asked.map((question) => question.arguments), ['{"path":"other"}']);
    assert.deepEqual(
      decisions.map((record) => record.arguments),
      Array(2).fill('{"path":"other"}'),
    );
    assert.deepEqual(called, [["change", { path: "other" }]]);
  });
});
