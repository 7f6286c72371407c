import assert from "node:assert/strict";
import { TextBuffer } from "../../../plugins/openai_compatible/text_buffer.ts";

Deno.test("TextBuffer joins pieces of any size in order", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["nothing", []],
    ["empty pieces", ["", ""]],
    ["one piece", ["abc"]],
    ["small pieces", Array.from({ length: 200_000 }, (_, index) => `${index % 10}`)],
    ["pieces larger than a block", ["a".repeat(70_000), "b", "c".repeat(70_000)]],
    ["pairs of surrogates in halves", ["\ud83d", "\ude00"]],
  ];
  for (const [name, pieces] of rows) {
    const buffer = new TextBuffer();
    let text = "";
    for (const [index, piece] of pieces.entries()) {
      buffer.push(piece);
      text += piece;
      // Looking in between changes nothing.
      if (index % 50_000 === 7) assert.ok(buffer.toString() === text, name);
    }
    assert.equal(buffer.length, text.length, name);
    assert.ok(buffer.toString() === text, name);
    assert.ok(buffer.toString() === text, name);
    buffer.clear();
    assert.deepEqual([buffer.length, buffer.toString()], [0, ""], name);
    buffer.push("x");
    assert.equal(buffer.toString(), "x", name);
  }
});
