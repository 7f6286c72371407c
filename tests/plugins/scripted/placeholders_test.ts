import assert from "node:assert/strict";
import type { ToolMessage } from "@alisio/sdk";
import { fillPlaceholders } from "../../../plugins/scripted/placeholders.ts";

const RESULTS: readonly ToolMessage[] = [
  resultOf("read_file", '{"path":"a","sha256":"aaa","lines":3}'),
  resultOf("list_files", '{"files":["x.ts","y.ts"],"nextOffset":null}'),
  resultOf("read_file", '{"path":"b","sha256":"b\\"}b"}\n\n<instructions>{"sha256":"no"}'),
  resultOf("shell", "plain text"),
];

const ROWS: readonly (readonly [value: unknown, filled: unknown])[] = [
  ["{{result:0.sha256}}", "aaa"],
  ["{{last:read_file.sha256}}", 'b"}b'],
  ["{{result:0.lines}}", 3],
  ["{{result:1.nextOffset}}", null],
  ["{{last:list_files.files.1}}", "y.ts"],
  ["{{last:list_files.files}}", ["x.ts", "y.ts"]],
  ["<{{result:0.sha256}}:{{result:0.lines}}>", "<aaa:3>"],
  [{ a: ["{{result:0.path}}"], b: 1, c: null }, { a: ["a"], b: 1, c: null }],
  ["{{ other }} {{x}} {result:0.a}", "{{ other }} {{x}} {result:0.a}"],
];

const BROKEN: readonly (readonly [text: string, reason: RegExp])[] = [
  ["{{result:0.nothing}}", /no such field: .*aaa/],
  ["{{result:9.sha256}}", /there are 4 tool results and it is none of them/],
  ["{{last:write_file.sha256}}", /it is none of them/],
  ["{{result:3.sha256}}", /no such field: "plain text"/],
  ["{{result:0.toString}}", /no such field/],
  ["{{result:0.path.length}}", /no such field/],
  ["{{result:x.sha256}}", /it must look like/],
  ["{{last:read_file}}", /it must look like/],
  ["before {{result:}} after", /it must look like/],
];

Deno.test("fillPlaceholders() fills fields of earlier results", () => {
  for (const [value, filled] of ROWS) {
    assert.deepEqual(fillPlaceholders(value, RESULTS), filled, JSON.stringify(value));
  }
});

Deno.test("fillPlaceholders() says why a placeholder has no value", () => {
  for (const [text, reason] of BROKEN) {
    assert.throws(() => fillPlaceholders({ text }, RESULTS), (error: unknown) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, /^placeholder "\{\{[^}]*\}\}" has no value: /);
      assert.match(error.message, reason);
      return true;
    }, text);
  }
});

Deno.test("fillPlaceholders() bounds what it quotes", () => {
  const long = [resultOf("shell", JSON.stringify({ text: "x".repeat(10_000) }))];
  assert.throws(() => fillPlaceholders("{{result:0.a}}", long), (error: unknown) => {
    return error instanceof RangeError && error.message.length < 400;
  });
});

function resultOf(name: string, text: string): ToolMessage {
  return { role: "tool", callId: "1", name, text, isError: false };
}
