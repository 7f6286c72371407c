import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CliScene, dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const SAVE = callTurn(["memory_save", {
  title: "Tests run with make",
  content: "make test, because of the database",
  type: "decision",
}]);
const SEARCHES = callTurn(
  ...[1, 2, 3, 4].map((at) => ["memory_search", { query: `nothing ${at}` }] as const),
);

function memoryOf(cli: CliScene): string {
  return join(cli.stateHome, "memory.sqlite");
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

function firstPrompt(request: Parameters<typeof messagesOf>[0]): string {
  return String(messagesOf(request).find(({ role }) => role === "user")?.content);
}

for (const flags of [[], ["--read-only"], ["--no-second-wall"]]) {
  Deno.test(`alisio run ${flags.join(" ")} keeps what the next run begins with, once`, async () => {
    await using model = await startModel([SAVE, chatReply({ text: "Kept" })]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const first = await cli.run(["run", "keep it", "--json", ...flags]);
      assert.equal(first.status, 0, shown(first));
      assert.match(toolResults(await model.chat(1))[0] ?? "", /"action":"created"/);
      const second = await cli.run(["run", "how?", "--json", ...flags]);
      assert.equal(second.status, 0, shown(second));
      const told = firstPrompt(await model.chat(2));
      assert.match(told, /<memory>[^]*#1 decision: Tests run with make[^]*<\/memory>\n\nhow\?$/);
      const session = jsonLines(second).findLast(({ sessionId }) => sessionId !== undefined);
      await cli.run(["resume", session?.sessionId ?? "", "go on", ...flags]);
      const prompts = messagesOf(await model.chat(3)).filter(({ role }) => role === "user");
      const texts = JSON.stringify(prompts);
      assert.equal(texts.split("<memory>").length, 2, "resumed, and not told again");
      assert.equal(model.chats.length, 4);
    });
  });
}

Deno.test("alisio run leaves no trace of a memory that is switched off", async () => {
  for (const off of ["flag", "configuration"] as const) {
    await using model = await startModel([SAVE]);
    await withCli(async (cli) => {
      const settings = off === "flag" ? {} : { builtinPlugins: { memory: { enabled: false } } };
      await useModel(cli, model, settings);
      const flags = off === "flag" ? ["--disable-plugin", "memory"] : [];
      const run = await cli.run(["run", "keep it", "--json", ...flags]);
      assert.doesNotMatch(JSON.stringify((await model.chat(0)).json), /memory/);
      assert.match(toolResults(await model.chat(1))[0] ?? "", /memory_save/);
      assert.equal(await exists(memoryOf(cli)), false, shown(run));
      const command = await cli.run(["run", "/memory", ...flags]);
      assert.equal(await exists(memoryOf(cli)), false, shown(command));
    });
  }
});

Deno.test("alisio run sums up a script of five calls that came to its end, and no other", async () => {
  const summary = { goal: "Ship the shop", nextSteps: ["Pay"] };
  const refused = callTurn(["write_file", { path: "a", content: "", expectedHash: null }]);
  await using model = await startModel([
    SAVE,
    SEARCHES,
    chatReply({ text: "Done" }),
    chatReply({ text: JSON.stringify(summary) }),
    SEARCHES,
    refused,
    chatReply({ text: "Refused" }),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "do it", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(jsonLines(run).at(-1)?.type, "run_completed");
    assert.equal(model.chats.length, 4);
    assert.match(firstPrompt(await model.chat(3)), /^User: do it[^]*Call of memory_save/);
    const next = await cli.run(["run", "and now?"]);
    assert.equal(next.status, 5, shown(next));
    assert.match(firstPrompt(await model.chat(4)), /## Summary of the last session\n## Goal\nShip/);
    assert.equal(model.chats.length, 7);
  });
});

Deno.test("alisio run ends in time and with its status, whatever becomes of the summary", async () => {
  const answers = [
    { name: "garbage", turn: chatReply({ text: "no { json } at all" }), kept: /no \{ json/ },
    { name: "long", turn: chatReply({ text: "long ".repeat(400_000) }), kept: /long long/ },
    { name: "never", turn: { steps: [{ do: "hang" as const }] }, kept: null },
  ];
  for (const { name, turn, kept } of answers) {
    await using model = await startModel([SAVE, SEARCHES, chatReply({ text: "Done" }), turn]);
    await withCli(async (cli) => {
      await useModel(cli, model, { pluginHooks: { sessionEndTimeoutMs: 1_500 } });
      const run = await cli.run(["run", "do it", "--json"]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      assert.equal(dataOf(run, "run_completed").text, "Done");
      const db = new DatabaseSync(memoryOf(cli));
      const { summary } = db.prepare("SELECT max(summary) AS summary FROM memory_sessions").get() ??
        {};
      db.close();
      if (kept === null) assert.equal(summary, null, name);
      else assert.match(String(summary), kept, name);
      assert.ok(String(summary).length <= 16_000);
    });
  }
});

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  Deno.test(`alisio run that ends by ${signal} while it is summed up has kept the rest`, async () => {
    await using model = await startModel([
      SAVE,
      SEARCHES,
      chatReply({ text: "Done" }),
      { steps: [{ do: "hang" }] },
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const running = cli.start(["run", "do it", "--json"]);
      await model.chat(3);
      running.kill(signal);
      const result = await running.ended;
      assert.equal(dataOf(result, "run_completed").text, "Done");
      const shownAll = await cli.run(["run", "/memory"]);
      assert.match(shownAll.stdout, /^1 of project work-[0-9a-f]{8}, 0 personal\n#1 decision/);
    });
  });
}

Deno.test("alisio run goes on where the memory cannot be opened, and says why (row M14)", async () => {
  const cases: readonly (readonly [string, RegExp, (cli: CliScene) => Promise<void>])[] = [
    ["damaged", /it is no database/, async (cli) => {
      await writeTree(cli.dir, { "state/memory.sqlite": "a letter ".repeat(900) });
    }],
    ["a folder", /it is not a file/, async (cli) => {
      await Deno.mkdir(memoryOf(cli), { recursive: true, mode: 0o755 });
    }],
    [
      "newer",
      /tables are of version 150, and this Alisio knows them up to 101; update/,
      async (cli) => {
        await cli.run(["run", "/memory"]);
        const db = new DatabaseSync(memoryOf(cli));
        db.exec("INSERT INTO schema_migrations VALUES (150, 'memory', 0)");
        db.close();
      },
    ],
  ];
  for (const [name, reason, prepare] of cases) {
    await using model = await startModel([SAVE]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      await prepare(cli);
      const before = name === "a folder" ? null : await Deno.readFile(memoryOf(cli));
      const run = await cli.run(["run", "keep it", "--json"]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      assert.match(toolResults(await model.chat(1))[0] ?? "", reason, name);
      const command = await cli.run(["run", "/memory"]);
      assert.notEqual(command.status, 0, shown(command));
      assert.match(command.stderr, reason, name);
      if (before === null) {
        assert.equal(((await Deno.stat(memoryOf(cli))).mode ?? 0) & 0o777, 0o755);
      } else assert.deepEqual(await Deno.readFile(memoryOf(cli)), before, name);
    });
  }
});

Deno.test("alisio run waits for a memory that another process locks, and goes on without it", async () => {
  await using model = await startModel([SAVE, chatReply({ text: "Kept" }), SAVE]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    await cli.run(["run", "keep it"]);
    const db = new DatabaseSync(memoryOf(cli));
    db.exec("BEGIN IMMEDIATE; UPDATE observations SET pinned = 1");
    const run = await cli.run(["run", "keep it again", "--json"]);
    db.exec("ROLLBACK");
    db.close();
    assert.equal(run.status, 0, shown(run));
    assert.match(firstPrompt(await model.chat(2)), /<memory>/, "reading waits for nobody");
    assert.match(
      toolResults(await model.chat(3))[0] ?? "",
      /^Cannot use the memory ".*memory\.sqlite": another program holds it at the moment; try again/,
    );
    const after = await cli.run(["run", "/memory"]);
    assert.match(after.stdout, /^1 of project/);
  });
});

Deno.test("alisio run tells nobody to move a memory away that another process has for itself", async () => {
  await using model = await startModel([SAVE]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    await cli.run(["run", "keep it"]);
    const db = new DatabaseSync(memoryOf(cli));
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE observations SET pinned = 1");
    const run = await cli.run(["run", "/memory", "--db", join(cli.dir, "beside.sqlite")]);
    db.exec("ROLLBACK");
    db.close();
    assert.match(run.stderr, /another program holds it at the moment; try again later/);
    assert.doesNotMatch(run.stderr, /move it away|Cannot open database/);
    const after = await cli.run(["run", "/memory", "--db", join(cli.dir, "beside.sqlite")]);
    assert.match(after.stdout, /^1 of project/);
  });
});

Deno.test("alisio run keeps its memory at dbPath behind the wall, and harms nothing else there", async () => {
  const places = ["../config/memory.sqlite", "../elsewhere/new/memory.sqlite", "../far/m.db"];
  for (const place of places) {
    for (const flags of [[], ["--read-only"]]) {
      await using model = await startModel([SAVE]);
      await withCli(async (cli) => {
        await Deno.mkdir(join(cli.dir, "far"));
        const path = join(cli.workspace, place);
        await useModel(cli, model, { builtinPlugins: { memory: { dbPath: path } } });
        const isThere = await exists(dirname(path));
        const run = await cli.run(["run", "keep it", "--json", ...flags]);
        assert.equal(run.status, 0, shown(run));
        const expected = isThere ? /created/ : /name a file in a folder that is there/;
        assert.match(toolResults(await model.chat(1))[0] ?? "", expected, shown(run));
        assert.equal(await exists(path), isThere);
        assert.equal(await exists(memoryOf(cli)), false);
        if (!isThere) return;
        const again = await cli.run(["run", "/memory", ...flags]);
        assert.match(again.stdout, /^1 of project/, shown(again));
      });
    }
  }
});

Deno.test("A trusted project chooses a memory of its own, and no file that is something else", async () => {
  await using model = await startModel([
    SAVE,
    chatReply({ text: "a" }),
    SAVE,
    chatReply({ text: "b" }),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const project = (dbPath: string) =>
      writeTree(cli.workspace, {
        ".alisio/config.json": JSON.stringify({ builtinPlugins: { memory: { dbPath } } }),
      });
    await project("memory.sqlite");
    await cli.run(["run", "untrusted"]);
    assert.match(toolResults(await model.chat(1))[0] ?? "", /created/);
    assert.equal(await exists(memoryOf(cli)), true, "what is not trusted names nothing");
    const trusted = await cli.run(["run", "trusted", "--trust-project"]);
    assert.match(toolResults(await model.chat(3))[0] ?? "", /created/, shown(trusted));
    assert.equal(await exists(join(cli.workspace, ".alisio/memory.sqlite")), true);

    const other = new DatabaseSync(join(cli.dir, "browser.sqlite"));
    other.exec("CREATE TABLE history (url)");
    other.close();
    await writeTree(cli.dir, { "notes.txt": "mine", "empty.txt": "" });
    for (const name of ["notes.txt", "empty.txt", "browser.sqlite"]) {
      await Deno.chmod(join(cli.dir, name), 0o644);
      const before = await Deno.readFile(join(cli.dir, name));
      await project(join(cli.dir, name));
      for (const flags of [["--trust-project"], ["--trust-project", "--no-second-wall"]]) {
        const run = await cli.run(["run", "/memory", ...flags]);
        assert.notEqual(run.status, 0, shown(run));
        assert.match(run.stderr, /Cannot open the memory/);
      }
      assert.deepEqual(await Deno.readFile(join(cli.dir, name)), before, name);
      assert.equal(((await Deno.stat(join(cli.dir, name))).mode ?? 0) & 0o777, 0o644, name);
    }
  });
});

Deno.test("alisio run keeps no key in the memory that it knows", async () => {
  const key = "sk-test-0123456789abcdefghij";
  await using model = await startModel([
    callTurn(["memory_save", { title: `Key ${key}`, content: key, type: "config" }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "keep it"], { env: { OPENAI_API_KEY: key } });
    assert.equal(run.status, 0, shown(run));
    const { stdout } = await cli.run(["run", "/memory show 1"]);
    assert.match(stdout, /^#1 config: Key \[/);
    assert.doesNotMatch(stdout, /0123456789abcdef/);
  });
});

Deno.test("Two Alisios keep what they are told at once in one new memory (row M12)", async () => {
  await withCli(async (cli) => {
    const runs = ["a", "b", "c", "d"].map(async (name) => {
      const saves = Array.from(
        { length: 15 },
        (_, at) =>
          ["memory_save", {
            title: `${name} ${at}`,
            content: `${name} ${at}`,
            type: "learning",
          }] as const,
      );
      await using model = await startModel([callTurn(...saves), chatReply({ text: "Kept" })]);
      const flags = ["--base-url", model.baseUrl, "--model", "stub"];
      const run = await cli.run(["run", "keep it", ...flags]);
      assert.equal(run.status, 0, shown(run));
      for (const result of toolResults(await model.chat(1))) assert.match(result, /created/);
    });
    await Promise.all(runs);
    const { stdout } = await cli.run(["run", "/memory"]);
    assert.match(stdout, /^60 of project/);
  });
});
