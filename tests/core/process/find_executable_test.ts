import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { findExecutable } from "../../../core/process/find_executable.ts";
import { installHint } from "../../../core/process/install_hint.ts";
import { shellProgram } from "../../../core/process/shell_program.ts";
import { withTempDir } from "../../support/temp.ts";

async function putFile(folder: string, name: string, mode = 0o755): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await Deno.writeTextFile(path, "#!/bin/sh\n");
  await Deno.chmod(path, mode);
  return path;
}

const unixOnly = { ignore: Deno.build.os === "windows" };

Deno.test("findExecutable() takes the first program in PATH", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const first = await putFile(join(folder, "a"), "tool");
    const second = await putFile(join(folder, "b"), "tool");
    await putFile(join(folder, "c"), "other");
    const path = `${folder}/none:${folder}/a:${folder}/b:${folder}/c`;
    assert.equal(await findExecutable("tool", { path, exclude: [] }), first);
    assert.equal(await findExecutable("tool", { path, exclude: [`${folder}/a`] }), second);
    assert.equal(await findExecutable("missing", { path, exclude: [] }), null);
    assert.equal(await findExecutable("tool", { path: undefined, exclude: [] }), null);
  });
});

Deno.test("findExecutable() skips what is not a program", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await putFile(join(folder, "a"), "tool", 0o644);
    await Deno.mkdir(join(folder, "b", "tool"), { recursive: true });
    const real = await putFile(join(folder, "c"), "tool");
    const path = `${folder}/a:${folder}/b:${folder}/c`;
    assert.equal(await findExecutable("tool", { path, exclude: [] }), real);
  });
});

Deno.test(
  "findExecutable() never takes a program of the workspace (field case 103)",
  unixOnly,
  async () => {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "work");
      await putFile(workspace, "rg");
      await putFile(join(workspace, "bin"), "rg");
      await Deno.mkdir(join(folder, "links"));
      await Deno.symlink(join(workspace, "rg"), join(folder, "links", "rg"));
      const sibling = await putFile(join(folder, "work-tools"), "rg");
      const exclude = [workspace];
      const refused = [
        workspace,
        join(workspace, "bin"),
        `${folder}/x/../work/bin`,
        join(folder, "links"),
        relative(Deno.cwd(), join(folder, "work-tools")),
        ".",
        "",
      ];
      for (const entry of refused) {
        assert.equal(await findExecutable("rg", { path: entry, exclude }), null, entry);
      }
      // A sibling folder that shares the prefix of the name is not inside (field case 77).
      const path = [...refused, join(folder, "work-tools")].join(":");
      assert.equal(await findExecutable("rg", { path, exclude }), sibling);
    });
  },
);

Deno.test("findExecutable() skips folders that all may write to", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await putFile(join(folder, "open"), "git");
    await Deno.chmod(join(folder, "open"), 0o1777);
    assert.equal(await findExecutable("git", { path: join(folder, "open"), exclude: [] }), null);
    await Deno.chmod(join(folder, "open"), 0o775);
    assert.notEqual(await findExecutable("git", { path: join(folder, "open"), exclude: [] }), null);
  });
});

Deno.test("findExecutable() takes bare names only", unixOnly, async () => {
  for (const name of ["", "/bin/sh", "./sh", "bin/sh", "a\0b", "..\\sh"]) {
    assert.equal(await findExecutable(name, { path: "/usr/bin:/bin", exclude: [] }), null, name);
  }
  assert.notEqual(await findExecutable("sh", { path: "/usr/bin:/bin", exclude: [] }), null);
});

Deno.test("installHint() names the commands of the system", () => {
  assert.equal(installHint("rg", "linux"), "sudo apt install ripgrep (Debian/Ubuntu)");
  assert.equal(installHint("rg", "darwin"), "brew install ripgrep (macOS)");
  assert.equal(
    installHint("rg", "windows"),
    "winget install BurntSushi.ripgrep.MSVC or scoop install ripgrep (Windows)",
  );
  assert.match(installHint("rg", "freebsd"), /ripgrep/);
  for (const os of ["linux", "darwin", "windows", "freebsd"] as const) {
    assert.match(installHint("git", os), /git/);
  }
});

Deno.test("shellProgram() takes bash where there is one", () => {
  const command = `echo "a b" && x='y'`;
  assert.deepEqual(shellProgram(command, { os: "linux", bash: "/usr/bin/bash" }), {
    program: "/usr/bin/bash",
    args: ["-c", command],
    windowsRawArguments: false,
  });
  assert.equal(shellProgram(command, { os: "darwin", bash: null }).program, "/bin/sh");
  assert.deepEqual(shellProgram(command, { os: "windows", bash: null }), {
    program: "cmd.exe",
    args: ["/d", "/s", "/c", `"${command}"`],
    windowsRawArguments: true,
  });
});
