import assert from "node:assert/strict";
import { packageTarget } from "../../../core/plugins/package_targets.ts";

/** `exports` or `imports`, the name that is asked for, and what it is resolved to. */
type Row = readonly [unknown, string, string | null];

const ROWS: readonly Row[] = [
  ["./a.js", ".", "./a.js"],
  ["./a.js", "./b", null],
  [{ import: "./i.js", default: "./d.js" }, ".", "./i.js"],
  [{ require: "./r.cjs", default: "./d.js" }, ".", "./d.js"],
  [{ require: "./r.cjs" }, ".", null],
  [{ ".": { types: "./t.d.ts", import: "./i.js" } }, ".", "./i.js"],
  [{ ".": { node: { import: "./n.js" }, default: "./d.js" } }, ".", "./n.js"],
  [{ ".": { node: { require: "./n.cjs" }, default: "./d.js" } }, ".", "./d.js"],
  [{ ".": null, "./x": "./x.js" }, ".", null],
  [{ ".": [{ require: "./r.cjs" }, "./second.js"] }, ".", "./second.js"],
  [{ "./*": "./lib/*.js" }, "./deep/name", "./lib/deep/name.js"],
  [{ "./*": "./lib/*.js" }, "./", null],
  [{ "./*": "./l/*.js", "./a/*": "./a/*.js" }, "./a/x", "./a/x.js"],
  [{ "./*": "./l/*.js", "./a/*": null }, "./a/x", null],
  [{ "./*.js": "./l/*.js" }, "./a.css", null],
  [{ "./*": "./$&/*" }, "./$1", "./$&/$1"],
  [{ "./a": "./a.js" }, "./constructor", null],
  [{ "#in": { node: "./in.js" } }, "#in", "./in.js"],
  [{ "#in": "fs" }, "#out", null],
  [undefined, ".", null],
  [42, ".", null],
];

Deno.test("packageTarget() follows the rules of Node", () => {
  for (const [offered, name, expected] of ROWS) {
    const target = packageTarget(offered, name, ["node", "import"]);
    assert.equal(target, expected, `${JSON.stringify(offered)} ${name}`);
  }
});
