import assert from "node:assert/strict";
import { AlisioError } from "../../../core/errors.ts";
import { sha256Hex } from "../../../core/files/sha256.ts";
import { recordFileChange } from "../../../core/rewind/file_changes.ts";
import { keepBlob } from "../../../core/rewind/kept_blobs.ts";
import { rewindSession } from "../../../core/rewind/rewind_session.ts";
import { findPoint } from "../../../core/rewind/session_points.ts";
import { type RewindScene, withRewind } from "./_scene.ts";
import { DENO } from "../../support/paths.ts";

const isRefused = (error: unknown) =>
  error instanceof AlisioError && error.code === "rewind_refused";

/** Three prompts; after the first, files are as before it, with those of the person. */
async function fill(scene: RewindScene): Promise<void> {
  await Deno.writeTextFile(`${scene.workspace}/a.txt`, "a0");
  await Deno.writeTextFile(`${scene.workspace}/own.txt`, "own");
  scene.say("one"); // 1
  await scene.write("a.txt", "a1");
  await scene.write("new.txt", "n1");
  scene.say("two"); // 3
  await scene.write("a.txt", "a2");
  await scene.write("new.txt", "n2");
  scene.say("three"); // 5
  await scene.write("a.txt", "a3");
}

Deno.test("rewindSession() puts back the files that changed since, and undoes it", async () => {
  await withRewind(async (scene) => {
    await fill(scene);
    const now = { "a.txt": "a3", "new.txt": "n2", "own.txt": "own" };
    const plan = await scene.plan("3");
    assert.deepEqual(plan.files?.files.map(({ path }) => path.split("/").at(-1)), [
      "a.txt",
      "new.txt",
    ]);
    assert.deepEqual(await scene.files(), now, "a plan changes nothing");

    await scene.rewind("3");
    assert.deepEqual(await scene.files(), { "a.txt": "a1", "new.txt": "n1", "own.txt": "own" });
    await scene.rewind("undo");
    assert.deepEqual(await scene.files(), now);

    await scene.rewind("5");
    await scene.rewind("1");
    assert.deepEqual(await scene.files(), { "a.txt": "a0", "own.txt": "own" });
    await scene.rewind("undo");
    await scene.rewind("undo");
    assert.deepEqual(await scene.files(), now, "what it removed is there again");
  });
});

Deno.test("rewindSession() undoes files that a rewind put back which was ended without them", async () => {
  await withRewind(async (scene) => {
    await fill(scene);
    const [now, said] = [await scene.files(), scene.texts()];
    const isSecret = (real: string) => {
      if (real.endsWith("/new.txt")) throw new Error("cut short");
      return false;
    };
    const options = {
      rules: { ...scene.rules, isSecret },
      signal: new AbortController().signal,
    };
    const first = findPoint(scene.store, scene.id, "1");
    await assert.rejects(rewindSession(scene.store, scene.id, first, options), /cut short/);
    assert.deepEqual(await scene.files(), { ...now, "a.txt": "a0" });
    await scene.rewindAlone("1");
    assert.deepEqual(scene.texts(), []);
    await scene.rewind("undo");
    assert.deepEqual([await scene.files(), scene.texts()], [now, said]);
  });
});

