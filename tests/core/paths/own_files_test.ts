import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { findOwnFiles } from "../../../core/paths/own_files.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

Deno.test("findOwnFiles() follows links of folders and of what is in them (field case 81)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "dotfiles/alisio.json": "{}",
      "dotfiles/state/trust.json": "{}",
      "config/credentials.json": "{}",
      "ws/shared/config.json": "{}",
      "ws/.alisio/AGENTS.md": "",
    });
    const at = (path: string) => join(dir, path);
    await Deno.symlink(at("dotfiles/alisio.json"), at("config/config.json"));
    await Deno.symlink(at("dotfiles/later.json"), at("config/providers.json"));
    await Deno.symlink(at("dotfiles/state"), at("state"));
    await Deno.symlink(at("ws/shared/config.json"), at("ws/.alisio/config.json"));
    const found = await findOwnFiles({
      folders: [at("config"), at("state"), at("missing")],
      project: at("ws/.alisio"),
      files: [at("ws/explicit.json")],
    });
    const expected = [
      "config",
      "dotfiles/alisio.json",
      "dotfiles/later.json",
      "dotfiles/state",
      "missing",
      "ws/explicit.json",
      "ws/shared/config.json",
    ];
    deepStrictEqual([...found].sort(), expected.map(at));
  });
});
