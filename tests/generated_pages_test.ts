import assert from "node:assert/strict";
import { fillGeneratedBlocks, findGeneratedBlocks } from "./support/generated_blocks.ts";
import { generatePages } from "./support/generated_pages.ts";

const PAGE = [
  "# Commands",
  "<!-- output of: alisio run --help -->",
  "```text",
  "old",
  "```",
  "",
  "```text",
  "written by hand",
  "```",
  "<!-- output of: alisio --version -->",
  "",
  "```text",
  "```",
  "",
].join("\n");

Deno.test("findGeneratedBlocks() finds marked blocks and no other", () => {
  assert.deepEqual(findGeneratedBlocks(PAGE), [
    { args: ["run", "--help"], shown: "old\n" },
    { args: ["--version"], shown: "" },
  ]);
});

Deno.test("fillGeneratedBlocks() replaces marked blocks and nothing else", () => {
  const filled = fillGeneratedBlocks(PAGE, ["costs $1 and $&\n", "1.2.3\n"]);
  assert.deepEqual(findGeneratedBlocks(filled).map(({ shown }) => shown), [
    "costs $1 and $&\n",
    "1.2.3\n",
  ]);
  assert.equal(filled.replace("costs $1 and $&\n", () => "old\n").replace("1.2.3\n", ""), PAGE);
});

Deno.test("The pages show what the commands print; deno run -A tests/write_docs.ts mends them", async () => {
  for (const { path, current, wanted } of await generatePages()) {
    assert.equal(current, wanted, path);
  }
});