Deno.test("rewindSession() refuses as a whole where a file was changed by other hands", async (t) => {
  const rows: readonly (readonly [string, (scene: RewindScene) => Promise<void>, RegExp])[] = [
    [
      "changed",
      ({ workspace }) => Deno.writeTextFile(`${workspace}/new.txt`, "mine"),
      /new\.txt": it was changed by other hands/,
    ],
    ["deleted", ({ workspace }) => Deno.remove(`${workspace}/a.txt`), /a\.txt": it was deleted/],
    ["changed between two edits", async (scene) => {
      await Deno.writeTextFile(`${scene.workspace}/a.txt`, "mine");
      await scene.write("a.txt", "a4");
    }, /changed by other hands than Alisio.s, between two changes of this/],
    ["replaced by a link", async ({ workspace }) => {
      await Deno.rename(`${workspace}/a.txt`, `${workspace}/elsewhere`);
      await Deno.symlink(`${workspace}/elsewhere`, `${workspace}/a.txt`);
    }, /a\.txt": its path leads elsewhere now/],
    ["replaced by a folder", async ({ workspace }) => {
      await Deno.remove(`${workspace}/a.txt`);
      await Deno.mkdir(`${workspace}/a.txt`);
    }, /a\.txt": .*it is a folder/],
    [
      "protected from being written",
      ({ workspace }) => Deno.chmod(`${workspace}/a.txt`, 0o444),
      /a\.txt": .*it is read-only/,
    ],
    [
      "grown too large",
      ({ workspace }) => Deno.writeFile(`${workspace}/a.txt`, new Uint8Array(2_000_000)),
      /larger than 1 MiB/,
    ],
  ];
  for (const [name, disturb, pattern] of rows) {
    await t.step(name, async () => {
      await withRewind(async (scene) => {
        await fill(scene);
        await disturb(scene);
        const before = scene.texts();
        const others = await Deno.readTextFile(`${scene.workspace}/own.txt`);
        const newFile = await Deno.readTextFile(`${scene.workspace}/new.txt`);
        assert.equal((await scene.plan("1")).files?.conflicts.length, 1);
        await assert.rejects(scene.rewind("1"), (error: unknown) => {
          assert.ok(isRefused(error), String(error));
          assert.match(String(error), pattern);
          return true;
        });
        assert.deepEqual(scene.texts(), before);
        assert.equal(await Deno.readTextFile(`${scene.workspace}/own.txt`), others);
        assert.equal(await Deno.readTextFile(`${scene.workspace}/new.txt`), newFile);
        await scene.rewindAlone("1");
        assert.deepEqual(scene.texts(), []);
      });
    });
  }
});

Deno.test("rewindSession() refuses where a folder was renamed or exchanged for a link", async () => {
  await withRewind(async (scene, folder) => {
    await Deno.mkdir(`${scene.workspace}/src`);
    scene.say("one");
    await scene.write("src/a.txt", "a1");
    await Deno.rename(`${scene.workspace}/src`, `${scene.workspace}/lib`);
    // Nothing is where the file was, as before it was written.
    assert.deepEqual((await scene.plan("1")).files?.files, []);
    await Deno.mkdir(`${folder}/outside`);
    await Deno.writeTextFile(`${folder}/outside/a.txt`, "a1");
    await Deno.symlink(`${folder}/outside`, `${scene.workspace}/src`);
    await assert.rejects(scene.rewind("1"), isRefused);
    assert.equal(await Deno.readTextFile(`${folder}/outside/a.txt`), "a1");
  });
});

Deno.test("rewindSession() leaves protected files alone", async () => {
  await withRewind(async (scene) => {
    scene.say("one");
    await scene.write("protected.txt", "x");
    await assert.rejects(scene.rewind("1"), /one of the files that are protected/);
  });
});

Deno.test("rewindSession() keeps bytes and mode as they were", async () => {
  await withRewind(async (scene) => {
    const path = `${scene.workspace}/run.sh`;
    const bytes = new TextEncoder().encode("\uFEFFone\r\ntwo\r\n\u0000\xff");
    await Deno.writeFile(path, bytes);
    await Deno.chmod(path, 0o750);
    scene.say("one");
    await scene.write("run.sh", "three\n");
    await scene.rewind("1");
    assert.deepEqual(await Deno.readFile(path), bytes);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o750);
  });
});

Deno.test("rewindSession() says what it cannot put back, and keeps no copy of secrets", async () => {
  await withRewind(async (scene) => {
    const { workspace, store } = scene;
    store.hideSecrets(["sesame-open-now"]);
    await Deno.writeTextFile(`${workspace}/.env`, "A=1");
    await Deno.writeTextFile(`${workspace}/keys.txt`, "k");
    await Deno.writeTextFile(`${workspace}/notes.txt`, "say sesame-open-now");
    await Deno.writeTextFile(`${workspace}/.env.example`, "A=");
    scene.say("one");
    for (const name of [".env", "keys.txt", "notes.txt", ".env.example"]) {
      await scene.write(name, "changed");
    }
    const { files } = await scene.plan("1");
    assert.deepEqual(files?.left.map(({ path }) => path.split("/").at(-1)).sort(), [
      ".env",
      "keys.txt",
      "notes.txt",
    ]);
    assert.match(files?.left[0]?.reason ?? "", /may hold a secret/);
    await scene.rewind("1");
    assert.deepEqual(await scene.files(), {
      ".env": "changed",
      ".env.example": "A=",
      "keys.txt": "changed",
      "notes.txt": "changed",
    });
    assert.equal(store.database.get("SELECT count(*) AS n FROM blobs")?.n, 2);
  });
});

Deno.test("rewindSession() notices a copy that is damaged or gone", async () => {
  await withRewind(async (scene) => {
    await fill(scene);
    await Deno.remove(`${scene.store.stateRoot}/blobs`, { recursive: true });
    const { files } = await scene.plan("3");
    assert.deepEqual(files?.files, []);
    assert.deepEqual(files?.left.map(({ reason }) => reason), [
      "what it held is gone from the state folder",
      "what it held is gone from the state folder",
    ]);
  });
});

Deno.test("keepBlob() keeps within its limits, and for a limited time", async () => {
  await withRewind(async (scene) => {
    const { store, id } = scene;
    await fill(scene);
    const count = () => Number(store.database.get("SELECT count(*) AS n FROM blobs")?.n);
    assert.equal(count(), 4);
    const later = Date.now() + 31 * 24 * 60 * 60 * 1_000;
    const bytes = new TextEncoder().encode("late");
    assert.ok(await keepBlob(store, id, { bytes, hash: "ab".repeat(32), at: later }));
    assert.equal(count(), 1);
    assert.match((await scene.plan("1")).files?.left[0]?.reason ?? "", /limited time/);
    store.database.run("UPDATE blobs SET bytes = 67108864");
    assert.equal(
      await keepBlob(store, id, { bytes, hash: "cd".repeat(32), at: later }),
      false,
    );
  });
});

Deno.test("recordFileChange() lets a change be made whose copy cannot be kept", async () => {
  await withRewind(async (scene) => {
    await Deno.writeTextFile(`${scene.workspace}/a.txt`, "old");
    await Deno.writeTextFile(`${scene.store.stateRoot}/blobs`, "in the way");
    scene.say("one");
    await scene.write("a.txt", "new");
    assert.equal(await Deno.readTextFile(`${scene.workspace}/a.txt`), "new");
    assert.match((await scene.plan("1")).files?.left[0]?.reason ?? "", /no room to keep/);
    assert.equal(scene.store.database.get("SELECT count(*) AS n FROM blobs")?.n, 0);
  });
});

Deno.test("rewindSession() ignores a change that was recorded and did not happen", async () => {
  await withRewind(async (scene) => {
    const { store, id, workspace } = scene;
    await Deno.writeTextFile(`${workspace}/a.txt`, "old");
    scene.say("one");
    const before = new TextEncoder().encode("old");
    const hash = await sha256Hex(before);
    const change = { path: `${workspace}/a.txt`, before, beforeHash: hash, isSecret: false };
    await recordFileChange(store, { sessionId: id, callId: "c1" }, {
      ...change,
      afterHash: "ef".repeat(32),
    });
    assert.deepEqual((await scene.plan("1")).files?.files, []);
    await scene.write("a.txt", "new");
    await scene.rewind("1");
    assert.equal(await Deno.readTextFile(`${workspace}/a.txt`), "old");
  });
});

Deno.test("rewindSession() counts what programs did since", async () => {
  await withRewind(async (scene) => {
    scene.say("one");
    const call = { sessionId: scene.id, runId: "r", name: "shell", arguments: "{}" };
    for (const [index, effect] of (["process", "external", "write", "read"] as const).entries()) {
      scene.store.beginCall({ ...call, callId: `c${index}`, effect, startedAt: Date.now() });
    }
    assert.equal((await scene.plan("1")).outsideCalls, 2);
  });
});

Deno.test("rewindSession() goes on where kill -9 ended it, each file whole", async () => {
  await withRewind(async (scene) => {
    scene.say("one");
    const names = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
    for (const name of names) await Deno.writeTextFile(`${scene.workspace}/${name}`, `${name} old`);
    for (const name of names) await scene.write(name, `${name} new`);
    scene.say("two");
    const child = new Deno.Command(DENO, {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL("./_rewind_child.ts", import.meta.url).pathname,
        scene.store.path,
        scene.workspace,
        scene.id,
      ],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    const isOld = async (name: string) =>
      (await Deno.readTextFile(`${scene.workspace}/${name}`)) === `${name} old`;
    // Once the first file is back, the others are not yet.
    while (!await isOld("f59.txt")) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill("SIGKILL");
    await child.status;
    await reader.cancel();
    const states = await Promise.all(
      names.map((name) => Deno.readTextFile(`${scene.workspace}/${name}`)),
    );
    for (const [index, text] of states.entries()) {
      assert.ok([`f${index}.txt old`, `f${index}.txt new`].includes(text), text);
    }
    assert.deepEqual(scene.texts().length, 4, "the conversation comes last");
    await scene.rewind("1");
    for (const name of names) assert.ok(await isOld(name), name);
    assert.deepEqual(scene.texts(), []);
    await scene.rewind("undo");
    for (const name of names) assert.equal(await isOld(name), false, name);
  });
});

Deno.test("rewindSession() puts back what sessions changed that work for it in its folder", async () => {
  await withRewind(async (scene) => {
    const { store, id, workspace } = scene;
    await Deno.writeTextFile(`${workspace}/a.txt`, "a0");
    scene.say("one"); // 1
    for (
      const [child, parent, folder] of [
        ["c1", id, workspace],
        ["c2", "c1", workspace],
        ["elsewhere", id, `${workspace}/tree`],
      ] as const
    ) {
      const base = { workspace: folder, model: "m", provider: "p", createdAt: Date.now() };
      store.createSession({ id: child, ...base });
      store.database.run("UPDATE sessions SET parent_id = ? WHERE id = ?", parent, child);
    }
    await scene.write("a.txt", "a1", "c1");
    await scene.write("a.txt", "a2", "c2");
    await scene.write("a.txt", "a3");
    await scene.write("b.txt", "b1", "c2");
    await scene.write("c.txt", "c1", "elsewhere");
    const now = await scene.files();
    await scene.rewind("1");
    assert.deepEqual(await scene.files(), { "a.txt": "a0", "c.txt": "c1" });
    await scene.rewind("undo");
    assert.deepEqual(await scene.files(), now);
    await scene.rewind("1");
    assert.deepEqual(await scene.files(), { "a.txt": "a0", "c.txt": "c1" }, "once more");
  });
});
