import assert from "node:assert/strict";
import type { CompactionResult } from "@alisio/sdk";
import {
  askBeforeCompact,
  type CompactionHook,
  tellAfterCompact,
} from "../../../core/plugins/compaction_hooks.ts";

const INPUT = { sessionId: "s", reason: "auto", messages: [] } as const;

const RESULT: Omit<CompactionResult, "signal"> = {
  ...INPUT,
  model: "m",
  replaced: 3,
  structured: true,
  checkpoint: {},
  checkpointText: "text",
  extracted: {},
};

function scene(timeoutMs = 60_000) {
  const failures: string[] = [];
  return {
    failures,
    options: {
      timeoutMs,
      signal: new AbortController().signal,
      failed: (plugin: string, error: unknown) => void failures.push(`${plugin}: ${error}`),
    },
  };
}

const before = (plugin: string, answer: unknown): CompactionHook => ({
  plugin,
  before: () => answer,
});

const after = (plugin: string, answer: unknown): CompactionHook => ({
  plugin,
  after: () => answer,
});

Deno.test("askBeforeCompact() takes what hooks want, in their order", async () => {
  const { failures, options } = scene();
  const seen: unknown[] = [];
  const wishes = await askBeforeCompact(
    [
      before("acme.none", undefined),
      before("acme.empty", {}),
      {
        plugin: "acme.both",
        before: async ({ sessionId, reason, focus, signal }) => {
          await Promise.resolve();
          seen.push([sessionId, reason, focus, signal.aborted]);
          return { instructions: " keep names ", outputFields: { notes: "short strings" } };
        },
      },
      after("acme.after", { report: { summary: "no" } }),
      before("acme.long", { instructions: "x".repeat(50_000) }),
    ],
    { ...INPUT, focus: "tests" },
    options,
  );
  const [both, long, ...others] = wishes;
  assert.deepEqual([both, others], [
    {
      plugin: "acme.both",
      instructions: "keep names",
      fields: [["notes", "short strings"]],
    },
    [],
  ]);
  assert.ok((long?.instructions.length ?? 0) < 4_100);
  assert.deepEqual([seen, failures], [[["s", "auto", "tests", false]], []]);
});

const NONSENSE: readonly (readonly [string, unknown, RegExp])[] = [
  ["a text", "x", /it returned no object/],
  ["a list", [], /it returned no object/],
  ["instructions that are none", { instructions: 1 }, /its instructions is no text/],
  ["fields that are a list", { outputFields: ["a"] }, /its outputFields is no object/],
  ["a field without a name", { outputFields: { "": "a" } }, /its field "" is no name/],
  ["a field with an odd name", { outputFields: { "a b": "a" } }, /its field "a b" is no name/],
  ["a field without a description", { outputFields: { a: 1 } }, /has no description/],
  ["a long description", { outputFields: { a: "x".repeat(1_001) } }, /has no description/],
  [
    "many fields",
    { outputFields: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, ""])) },
    /it asks for 21 fields, the limit is 20/,
  ],
];

Deno.test("askBeforeCompact() names whoever answers nonsense, throws or hangs", async () => {
  for (const [name, answer, reason] of NONSENSE) {
    const { failures, options } = scene();
    const good = before("acme.good", { instructions: "good" });
    const wishes = await askBeforeCompact([before("acme.bad", answer), good], INPUT, options);
    assert.deepEqual(wishes.map(({ plugin }) => plugin), ["acme.good"], name);
    assert.equal(failures.length, 1, name);
    assert.match(failures[0] ?? "", reason);
  }
  const { failures, options } = scene(50);
  let hung: AbortSignal | undefined;
  const wishes = await askBeforeCompact(
    [
      {
        plugin: "acme.throws",
        before: () => {
          throw new Error("no disk");
        },
      },
      {
        plugin: "acme.hangs",
        before: ({ signal }) => {
          hung = signal;
          return new Promise(() => {});
        },
      },
    ],
    INPUT,
    options,
  );
  assert.deepEqual([wishes, hung?.aborted], [[], true]);
  assert.deepEqual(failures.toSorted(), [
    "acme.hangs: Error: it did not end within 50 ms",
    "acme.throws: Error: no disk",
  ]);
});

Deno.test("tellAfterCompact() bounds what hooks add, and names whoever answers nonsense", async () => {
  const { failures, options } = scene();
  const extras = await tellAfterCompact(
    [
      after("acme.none", undefined),
      after("acme.empty", { injectContext: " \n" }),
      {
        plugin: "acme.own",
        after: ({ extracted }) => ({ report: { summary: `notes: ${extracted.notes}` } }),
      },
      after("acme.long", { injectContext: "x".repeat(50_000), report: { summary: "" } }),
      after("acme.text", { injectContext: 1 }),
      after("acme.report", { report: "done" }),
      after("acme.summary", { report: {} }),
    ],
    (plugin) => ({ ...RESULT, extracted: plugin === "acme.own" ? { notes: 3 } : {} }),
    options,
  );
  const [own, long, ...others] = extras;
  assert.deepEqual([own, others], [
    { plugin: "acme.own", context: "", report: "notes: 3" },
    [],
  ]);
  assert.ok((long?.context.length ?? 0) < 16_100 && long?.report === "");
  assert.deepEqual(failures.toSorted(), [
    "acme.report: TypeError: its report is no object",
    "acme.text: TypeError: its injectContext is no text",
  ]);
});
