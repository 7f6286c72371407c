import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { findLookalike } from "../../../core/paths/find_lookalike.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test("findLookalike() finds the only name that differs in composition or spaces (field case 54)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "cafe\u0301/menu\u202fPM.txt": "",
      "one\u00a0two.txt": "",
      "one\u2009two.txt": "",
      "plain.txt": "",
    });
    deepStrictEqual(await findLookalike(join(dir, "caf\u00e9/menu PM.txt")), {
      kind: "unique",
      real: join(dir, "cafe\u0301/menu\u202fPM.txt"),
    });
    deepStrictEqual(await findLookalike(join(dir, "Plain.txt")), { kind: "none" });
    deepStrictEqual(await findLookalike(join(dir, "plain.txt")), { kind: "none" });
    deepStrictEqual(await findLookalike(join(dir, "caf\u00e9/other")), { kind: "none" });
    const ambiguous = await findLookalike(join(dir, "one two.txt"));
    deepStrictEqual(ambiguous.kind === "ambiguous" ? [...ambiguous.names].sort() : ambiguous, [
      "one\u00a0two.txt",
      "one\u2009two.txt",
    ]);
  });
});

Deno.test("findLookalike() prefers the exact name below a folder that looks the same (field case 54)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "cafe\u0301/a b.txt": "", "cafe\u0301/a\u00a0b.txt": "" });
    deepStrictEqual(await findLookalike(join(dir, "caf\u00e9/a b.txt")), {
      kind: "unique",
      real: join(dir, "cafe\u0301/a b.txt"),
    });
  });
});

Deno.test("findLookalike() gives up on a folder with too many names", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a\u00a0b": "", c: "", d: "" });
    const missing = join(dir, "a b");
    deepStrictEqual(await findLookalike(missing, { maxEntries: 2 }), { kind: "none" });
    deepStrictEqual((await findLookalike(missing, { maxEntries: 3 })).kind, "unique");
  });
});
