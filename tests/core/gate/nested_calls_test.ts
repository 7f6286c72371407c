import assert from "node:assert/strict";
import { textResult } from "@alisio/sdk";
import type { CallOutcome } from "../../../core/gate/gate.ts";
import type { HostTool } from "../../../core/tools/host_tool.ts";
import type { NestedOutcome } from "../../../core/tools/nested_calls.ts";
import { type CallOptions, person, tool, withGate } from "../../support/gate_scene.ts";
import type { GateOptions } from "../../support/run_harness.ts";

type Calls = readonly (readonly [name: string, input: unknown])[];

/** A tool that makes the calls of its input and keeps how they ended. */
function caller(ended: NestedOutcome[], rest: Partial<HostTool> = {}): HostTool {
  return {
    name: "caller",
    description: "caller",
    effect: "process",
    callsTools: true,
    inputSchema: { type: "object" },
    ...rest,
    async execute(input, { calls, signal }) {
      if (calls === undefined) return textResult("no calls", true);
      for (const [name, each] of input["calls"] as Calls) {
        ended.push(await calls.call({ name, arguments: JSON.stringify(each) }, signal));
      }
      return textResult("made");
    },
  };
}

interface Told {
  readonly outcome: CallOutcome;
  readonly ended: readonly NestedOutcome[];
  readonly recorded: readonly (readonly [outcome: CallOutcome, parentId: string])[];
  readonly journal: readonly (readonly [id: string, name: string])[];
  readonly decisions: readonly (readonly [id: string, outcome: string])[];
  readonly called: readonly string[];
  readonly workspace: string;
}

async function callFrom(
  calls: (folder: string) => Calls,
  options: GateOptions & { readonly before?: readonly (readonly [string, unknown])[] } = {},
  rest: CallOptions = {},
): Promise<Told> {
  const { before = [], ...gate } = options;
  let told: Told | undefined;
  const ended: NestedOutcome[] = [];
  const recorded: [CallOutcome, string][] = [];
  await withGate({ ...gate, tools: [caller(ended), ...gate.tools ?? []] }, async (scene) => {
    for (const [name, input] of before) await scene.call(name, input);
    scene.records.length = 0;
    scene.decisions.length = 0;
    scene.called.length = 0;
    const outcome = await scene.call("caller", { calls: calls(scene.folder) }, {
      recordNestedEnd: (end, parentId) => void recorded.push([end, parentId]),
      ...rest,
    });
    told = {
      outcome,
      ended,
      recorded,
      journal: scene.records.map(({ callId, name }) => [callId, name] as const),
      decisions: scene.decisions.map((each) => [each.callId, each.outcome] as const),
      called: scene.called.map(([name]) => name),
      workspace: scene.workspace,
    };
  });
  assert.ok(told !== undefined);
  return told;
}

const WRITE = ["write_it", { path: "a" }] as const;
const writer = tool("write_it", "write", () => Promise.resolve(textResult("written")));
const starter = tool("start_it", "process", () => Promise.resolve(textResult("started")));

Deno.test("Gate.call() numbers, journals and records nested calls like any other", async () => {
  const told = await callFrom(() => [["start_it", {}], ["start_it", { again: true }]], {
    allowProcess: true,
    tools: [starter],
  });
  assert.deepEqual(told.journal, [
    ["call_1", "caller"],
    ["call_1/1", "start_it"],
    ["call_1/2", "start_it"],
  ]);
  assert.deepEqual(told.decisions.map(([id]) => id), ["call_1", "call_1/1", "call_1/2"]);
  assert.deepEqual(
    told.recorded.map(([{ callId, isError }, parent]) => [callId, isError, parent]),
    [["call_1/1", false, "call_1"], ["call_1/2", false, "call_1"]],
  );
  assert.deepEqual(told.ended.map(({ status, text }) => [status, text]), [
    ["done", "started"],
    ["done", "started"],
  ]);
});

Deno.test("Gate.call() asks nobody about a nested call, and refuses it", async () => {
  const { approver, asked } = person("once");
  const told = await callFrom(() => [WRITE], { approver, tools: [writer] });
  assert.deepEqual(asked.map(({ tool: name }) => name), ["caller"]);
  assert.deepEqual(told.ended.map(({ status }) => status), ["refused"]);
  assert.match(told.ended[0]?.text ?? "", /from within another call nobody is asked.*directly$/);
  assert.deepEqual(told.decisions.at(-1), ["call_1/1", "blocked"]);
  assert.deepEqual(told.journal, [["call_1", "caller"]]);
});

Deno.test("Gate.call() lets a nested call use what was permitted for the session", async () => {
  const { approver, asked } = person("session", "session");
  const told = await callFrom(() => [WRITE, ["start_it", {}]], {
    approver,
    tools: [writer, starter],
    before: [WRITE],
  });
  assert.deepEqual(asked.map(({ tool: name }) => name), ["write_it", "caller"]);
  assert.deepEqual(told.ended.map(({ status }) => status), ["done", "done"]);
});

