import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { MAX_EDITABLE_BYTES, readEditableFile } from "../../../core/files/editable_file.ts";
import { readUpTo } from "../../../core/files/read_up_to.ts";
import { withTempDir } from "../../support/temp.ts";

Deno.test("readEditableFile() reads up to 1 MiB and not a byte more", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a");
    strictEqual(await readEditableFile(path), null);
    strictEqual(await readEditableFile(join(path, "b")), null);
    await Deno.writeFile(path, new Uint8Array(MAX_EDITABLE_BYTES));
    strictEqual((await readEditableFile(path))?.length, MAX_EDITABLE_BYTES);
    await Deno.writeFile(path, new Uint8Array(MAX_EDITABLE_BYTES + 1));
    await rejects(readEditableFile(path), { name: "FileError", code: "too_large" });
    await rejects(readEditableFile(dir), { name: "FileError", code: "is_folder" });
  });
});

Deno.test({
  name: "readUpTo() reads files that claim no size",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using file = await Deno.open("/proc/self/maps");
    const { size: claimedBytes } = await file.stat();
    strictEqual(claimedBytes, 0);
    const { bytes, complete } = await readUpTo(file, { maxBytes: 10_000_000, claimedBytes });
    strictEqual(complete, true);
    strictEqual(bytes.length > 1_000, true);
  },
});

Deno.test("readUpTo() stops at its limit", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "a");
    await Deno.writeTextFile(path, "abcdef");
    for (const [limit, complete] of [[5, false], [6, true], [7, true]] as const) {
      using file = await Deno.open(path);
      const start = await readUpTo(file, { maxBytes: limit, claimedBytes: 6 });
      deepStrictEqual([start.complete, start.bytes.length], [complete, 6]);
    }
  });
});
