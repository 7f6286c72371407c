import assert from "node:assert/strict";
import { changeLines } from "../../../tui/transcript/change_lines.ts";

/** What a call is to change, and the lines that are shown. */
const ROWS: readonly (readonly [
  name: string,
  args: Record<string, unknown>,
  lines: readonly string[] | undefined,
])[] = [
  ["edit_file", { oldText: "b", newText: "B" }, ["1 - b", "1 + B"]],
  ["edit_file", { oldText: "a\nb\nc", newText: "a\nx\ny\nc" }, [
    "1   a",
    "2 - b",
    "2 + x",
    "3 + y",
    "4   c",
  ]],
  ["edit_file", { oldText: "a\nb\nc\nd\ne\nf", newText: "a\nb\nc\nd\ne\nF" }, [
    "3   c",
    "4   d",
    "5   e",
    "6 - f",
    "6 + F",
  ]],
  ["edit_file", { oldText: "a\na\n", newText: "a\n" }, ["1   a", "2 - a"]],
  ["edit_file", { oldText: "a", newText: "" }, ["1 - a"]],
  ["edit_file", { oldText: "a\x1b[2J", newText: "a" }, ["1 - a\\x1b[2J", "1 + a"]],
  ["write_file", { content: "a\nb\n" }, ["1 + a", "2 + b"]],
  ["write_file", { content: "" }, []],
  ["edit_file", { oldText: 1 }, undefined],
  ["shell", { command: "x" }, undefined],
];

const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "-", kept: " " };

for (const [name, args, lines] of ROWS) {
  Deno.test(`changeLines() shows ${name} ${JSON.stringify(args)}`, () => {
    const call = { id: "a", name, arguments: JSON.stringify(args), status: "running" } as const;
    assert.deepEqual(
      changeLines(call)?.map(({ number, kind, text }) => `${number} ${SIGNS[kind]} ${text}`),
      lines,
    );
  });
}

Deno.test("changeLines() shows nothing of arguments that are no JSON yet", () => {
  const call = {
    id: "a",
    name: "edit_file",
    arguments: '{"oldText":"a',
    status: "running",
  } as const;
  assert.equal(changeLines(call), undefined);
});
