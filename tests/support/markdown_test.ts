import assert from "node:assert/strict";
import { findBlocks, findTables, headingsOf, plain, tableUnder } from "./markdown.ts";

const PAGE = [
  "# Page",
  "",
  "| a | b |",
  "| - | - |",
  "| `x\\|y` | [z](z.md) |",
  "",
  "```sh",
  "# no heading",
  "```",
  "",
  "## `Second`",
  "",
  "<!-- checked -->",
  "",
  "```json",
  "{}",
  "```",
  "",
].join("\n");

Deno.test("findTables() finds rows and cells under their heading", () => {
  const rows = [["`x\\|y`", "[z](z.md)"]];
  assert.deepEqual(findTables(PAGE), [{ heading: "Page", header: ["a", "b"], rows }]);
});

Deno.test("tableUnder() refuses a heading without a table", () => {
  assert.equal(tableUnder(PAGE, "Page").rows.length, 1);
  assert.throws(() => tableUnder(PAGE, "Second"), /found 0/);
});

Deno.test("findBlocks() finds fenced blocks with language, heading and comment", () => {
  assert.deepEqual(findBlocks(PAGE), [
    { heading: "Page", language: "sh", comment: undefined, text: "# no heading\n" },
    { heading: "Second", language: "json", comment: "checked", text: "{}\n" },
  ]);
});

Deno.test("headingsOf() and plain() leave fences and marks out", () => {
  assert.deepEqual(headingsOf(PAGE), ["Page", "`Second`"]);
  assert.equal(plain("`x\\|y` and [z](z.md)"), "x|y and z");
});
