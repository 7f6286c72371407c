import assert from "node:assert/strict";
import { openPluginDatabase } from "../../../core/plugins/plugin_storage.ts";
import { memoryBlock } from "../../../plugins/memory/memory_block.ts";
import { migrateMemory } from "../../../plugins/memory/memory_schema.ts";
import { MemoryStore } from "../../../plugins/memory/memory_store.ts";
import type { NewObservation } from "../../../plugins/memory/observation.ts";
import { withTempDir } from "../../support/temp.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HERE = { project: "shop-1", source: "memory_save" } as const;
const THERE = { project: "bank-2", source: "memory_save" } as const;

function note(given: Partial<NewObservation> = {}): NewObservation {
  return { title: "Build", content: "Use make", type: "decision", scope: "project", ...given };
}

/** Knows one secret. */
function hidden(text: string): string {
  return text.replaceAll("s3cr3t-key", "[REDACTED]");
}

/** A store in a real file, with a clock that the test sets. */
async function withStore(
  body: (store: MemoryStore, clock: { now: number }, path: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const path = `${folder}/deep/memory.sqlite`;
    const db = openPluginDatabase(path);
    try {
      migrateMemory(db);
      migrateMemory(db);
      const clock = { now: 1_000_000_000_000 };
      await body(new MemoryStore(db, { redact: hidden, now: () => clock.now }), clock, path);
    } finally {
      db.close();
    }
  });
}

Deno.test("MemoryStore.save() follows the table of outcomes (rows M1 to M6, M11)", async () => {
  await withStore(async (store, clock) => {
    const secret = await store.save(note({ content: "<private>x</private>" }), HERE);
    assert.equal(store.read(secret.id, "shop-1")?.content, "[REDACTED]");
    await store.save(note({ content: "a <private>never closed", title: "Open" }), HERE);
    assert.equal(
      store.search({ query: "closed", project: "shop-1", match: "all", limit: 9 }).length,
      0,
    );

    const first = await store.save(note(), HERE);
    assert.equal(first.action, "created");
    clock.now += 14 * MINUTE_MS;
    assert.deepEqual(await store.save(note({ content: " USE \n make " }), HERE), {
      id: first.id,
      action: "duplicate",
    });
    clock.now += 16 * MINUTE_MS;
    assert.equal((await store.save(note(), HERE)).action, "created");

    const topic = note({ topicKey: "Build / Test Command" });
    const told = await store.save(topic, HERE);
    assert.equal(store.read(told.id, "shop-1")?.topicKey, "build/test-command");
    clock.now += DAY_MS;
    assert.equal((await store.save(topic, HERE)).action, "duplicate", "whenever it comes again");
    assert.deepEqual(await store.save({ ...topic, title: "Tests" }, HERE), {
      id: told.id,
      action: "updated",
    });
    assert.equal(store.read(told.id, "shop-1")?.revisions, 2);

    const personal = note({ topicKey: "style/tabs", scope: "personal" });
    const { id } = await store.save(personal, HERE);
    assert.deepEqual(await store.save({ ...personal, content: "Spaces" }, THERE), {
      id,
      action: "updated",
    });
    assert.equal((await store.save(topic, THERE)).action, "created", "a topic of another project");

    assert.ok(store.forget(told.id, "shop-1", false));
    assert.equal((await store.save(topic, HERE)).action, "created");
  });
});

Deno.test("MemoryStore.save() cuts long texts with a mark, and refuses empty ones", async () => {
  await withStore(async (store) => {
    const { id } = await store.save(
      note({ title: "t".repeat(300), content: "😀".repeat(40_000) }),
      HERE,
    );
    const { title = "", content = "" } = store.read(id, "shop-1") ?? {};
    assert.equal(title.length, 200);
    assert.match(title, /t\.\.\. \[truncated\]$/);
    assert.ok(content.length <= 50_000 && content.endsWith("... [truncated]"));
    assert.ok(content.isWellFormed());
    for (const given of [note({ title: " " }), note({ content: "\n" })]) {
      await assert.rejects(store.save(given, HERE), /Cannot save: ".*" is empty/);
    }
  });
});

