import assert from "node:assert/strict";
import { SseDecoder, type SseItem } from "../../../plugins/openai_compatible/sse_decoder.ts";

const data = (text: string, event = ""): SseItem => ({ type: "data", event, data: text });
const comment: SseItem = { type: "comment" };

function decode(pieces: readonly string[]): SseItem[] {
  const decoder = new SseDecoder(1_000);
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

const ROWS: readonly (readonly [string, string, readonly SseItem[]])[] = [
  ["two events", "data: a\n\ndata: b\n\n", [data("a"), data("b")]],
  ["a value without a space", "data:a\n\n", [data("a")]],
  ["a value with two spaces", "data:  a\n\n", [data(" a")]],
  ["several lines of data", "data: a\ndata: b\n\n", [data("a\nb")]],
  ["the name of an event, once", "event: x\ndata: a\n\ndata: b\n\n", [data("a", "x"), data("b")]],
  ["other fields", "id: 1\nretry: 5\nnoise\ndata: a\n\n", [data("a")]],
  ["an event without data", "event: ping\n\ndata: a\n\n", [data("a")]],
  ["comments", ":\n: x\n\ndata: a\n: y\ndata: b\n\n", [comment, comment, comment, data("a\nb")]],
  ["no blank line at the end", "data: a\n\ndata: b", [data("a"), data("b")]],
  ["many blank lines", "\n\n\ndata: a\n\n\n\n", [data("a")]],
  ["an end marker without a blank line", "data: a\ndata: [DONE]\n", [data("a"), data("[DONE]")]],
  ["a line of bare JSON", '{"error":1}\n\n', [data('{"error":1}')]],
  ["a field named error", 'error: {"a":1}\n\n', [data('{"a":1}', "error")]],
  ["nothing", "", []],
];

for (const [name, text, items] of ROWS) {
  Deno.test(`SseDecoder reads ${name} with every kind of line end and cut`, () => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const wire = text.replaceAll("\n", lineEnd);
      assert.deepEqual(decode([wire]), items, JSON.stringify(wire));
      assert.deepEqual(decode([...wire]), items, `${JSON.stringify(wire)}, one by one`);
      for (let at = 1; at < wire.length; at++) {
        assert.deepEqual(decode([wire.slice(0, at), wire.slice(at)]), items, `cut at ${at}`);
      }
    }
  });
}

Deno.test("SseDecoder reads line ends that change within an event", () => {
  for (const blank of ["\r\n\n", "\n\r\n", "\n\r", "\r\r\n"]) {
    assert.deepEqual(decode([`data: a${blank}data: b${blank}`]), [data("a"), data("b")]);
  }
});

Deno.test("SseDecoder delivers an event with the piece that completes it", () => {
  const decoder = new SseDecoder(1_000);
  assert.deepEqual(decoder.push("data: a\n"), []);
  assert.deepEqual(decoder.push("\n"), [data("a")]);
  assert.deepEqual(decoder.push("data: b\r\n\r"), [data("b")]);
  assert.deepEqual(decoder.push("\ndata: [DONE]\r"), [data("[DONE]")]);
});

Deno.test("SseDecoder bounds an event, whether in one line or in many", () => {
  for (const piece of ["x", "data: xxxxxxxxx\n"]) {
    const decoder = new SseDecoder(100);
    decoder.push(`data: ${piece}`);
    assert.throws(() => {
      for (let count = 0; count < 200; count++) decoder.push(piece);
    }, RangeError);
  }
  const decoder = new SseDecoder(100);
  for (let count = 0; count < 200; count++) decoder.push(`data: ${"x".repeat(90)}\n\n`);
});
