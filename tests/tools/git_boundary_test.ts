import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { createGitDiffTool } from "../../tools/git_diff.ts";
import { createGitStatusTool } from "../../tools/git_status.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { createIndex, createRepository, git } from "./_git_repository.ts";
import { callTool, errorOf, jsonOf, programPorts, shell, textOf } from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

const TOOLS = { git_status: createGitStatusTool, git_diff: createGitDiffTool };

/** What both tools answer. */
async function look(workspace: string, roots: readonly string[] = []) {
  return await Promise.all(
    Object.values(TOOLS).map((create) =>
      callTool(create(programPorts(workspace)), {}, workspace, { roots })
    ),
  );
}

async function assertRefused(workspace: string, expected: RegExp, name?: string): Promise<void> {
  for (const result of await look(workspace)) {
    const message = errorOf(result);
    assert.match(message, expected, name);
    assert.doesNotMatch(message, /SECRET|secret\.txt/, name);
  }
}

/** That both tools show one change of one file, and nothing of another. */
async function assertShown(
  workspace: string,
  roots: readonly string[] = [],
  file = "a.txt",
): Promise<void> {
  const [status, diff] = await look(workspace, roots);
  assert.ok(status !== undefined && diff !== undefined);
  assert.equal(jsonOf(status).output, ` M ${file}\n`);
  assert.match(jsonOf(diff).output, /^diff --git [^]*\n-one\n\+two\n$/);
}

const OUTSIDE = /outside the workspace and every directory that this run may use/;

/** A repository of the person, whose files must not be shown. */
async function createVictim(folder: string): Promise<string> {
  const victim = join(folder, "victim");
  await createRepository(victim, { "secret.txt": "SECRET\n" });
  await git(victim, "gc", "-q");
  return victim;
}

Deno.test("git_diff refuses a workspace that has become a link elsewhere", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const victim = await createVictim(folder);
    await Deno.writeTextFile(join(victim, "secret.txt"), "SECRET two\n");
    const workspace = join(folder, "ws");
    await Deno.symlink(victim, workspace);
    await assertRefused(workspace, /the workspace moved while Git looked at it/);
  });
});

Deno.test("git_diff refuses data of a repository elsewhere", unixOnly, async () => {
  const ways: Readonly<Record<string, (workspace: string, victim: string) => Promise<void>>> = {
    "a .git file": (workspace, victim) =>
      writeTree(workspace, { ".git": `gitdir: ${victim}/.git\n` }),
    "a relative .git file": (workspace) =>
      writeTree(workspace, { ".git": "gitdir: ../victim/.git\n" }),
    "a linked .git": (workspace, victim) =>
      Deno.symlink(join(victim, ".git"), join(workspace, ".git")),
    "a .git file to a link": async (workspace, victim) => {
      await Deno.symlink(victim, join(workspace, "link"));
      await writeTree(workspace, { ".git": "gitdir: link/.git\n" });
    },
    "a common folder": async (workspace, victim) => {
      await writeTree(workspace, { ".git/commondir": `${victim}/.git\n`, ".git/HEAD": "" });
      await Deno.copyFile(join(victim, ".git/HEAD"), join(workspace, ".git/HEAD"));
    },
    "a common folder behind a .git file": async (workspace) => {
      const head = "ref: refs/heads/main\n";
      await writeTree(workspace, {
        ".git": "gitdir: data/worktrees/x\n",
        "data/worktrees/x/HEAD": head,
        "data/worktrees/x/commondir": "../../../../victim/.git\n",
      });
    },
    "alternates": async (workspace, victim) => {
      await createRepository(workspace);
      await writeTree(workspace, {
        ".git/objects/info/alternates": `# comment\n${victim}/.git/objects\n`,
      });
    },
    "relative alternates": async (workspace) => {
      await createRepository(workspace);
      const path = "../../../victim/.git/objects\n";
      await writeTree(workspace, { ".git/objects/info/alternates": path });
    },
    "quoted alternates": async (workspace, victim) => {
      await createRepository(workspace);
      await writeTree(workspace, {
        ".git/objects/info/alternates": `"${victim}/\\056git/objects"\n`,
      });
    },
    "alternates of alternates": async (workspace, victim) => {
      await createRepository(workspace);
      await writeTree(workspace, {
        ".git/objects/info/alternates": "../more\n",
        ".git/more/info/alternates": `${victim}/.git/objects\n`,
      });
    },
    "linked objects of alternates": async (workspace, victim) => {
      await createRepository(workspace);
      await writeTree(workspace, {
        ".git/objects/info/alternates": "../more\n",
        ".git/more/x": "",
      });
      await Deno.symlink(`${victim}/.git/objects/pack`, join(workspace, ".git/more/pack"));
    },
  };
  for (const [name, prepare] of Object.entries(ways)) {
    await withTempDir(async (folder) => {
      const victim = await createVictim(folder);
      const workspace = join(folder, "app");
      await Deno.mkdir(workspace);
      await prepare(workspace, victim);
      await assertRefused(workspace, OUTSIDE, name);
    });
  }
});

