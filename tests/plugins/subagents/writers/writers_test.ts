import assert from "node:assert/strict";
import { subagentSettings } from "../../../../plugins/subagents/subagent_settings.ts";
import { Writers } from "../../../../plugins/subagents/writers/writers.ts";
import { says } from "../../../support/run_harness.ts";
import { writeTree } from "../../../support/temp.ts";
import { delegates, type DelegationScene, results, taskIdOf, withDelegation } from "../_scene.ts";
import { git, makeRepository, meeting, writes } from "./_repository.ts";

/** What a person's commands are carried out by, on the worktrees of a scene. */
function commands({ application, folder }: DelegationScene): Writers {
  const sessions = application.children;
  assert.ok(sessions !== undefined);
  return new Writers({
    sessions,
    ui: { select: () => Promise.resolve(undefined), interactive: () => false },
    parallelWrites: subagentSettings({}).parallelWrites,
    worktreeDir: `${folder}/state/worktrees`,
  });
}

const TWO = [delegates(["general", "one"], ["general", "two"]), says("Both are done")];

/** Runs two writers at once; the second gets a worktree. */
async function withTwo(
  files: { readonly one: string; readonly two: string },
  body: (
    scene: DelegationScene,
    two: { readonly id: string; readonly ws: string; readonly result: string },
  ) => Promise<void>,
  prepare: (ws: string) => Promise<void> = makeRepository,
): Promise<void> {
  await withDelegation(
    { root: TWO, ...meeting({ one: [writes(files.one, "1\n")], two: [writes(files.two, "2\n")] }) },
    { settings: { parallelWrites: "worktree" }, application: { allowWrite: true } },
    async (scene) => {
      const ws = `${scene.folder}/ws`;
      await prepare(ws);
      await scene.run();
      const [, result = ""] = results(scene.provider.of("root").at(-1));
      await body(scene, { id: taskIdOf(result), ws, result });
    },
  );
}

Deno.test("Writers gives the second of two writers a worktree, tells of its work, and merges it", async () => {
  await withTwo({ one: "one.txt", two: "two.txt" }, async (scene, { id, ws, result }) => {
    const path = `${scene.folder}/state/worktrees/${id}`;
    assert.equal(await Deno.readTextFile(`${ws}/one.txt`), "1\n");
    await assert.rejects(Deno.stat(`${ws}/two.txt`), Deno.errors.NotFound);
    assert.equal(await Deno.readTextFile(`${path}/two.txt`), "2\n");
    assert.ok(
      result.includes(
        `Branch alisio/${id}, worktree ${path}: 1 file changed, 1 insertion(+)\n` +
          "Changed files: two.txt (+1 -0)\n",
      ),
      result,
    );
    assert.equal(await git(ws, "log", "-1", "--format=%s", `alisio/${id}`), "general: do two");
    const person = commands(scene);
    await assert.rejects(person.merge(id), /uncommitted changes: one\.txt; commit or remove/);
    await git(ws, "add", "-A");
    await git(ws, "commit", "-qm", "One");
    assert.match(await person.merge(id), /^Merged alisio\/[^:]+: 1 file changed/);
    assert.equal(await Deno.readTextFile(`${ws}/two.txt`), "2\n");
    assert.equal(await git(ws, "rev-list", "--merges", "--count", "HEAD"), "1");
    assert.equal(await git(ws, "branch", "--list", "alisio/*"), "");
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    await assert.rejects(person.merge(id), /there is nothing to merge/);
    await assert.rejects(person.discard(id), /there is nothing to discard/);
  });
});

