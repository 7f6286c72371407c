import assert from "node:assert/strict";
import { CHANGELOG } from "../../core/changelog/entries.ts";
import { ROOT } from "../support/paths.ts";
import { withTempDir } from "../support/temp.ts";
import { withEntry } from "./with_entry.ts";

Deno.test("withEntry() puts an entry in front, whatever its text", async () => {
  await withTempDir(async (dir) => {
    const source = await Deno.readTextFile(`${ROOT}/core/changelog/entries.ts`);
    const entry = { version: "9.9.9", notes: "- `a` \\ ${b} \\` and 'c'\n" };
    await Deno.writeTextFile(`${dir}/entries.ts`, withEntry(source, entry));
    const written: { readonly CHANGELOG: unknown } = await import(`file://${dir}/entries.ts`);
    assert.deepEqual(written.CHANGELOG, [entry, ...CHANGELOG]);
  });
});

Deno.test("withEntry() refuses a module that it does not know", () => {
  assert.throws(() => withEntry("export const X = [];", { version: "1.0.0", notes: "" }));
});
