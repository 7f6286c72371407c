import assert from "node:assert/strict";
import { parseInstallSpec } from "../../../../core/plugins/install/install_spec.ts";
import { AlisioError, errorMessage } from "../../../../core/errors.ts";

Deno.test("parseInstallSpec() takes plain names of the registry and files", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["npm:alisio-plugin-x", { kind: "registry", name: "alisio-plugin-x" }],
    ["alisio-plugin-x", { kind: "registry", name: "alisio-plugin-x" }],
    ["npm:@scope/plugin-x@1.2.3", {
      kind: "registry",
      name: "@scope/plugin-x",
      version: "1.2.3",
    }],
    ["x@next", { kind: "registry", name: "x", version: "next" }],
    ["x@1.0.0-beta.1", { kind: "registry", name: "x", version: "1.0.0-beta.1" }],
    // Only with the prefix, a name that ends so is one of a package.
    ["npm:x.tgz", { kind: "registry", name: "x.tgz" }],
    ["x.tgz", { kind: "file", path: "x.tgz" }],
    ["./a b/x-1.0.0.TGZ", { kind: "file", path: "./a b/x-1.0.0.TGZ" }],
    ["/tmp/x.tar.gz", { kind: "file", path: "/tmp/x.tar.gz" }],
    ["C:\\x.tgz", { kind: "file", path: "C:\\x.tgz" }],
  ];
  for (const [text, spec] of rows) assert.deepEqual(parseInstallSpec(text), spec, text);
});

Deno.test("parseInstallSpec() refuses every trick with the source (field case 172)", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["", /it is empty; write npm:<package>/],
    ["--global", /is no name of a package/],
    ["-g", /is no name of a package/],
    ["npm:--force", /is no name of a package/],
    ["x --force", /is no name of a package/],
    ["x;id", /is no name of a package/],
    ["$(id)", /is no name of a package/],
    ["`id`", /is no name of a package/],
    ["x\n", /is no name of a package/],
    ["X", /is no name of a package: a name has lowercase letters/],
    // A Cyrillic letter.
    ["аlisio-plugin", /is no name of a package/],
    ["git:x", /"git:" is no source that Alisio installs from/],
    ["git+ssh://git@example.com/x.git", /"git\+ssh:" is no source/],
    ["https://example.com/x.tgz", /"https:" is no source/],
    ["file:../x.tgz", /"file:" is no source/],
    ["jsr:@a/b", /"jsr:" is no source/],
    ["registry:http://x", /"registry:" is no source/],
    ["user/repo", /is no name of a package/],
    ["npm:user/repo", /is no name of a package/],
    ["@a/b/c", /is no name of a package/],
    ["@/x", /is no name of a package/],
    ["../x", /it is a path, and not one of a \.tgz file/],
    ["/etc", /it is a path/],
    ["~/x", /it is a path/],
    ["npm:../x", /is no name of a package/],
    ["..", /it is a path/],
    [".npmrc", /it is a path/],
    ["node_modules", /is no name of a package/],
    ["x@", /"" is no version/],
    ["x@^1.0.0", /"\^1\.0\.0" is no version: name an exact one/],
    ["x@1 || 2", /is no version/],
    ["x@npm:y", /is no version/],
    ["x@https://example.com/y.tgz", /is no version/],
    ["x@file:../y", /is no version/],
    ["x@-1", /is no version/],
    ["x".repeat(215), /is no name of a package/],
  ];
  for (const [text, reason] of rows) {
    assert.throws(
      () => parseInstallSpec(text),
      (error: unknown) => {
        assert.ok(error instanceof AlisioError && error.code === "usage", text);
        assert.match(errorMessage(error), /^Cannot install ".*": /s);
        assert.match(errorMessage(error), reason, text);
        return true;
      },
    );
  }
});
