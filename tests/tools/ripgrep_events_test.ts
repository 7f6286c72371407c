import assert from "node:assert/strict";
import { parseRipgrepEvent } from "../../tools/_ripgrep_events.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("parseRipgrepEvent() reads what a search needs", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['{"type":"begin","data":{"path":{"text":"./a"}}}', { type: "begin", path: encode("./a") }],
    [
      '{"type":"begin","data":{"path":{"bytes":"Li9iYWT/"}}}',
      { type: "begin", path: Uint8Array.of(0x2e, 0x2f, 0x62, 0x61, 0x64, 0xff) },
    ],
    [
      '{"type":"match","data":{"lines":{"text":"xab\\n"},"line_number":3,"absolute_offset":9,"submatches":[{"start":1,"end":2}]}}',
      { type: "match", lineNumber: 3, line: encode("xab\n"), start: 1, offset: 9 },
    ],
    ['{"type":"end","data":{"binary_offset":null}}', { type: "end", isBinary: false }],
    ['{"type":"end","data":{"binary_offset":7}}', { type: "end", isBinary: true }],
    ['{"data":{"stats":{}},"type":"summary"}', { type: "summary" }],
    ['{"type":"context","data":{}}', null],
    ["{broken", null],
    ["null", null],
    ['{"type":"match"}', null],
  ];
  for (const [text, expected] of rows) {
    assert.deepEqual(parseRipgrepEvent(encode(text), true), expected, text);
  }
});

Deno.test("parseRipgrepEvent() reports a match whose line is cut", () => {
  const cut = encode('{"type":"match","data":{"path":{"text":"./a"},"lines":{"text":"xxx');
  assert.deepEqual(parseRipgrepEvent(cut, false), {
    type: "match",
    lineNumber: null,
    line: null,
    start: 0,
    offset: 0,
  });
  assert.equal(parseRipgrepEvent(encode('{"type":"begin"'), false), null);
});
