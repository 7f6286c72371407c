import assert from "node:assert/strict";
import { listSourceFiles } from "../support/module_imports.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { ROOT } from "../support/paths.ts";
import { readPage } from "./_pages.ts";

/** Set for programs that Alisio starts; it reads none of them. */
const NOT_READ = ["ALISIO_CALL_ID", "ALISIO_INSTALL"];

Deno.test("The README lists every variable of Alisio that the sources name, and no other", async () => {
  const { rows } = tableUnder(await readPage("README.md"), "Environment variables");
  const listed = rows.map(([name = ""]) => plain(name));
  const ours = (name: string): boolean => /^(?:ALISIO|OPENAI)_/.test(name);
  assert.deepEqual(listed.filter(ours).toSorted(), await findVariables());
  // Their folders are in `$XDG_CONFIG_HOME` and `$XDG_STATE_HOME`.
  const others = listed.filter((name) => !ours(name));
  assert.deepEqual(others, ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]);
});

async function findVariables(): Promise<readonly string[]> {
  const sources = (await listSourceFiles(ROOT))
    .filter((file) => /^(?:cli|core|tools|plugins)[/.]/.test(file));
  const texts = await Promise.all(sources.map((file) => Deno.readTextFile(`${ROOT}/${file}`)));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/["'`](?:\$\{)?((?:ALISIO|OPENAI)_[A-Z_]+)["'`]/g)].map(([, name = ""]) =>
      name
    )
  );
  return [...new Set(names)].filter((name) => !NOT_READ.includes(name)).toSorted();
}