Deno.test("Writers leaves the repository as it is where a merge conflicts, and names the files", async () => {
  await withTwo({ one: "same.txt", two: "same.txt" }, async (scene, { id, ws }) => {
    await git(ws, "add", "-A");
    await git(ws, "commit", "-qm", "One");
    const before = await git(ws, "rev-parse", "HEAD");
    const person = commands(scene);
    await assert.rejects(
      person.merge(id),
      /Cannot merge task \w{8}: files conflict, and nothing was changed: same\.txt;/,
    );
    assert.equal(await git(ws, "rev-parse", "HEAD"), before);
    assert.equal(await git(ws, "status", "--porcelain"), "");
    assert.equal(await Deno.readTextFile(`${ws}/same.txt`), "1\n");
    assert.match(await person.discard(id), /^Discarded alisio\//);
    assert.equal(await git(ws, "branch", "--list", "alisio/*"), "");
    assert.equal((await git(ws, "worktree", "list")).split("\n").length, 1);
  });
});

Deno.test("Writers finds its way after a command that was cut short, and lets a task go on afterwards", async () => {
  await withTwo({ one: "one.txt", two: "two.txt" }, async (scene, { id, ws }) => {
    await git(ws, "add", "-A");
    await git(ws, "commit", "-qm", "One");
    const path = `${scene.folder}/state/worktrees/${id}`;
    // As after an end between the merge and the removal, and in the middle of the removal.
    await git(ws, "merge", "-q", "--no-ff", "--no-edit", `alisio/${id}`);
    await Deno.remove(path, { recursive: true });
    const person = commands(scene);
    assert.match(
      await person.merge(id),
      /was merged already; its worktree and branch were removed/,
    );
    assert.equal((await git(ws, "worktree", "list")).split("\n").length, 1);
    const writer = { id, ancestors: [scene.session.id], workspace: path };
    const { signal } = new AbortController();
    assert.deepEqual(await person.enter(writer, signal), [
      "Its worktree was gone, and was made again",
    ]);
    assert.equal(await Deno.readTextFile(`${path}/two.txt`), "2\n");
    await assert.rejects(person.discard(id), /has not ended; wait for it or cancel it first/);
    assert.deepEqual(await person.leave(id), [
      "It changed nothing, so its worktree and branch were removed",
    ]);
  });
});

Deno.test("Writers refuses to merge on no branch, in an unfinished merge, and a task without a worktree", async () => {
  await withTwo({ one: "one.txt", two: "two.txt" }, async (scene, { id, ws }) => {
    await git(ws, "add", "-A");
    await git(ws, "commit", "-qm", "One");
    const person = commands(scene);
    await git(ws, "checkout", "-q", "--detach");
    await assert.rejects(person.merge(id), /is on no branch; check one out first/);
    await git(ws, "checkout", "-q", "main");
    await git(ws, "merge", "-q", "--no-ff", "--no-commit", `alisio/${id}`);
    await assert.rejects(person.merge(id), /has not ended in the working tree; finish it/);
    await git(ws, "merge", "--abort");
    const [one] = results(scene.provider.of("root").at(-1));
    await assert.rejects(person.merge(taskIdOf(one)), /worked in no worktree of its own/);
    await assert.rejects(person.discard("nothing"), /there is no such task/);
    // The index of the tree is in use by another Git.
    await Deno.writeTextFile(`${ws}/.git/index.lock`, "");
    await assert.rejects(person.merge(id), /index\.lock/);
    await Deno.remove(`${ws}/.git/index.lock`);
    assert.equal(await git(ws, "status", "--porcelain"), "");
    assert.match(await person.merge(id), /^Merged/);
  });
});

Deno.test("Writers runs no hook and no filter of the repository, and says what it leaves to the person", async () => {
  const prepare = async (ws: string) => {
    await makeRepository(ws, {
      "a.txt": "old\n",
      ".gitattributes": "*.bin filter=danger\n",
      "x.bin": "stored\n",
    });
    const mark = `touch ${ws}/../ran`;
    await git(ws, "config", "filter.danger.smudge", `${mark}; cat`);
    await git(ws, "config", "filter.danger.clean", `${mark}; cat`);
    await git(ws, "config", "core.fsmonitor", mark);
    for (const hook of ["post-checkout", "pre-commit", "pre-merge-commit", "post-merge"]) {
      await Deno.writeTextFile(`${ws}/.git/hooks/${hook}`, `#!/bin/sh\n${mark}\n`, { mode: 0o755 });
    }
  };
  await withTwo({ one: "one.txt", two: "new.bin" }, async (scene, { id, ws, result }) => {
    await assert.rejects(Deno.stat(`${scene.folder}/ran`), Deno.errors.NotFound);
    assert.match(result, /No filter such as Git LFS runs in the worktree[^\n]*x\.bin/);
    assert.match(result, /Not all of its work is committed: files pass through programs: new\.bin/);
    await Deno.remove(`${ws}/one.txt`);
    await assert.rejects(commands(scene).merge(id), /commit it in .*\/state\/worktrees\//);
    await assert.rejects(Deno.stat(`${scene.folder}/ran`), Deno.errors.NotFound);
    const path = `${scene.folder}/state/worktrees/${id}`;
    assert.equal(await Deno.readTextFile(`${path}/new.bin`), "2\n");
  }, prepare);
});

/** What is true of a folder in which no worktree can be made, and what the result says of it. */
const NO_WORKTREE: readonly (readonly [string, RegExp, (ws: string) => Promise<void>])[] = [
  ["no repository", /the folder is in no Git repository/, () => Promise.resolve()],
  [
    "no commit",
    /the repository has no commit yet/,
    async (ws) => void await git(ws, "init", "-q"),
  ],
  ["a bare one", /a bare one, without files/, async (ws) => {
    await makeRepository(ws);
    await git(ws, "config", "core.bare", "true");
  }],
  ["data elsewhere", /keeps its data elsewhere/, async (ws) => {
    await makeRepository(`${ws}/../other`);
    await Deno.writeTextFile(`${ws}/.git`, `gitdir: ${ws}/../other/.git\n`);
  }],
  ["a lost object", /take turns: .*(?:missing|unable to read|not read)/, async (ws) => {
    await makeRepository(ws);
    const blob = await git(ws, "rev-parse", "HEAD:a.txt");
    await Deno.remove(`${ws}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
  }],
  ["a branch named alisio", /take turns: .*alisio/, async (ws) => {
    await makeRepository(ws);
    await git(ws, "branch", "alisio");
  }],
  ["a file where its folder has to be", /worktrees.? for worktrees cannot be used/, async (ws) => {
    await makeRepository(ws);
    await Deno.writeTextFile(`${ws}/../state/worktrees`, "mine");
  }],
];

for (const [name, reason, prepare] of NO_WORKTREE) {
  Deno.test(`Writers lets writers take turns where no worktree can be made: ${name}`, async () => {
    await withDelegation(
      {
        root: TWO,
        one: [writes("one.txt", "1\n"), says("One")],
        two: [writes("two.txt", "2\n"), says("Two")],
      },
      { settings: { parallelWrites: "worktree" }, application: { allowWrite: true } },
      async (scene) => {
        const ws = `${scene.folder}/ws`;
        await prepare(ws);
        await scene.run();
        const [one = "", two = ""] = results(scene.provider.of("root").at(-1));
        assert.doesNotMatch(one + two, /Its worktree/, "nobody has one");
        assert.match(two, /No worktree, so writers take turns: /);
        assert.match(two, reason);
        assert.equal(await Deno.readTextFile(`${ws}/two.txt`), "2\n");
        const left = await Array.fromAsync(Deno.readDir(`${scene.folder}/state/worktrees`))
          .catch(() => []);
        assert.deepEqual(left, []);
      },
    );
  });
}

Deno.test("Writers takes turns without a person to ask, and says so", async () => {
  const seen: string[] = [];
  const noted = (text: string) =>
    async function* (request: Parameters<ReturnType<typeof says>>[0]) {
      seen.push(text);
      yield* says(text)(request);
    };
  await withDelegation(
    {
      root: TWO,
      one: [writes("one.txt", "1\n"), noted("one ends")],
      two: [noted("two ends")],
    },
    { application: { allowWrite: true } },
    async (scene) => {
      await makeRepository(`${scene.folder}/ws`);
      await scene.run();
      assert.deepEqual(seen, ["one ends", "two ends"]);
      const [one = "", two = ""] = results(scene.provider.of("root").at(-1));
      assert.match(two, /Writers take turns: nobody can be asked/);
      assert.doesNotMatch(one, /take turns/);
    },
  );
});

Deno.test("Writers asks once per session, and offers no worktree outside a repository", async () => {
  for (const isRepository of [true, false]) {
    const asked: string[] = [];
    const roles = {
      root: [
        delegates(["general", "one"], ["general", "two"], ["general", "three"]),
        says("All are done"),
      ],
      ...meeting({ one: [], two: [], three: [] }),
    };
    await withDelegation(roles, {
      application: {
        allowWrite: true,
        ask: ([question]) => {
          assert.ok(question !== undefined);
          asked.push(question.options.map(({ label }) => label).join());
          const { header } = question;
          return Promise.resolve([{ header, selected: ["Shared"], skipped: false }]);
        },
      },
    }, async (scene) => {
      if (isRepository) await makeRepository(`${scene.folder}/ws`);
      await scene.run();
      assert.deepEqual(asked, [isRepository ? "Worktree,Serial,Shared" : "Serial,Shared"]);
    });
  }
});

Deno.test("Writers never blocks a writer that waits for writers of its own", async () => {
  await withDelegation({
    root: [delegates(["general", "top"], ["general", "other"]), says("Done")],
    top: [delegates(["general", "below"], ["general", "beside"]), says("Top")],
    below: [writes("below.txt", "1\n"), says("Below")],
    beside: [writes("beside.txt", "1\n"), says("Beside")],
    other: [writes("other.txt", "1\n"), says("Other")],
  }, {
    settings: { parallelWrites: "serial" },
    application: { allowWrite: true },
  }, async (scene) => {
    assert.equal((await scene.run()).text, "Done");
    const names = await Array.fromAsync(Deno.readDir(`${scene.folder}/ws`), ({ name }) => name);
    for (const name of ["below.txt", "beside.txt", "other.txt"]) assert.ok(names.includes(name));
  });
});

Deno.test("Writers warns of changes and submodules that a worktree does not hold", async () => {
  const prepare = async (ws: string) => {
    await makeRepository(`${ws}/../library`);
    await makeRepository(ws);
    await git(
      ws,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "add",
      "-q",
      "../library",
      "lib",
    );
    await git(ws, "commit", "-qm", "Library");
    await writeTree(ws, { "dirty.txt": "x" });
  };
  await withTwo({ one: "one.txt", two: 'odd "ñ".txt' }, async (scene, { id, result, ws }) => {
    assert.match(result, /has uncommitted changes, and the worktree does not contain them/);
    assert.match(result, /does not contain the files of submodules: lib/);
    assert.ok(result.includes(JSON.stringify('odd "ñ".txt')), result);
    await git(ws, "add", "-A");
    await git(ws, "commit", "-qm", "All");
    assert.match(await commands(scene).merge(id), /^Merged/);
    assert.equal(await Deno.readTextFile(`${ws}/odd "ñ".txt`), "2\n");
  }, prepare);
});
