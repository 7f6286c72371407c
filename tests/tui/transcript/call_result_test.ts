import assert from "node:assert/strict";
import type { ToolResultPart } from "@alisio/sdk";
import { callResult, previewResult } from "../../../tui/transcript/call_result.ts";

/** Results as tools write them, and what a person reads of them. */
const ROWS: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ["read_file", { path: "a", content: "1: x\n2: y", truncated: false }, "1: x\n2: y"],
  ["list_files", { files: ["a", "b/c"], nextOffset: null }, "a\nb/c"],
  ["search_text", {
    matches: [{ file: "a.ts", line: 3, text: "x" }, { file: "b", line: null, text: "y" }],
  }, "a.ts:3: x\nb: y"],
  ["git_status", { exitCode: 0, output: "clean" }, "clean"],
  ["bg_output", { stdout: "out", stderr: "err" }, "out\nerr"],
  ["edit_file", { path: "a", sha256: "0" }, ""],
  ["write_file", { path: "a", sha256: "0" }, ""],
  ["ask_user_question", {
    answers: [
      { header: "Database", skipped: false, selected: ["SQLite", "none"] },
      { header: "Name", skipped: true, selected: [] },
    ],
  }, "Database: SQLite, none\nName: skipped"],
  ["acme_tool", { a: 1 }, '{\n  "a": 1\n}'],
  ["acme_tool", [1, 2], "[1,2]"],
  ["read_file", { content: 3 }, '{\n  "content": 3\n}'],
];

for (const [name, value, text] of ROWS) {
  Deno.test(`callResult() reads ${JSON.stringify(value).slice(0, 50)} of ${name}`, () => {
    assert.equal(callResult(name, [{ type: "text", text: JSON.stringify(value) }]).text, text);
  });
}

Deno.test("callResult() leaves out the blocks of file and shell tools, and keeps what they know", () => {
  const patch = "@@ -1 +1 @@\n-a\n+b\n";
  const change: ToolResultPart = { type: "ui", block: { kind: "diff", patch } };
  const text: ToolResultPart = { type: "text", text: '{"path":"a","sha256":"0"}' };
  assert.deepEqual(callResult("edit_file", [text, change]), {
    text: "",
    blocks: [],
    images: [],
    patch,
  });
  const output: ToolResultPart = { type: "ui", block: { kind: "terminal", output: "both\n" } };
  const ended: ToolResultPart = { type: "text", text: '{"exitCode":2,"note":"late","stdout":"x"}' };
  assert.deepEqual(callResult("shell", [ended, output]), {
    text: "both\n\nlate",
    exitCode: 2,
    blocks: [],
    images: [],
  });
  assert.deepEqual(callResult("mcp_a_b", [output]).blocks, [{
    kind: "terminal",
    output: "both\n",
  }]);
});

Deno.test("callResult() keeps no more of a result than is shown", () => {
  const parts = Array.from({ length: 20 }, (): ToolResultPart => ({
    type: "ui",
    block: { kind: "math", latex: "x" },
  }));
  const result = callResult("x", [
    { type: "text", text: "y".repeat(1_000_000) },
    { type: "text", text: "what the blocks say" },
    ...parts,
  ]);
  assert.equal(result.blocks.length, 8);
  assert.ok(result.text.length < 17_000);
  assert.match(result.text, /characters left out/);
});

Deno.test("callResult() leaves out what blocks and images say, and keeps the words beside them", () => {
  const text = (value: string): ToolResultPart => ({ type: "text", text: value });
  const block: ToolResultPart = { type: "ui", block: { kind: "math", latex: "x" } };
  const image: ToolResultPart = { type: "image", mimeType: "image/png", data: "x" };
  const rows: readonly (readonly [readonly ToolResultPart[], string])[] = [
    [[text("said")], "said"],
    [[text("said"), block], ""],
    [[block, text("said")], ""],
    [[text("before"), text("said"), block, text("after")], "before\nafter"],
    [[text("[image: image/png]"), image], ""],
    [[text('[image: image/png] saved as "/a"'), image, text("after")], 'saved as "/a"\nafter'],
    [[text("a picture"), image], "a picture"],
    [[text('{"a":1}'), block, text('{"b":2}')], '{\n  "b": 2\n}'],
  ];
  for (const [content, expected] of rows) {
    assert.equal(callResult("mcp_a_b", content).text, expected, JSON.stringify(content));
  }
});

Deno.test("callResult() tells the size of an image, where it can be told", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzkAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const images = callResult("x", [
    { type: "image", mimeType: "image/png", data: png },
    { type: "image", mimeType: "image/png", data: "" },
    { type: "image", mimeType: "image/odd", data: "%%%" },
  ]).images;
  assert.deepEqual(images, [
    { mimeType: "image/png", size: { width: 640, height: 480 } },
    { mimeType: "image/png" },
    { mimeType: "image/odd" },
  ]);
});

Deno.test("previewResult() shows the start of a text, and nothing of a change that was made", () => {
  assert.equal(previewResult("some te…").text, "some te…");
  assert.equal(previewResult('{"path":"a","sha256":"0"}').text, "");
});
