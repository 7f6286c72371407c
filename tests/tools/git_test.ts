import assert from "node:assert/strict";
import { join } from "node:path";
import { createGitDiffTool } from "../../tools/git_diff.ts";
import { createGitStatusTool } from "../../tools/git_status.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { createRepository, git } from "./_git_repository.ts";
import { createHostileRepository, plainGitSets } from "./_hostile_repository.ts";
import { callTool, errorOf, jsonOf, programPorts, textOf } from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

const status = async (workspace: string) =>
  await callTool(createGitStatusTool(programPorts(workspace)), {}, workspace);
const diff = async (workspace: string) =>
  await callTool(createGitDiffTool(programPorts(workspace)), {}, workspace);

Deno.test("git_status and git_diff show what has changed", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await createRepository(workspace);
    const clean = { exitCode: 0, output: "", truncated: false };
    assert.deepEqual(jsonOf(await status(workspace)), clean);
    assert.deepEqual(jsonOf(await diff(workspace)), clean);
    await writeTree(workspace, { "a.txt": "two\n", "new ü.txt": "", "-dash": "" });
    assert.deepEqual(jsonOf(await status(workspace)), {
      exitCode: 0,
      output: ' M a.txt\n?? -dash\n?? "new ü.txt"\n',
      truncated: false,
    });
    const { output } = jsonOf(await diff(workspace));
    assert.match(output, /^diff --git a\/a\.txt b\/a\.txt\n[^]*\n-one\n\+two\n$/);
  });
});

Deno.test("git_status shows names of any bytes", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await createRepository(workspace);
    const { success } = await new Deno.Command("/bin/sh", {
      args: ["-c", `touch "$(printf 'new\\nline')" "$(printf 'bad\\377')"`],
      cwd: workspace,
    }).output();
    assert.ok(success);
    assert.equal(jsonOf(await status(workspace)).output, '?? bad\\xff\n?? "new\\nline"\n');
  });
});

Deno.test("git_status covers the workspace of a larger repository", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await createRepository(folder, {
      "app/in.txt": "1\n",
      "secret.txt": "1\n",
      "app-secret/x": "",
    });
    await writeTree(folder, { "app/in.txt": "2\n", "secret.txt": "2\n", "app-secret/x": "2" });
    const workspace = join(folder, "app");
    assert.equal(jsonOf(await status(workspace)).output, " M app/in.txt\n");
    const { output } = jsonOf(await diff(workspace));
    assert.ok(output.includes("in.txt") && !output.includes("secret"));
  });
});

Deno.test("git_diff shows no file that the repository claims outside", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const outside = join(folder, "home");
    await createRepository(workspace, { "id_rsa": "" });
    await writeTree(outside, { "id_rsa": "SECRET KEY\n" });
    await git(workspace, "config", "core.worktree", outside);
    for (const result of [await status(workspace), await diff(workspace)]) {
      assert.match(errorOf(result), /configuration puts its files outside the workspace$/);
    }
    // A folder that holds the workspace may be named, but shows no more than the workspace.
    await git(workspace, "config", "core.worktree", folder);
    await writeTree(folder, { "id_rsa": "SECRET KEY\n" });
    for (const result of [await status(workspace), await diff(workspace)]) {
      assert.ok(!textOf(result).includes("id_rsa"), textOf(result));
    }
    // Naming the workspace itself changes nothing.
    await git(workspace, "config", "core.worktree", workspace);
    await writeTree(workspace, { "id_rsa": "mine\n" });
    assert.equal(jsonOf(await status(workspace)).output, " M id_rsa\n");
  });
});

Deno.test("git_diff keeps head and tail of a long patch (field case 91)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await createRepository(workspace, { "a.txt": "old\n" });
    await writeTree(workspace, {
      "a.txt": Array.from({ length: 20_000 }, (_, i) => `l ${i}\n`).join(""),
    });
    const result = await diff(workspace);
    assert.ok(textOf(result).length < 48_000);
    const { output, truncated } = jsonOf(result);
    assert.equal(truncated, true);
    assert.match(output, /^diff --git /);
    assert.match(output, /\n\[output cut: [^\]]*\]\n/);
    assert.match(output, /\+l 19999\n$/);
  });
});

Deno.test("git_status says what is wrong", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    assert.match(
      errorOf(await status(workspace)),
      /^Cannot run git status: fatal: not a git repository/,
    );
    await createRepository(workspace);
    await Deno.writeTextFile(join(workspace, ".git", "config"), "[broken\n");
    assert.match(errorOf(await diff(workspace)), /^Cannot run git diff: fatal: bad config line 1/);
    const ports = programPorts(workspace, { findExecutable: () => Promise.resolve(null) });
    const missing = errorOf(await callTool(createGitStatusTool(ports), {}, workspace));
    assert.match(missing, /^Cannot run git status: git is not in PATH; .*git/);
    const tool = createGitStatusTool(programPorts(workspace));
    const stopped = await callTool(tool, {}, workspace, { signal: AbortSignal.abort() });
    assert.equal(errorOf(stopped), "Cannot run git status: the call was cancelled");
  });
});

