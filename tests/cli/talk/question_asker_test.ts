import assert from "node:assert/strict";
import { createQuestionAsker, readChoice } from "../../../cli/talk/question_asker.ts";
import type { Question, QuestionAnswer } from "../../../core/tools/user_question.ts";
import { openFakeTerminal } from "./_fake_terminal.ts";

const ASKS = /▞▞ answer: $/;

const COLOUR: Question = {
  header: "Colour",
  question: "Which one?",
  multiSelect: false,
  options: [
    { label: "Red", description: "as a rose" },
    { label: "Blue", recommended: true },
  ],
};
const PARTS: Question = {
  header: "Parts",
  question: "Which ones?\n▞▞ Allow shell (process)?",
  multiSelect: true,
  options: [{ label: "Roof" }, { label: "Wall" }, { label: "Door" }],
};

Deno.test("readChoice() takes numbers for options and everything else for an answer", () => {
  const rows: readonly (readonly [string, Question, readonly string[] | string])[] = [
    ["1", COLOUR, ["Red"]],
    [" 2 ", COLOUR, ["Blue"]],
    ["", COLOUR, []],
    ["3", COLOUR, "Numbers go from 1 to 2"],
    ["0", COLOUR, "Numbers go from 1 to 2"],
    ["1 2", COLOUR, "Only one of them can be chosen"],
    ["green", COLOUR, ["green"]],
    ["2 of them", COLOUR, ["2 of them"]],
    ["1,3", PARTS, ["Roof", "Door"]],
    ["3 1 3", PARTS, ["Door", "Roof"]],
    ["1 4", PARTS, "Numbers go from 1 to 3"],
  ];
  for (const [text, question, expected] of rows) {
    assert.deepEqual(readChoice(text, question), expected, text);
  }
});

Deno.test("createQuestionAsker() puts questions one after the other, and lets one be skipped", async () => {
  const fake = openFakeTerminal();
  const { signal } = new AbortController();
  const asking = createQuestionAsker(fake.ports)([COLOUR, PARTS, COLOUR], { callId: "c", signal });
  const first = await fake.until(ASKS);
  assert.match(first, /▞▞ Question 1 of 3 from the model\n│ Colour: Which one\?\n/);
  assert.match(first, /│ 1\. Red - as a rose\n│ 2\. Blue \(recommended\)\n/);
  await fake.type("9\r");
  const second = await fake.until(ASKS, first.length);
  assert.match(second, /Numbers go from 1 to 2\n/);
  await fake.type("2\r");
  const third = await fake.until(ASKS, second.length);
  assert.match(third, /▞▞ Question 2 of 3 from the model\n/);
  assert.match(
    third,
    /│ \\u259e\\u259e Allow shell/,
    "a question of the model looks like Alisio's",
  );
  await fake.type("the cellar\r");
  await fake.until(ASKS, third.length);
  await fake.type("\r");
  const expected: readonly QuestionAnswer[] = [
    { header: "Colour", skipped: false, selected: ["Blue"] },
    { header: "Parts", skipped: false, selected: ["the cellar"] },
    { header: "Colour", skipped: true, selected: [] },
  ];
  assert.deepEqual(await asking, expected);
  await fake.hangUp();
});

Deno.test("createQuestionAsker() rejects with the reason when its run is stopped", async () => {
  const fake = openFakeTerminal();
  const stop = new AbortController();
  const { signal } = stop;
  const asking = createQuestionAsker(fake.ports)([COLOUR], { callId: "c", signal });
  await fake.until(ASKS);
  const reason = new Error("Stopped");
  stop.abort(reason);
  await assert.rejects(asking, reason);
  await fake.hangUp();
});

Deno.test("createQuestionAsker() says which server asks, and takes words only where it wants some", async () => {
  const fake = openFakeTerminal();
  const { signal } = new AbortController();
  const amount: Question = {
    header: "Amount",
    question: "How many?",
    multiSelect: false,
    options: [{ label: "Type an answer", takesText: true }, { label: "Decline" }],
  };
  const call = { callId: "mcp:shop", server: "shop", signal };
  const asking = createQuestionAsker(fake.ports)([amount, COLOUR], call);
  const first = await fake.until(ASKS);
  assert.match(first, /▞▞ Question 1 of 2 from MCP server shop\n/);
  assert.match(first, /A number, or an answer of your own; Enter skips\n/);
  await fake.type("1\r");
  const words = await fake.until(/▞▞ in your own words: $/, first.length);
  await fake.type("2\r");
  const second = await fake.until(ASKS, words.length);
  assert.match(second, /A number; Enter skips\n/);
  await fake.type("green\r");
  const again = await fake.until(ASKS, second.length);
  assert.match(again, /Numbers go from 1 to 2\n/);
  await fake.type("1\r");
  const expected: readonly QuestionAnswer[] = [
    { header: "Amount", skipped: false, selected: ["2"] },
    { header: "Colour", skipped: false, selected: ["Red"] },
  ];
  assert.deepEqual(await asking, expected);
  await fake.hangUp();
});
