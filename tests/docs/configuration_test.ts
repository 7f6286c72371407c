import assert from "node:assert/strict";
import { configKeyRows } from "../support/config_key_table.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

const PAGE = "docs/configuration.md";

Deno.test("docs/configuration.md lists every key that works, with its value and default", async () => {
  const { rows } = tableUnder(await readPage(PAGE), "Keys");
  const wanted = configKeyRows("working");
  assert.deepEqual(
    rows.map((row) => row.slice(0, 4)),
    wanted.map((row) => [row.key, row.value, row.default, row.file]),
  );
  for (const [key, , , , meaning] of rows) assert.ok(meaning, `${key} has no meaning`);
});

Deno.test("docs/configuration.md lists every key of a later feature", async () => {
  const { rows } = tableUnder(await readPage(PAGE), "Keys of later features");
  const wanted = configKeyRows("planned");
  assert.deepEqual(
    rows.flatMap(([section = "", keys = ""]) => pathsOf(section, keys)),
    wanted.map(({ key }) => plain(key)),
  );
  assert.deepEqual(
    rows.flatMap(([section = "", , keys = ""]) => keys === "" ? [] : pathsOf(section, keys)),
    wanted.filter(({ file }) => file === "global").map(({ key }) => plain(key)),
  );
});

function pathsOf(section: string, keys: string): readonly string[] {
  const name = plain(section);
  return keys === "" ? [name] : plain(keys).split(", ").map((key) => `${name}.${key}`);
}
