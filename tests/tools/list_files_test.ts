import assert from "node:assert/strict";
import { join } from "node:path";
import { createListFilesTool } from "../../tools/list_files.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { callTool, errorOf, jsonOf, programPorts, shell, textOf } from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

async function list(
  workspace: string,
  input: Record<string, unknown> = {},
  options: { readonly roots?: readonly string[] } = {},
) {
  const tool = createListFilesTool(programPorts(workspace));
  return await callTool(tool, input, workspace, options);
}

Deno.test("list_files lists sorted, without ignored and hidden files", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      ".gitignore": "*.log\nbuild/\n",
      ".hidden": "",
      ".github/workflow.yml": "",
      "b.ts": "",
      "a/z.ts": "",
      "a/debug.log": "",
      "a b.ts": "",
      "build/out.js": "",
      "c/.ignore": "secret.txt",
      "c/secret.txt": "",
      "c/plain.txt": "",
    });
    // Ignore files count though this is no Git repository.
    assert.deepEqual(jsonOf(await list(workspace)), {
      files: ["a/z.ts", "a b.ts", "b.ts", "c/plain.txt"],
      nextOffset: null,
      truncated: false,
    });
    assert.deepEqual(jsonOf(await list(workspace, { path: "a" })).files, ["a/z.ts"]);
    assert.deepEqual(jsonOf(await list(workspace, { path: "./a/z.ts" })).files, ["a/z.ts"]);
    const asked = jsonOf(await list(workspace, { path: ".github" })).files;
    assert.deepEqual(asked, [".github/workflow.yml"]);
  });
});

Deno.test("list_files pages with offset and limit", async () => {
  await withTempDir(async (workspace) => {
    const names = Array.from({ length: 25 }, (_, index) => `f${String(index).padStart(3, "0")}`);
    await writeTree(workspace, Object.fromEntries(names.map((name) => [name, ""])));
    const pages: string[][] = [];
    let offset: number | null = 0;
    while (offset !== null) {
      const page = jsonOf(await list(workspace, { offset, limit: 10 }));
      assert.equal(page.truncated, page.nextOffset !== null);
      pages.push(page.files);
      offset = page.nextOffset;
    }
    assert.deepEqual(pages.map((page) => page.length), [10, 10, 5]);
    assert.deepEqual(pages.flat(), names);
    assert.deepEqual(jsonOf(await list(workspace, { limit: 25 })).nextOffset, null);
    assert.deepEqual(jsonOf(await list(workspace, { offset: 99 })), {
      files: [],
      nextOffset: null,
      truncated: false,
    });
  });
});

Deno.test("list_files shows 100 files unless told", async () => {
  await withTempDir(async (workspace) => {
    const names = Array.from({ length: 101 }, (_, index) => `f${index}`);
    await writeTree(workspace, Object.fromEntries(names.map((name) => [name, ""])));
    const page = jsonOf(await list(workspace));
    assert.deepEqual([page.files.length, page.nextOffset, page.truncated], [100, 100, true]);
  });
});

Deno.test("list_files of an empty folder is no error", async () => {
  await withTempDir(async (workspace) => {
    const expected = { files: [], nextOffset: null, truncated: false };
    assert.deepEqual(jsonOf(await list(workspace)), expected);
  });
});

Deno.test("list_files escapes names that are no plain text", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    // The runtime cannot spell such names, so a shell makes them.
    const { success } = await new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `touch "$(printf 'new\\nline')" "$(printf 'bad\\377')" -- -dash --null 'a  b' ünï`,
      ],
      cwd: workspace,
    }).output();
    assert.ok(success);
    assert.deepEqual(jsonOf(await list(workspace)).files, [
      "--null",
      "-dash",
      "a  b",
      "bad\\xff",
      "new\\x0aline",
      "ünï",
    ]);
    assert.deepEqual(jsonOf(await list(workspace, { path: "-dash" })).files, ["-dash"]);
    assert.deepEqual(jsonOf(await list(workspace, { path: "--null" })).files, ["--null"]);
  });
});

Deno.test(
  "list_files visits no loop and leaves by no link (field cases 56, 75)",
  unixOnly,
  async () => {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "app");
      await writeTree(folder, { "app/sub/file": "", "outside/secret": "", "app-secret/x": "" });
      await Deno.symlink("..", join(workspace, "sub", "loop"));
      await Deno.symlink("../outside", join(workspace, "out"));
      await Deno.symlink("../app", join(folder, "outside", "back"));
      assert.deepEqual(jsonOf(await list(workspace)).files, ["sub/file"]);
    });
  },
);

