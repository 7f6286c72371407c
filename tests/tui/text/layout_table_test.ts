import assert from "node:assert/strict";
import { layoutTable } from "../../../tui/text/layout_table.ts";
import { lineOf, textOfLine } from "../../../tui/text/span.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";

const theme = createTheme({ depth: "none", unicode: true, background: "dark" });
const cell = (text: string) => [lineOf(text)];

function rowsOf(table: readonly (readonly string[])[], width: number): readonly string[] {
  const [head = [], ...rows] = table.map((row) => row.map(cell));
  return layoutTable({ head, rows }, theme, width).map((row) => textOfLine(row).trimEnd());
}

const WORDY = [["Name", "What it is"], ["a", "some words that are long"], ["b", ""]];

Deno.test("layoutTable() gives columns what they need", () => {
  assert.deepEqual(rowsOf(WORDY, 60), [
    "Name │ What it is",
    "─────┼─────────────────────────",
    "a    │ some words that are long",
    "b    │",
  ]);
});

Deno.test("layoutTable() takes from the widest column first", () => {
  assert.deepEqual(rowsOf(WORDY, 20), [
    "Name │ What it is",
    "─────┼──────────────",
    "a    │ some words",
    "     │ that are long",
    "b    │",
  ]);
});

Deno.test("layoutTable() makes a list of a table that has no room", () => {
  assert.deepEqual(rowsOf(WORDY, 10), [
    "Name: a",
    "What it",
    "is: some",
    "words that",
    "are long",
    "",
    "Name: b",
    "What it",
    "is:",
  ]);
});

Deno.test("layoutTable() shows rows that are too short or too long", () => {
  assert.deepEqual(rowsOf([["a", "b"], ["1"], ["1", "2", "3"]], 20), [
    "a │ b",
    "──┼──",
    "1 │",
    "1 │ 2",
  ]);
  assert.deepEqual(rowsOf([[], ["1"]], 20), []);
});
