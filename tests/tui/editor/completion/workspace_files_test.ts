import assert from "node:assert/strict";
import { WorkspaceFiles } from "../../../../tui/editor/completion/workspace_files.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

const ignore = Deno.build.os === "windows";
const PROGRAMS = ["rg", "git"];

const TREE = {
  ".gitignore": "ignored/\n*.log\n",
  ".env": "KEY=1",
  ".hidden/file.ts": "",
  "README.md": "",
  "a space.txt": "",
  "debug.log": "",
  "deploy.pem": "",
  "ignored/file.ts": "",
  "keys/id_rsa": "",
  "src/main.ts": "",
  "src/deep/er/file.ts": "",
  "node_modules/x/index.js": "",
  "evil\x1b]0;x\x07.ts": "",
};

const SHOWN = [
  "README.md",
  "a space.txt",
  "src/",
  "src/deep/",
  "src/main.ts",
  "src/deep/er/",
  "src/deep/er/file.ts",
];

async function withPrograms(
  names: readonly string[],
  fn: (dir: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const [bin, root] = [`${dir}/bin`, `${dir}/root`];
    await Deno.mkdir(bin, { mode: 0o755 });
    for (const name of names) await Deno.symlink(`/usr/bin/${name}`, `${bin}/${name}`);
    await writeTree(root, TREE);
    await fn(root, { PATH: bin, HOME: dir });
  });
}

async function git(root: string, ...args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("git", { args: ["-C", root, ...args] }).output();
  assert.ok(success);
}

for (const program of PROGRAMS) {
  Deno.test({
    name: `WorkspaceFiles lists what ${program} does not ignore`,
    ignore: ignore || !await exists(`/usr/bin/${program}`),
  }, () =>
    withPrograms([program], async (root, env) => {
      await Deno.remove(`${root}/node_modules`, { recursive: true });
      await git(root, "init", "-q");
      // What the configuration of a repository names is not started.
      await git(root, "config", "core.fsmonitor", `touch ${root}/../ran`);
      const files = new WorkspaceFiles({ root, env, exclude: [root] });
      assert.deepEqual(await files.list(), SHOWN);
      assert.equal(await exists(`${root}/../ran`), false);
    }));
}

Deno.test(
  { name: "WorkspaceFiles walks where no program knows what is ignored", ignore },
  () =>
    withPrograms([], async (root, env) => {
      const files = new WorkspaceFiles({ root, env, exclude: [root] });
      const more = ["debug.log", "ignored/", "ignored/file.ts"];
      assert.deepEqual([...await files.list()].sort(), [...SHOWN, ...more].sort());
      assert.deepEqual(
        await new WorkspaceFiles({ root: `${root}/missing`, env, exclude: [] }).list(),
        [],
      );
    }),
);

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
