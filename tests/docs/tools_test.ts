import assert from "node:assert/strict";
import type { JsonSchema } from "@alisio/sdk";
import * as definitions from "../../tools/tool_definitions.ts";
import { findTables, headingsOf, plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

const TOOLS: readonly definitions.ToolDefinitionFacts[] = Object.values(definitions)
  .filter((value) => typeof value === "object");

Deno.test("The README lists every tool with its effect", async () => {
  const { rows } = tableUnder(await readPage("README.md"), "Tools");
  assert.deepEqual(
    Object.fromEntries(rows.map(([name = "", effect = ""]) => [plain(name), plain(effect)])),
    Object.fromEntries(TOOLS.map(({ name, effect }) => [name, effect])),
  );
});

Deno.test("docs/tools.md has a section for every tool, which names its effect", async () => {
  const page = await readPage("docs/tools.md");
  const names = TOOLS.map(({ name }) => name);
  assert.deepEqual(headingsOf(page).slice(1).toSorted(), names.toSorted());
  for (const { name, effect } of TOOLS) {
    const section = page.split(`\n## ${name}\n`)[1]?.trimStart() ?? "";
    assert.ok(section.startsWith(`Effect \`${effect}\`.`), name);
  }
});

Deno.test("docs/tools.md lists the input of every tool as its schema has it", async () => {
  const tables = findTables(await readPage("docs/tools.md"));
  for (const { name, inputSchema } of TOOLS) {
    const table = tables.find(({ heading, header }) => heading === name && header[0] === "Input");
    const listed = (table?.rows ?? []).map(([field = "", type = "", meaning = ""]) => [
      plain(field),
      type,
      meaning.startsWith("Optional. "),
    ]);
    assert.deepEqual(listed, inputsOf(inputSchema), name);
  }
});

/** Name, type, and whether it may be left out. */
function inputsOf(schema: JsonSchema): readonly (readonly [string, string, boolean])[] {
  const required: unknown = schema.required ?? [];
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, { type }]) => [
    name,
    [type].flat().join(" or "),
    !(required as readonly string[]).includes(name),
  ]);
}