Deno.test("git_diff refuses a repository with links out of it", unixOnly, async () => {
  const data = ["index", "HEAD", "config", "packed-refs", "objects", "objects/pack", "objects/ab"];
  const more = ["info/attributes", "info/exclude", "refs/heads/x", "rebase-merge/onto", "shallow"];
  for (const path of [...data, ...more]) {
    await withTempDir(async (folder) => {
      const victim = await createVictim(folder);
      const workspace = join(folder, "app");
      await createRepository(workspace);
      const link = join(workspace, ".git", path);
      const target = join(victim, ".git", path);
      for (const file of [link, target]) await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.remove(link, { recursive: true }).catch(() => {});
      if (path === "objects/ab") await Deno.mkdir(target, { recursive: true });
      else await Deno.writeFile(target, new Uint8Array(0), { createNew: true }).catch(() => {});
      await Deno.symlink(target, link);
      await assertRefused(workspace, OUTSIDE, path);
    });
  }
});

Deno.test("git_diff reads nothing without end from a repository", unixOnly, async () => {
  const rows = [
    "rm .git/HEAD; mkfifo .git/HEAD",
    "ln -sf /dev/zero .git/packed-refs",
    "mkfifo .git/refs/heads/x",
    "mkfifo .git/commondir",
    "rm .git/index; ln -s ../pipe .git/index; mkfifo pipe",
    "mv .git data; echo 'gitdir: data' > .git; rm data/HEAD; mkfifo data/HEAD",
  ];
  for (const script of rows) {
    await withTempDir(async (workspace) => {
      await createRepository(workspace);
      await shell(workspace, script);
      const startedAt = performance.now();
      await assertRefused(workspace, /cannot be looked at safely/, script);
      assert.ok(performance.now() - startedAt < 10_000, script);
    });
  }
});

Deno.test("git_diff shows a repository that keeps to itself", unixOnly, async () => {
  const ways: Readonly<Record<string, (workspace: string) => Promise<void>>> = {
    "hooks that lie elsewhere": async (workspace) => {
      await Deno.remove(join(workspace, ".git/hooks"), { recursive: true });
      await Deno.symlink("/usr", join(workspace, ".git/hooks"));
    },
    "a single hook that lies elsewhere": async (workspace) => {
      await Deno.symlink("/bin/true", join(workspace, ".git/hooks/pre-commit"));
    },
    "links that stay inside": async (workspace) => {
      await Deno.rename(join(workspace, ".git/objects"), join(workspace, ".git/store"));
      await Deno.symlink("store", join(workspace, ".git/objects"));
    },
    "a link that leads nowhere": (workspace) =>
      Deno.symlink("user@host.1", join(workspace, ".git/.#config")),
    "a socket": async (workspace) => {
      using _ = Deno.listen({ transport: "unix", path: join(workspace, ".git/f.ipc") });
      await assertShown(workspace);
    },
    "data with another name": async (workspace) => {
      await Deno.rename(join(workspace, ".git"), join(workspace, ".data"));
      await writeTree(workspace, { ".git": "gitdir: .data\n" });
      await git(workspace, "config", "status.showUntrackedFiles", "no");
    },
    "alternates inside": async (workspace) => {
      await createRepository(join(workspace, ".git/other"), { "b.txt": "b\n" });
      await writeTree(workspace, {
        ".git/objects/info/alternates": "../other/.git/objects\n",
      });
    },
  };
  for (const [name, prepare] of Object.entries(ways)) {
    await withTempDir(async (workspace) => {
      await createRepository(workspace);
      await writeTree(workspace, { "a.txt": "two\n" });
      await prepare(workspace);
      await assertShown(workspace).catch((error) => {
        throw new Error(name, { cause: error });
      });
    });
  }
});