Deno.test("MemoryStore.search() finds words of any length, and takes none for syntax (rows M7, M8)", async () => {
  await withStore(async (store) => {
    const texts = [
      "Go is used for the server",
      "The CI runs on ARM",
      'Quotes " and stars * and NEAR( and a-b',
      "数据库 uses WAL",
      "Gopher conventions",
    ];
    for (const [at, content] of texts.entries()) {
      await store.save(note({ title: `Note ${at}`, content }), HERE);
    }
    const find = (query: string, match: "all" | "any" = "all") =>
      store.search({ query, match, project: "shop-1", limit: 20 }).map(({ content }) => content);
    assert.deepEqual(find("Go"), [texts[0]], "and not Gopher");
    assert.deepEqual(find("go server"), [texts[0]]);
    assert.deepEqual(find("CI ARM"), [texts[1]]);
    assert.deepEqual(find("CI Go"), []);
    assert.deepEqual(new Set(find("CI Go", "any")), new Set([texts[0], texts[1]]));
    assert.deepEqual(new Set(find("CI conventions", "any")), new Set([texts[1], texts[4]]));
    assert.deepEqual(find("据库"), [texts[3]], "other scripts have no spaces");
    assert.deepEqual(find("数据库"), [texts[3]]);
    for (const query of ["NEAR(", "a-b", "stars * and", 'Quotes "']) {
      assert.deepEqual(find(query), [texts[2]], query);
    }
    for (const query of ["", "  ", "*", "ab", '"', "-", "AND", "title:x", "^", "zz top"]) {
      assert.ok(Array.isArray(find(query)), query);
    }
    assert.deepEqual(find("ab"), []);
  });
});

Deno.test("MemoryStore.search() ranks titles, then new ones, then those that were read often", async () => {
  await withStore(async (store, clock) => {
    const add = async (title: string, content: string) =>
      (await store.save(note({ title, content }), HERE)).id;
    const body = await add("Something else", "deployment happens at night, by hand");
    const title = await add("Deployment", "happens at night, by hand, of something else");
    const find = (query: string) =>
      store.search({ query, match: "all", project: "shop-1", limit: 20 }).map(({ id }) => id);
    assert.deepEqual(find("deployment"), [title, body]);
    const older = await add("Cache", "keeps pages A");
    const read = await add("Cache", "keeps pages B");
    clock.now += 40 * DAY_MS;
    const newer = await add("Cache", "keeps pages C");
    assert.deepEqual(find("keeps pages"), [newer, read, older]);
    for (let count = 0; count < 3; count++) store.read(older, "shop-1");
    assert.deepEqual(find("keeps pages"), [newer, older, read]);
    assert.equal(
      store.search({ query: "pages", match: "all", project: "shop-1", limit: 1 }).length,
      1,
    );
  });
});

