import assert from "node:assert/strict";
import { formatMatrix, POLICIES } from "../core/wall/_matrix.ts";
import { findTables, plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

const PAGE = "docs/second-wall.md";

Deno.test("docs/second-wall.md holds the matrix; deno run -A tests/core/wall/_matrix.ts prints it", async () => {
  const [wanted] = findTables(`# x\n\n${formatMatrix()}`);
  const { header, rows } = tableUnder(await readPage(PAGE), "The matrix");
  assert.deepEqual(header, wanted?.header);
  assert.deepEqual(rows, wanted?.rows);
});

Deno.test("docs/second-wall.md says what each column of the matrix stands for", async () => {
  const { rows } = tableUnder(await readPage(PAGE), "What was tried, and under what");
  assert.deepEqual(
    rows.map(([column = ""]) => plain(column)),
    Object.values(POLICIES).map(({ title }) => plain(title)),
  );
});
