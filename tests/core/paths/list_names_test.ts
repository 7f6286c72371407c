import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { listNames } from "../../../core/paths/list_names.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test("listNames() lists a folder, but none that is too large or missing", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "", "b/c": "" });
    deepStrictEqual([...await listNames(dir, { maxEntries: 2 }) ?? []].sort(), ["a", "b"]);
    strictEqual(await listNames(dir, { maxEntries: 1 }), null);
    strictEqual(await listNames(join(dir, "missing"), { maxEntries: 2 }), null);
    strictEqual(await listNames(join(dir, "a"), { maxEntries: 2 }), null);
  });
});