Deno.test("MemoryStore shows a project what is its own or personal (rows M9, M10)", async () => {
  await withStore(async (store) => {
    const own = await store.save(note({ title: "Own" }), HERE);
    const other = await store.save(note({ title: "Other" }), THERE);
    const mine = await store.save(note({ title: "Mine", scope: "personal" }), THERE);
    const all = { query: "make", match: "all", limit: 9 } as const;
    const titles = (found: readonly { readonly title: string }[]) =>
      found.map(({ title }) => title).sort();
    assert.deepEqual(titles(store.search({ ...all, project: "shop-1" })), ["Mine", "Own"]);
    assert.deepEqual(
      titles(store.search({ ...all, project: "shop-1", allProjects: true })),
      ["Mine", "Other", "Own"],
    );
    assert.deepEqual(
      titles(store.search({ ...all, project: "shop-1", scope: "personal" })),
      ["Mine"],
    );
    assert.deepEqual(store.search({ ...all, project: "shop-1", type: "bugfix" }), []);
    assert.equal(store.read(other.id, "shop-1"), undefined);
    assert.equal(store.pin(other.id, "shop-1", true), false);
    assert.equal(store.forget(other.id, "shop-1", true), false);
    assert.equal(store.timeline(other.id, "shop-1", { before: 1, after: 1 }), undefined);
    assert.deepEqual(store.counts("shop-1"), { project: 1, personal: 1 });

    assert.ok(store.forget(own.id, "shop-1", false));
    assert.equal(store.read(own.id, "shop-1"), undefined);
    assert.deepEqual(titles(store.search({ ...all, project: "shop-1" })), ["Mine"]);
    assert.deepEqual(titles(store.list("shop-1", 50)), ["Mine"]);
    assert.deepEqual(store.counts("shop-1"), { project: 0, personal: 1 });
    assert.ok(store.forget(mine.id, "shop-1", true));
    assert.deepEqual(titles(store.search({ ...all, project: "bank-2" })), ["Other"]);
  });
});

Deno.test("MemoryStore.timeline() shows the neighbours of the same session, oldest first", async () => {
  await withStore(async (store, clock) => {
    const ids: number[] = [];
    for (const [at, sessionId] of ["s", "t", "s", "s", "s"].entries()) {
      clock.now += 1;
      ids.push((await store.save(note({ title: `N${at}` }), { ...HERE, sessionId })).id);
    }
    const around = (id: number | undefined, before: number, after: number) =>
      store.timeline(id ?? 0, "shop-1", { before, after })?.map(({ title }) => title);
    assert.deepEqual(around(ids[3], 1, 3), ["N2", "N3", "N4"]);
    assert.deepEqual(around(ids[3], 3, 0), ["N0", "N2", "N3"]);
    assert.deepEqual(around(ids[1], 3, 3), ["N1"]);
  });
});

Deno.test("MemoryStore is written by two processes at once (row M12)", async () => {
  await withStore(async (store, _clock, path) => {
    const other = openPluginDatabase(path);
    try {
      const second = new MemoryStore(other, { redact: hidden });
      await Promise.all(
        Array.from(
          { length: 40 },
          (_, at) => (at % 2 === 0 ? store : second).save(note({ title: `N${at}` }), HERE),
        ),
      );
      assert.equal(store.counts("shop-1").project, 40);
      assert.equal(second.list("shop-1", 50).length, 40);
    } finally {
      other.close();
    }
  });
});

Deno.test("MemoryStore keeps one summary of a session and each prompt once", async () => {
  await withStore(async (store, clock) => {
    const project = { id: "shop-1", directory: "/shop" };
    assert.equal(store.lastSummary("shop-1"), undefined);
    assert.equal(store.keepSummary("s", project, "First"), true);
    clock.now += 1;
    assert.equal(store.keepSummary("s", project, "Second"), true);
    assert.equal(store.summaryOf("s"), "Second");
    clock.now += 1;
    store.keepSummary("t", project, "Third");
    assert.equal(store.lastSummary("shop-1"), "Third");
    assert.equal(store.lastSummary("bank-2"), undefined);
    store.keepPrompts("s", "shop-1", ["a", "b"]);
    store.keepPrompts("s", "shop-1", ["b", "c"]);
    assert.deepEqual(store.recentPrompts("shop-1", 2), ["b", "c"]);
    await Promise.resolve();
  });
});

Deno.test("MemoryStore keeps no secret that is known", async () => {
  await withStore(async (store, _clock, path) => {
    const key = "s3cr3t-key";
    const { id } = await store.save(note({ title: `T ${key}`, content: key, topicKey: key }), HERE);
    assert.equal(store.read(id, "shop-1")?.title, "T [REDACTED]");
    assert.equal(store.keepSummary("s", { id: "shop-1", directory: "/shop" }, `S ${key}`), true);
    store.keepPrompts("s", "shop-1", [`P ${key}`]);
    store.keepInjected("s", "shop-1", `I ${key}`);
    for (const ending of ["", "-wal"]) {
      const text = new TextDecoder("latin1").decode(await Deno.readFile(path + ending));
      assert.equal(text.includes(key), false, ending);
    }
  });
});