Deno.test("Gate.call() refuses a nested call outside of the approved directories", async () => {
  const { approver, asked } = person("session");
  const reader: HostTool = {
    ...tool("peek", "read", () => Promise.resolve(textResult("seen"))),
    paths: ({ path }) => [String(path)],
  };
  const outside = (folder: string) => [["peek", { path: `${folder}/x.txt` }]] as const;
  const refused = await callFrom(outside, { approver, tools: [reader] });
  assert.deepEqual(refused.ended.map(({ status }) => status), ["refused"]);
  assert.equal(asked.length, 1);
  const inside = await callFrom(() => [["peek", { path: "x.txt" }]], { approver, tools: [reader] });
  assert.deepEqual(inside.ended.map(({ status }) => status), ["done"]);
});

const DIRECT: readonly (readonly [why: string, rest: Partial<HostTool>])[] = [
  ["only the model may call", { directOnly: true }],
  ["asks the person", { interactiveOnly: true }],
  ["calls others", { callsTools: true }],
  ["is not offered", { isOffered: () => false }],
];

for (const [why, rest] of DIRECT) {
  Deno.test(`Gate.call() lets no tool be called by another one that ${why}`, async () => {
    const ran: string[] = [];
    const special: HostTool = {
      ...tool("special", "read", () => {
        ran.push("special");
        return Promise.resolve(textResult("ran"));
      }),
      ...rest,
    };
    const told = await callFrom(() => [["special", {}], ["caller", { calls: [] }], ["x", {}]], {
      allowProcess: true,
      canAskQuestions: true,
      tools: [special],
    });
    assert.deepEqual(ran, []);
    assert.deepEqual(told.ended.slice(0, 2).map(({ status, text }) => [status, text]), [
      ["failed", 'Tool "special" cannot be called by another call: call it directly'],
      ["failed", 'Tool "caller" cannot be called by another call: call it directly'],
    ]);
    assert.match(told.ended[2]?.text ?? "", /^There is no tool "x". The tools are: /);
    assert.ok(!/special|caller/.test(told.ended[2]?.text ?? ""));
  });
}

Deno.test("Gate.call() tells a nested call of a tool that is not there, and of a wrong input", async () => {
  const strict: HostTool = {
    ...tool("strict", "read", () => Promise.resolve(textResult("ran"))),
    inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
  };
  const told = await callFrom(() => [["nothing", {}], ["strict", {}], ["strict", [1]]], {
    allowProcess: true,
    tools: [strict],
  });
  assert.deepEqual(told.ended.map(({ status }) => status), ["failed", "failed", "failed"]);
  assert.match(told.ended[0]?.text ?? "", /^There is no tool "nothing"/);
  assert.match(told.ended[1]?.text ?? "", /"a"/);
});

Deno.test("Gate.call() keeps instructions apart from what a nested call answered", async () => {
  const told = await callFrom(() => [["peek", { path: "sub/a" }]], {
    allowProcess: true,
    nestedInstructions: (paths) => Promise.resolve(paths.length === 0 ? null : "Mind the gap"),
    tools: [{
      ...tool("peek", "read", () => Promise.resolve(textResult('{"a":1}'))),
      paths: ({ path }) => [String(path)],
    }],
  });
  assert.deepEqual(told.ended.map(({ text, instructions }) => [text, instructions]), [
    ['{"a":1}', "Mind the gap"],
  ]);
});

Deno.test("Gate.call() hands calls to no tool that does not ask for them, and where none are recorded", async () => {
  const ended: NestedOutcome[] = [];
  const without = { ...caller(ended, { name: "plain" }), callsTools: false };
  await withGate({ allowProcess: true, tools: [caller(ended), without] }, async ({ call }) => {
    for (const name of ["caller", "plain"]) {
      const { content } = await call(
        name,
        { calls: [] },
        name === "plain" ? { recordNestedEnd: () => {} } : {},
      );
      assert.deepEqual(content, [{ type: "text", text: "no calls" }]);
    }
  });
});

Deno.test("Gate.call() makes no nested call once the call that makes it is over", async () => {
  const late = Promise.withResolvers<() => Promise<unknown>>();
  const leaver: HostTool = {
    ...caller([]),
    name: "leaver",
    execute: (_input, { calls, signal }) => {
      late.resolve(() =>
        calls?.call({ name: "start_it", arguments: "{}" }, signal) ?? Promise.resolve()
      );
      return Promise.resolve(textResult("left"));
    },
  };
  await withGate({ allowProcess: true, tools: [leaver, starter] }, async ({ call, records }) => {
    await call("leaver", {}, { recordNestedEnd: () => {} });
    await assert.rejects(
      async () => await (await late.promise)(),
      /the call that makes it is over/,
    );
    assert.deepEqual(records.map(({ name }) => name), ["leaver"]);
  });
});
