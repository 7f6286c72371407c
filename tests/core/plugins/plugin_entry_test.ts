import assert from "node:assert/strict";
import {
  foreignScheme,
  isModuleFile,
  isPluginPath,
  parsePackageName,
} from "../../../core/plugins/plugin_entry.ts";

Deno.test("isPluginPath() tells paths from names of packages", () => {
  const paths = ["./p.js", "../p", ".hidden", "/p", "a\\b", "p.js", "p.mts", "p.cjs", "a/b", "~/p"];
  const names = ["p", "plugin-js", "@acme/p", "npm:p", "npm:@acme/p@1.0.0", "p.jsx", "p.json"];
  const addresses = ["file:///p.js", "https://x/p.js", "jsr:@a/p", "git+ssh:x/p", "npm:../p"];
  assert.deepEqual(paths.filter((entry) => !isPluginPath(entry)), []);
  assert.deepEqual([...names, ...addresses].filter(isPluginPath), []);
  assert.deepEqual(addresses.map(foreignScheme), ["file:", "https:", "jsr:", "git+ssh:", null]);
  assert.deepEqual(
    [...paths, ...names, "C:\\p.js", "C:/p.js"].map(foreignScheme).filter((it) => it),
    [],
  );
  assert.ok(isPluginPath("C:\\p.js"));
});

Deno.test("parsePackageName() takes plain names of the registry and nothing else", () => {
  assert.deepEqual(parsePackageName("npm:@acme/p@1.2.3-rc.1"), {
    name: "@acme/p",
    version: "1.2.3-rc.1",
  });
  assert.deepEqual(parsePackageName("plugin-x"), { name: "plugin-x" });
  const refused = [
    "--force",
    "-g",
    "P",
    "@acme",
    "@acme/",
    "a b",
    "git+ssh:x",
    "a;b",
    "p@",
    "p\n",
    "",
  ];
  assert.deepEqual(refused.filter((entry) => parsePackageName(entry) !== null), []);
});

Deno.test("isModuleFile() takes modules and no declarations", () => {
  const rows = { "a.js": true, "a.mjs": true, "a.cts": true, "a.ts": true, "a.d.ts": false };
  for (const [name, expected] of Object.entries({ ...rows, "a.d.mts": false, "a.json": false })) {
    assert.equal(isModuleFile(name), expected, name);
  }
});
