import assert from "node:assert/strict";
import { withPromptEditor } from "../../support/prompt_editor_scene.ts";

const START = "\x1b[200~";
const END = "\x1b[201~";
const LONG = Array.from({ length: 42 }, (_, index) => `line ${index}`).join("\n");

Deno.test("PromptEditor collapses a long paste, and sends it in full", () =>
  withPromptEditor(async ({ type, draw, sent }) => {
    await type("look: ");
    await type(START + LONG + END);
    await type(" and");
    await type(START + "x".repeat(1_001) + END);
    assert.match(draw(80), /› look: \[paste #1 \+42 lines\] and\[paste #2 1001 chars\]⟦ ⟧/);
    await type("\r");
    assert.deepEqual(sent, [{
      prompt: `look: ${LONG} and${"x".repeat(1_001)}`,
      display: "look: [paste #1 +42 lines] and[paste #2 1001 chars]",
    }]);
  }));

Deno.test("PromptEditor takes the sign of a paste as one, and undoes a paste as one step", () =>
  withPromptEditor(async ({ type, editor }) => {
    await type("a");
    await type(START + LONG + END);
    await type("b\x1b[D\x1b[D");
    await type("X");
    assert.equal(editor.text(), `aX${LONG}b`);
    await type("\x1b[3~");
    assert.equal(editor.text(), "aXb");
    await type("\x1f\x1f");
    await type("\x1f\x1f");
    assert.equal(editor.text(), "a");
  }));

/** What is pasted; the editor holds exactly that afterwards, and nothing is sent. */
const HOSTILE: readonly (readonly [name: string, bytes: string, text: string])[] = [
  ["lines", `${START}a\r\nb\rc\nd${END}`, "a\nb\nc\nd"],
  ["the mark of the end and Enter", `${START}a${END}\rrm -rf /\r${END}`, "a\nrm -rf /\n"],
  ["both marks", `${START}a${END}\r${START}b\r${END}`, "a\nb\n"],
  ["a mark in pieces", `${START}a\x1b[20${START}0~b${END}`, "ab"],
  ["a key that interrupts", `${START}a\x03\x04\x1bb${END}`, "a\x03\x04\x1bb"],
  ["a key that interrupts behind the mark", `${START}a${END}\x03${END}`, "a\x03"],
  ["a slash command", `${START}/exit\r${END}`, "/exit\n"],
  ["a tab and a device string", `${START}a\tb\x1bP1$r0m\x1b\\${END}`, "a\tb\x1bP1$r0m\x1b\\"],
  ["lines without marks", "first\rsecond\rthird\r", "first\nsecond\nthird\n"],
];

for (const [name, bytes, text] of HOSTILE) {
  Deno.test(`PromptEditor pastes ${name} as text`, () =>
    withPromptEditor(async ({ type, editor, sent, draw }) => {
      await type(bytes);
      assert.equal(editor.text(), text);
      assert.deepEqual(sent, []);
      draw(40);
    }));
}

Deno.test("PromptEditor sends what was pasted only with a key after it", () =>
  withPromptEditor(async ({ type, sent, until }) => {
    await type(`${START}one${END}\r`);
    await until(() => sent.length === 1);
    assert.deepEqual(sent, [{ prompt: "one" }]);
  }));

Deno.test("PromptEditor takes a megabyte in one go, and stays quick while more is typed", () =>
  withPromptEditor(async ({ type, editor, sent, draw }) => {
    const text = "0123456789abcde\n".repeat(65_536);
    const started = performance.now();
    await type(START + text + END);
    for (let index = 0; index < 100; index++) {
      editor.handleInput("x");
      draw(80);
    }
    assert.ok(performance.now() - started < 3_000, `${performance.now() - started} ms`);
    await type("\r");
    assert.equal(sent[0]?.prompt, `${text}${"x".repeat(100)}`);
  }));

Deno.test("PromptEditor refuses a paste that no prompt holds, and keeps what is there", () =>
  withPromptEditor(async ({ type, editor, notices }) => {
    await type("draft");
    await type(START + "x".repeat(4_000_001) + END);
    assert.equal(editor.text(), "draft");
    assert.deepEqual(notices, [
      "Cannot paste 4.0 million characters: a prompt holds at most 4.0 million characters; save " +
      "it as a file, and name the file with @",
    ]);
  }));

Deno.test("PromptEditor leaves signs alone that a paste or a person wrote", () =>
  withPromptEditor(async ({ type, sent }) => {
    const tricky = `[paste #2 +12 lines]\n${LONG}`;
    await type(START + tricky + END);
    await type(START + "z\n".repeat(11) + END);
    await type(" [paste #9 +3 lines]\r");
    assert.equal(sent[0]?.prompt, `${tricky}${"z\n".repeat(11)} [paste #9 +3 lines]`);
  }));