Deno.test("git_diff looks into a repository in an added directory", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const data = join(folder, "data", "app.git");
    await Deno.mkdir(dirname(data));
    await createRepository(workspace);
    await Deno.rename(join(workspace, ".git"), data);
    await writeTree(workspace, { "a.txt": "two\n", ".git": `gitdir: ${data}\n` });
    await assertRefused(workspace, /keeps its data in ".*app\.git", outside/);
    await assertShown(workspace, [join(folder, "data")]);
  });
});

Deno.test("git_diff trusts the main repository of a linked worktree", unixOnly, async () => {
  for (const isBare of [false, true]) {
    await withTempDir(async (folder) => {
      const main = join(folder, "main");
      await createRepository(main, { "a.txt": "one\n", "sub/b.txt": "one\n", "secret.txt": "S\n" });
      if (isBare) {
        await git(folder, "clone", "-q", "--bare", main, "bare.git");
        await Deno.remove(main, { recursive: true });
      }
      const source = isBare ? join(folder, "bare.git") : main;
      const workspace = join(folder, "app");
      await git(source, "worktree", "add", "-q", "-b", "other", workspace);
      await writeTree(workspace, { "a.txt": "two\n" });
      await assertShown(workspace);

      // A part of it shows that part.
      await writeTree(workspace, { "sub/b.txt": "two\n" });
      await assertShown(join(workspace, "sub"), [], "sub/b.txt");

      // The same file elsewhere points to a repository that does not point back.
      const copy = join(folder, "copy");
      await Deno.mkdir(copy);
      await Deno.copyFile(join(workspace, ".git"), join(copy, ".git"));
      await assertRefused(copy, OUTSIDE);
      await writeTree(copy, { "sub/.git": await Deno.readTextFile(join(workspace, ".git")) });
      await assertRefused(join(copy, "sub"), OUTSIDE);

      // Neither does the main repository itself.
      const data = isBare ? source : join(source, ".git");
      await Deno.writeTextFile(join(copy, ".git"), `gitdir: ${data}\n`);
      await assertRefused(copy, isBare ? /is a bare one, without files/ : OUTSIDE);
    });
  }
});

Deno.test("git_diff trusts the repository around a submodule", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const main = join(folder, "main");
    await createRepository(join(folder, "library"));
    await createRepository(main);
    const protocol = ["-c", "protocol.file.allow=always"];
    await git(main, ...protocol, "submodule", "--quiet", "add", "../library", "library");
    const workspace = join(main, "library");
    await writeTree(workspace, { "a.txt": "two\n" });
    await assertShown(workspace);

    const copy = join(folder, "copy");
    await writeTree(copy, { ".git": `gitdir: ${join(main, ".git/modules/library")}\n` });
    await assertRefused(copy, /configuration puts its files outside the workspace$/);
  });
});

Deno.test("git_diff covers a part of a larger repository", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await createRepository(folder, { "app/a.txt": "one\n", "secret.txt": "SECRET\n" });
    const workspace = join(folder, "app");
    await writeTree(folder, { "app/a.txt": "two\n", "secret.txt": "" });
    await assertShown(workspace, [], "app/a.txt");
    // By a file of its own, the workspace would take the place of the larger repository's files.
    await writeTree(workspace, { ".git": "gitdir: ../.git\n" });
    await assertRefused(workspace, OUTSIDE);
  });
});

Deno.test("git_diff takes no other folder for a repository", unixOnly, async () => {
  await withTempDir(async (folder) => {
    await createRepository(folder, { "app/a.txt": "one\n" });
    const workspace = join(folder, "app");
    await git(workspace, "init", "-q", "--bare", ".");
    await assertRefused(workspace, /bare/);
  });
});