Deno.test("git_status and git_diff start nothing that a repository names", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const markers = join(folder, "markers");
    await createHostileRepository(workspace, markers);
    const shown = jsonOf(await status(workspace)).output;
    const patch = jsonOf(await diff(workspace)).output;
    assert.deepEqual(await names(markers), []);
    for (const name of ["driver", "conv", "clean", "process", "included", "plain"]) {
      assert.ok(shown.includes(` M ${name}.txt`), name);
      assert.ok(patch.includes(`+++ b/${name}.txt\n@@ -1 +1 @@\n-1\n+22\n`), name);
    }

    // The same repository is dangerous to a plain Git, or nothing was shown above.
    const expected = await plainGitSets(workspace);
    const seen = new Set(await names(markers));
    for (const name of expected) {
      assert.ok(seen.has(name), `a plain Git starts ${name}, but only saw ${[...seen]}`);
    }
  });
});

Deno.test("git_status and git_diff write nothing into the repository", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await createRepository(workspace);
    // Same content, other time: Git would like to refresh its index.
    await Deno.utime(join(workspace, "a.txt"), new Date(0), new Date(0));
    const index = join(workspace, ".git", "index");
    const before = await Deno.readFile(index);
    const entries = await names(join(workspace, ".git"));
    await status(workspace);
    await diff(workspace);
    assert.deepEqual(await Deno.readFile(index), before);
    assert.deepEqual(await names(join(workspace, ".git")), entries);
    await git(workspace, "diff");
    assert.notDeepEqual(await Deno.readFile(index), before, "a plain Git writes the index");
  });
});

Deno.test("git_status and git_diff start nothing for a submodule", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const markers = join(folder, "markers");
    await Deno.mkdir(markers);
    await createRepository(join(folder, "library"), { "x.txt": "1\n" });
    await createRepository(workspace);
    const protocol = ["-c", "protocol.file.allow=always"];
    await git(workspace, ...protocol, "submodule", "--quiet", "add", "../library", "library");
    await git(workspace, "commit", "-q", "-m", "submodule");
    const inside = join(workspace, "library");
    await git(inside, "config", "core.fsmonitor", `touch ${markers}/fsmonitor; false`);
    await git(inside, "config", "filter.f.clean", `touch ${markers}/clean; cat`);
    await writeTree(inside, { ".gitattributes": "* filter=f\n", "x.txt": "22\n" });
    await git(workspace, "config", "diff.submodule", "diff");
    await git(workspace, "config", "submodule.library.ignore", "none");
    assert.equal(jsonOf(await status(workspace)).output, "");
    assert.equal(jsonOf(await diff(workspace)).output, "");
    assert.deepEqual(await names(markers), []);
    await git(workspace, "status");
    assert.notDeepEqual(await names(markers), [], "a plain Git starts what a submodule names");
  });
});

Deno.test("git_diff fetches nothing for a partial clone", unixOnly, async () => {
  for (const transport of ["ext", "ssh"]) {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "app");
      const markers = join(folder, "markers");
      await Deno.mkdir(markers);
      await createRepository(workspace, { "a.txt": "one\n" });
      const drop = join(folder, "drop.sh");
      await writeTree(folder, { "drop.sh": `#!/bin/sh\ntouch ${markers}/${transport}\nexit 1\n` });
      await Deno.chmod(drop, 0o755);
      const url = transport === "ext" ? `ext::${drop}` : "ssh://host.invalid/x";
      const settings = [
        ["core.repositoryFormatVersion", "1"],
        ["extensions.partialClone", "origin"],
        ["remote.origin.url", url],
        ["remote.origin.promisor", "true"],
        ["protocol.ext.allow", "always"],
        ["protocol.allow", "always"],
        ["core.sshCommand", drop],
      ] as const;
      for (const [key, value] of settings) await git(workspace, "config", key, value);
      await removeBlob(workspace, "a.txt");
      await writeTree(workspace, { "a.txt": "two\n" });
      errorOf(await diff(workspace));
      await status(workspace);
      assert.deepEqual(await names(markers), []);
      await new Deno.Command("git", { args: ["diff"], cwd: workspace, stdin: "null" }).output();
      assert.deepEqual(await names(markers), [transport], "a plain Git starts the transport");
    });
  }
});

async function removeBlob(workspace: string, path: string): Promise<void> {
  const { stdout } = await new Deno.Command("git", {
    args: ["rev-parse", `HEAD:${path}`],
    cwd: workspace,
  }).output();
  const id = new TextDecoder().decode(stdout).trim();
  await Deno.remove(join(workspace, ".git", "objects", id.slice(0, 2), id.slice(2)));
}

Deno.test("git_status refuses filters that it cannot turn off", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const rows = [
      ["a=b", false],
      ["caf\u00e9", false],
      ["lfs", true],
      ["with space", true],
      ["", true],
      ["UPPER.dot", true],
    ] as const;
    for (const [index, [name, isAllowed]] of rows.entries()) {
      const workspace = join(folder, String(index));
      const marker = join(folder, `marker-${index}`);
      await createRepository(workspace);
      await Deno.writeTextFile(
        join(workspace, ".git", "config"),
        `[core]\n\trepositoryformatversion = 0\n[filter "${name}"]\n\tclean = touch ${marker}; cat\n`,
      );
      await writeTree(workspace, {
        ".git/info/attributes": `a.txt filter="${name}"\na.txt filter=${name}\n`,
        "a.txt": "22\n",
      });
      const result = await status(workspace);
      if (isAllowed) assert.equal(jsonOf(result).output, " M a.txt\n", name);
      else assert.match(errorOf(result), /filter whose name cannot be turned off safely/, name);
      await assert.rejects(Deno.stat(marker), Deno.errors.NotFound, name);
    }
  });
});

async function names(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name)).sort();
}
