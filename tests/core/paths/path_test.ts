import assert from "node:assert/strict";
import * as nodePath from "node:path";
import { posixPath } from "../../../core/paths/path.ts";

const PARTS = [
  "",
  "/",
  "//",
  "a",
  "b.c",
  ".",
  "..",
  "../",
  "./",
  "a/",
  "/a",
  "a//b",
  "é",
  "...",
  " ",
];

Deno.test("posixPath answers what node:path answers", () => {
  const { posix } = nodePath;
  for (const first of PARTS) {
    for (const second of PARTS) {
      for (const third of PARTS) {
        const parts = [first, second, third];
        const path = parts.join("");
        assert.equal(
          posixPath.join(...parts),
          posix.join(...parts),
          `join ${JSON.stringify(parts)}`,
        );
        assert.equal(posixPath.resolve(...parts), posix.resolve(...parts), `resolve ${parts}`);
        assert.equal(posixPath.dirname(path), posix.dirname(path), `dirname ${path}`);
        assert.equal(posixPath.basename(path), posix.basename(path), `basename ${path}`);
        assert.equal(posixPath.isAbsolute(path), posix.isAbsolute(path), `isAbsolute ${path}`);
        assert.equal(
          posixPath.relative(`/x/${first}`, `/x/${second}/${third}`),
          posix.relative(`/x/${first}`, `/x/${second}/${third}`),
          `relative ${parts}`,
        );
      }
    }
  }
  assert.deepEqual([posixPath.sep, posixPath.delimiter], [posix.sep, posix.delimiter]);
});