Deno.test("git_diff reads no file that only an index names", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    const keys = join(workspace, "config", "keys");
    await createRepository(workspace, { "a.txt": "" });
    await git(workspace, "config", "core.worktree", workspace);
    await writeTree(folder, {
      "id_rsa": "SECRET\n",
      "app/config/keys": "SECRET\n",
      "app/a.txt": "two\n",
      "app/x/..y": "two\n",
      "app/x/...": "two\n",
    });
    await Deno.writeFile(
      join(workspace, ".git", "index"),
      await createIndex([
        "../id_rsa",
        `${folder}/id_rsa`,
        "x/../../id_rsa",
        "..",
        "x/..",
        "config/keys",
        "./config/keys",
        "config//keys",
        "config/./keys",
        "CONFIG/keys",
        "a.txt",
        "x/..y",
        "x/...",
      ]),
    );
    for (const create of Object.values(TOOLS)) {
      const tool = create(programPorts(workspace, { secretFiles: [keys] }));
      const { output } = jsonOf(await callTool(tool, {}, workspace));
      assert.doesNotMatch(output, /SECRET|id_rsa|keys/);
      for (const name of ["a.txt", "x/..y", "x/..."]) assert.ok(output.includes(name), output);
    }
  });
});

Deno.test("git_diff quotes no file that holds attributes", unixOnly, async () => {
  const contents = [
    "password SECRET@!\n",
    "password SECRET\rSECRET@!\n",
    "password SECRET\u2028SECRET@!\n",
    `password ${"SECRET".repeat(50)}@!\n`.repeat(500),
  ];
  for (const content of contents) {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "app");
      await createRepository(workspace);
      await writeTree(folder, { "netrc": content, "app/a.txt": "two\n" });
      await git(workspace, "config", "core.attributesFile", join(folder, "netrc"));
      for (const result of await look(workspace)) {
        jsonOf(result);
        assert.doesNotMatch(textOf(result), /SECRET/);
      }
      await assertShown(workspace);
    });
  }
});

Deno.test("git_diff shows the commit of a submodule that keeps to itself", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const victim = await createVictim(folder);
    await Deno.writeTextFile(join(victim, ".git/HEAD"), `${"5ec3e7".repeat(6)}5ec3\n`);
    const workspace = join(folder, "app");
    await createRepository(join(folder, "library"));
    await createRepository(workspace);
    const protocol = ["-c", "protocol.file.allow=always"];
    for (const name of ["one", "two"]) {
      await git(workspace, ...protocol, "submodule", "--quiet", "add", "../library", name);
    }
    await git(workspace, "commit", "-q", "-m", "submodules");
    const inside = join(workspace, "one");
    await writeTree(inside, { "a.txt": "two\n" });
    await git(inside, "commit", "-q", "-a", "-m", "second");
    const [status, diff] = await look(workspace);
    assert.ok(status !== undefined && diff !== undefined);
    assert.equal(jsonOf(status).output, " M one\n");
    assert.match(jsonOf(diff).output, /\n-Subproject commit .*\n\+Subproject commit .*\n$/);
    assert.equal(jsonOf(diff).note, undefined);

    const rows = [
      `echo 'gitdir: ${victim}/.git' > two/.git`,
      `rm two/.git; ln -s ${victim}/.git two/.git`,
      `rm two/.git; mkdir two/.git; ln -s ${victim}/.git/HEAD two/.git/HEAD`,
      `rm two/.git/HEAD; echo ${victim}/.git > two/.git/commondir`,
    ];
    for (const script of rows) {
      await shell(workspace, script);
      for (const result of await look(workspace)) {
        const { output, note } = jsonOf(result);
        assert.equal(output, "", script);
        assert.equal(note, 'Submodules are left out: "two" cannot be looked at safely', script);
      }
    }
    // Without their list they are none.
    await shell(workspace, `rm -r two/.git; echo 'gitdir: ${victim}/.git' > two/.git`);
    await git(workspace, "rm", "-q", "--cached", ".gitmodules");
    await shell(workspace, "rm .gitmodules");
    const [left] = await look(workspace);
    assert.ok(left !== undefined);
    assert.doesNotMatch(textOf(left), /one|two/);
  });
});