Deno.test("list_files names files outside the workspace by their full path", async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const other = join(folder, "app-other");
    await writeTree(folder, { "app/file": "", "app-other/deep/x": "" });
    const page = jsonOf(await list(workspace, { path: "../app-other" }, { roots: [other] }));
    assert.deepEqual(page.files, [join(other, "deep", "x")]);
  });
});

Deno.test("list_files stays quick in a huge tree (field case 56)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const { success } = await new Deno.Command("/bin/sh", {
      args: ["-c", "seq -w 1 2000 | xargs touch"],
      cwd: workspace,
    }).output();
    assert.ok(success);
    const first = jsonOf(await list(workspace, { limit: 2 }));
    assert.deepEqual(first, { files: ["0001", "0002"], nextOffset: 2, truncated: true });
    const last = jsonOf(await list(workspace, { offset: 1_999, limit: 500 }));
    assert.deepEqual(last, { files: ["2000"], nextOffset: null, truncated: false });
  });
});

Deno.test("list_files keeps long names below the size of a result", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const { success } = await new Deno.Command("/bin/sh", {
      args: ["-c", `p=$(printf '%0200d' 0); seq -f "$p%g" 1000 1500 | xargs touch`],
      cwd: workspace,
    }).output();
    assert.ok(success);
    const result = await list(workspace, { limit: 500 });
    assert.ok(textOf(result).length < 48_000);
    const page = jsonOf(result);
    assert.equal(page.truncated, true);
    const next = jsonOf(await list(workspace, { limit: 1, offset: page.nextOffset }));
    assert.equal(Number(next.files[0]) - Number(page.files.at(-1)), 1);
  });
});

Deno.test("list_files reads no configuration of ripgrep (field case 57)", async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    await writeTree(folder, { "app/.hidden": "", "app/seen": "", "rc": "--hidden\n" });
    const ports = programPorts(workspace, {
      environment: () => ({ PATH: "/usr/bin:/bin", RIPGREP_CONFIG_PATH: join(folder, "rc") }),
    });
    const page = jsonOf(await callTool(createListFilesTool(ports), {}, workspace));
    assert.deepEqual(page.files, ["seen"]);
  });
});

Deno.test("list_files says what is missing", async () => {
  await withTempDir(async (workspace) => {
    const missing = errorOf(await list(workspace, { path: "nowhere" }));
    assert.equal(missing, 'Cannot list files in "nowhere": it does not exist');
    const ports = programPorts(workspace, { findExecutable: () => Promise.resolve(null) });
    const unavailable = errorOf(await callTool(createListFilesTool(ports), {}, workspace));
    assert.match(
      unavailable,
      /^Cannot list files in ".": ripgrep \(rg\) is not in PATH; .*ripgrep/,
    );
  });
});

Deno.test("list_files is cancelled", async () => {
  await withTempDir(async (workspace) => {
    const tool = createListFilesTool(programPorts(workspace));
    const result = await callTool(tool, {}, workspace, { signal: AbortSignal.abort() });
    assert.equal(errorOf(result), 'Cannot list files in ".": the call was cancelled');
  });
});

Deno.test("list_files opens nothing but files and folders (field case 51)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await shell(workspace, "mkfifo pipe; mkdir sub; mkfifo sub/.gitignore; touch sub/a");
    const pipe = errorOf(await list(workspace, { path: "pipe" }));
    assert.equal(pipe, 'Cannot list files in "pipe": it is neither a file nor a folder');
    const device = errorOf(await list(workspace, { path: "/dev/zero" }, { roots: ["/dev"] }));
    assert.equal(device, 'Cannot list files in "/dev/zero": it is neither a file nor a folder');
    assert.match(errorOf(await list(workspace)), /the ignore file "sub\/\.gitignore" is no plain/);
    await shell(workspace, "rm sub/.gitignore");
    assert.deepEqual(jsonOf(await list(workspace)).files, ["sub/a"]);
  });
});

Deno.test("list_files says when ripgrep is ended", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await writeTree(folder, { "rg": "#!/bin/sh\nprintf 'a\\0'\nkill -KILL $$\n", "app/a": "" });
    await Deno.chmod(join(folder, "rg"), 0o755);
    const workspace = join(folder, "app");
    const ports = programPorts(workspace, {
      findExecutable: () => Promise.resolve(join(folder, "rg")),
    });
    const result = await callTool(createListFilesTool(ports), {}, workspace);
    assert.match(errorOf(result), /ripgrep was ended by SIGKILL before it was done/);
  });
});
