import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { listPages } from "../support/generated_pages.ts";
import { headingsOf, plain } from "../support/markdown.ts";
import { ROOT } from "../support/paths.ts";
import { readPage } from "./_pages.ts";

Deno.test("Every link between the pages leads to a file and a heading that exist", async () => {
  let count = 0;
  for (const page of await listPages()) {
    for (const [, target = ""] of (await readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      assert.ok((await Deno.stat(`${ROOT}/${file}`)).isFile, `${page}: ${target}`);
      count++;
      if (anchor === undefined) continue;
      const anchors = headingsOf(await readPage(file)).map(anchorOf);
      assert.ok(anchors.includes(anchor), `${page}: ${target}`);
    }
  }
  assert.ok(count > 20, `found ${count} links`);
});

Deno.test("The README leads to every page", async () => {
  const readme = await readPage("README.md");
  for (const page of await listPages()) {
    if (page !== "README.md") assert.ok(readme.includes(`](${page})`), page);
  }
});

function anchorOf(heading: string): string {
  return plain(heading).toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}
