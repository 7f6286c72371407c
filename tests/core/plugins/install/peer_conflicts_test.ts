import assert from "node:assert/strict";
import { join } from "node:path";
import { installFolder } from "../../../../core/plugins/install/install_folder.ts";
import { packageClosure } from "../../../../core/plugins/install/package_closure.ts";
import { findPeerConflicts } from "../../../../core/plugins/install/peer_conflicts.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

Deno.test("findPeerConflicts() holds ranges against what lies beside a package", async () => {
  const manifest = (name: string, version: string, peers: Readonly<Record<string, string>> = {}) =>
    JSON.stringify({ name, version, peerDependencies: peers });
  await withTempDir(async (dir) => {
    await writeTree(join(dir, "plugins/node_modules"), {
      "new/package.json": manifest("new", "1.0.0", { shared: "^2.0.0", "@alisio/sdk": "^9.0.0" }),
      "old/package.json": manifest("old", "1.0.0", { shared: "^1.0.0", missing: "1.0.0" }),
      "own/package.json": manifest("own", "1.0.0", { shared: "^3.0.0" }),
      "own/node_modules/shared/package.json": manifest("shared", "3.1.0"),
      "shared/package.json": manifest("shared", "1.5.0"),
      // The host answers for its own package, whatever lies there.
      "@alisio/sdk/package.json": manifest("@alisio/sdk", "0.1.0"),
    });
    const folder = installFolder(dir);
    const conflicts = async (name: string) => findPeerConflicts(await packageClosure(folder, name));
    assert.deepEqual(await conflicts("new"), [
      'Package "new" 1.0.0 is made for "shared" "^2.0.0", and 1.5.0 is installed; it may not work',
    ]);
    assert.deepEqual(await conflicts("old"), []);
    assert.deepEqual(await conflicts("own"), []);
  });
});
