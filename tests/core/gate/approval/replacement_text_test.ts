import assert from "node:assert/strict";
import {
  MAX_REPLACEMENT_BYTES,
  replacementText,
} from "../../../../core/gate/approval/replacement_text.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

Deno.test("replacementText() takes control characters out and keeps tab and line feed", () => {
  assert.equal(replacementText("a\u0000b\u001b[31mc\r\n\td\u007fe\u0085f"), "ab[31mc\n\tdef");
  assert.equal(replacementText("é 🦕 \ud800"), "é 🦕 \ufffd");
});

Deno.test("replacementText() cuts 70 KiB to 64 KiB between two characters (row R29)", () => {
  const controls = "\u0007".repeat(1_000);
  assert.equal(replacementText(controls + "a".repeat(70 * 1024)).length, 64 * 1024);
  for (const [character, size] of [["é", 2], ["€", 3], ["🦕", 4]] as const) {
    for (const before of ["", "a", "ab", "abc"]) {
      const cut = replacementText(before + character.repeat(Math.ceil(70 * 1024 / size)));
      assert.ok(cut.isWellFormed());
      assert.ok(!cut.includes("\ufffd"));
      const bytes = bytesOf(cut);
      assert.ok(bytes <= MAX_REPLACEMENT_BYTES && bytes > MAX_REPLACEMENT_BYTES - size);
    }
  }
});
