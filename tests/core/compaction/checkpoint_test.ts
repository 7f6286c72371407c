import assert from "node:assert/strict";
import { parseCheckpoint } from "../../../core/compaction/checkpoint.ts";
import { checkpointMessage } from "../../../core/compaction/checkpoint_message.ts";
import { textOf } from "../../../core/session/stored_message.ts";
import { answer, checkpoint, prompt, result } from "./_conversation.ts";

const WHOLE = {
  goal: "Ship it",
  instructions: ["no new files"],
  discoveries: ["the port is 4317", 7, { path: "a.ts" }, "", null],
  accomplished: [],
  currentState: "  tests fail ",
  nextSteps: "fix them",
  relevantFiles: ["a.ts: the parser"],
  notes: ["own field"],
};

const TEXT = [
  "## Goal\nShip it",
  "## Instructions\n- no new files",
  '## Discoveries\n- the port is 4317\n- 7\n- {"path":"a.ts"}',
  "## Current state\ntests fail",
  "## Next steps\nfix them",
  "## Relevant files\n- a.ts: the parser",
].join("\n\n");

const JSON_TEXT = JSON.stringify(WHOLE, null, 2);

for (
  const [name, text] of [
    ["plain JSON", JSON_TEXT],
    ["a block of code", `Here it is:\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nDone {really}.`],
    ["words around it", `Sure! ${JSON_TEXT} Anything else?`],
    ["thoughts before it", `<think>{"goal": "no"}</think>\n${JSON_TEXT}`],
  ] as const
) {
  Deno.test(`parseCheckpoint() reads ${name}`, () => {
    const found = parseCheckpoint(text);
    assert.deepEqual([found?.structured, found?.text], [true, TEXT]);
    assert.deepEqual(found?.others, { notes: ["own field"] });
    assert.equal(found?.fields["currentState"], "tests fail");
  });
}

const TEXTS: readonly (readonly [string, string, string | null])[] = [
  ["words", "The port is 4317 and the tests fail.", "The port is 4317 and the tests fail."],
  ["JSON that breaks off", '{"goal": "Ship it", "disc', '{"goal": "Ship it", "disc'],
  ["other JSON", '{"summary": "The port is 4317"}', '{"summary": "The port is 4317"}'],
  ["a list", '["the port is 4317"]', '["the port is 4317"]'],
  ["nothing", "", null],
  ["a word", "ok", null],
  ["an empty object", "{}", null],
  ["thoughts alone", `<think>${"hm ".repeat(100)}`, null],
];

for (const [name, text, expected] of TEXTS) {
  Deno.test(`parseCheckpoint() makes of ${name} ${expected === null ? "nothing" : "a text"}`, () => {
    const found = parseCheckpoint(text);
    const whole = { structured: false, fields: {}, others: {}, text: expected };
    assert.deepEqual(found, expected === null ? null : whole);
  });
}

Deno.test("parseCheckpoint() takes one field for a checkpoint, however short", () => {
  assert.deepEqual(parseCheckpoint('{"goal": "Go", "notes": 1}'), {
    structured: true,
    fields: { goal: "Go" },
    others: { notes: 1 },
    text: "## Goal\nGo",
  });
});

Deno.test("parseCheckpoint() bounds what a model writes without end", () => {
  const many = { goal: "x".repeat(50_000), discoveries: Array(5_000).fill("fact") };
  const found = parseCheckpoint(JSON.stringify(many));
  assert.equal(String(found?.fields["goal"]).length, 8_000);
  assert.equal((found?.fields["discoveries"] as unknown[]).length, 200);
});

Deno.test("checkpointMessage() quotes what the person said, the prompt at hand in full", () => {
  const replaced = [
    checkpoint("older"),
    prompt("first\n  prompt"),
    answer("", "1"),
    result("1"),
    prompt("second prompt"),
  ];
  const parts = { text: "SUMMARY", replaced, maxQuoteChars: 4_000 };
  const done = checkpointMessage({ ...parts, holdsPrompt: false });
  assert.equal(done.summary, true);
  assert.match(
    textOf(done.content),
    /^\[Checkpoint: [^]*SUMMARY\n\n## What the person said before, oldest first\n- first prompt\n- second prompt$/,
  );
  assert.match(
    textOf(checkpointMessage({ ...parts, holdsPrompt: true }).content),
    /first\n- first prompt\n\n## What the person asks for now, word for word\nsecond prompt$/,
  );
  assert.match(
    textOf(checkpointMessage({ ...parts, maxQuoteChars: 0, holdsPrompt: false }).content),
    /SUMMARY$/,
  );
});