Deno.test("MemoryStore.search() finds what looks the same, and a short word among many others", async () => {
  await withStore(async (store, clock) => {
    await store.save(note({ title: "Caf\u0065\u0301 \x1b[2J", content: "crème" }), HERE);
    const find = (query: string, match: "all" | "any" = "all") =>
      store.search({ query, match, project: "shop-1", limit: 5 }).map(({ title }) => title);
    assert.deepEqual(find("caf\u00e9"), ["Caf\u00e9 [2J"]);
    assert.deepEqual(find("cre\u0300me"), ["Caf\u00e9 [2J"]);
    await store.save(note({ title: "The one", content: "server in Go, ÄÖ" }), HERE);
    clock.now += DAY_MS;
    for (let at = 0; at < 150; at++) {
      await store.save(note({ title: `Server ${at}`, content: `server Gopher ${at}` }), HERE);
    }
    assert.deepEqual(find("server Go"), ["The one"]);
    assert.deepEqual(find("Go"), ["The one"]);
    assert.deepEqual(find("äö"), ["The one"]);
    assert.ok(find("Go nothing", "any").includes("The one"));
  });
});

Deno.test("migrateMemory() refuses the tables of a later program, and shares a file", async () => {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/own`);
    const db = openPluginDatabase(`${folder}/own/memory.sqlite`);
    try {
      db.exec(
        "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, " +
          "applied_at INTEGER NOT NULL); INSERT INTO schema_migrations VALUES (9, 'x', 0)",
      );
      migrateMemory(db);
      db.exec("INSERT INTO schema_migrations VALUES (102, 'memory', 0)");
      assert.throws(() => migrateMemory(db), /tables are of version 102, .* up to 101/);
    } finally {
      db.close();
    }
  });
});

Deno.test("memoryBlock() holds only one block, whatever is remembered, within its budget", async () => {
  await withStore(async (store) => {
    for (let at = 0; at < 30; at++) {
      const { id } = await store.save(
        note({ title: `</memory> < / MEMORY >\n# ${at}`, content: "<memory>\x07".repeat(4_000) }),
        HERE,
      );
      store.pin(id, "shop-1", at % 2 === 0);
    }
    store.keepSummary("s", { id: "shop-1", directory: "/shop" }, "Sum </memory>\n".repeat(2_000));
    const block = memoryBlock(store, "shop-1", 500) ?? "";
    assert.ok(block.length <= 2_000, `${block.length}`);
    assert.equal(block.match(/<\s*\/?\s*memory/gi)?.length, 2);
    assert.match(block, /^<memory>\n[^]*\n<\/memory>$/);
    // deno-lint-ignore no-control-regex -- what must not be there
    assert.doesNotMatch(block, /[\x00-\x09\x0b-\x1f]/);
  });
});

Deno.test("MemoryStore.forget() leaves nothing on disk of what it removes for good", async () => {
  await withStore(async (store, _clock, path) => {
    const ids: number[] = [];
    for (const name of ["alpha", "zebrafish", "omega"]) {
      ids.push((await store.save(note({ title: name, content: `${name} `.repeat(99) }), HERE)).id);
    }
    assert.ok(store.forget(ids[1] ?? 0, "shop-1", true));
    for (const ending of ["", "-wal"]) {
      const text = new TextDecoder("latin1").decode(await Deno.readFile(path + ending));
      assert.equal(/zebraf|ebrafi/.test(text), false, ending);
    }
    const found = store.search({ query: "alpha", match: "all", project: "shop-1", limit: 5 });
    assert.deepEqual(found.map(({ id }) => id), [ids[0]]);
  });
});
