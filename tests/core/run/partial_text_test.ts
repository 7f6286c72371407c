import assert from "node:assert/strict";
import { PartialText } from "../../../core/run/partial_text.ts";

function partial(maxChars: number, pieces: Iterable<string>): string {
  const text = new PartialText(maxChars);
  for (const piece of pieces) text.add(piece);
  return text.text;
}

Deno.test("PartialText keeps a text whole that is no longer than its bound", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["nothing", []],
    ["one piece", ["abc"]],
    ["many pieces", Array.from({ length: 50_000 }, (_, index) => `${index % 10} `)],
    ["large pieces", ["a".repeat(70_000), "b".repeat(70_000)]],
  ];
  for (const [name, pieces] of rows) {
    assert.ok(partial(200_000, pieces) === pieces.join(""), name);
  }
});

Deno.test("PartialText keeps the start and the end of a longer one, and says what is gone", () => {
  for (const size of [1, 7, 1_000, 200_000]) {
    const whole = Array.from({ length: 60_000 }, (_, index) => `${index},`).join("");
    const pieces = whole.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    const text = partial(10_000, pieces);
    const [, head = "", gone, tail = ""] =
      /^([^]*)\n… \[(\d+) characters left out\] …\n([^]*)$/.exec(text) ?? [];
    assert.ok(text.length <= 10_000, `${size}: ${text.length}`);
    assert.ok(whole.startsWith(head) && head.length > 5_000, `${size}`);
    assert.ok(whole.endsWith(tail) && tail.length > 3_000, `${size}`);
    assert.equal(head.length + Number(gone) + tail.length, whole.length, `${size}`);
  }
});

Deno.test("PartialText may be read at any time", () => {
  const text = new PartialText(1_000);
  let whole = "";
  for (let index = 0; index < 300; index++) {
    text.add(`${index} `);
    whole += `${index} `;
    if (whole.length <= 900) assert.equal(text.text, whole);
  }
  assert.ok(text.text.endsWith("298 299 "));
});

Deno.test("PartialText splits no pair of surrogates", () => {
  for (let max = 64; max < 140; max++) {
    assert.ok(partial(max, Array(500).fill("😀")).isWellFormed(), `${max}`);
    assert.ok(partial(max, ["x", ...Array(500).fill("😀")]).isWellFormed(), `${max}`);
  }
});
