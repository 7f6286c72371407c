import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type CliResult,
  type CliScene,
  dataOf,
  jsonLines,
  sessionOf,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, canRun, NAMESPACE, onlySession, sessionIds, useModel } from "./_support.ts";

const UNIX = Deno.build.os !== "windows";

const CAN_MOUNT = await canRun([...NAMESPACE, "mount -t tmpfs tmpfs /mnt"]);

Deno.test("alisio run starts a new database when the old one is damaged, and keeps that one (field case 147)", async () => {
  const damages: readonly (readonly [string, (file: string) => Promise<void>])[] = [
    ["text", (file) => Deno.writeTextFile(file, "This is no database\n".repeat(500))],
    ["a cut file", async (file) => await Deno.truncate(file, (await Deno.stat(file)).size / 2)],
    ["overwritten pages", overwritePages],
  ];
  for (const [name, damage] of damages) {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await cli.run(["run", "x"]);
      const session = await onlySession(cli);
      const file = databaseOf(cli);
      await damage(file);

      const list = await cli.run(["sessions", "list"]);
      assert.equal(list.status, 1, `${name}: ${shown(list)}`);
      assert.match(
        list.stderr,
        /^alisio: Cannot read session database ".*sessions\.sqlite": the fil/,
      );
      assert.match(list.stderr, /The next "alisio run" moves it aside and starts a new one\n$/);

      const run = await cli.run(["run", "y", "--json"]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      const [, moved = ""] = /is damaged .* It was moved to "(.*)"; sessions are now kept in a new/
        .exec(run.stderr) ?? [];
      assert.ok((await Deno.stat(moved)).isFile, name);
      assert.deepEqual(await sessionIds(cli), [sessionOf(run)]);
      const resume = await cli.run(["resume", session, "y"]);
      assert.equal(resume.status, 2);
      assert.match(resume.stderr, /Cannot find session/);
      await assertResumes(cli, sessionOf(run));
    });
  }
});

Deno.test("alisio leaves a database of a newer version alone", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    await cli.run(["run", "x"]);
    const session = await onlySession(cli);
    change(
      cli,
      "INSERT INTO schema_migrations SELECT 99, name, applied_at FROM schema_migrations LIMIT 1",
    );
    const before = await Deno.readFile(databaseOf(cli));
    for (const args of [["run", "y"], ["resume", session, "y"], ["sessions", "list"]]) {
      const run = await cli.run([...args, "--json"]);
      assert.equal(run.status, 1, shown(run));
      const { code, error } = dataOf(run, "error");
      assert.equal(code, "database_newer");
      assert.match(
        String(error),
        /its schema is version 99, this program knows up to \d+\. Update Alisio, or/,
      );
    }
    assert.deepEqual(await Deno.readFile(databaseOf(cli)), before);
    change(cli, "DELETE FROM schema_migrations WHERE version = 99");
    await assertResumes(cli, session);
  });
});

Deno.test("alisio run waits for a locked database, then says who has to let go, and goes on later", async () => {
  const go = Promise.withResolvers<void>();
  await using model = await startModel([
    chatReply({ text: "Hello" }),
    {
      steps: [
        { wait: go.promise },
        ...stepsOf(callTurn(["write_file", { path: "a.txt", content: "", expectedHash: null }])),
      ],
    },
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = sessionOf(await cli.run(["run", "x", "--json"]));
    const running = cli.start(["resume", session, "y", "--json", "--allow-write"]);
    await model.chat(1);

    const db = new DatabaseSync(databaseOf(cli));
    db.exec("BEGIN EXCLUSIVE");
    go.resolve();
    const startedAt = performance.now();
    const [second, list, first] = await Promise.all([
      cli.run(["run", "z", "--json"]),
      cli.run(["sessions", "list"]),
      running.ended,
    ]);
    // Both wait for five seconds, and what they do to end in order does not wait as long again.
    assert.ok(performance.now() - startedAt < 9_000);
    db.exec("ROLLBACK");
    db.close();

    assert.equal(second.status, 1, shown(second));
    assert.equal(dataOf(second, "error").code, "database_locked");
    assert.match(
      second.stderr,
      /another process keeps it locked\. Wait for it or end it, then try/,
    );
    assert.equal(list.status, 0, shown(list));
    assert.equal(first.status, 1, shown(first));
    assert.equal(dataOf(first, "run_failed").code, "record_failed");
    assert.match(
      String(dataOf(first, "run_failed").error),
      /locked.*No tool was run without a reco/,
    );
    await assert.rejects(() => Deno.stat(join(cli.workspace, "a.txt")), Deno.errors.NotFound);
    await assertResumes(cli, session);
  });
});

Deno.test({
  name:
    "alisio run stops before an effect that cannot be recorded when the disk is full (field case 149)",
  ignore: !CAN_MOUNT,
  fn: async () => {
    await using model = await startModel(fillingTurns());
    await using healthy = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await writeFiller(cli);
      await Deno.mkdir(cli.stateHome);
      const whole = await cli.run([], {
        wrap: [
          ...NAMESPACE,
          `mount -t tmpfs -o size=8000k tmpfs '${cli.stateHome}' || exit 99
          head -c 7100k /dev/zero > '${cli.stateHome}/filler'
          "$@" run first --json --allow-write > '${cli.dir}/run.out' 2> '${cli.dir}/run.err'
          echo "run $?"
          "$@" sessions list > '${cli.dir}/list.out' 2>&1
          echo "list $?"
          rm '${cli.stateHome}/filler'
          id=$(sed -n 's/.*"sessionId":"\\([^"]*\\)".*/\\1/p' '${cli.dir}/run.out' | head -n 1)
          "$@" sessions recover "$id" --acknowledge > /dev/null 2>&1
          "$@" resume "$id" "go on" --json --model stub --base-url '${healthy.baseUrl}'`,
          "sh",
        ],
      });
      const run = {
        stdout: await Deno.readTextFile(`${cli.dir}/run.out`),
        stderr: await Deno.readTextFile(`${cli.dir}/run.err`),
      };
      assert.match(whole.stdout, /^run 1\nlist 0\n/, `${shown(whole)}${run.stderr}`);
      assert.match(await Deno.readTextFile(`${cli.dir}/list.out`), /first/);
      await assertFull(cli, run);
      assert.equal(whole.status, 0, shown(whole));
      assert.deepEqual(healthy.violations, []);
    });
  },
});

Deno.test({
  name:
    "alisio run stops before an effect that cannot be recorded when a file may not grow (field case 149)",
  ignore: !UNIX,
  fn: async () => {
    await using model = await startModel(fillingTurns());
    await withCli(async (cli) => {
      await useModel(cli, model);
      await writeFiller(cli);
      const run = await cli.run(["run", "first", "--json", "--allow-write"], {
        wrap: ["bash", "-c", 'trap "" XFSZ; ulimit -f 900; exec "$@"', "bash"],
      });
      assert.equal(run.status, 1, shown(run));
      await assertFull(cli, run);
      const session = sessionOf(run);
      await cli.run(["sessions", "recover", session, "--acknowledge"]);
      await assertResumes(cli, session);
    });
  },
});

Deno.test({
  name: "alisio says that a database is read-only and still shows what it holds (field case 149)",
  ignore: !CAN_MOUNT,
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await cli.run(["run", "first"]);
      const session = await onlySession(cli);
      const { stateHome } = cli;
      const wrap = [
        ...NAMESPACE,
        `mount --bind '${stateHome}' '${stateHome}' && ` +
        `mount -o remount,bind,ro '${stateHome}' && exec "$@"`,
        "sh",
      ];
      for (const args of [["run", "y"], ["resume", session, "y"]]) {
        const run = await cli.run([...args, "--json"], { wrap });
        assert.equal(run.status, 1, shown(run));
        const { code, error } = dataOf(run, "error");
        assert.equal(code, "database_read_only");
        assert.match(
          String(error),
          /is read-only\. Make it writable, or choose another file with "--/,
        );
      }
      const list = await cli.run(["sessions", "list"], { wrap });
      assert.equal(list.status, 0, shown(list));
      assert.ok(list.stdout.startsWith(session.slice(0, 8)));
      assert.equal((await cli.run(["sessions", "show", session], { wrap })).status, 0);
      assert.equal((await cli.run(["doctor"], { wrap })).status, 1);
      await assertResumes(cli, session);
    });
  },
});

Deno.test({
  name: "alisio says that a folder of the state may not be written",
  ignore: !UNIX || Deno.uid() === 0,
  fn: async () => {
    await withCli(async (cli) => {
      await Deno.mkdir(cli.stateHome, { mode: 0o500 });
      const run = await cli.run(["run", "y", "--json"]);
      assert.equal(run.status, 1, shown(run));
      assert.equal(dataOf(run, "error").code, "database_read_only");
    });
  },
});

Deno.test("alisio run takes a database by name, and says why one cannot be", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    await writeTree(cli.dir, { "folder/a.txt": "", "file.txt": "" });
    const rows = ["../folder", "../file.txt/x.sqlite", "/dev/null/x.sqlite"];
    for (const db of rows) {
      const run = await cli.run(["run", "x", "--json", "--db", db]);
      assert.equal(run.status, 1, `${db}: ${shown(run)}`);
      assert.match(String(dataOf(run, "error").code), /^database_/, db);
      assert.match(run.stderr, /^alisio: Cannot \w+ session database ".*": /, db);
    }
    const run = await cli.run(["run", "x", "--json", "--db", "../own/own.sqlite"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(await sessionIds(cli), []);
    await assertResumes(cli, sessionOf(run), ["--db", "../own/own.sqlite"]);
    if (UNIX) {
      const { mode } = await Deno.stat(join(cli.dir, "own/own.sqlite"));
      assert.equal((mode ?? 0) & 0o777, 0o600);
    }
  });
});

Deno.test({
  name: "alisio run ends where its database is deleted, replaced or emptied, and says so",
  ignore: !UNIX,
  fn: async () => {
    const losses: readonly (readonly [string, (file: string) => Promise<void>])[] = [
      ["deleted", (file) => Deno.remove(file)],
      ["deleted with its folder", (file) => Deno.remove(dirname(file), { recursive: true })],
      ["replaced", async (file) => {
        await Deno.writeTextFile(`${file}.new`, "x\n");
        await Deno.rename(`${file}.new`, file);
      }],
      ["emptied", (file) => Deno.truncate(file)],
    ];
    const turns = [
      callTurn(["write_file", { path: "a.txt", content: "", expectedHash: null }]),
      chatReply({ text: "Hello" }),
    ];
    for (const [name, lose] of losses) {
      for (const turn of name === "deleted" ? turns : turns.slice(0, 1)) {
        await withCli(async (cli) => {
          const go = Promise.withResolvers<void>();
          await using model = await startModel([
            { steps: [{ wait: go.promise }, ...stepsOf(turn)] },
          ]);
          await useModel(cli, model);
          const running = cli.start(["run", "x", "--json", "--allow-write"]);
          await model.chat(0);
          await lose(databaseOf(cli));
          go.resolve();
          const run = await running.ended;
          assert.equal(run.status, 1, `${name}: ${shown(run)}`);
          const { code, error } = dataOf(run, "run_failed");
          assert.equal(code, "record_failed", name);
          assert.match(String(error), /sessions\.sqlite": .* while it was in use/, name);
          assert.match(run.stderr, /while it was in use/, name);
          assert.doesNotMatch(run.stderr, /The session is kept/, name);
          await assert.rejects(() => Deno.stat(join(cli.workspace, "a.txt")), Deno.errors.NotFound);
          const next = await cli.run(["run", "y", "--model", "stub", "--json"]);
          assert.equal(next.status, 0, `${name}: ${shown(next)}`);
          await assertResumes(cli, sessionOf(next));
        });
      }
    }
  },
});

Deno.test("alisio leaves a file as it is that --db names by mistake", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const file = join(cli.workspace, "notes.txt");
    await Deno.writeTextFile(file, "x\n", { mode: 0o644 });
    const commands = [["run", "x"], ["resume", "0000", "x"], ["sessions", "list"], [
      "sessions",
      "delete",
      "0000",
      "--yes",
    ]];
    for (const command of commands) {
      const run = await cli.run([...command, "--json", "--db", "notes.txt"]);
      assert.equal(run.status, 1, `${command}: ${shown(run)}`);
      const { code, error } = dataOf(run, "error");
      assert.equal(code, "database_unusable", command.join());
      assert.match(String(error), /notes\.txt": it is another kind of file.*left as it is/);
    }
    assert.equal((await cli.run(["doctor", "--db", "notes.txt"])).status, 1);
    const entries = await Array.fromAsync(Deno.readDir(cli.workspace));
    assert.deepEqual(entries.filter(({ isFile }) => isFile).map(({ name }) => name), ["notes.txt"]);
    assert.equal(await Deno.readTextFile(file), "x\n");
    if (UNIX) assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o644);
    assert.deepEqual(model.chats, []);
  });
});

function databaseOf(cli: CliScene): string {
  return join(cli.stateHome, "sessions.sqlite");
}

/** Turns that store much and change a little, more of them than the small disk can hold. */
function fillingTurns() {
  return Array.from({ length: 60 }, (_, index) =>
    callTurn(
      ["read_file", { path: "filler.txt", startLine: index + 1 }],
      ["write_file", { path: `new/${index}.txt`, content: "x", expectedHash: null }],
    ));
}

async function writeFiller(cli: CliScene): Promise<void> {
  const line = `${"0123456789".repeat(18)}\n`;
  await writeTree(cli.workspace, { "filler.txt": line.repeat(400) });
}

/** The run failed for want of space, and every change that happened is known. */
async function assertFull(
  cli: CliScene,
  run: Pick<CliResult, "stdout" | "stderr">,
): Promise<void> {
  const { code, error } = dataOf(run, "run_failed");
  assert.equal(code, "record_failed", run.stderr);
  assert.match(
    String(error),
    /Cannot use session database .*free some space.*No tool was run with/,
  );
  const done = jsonLines(run).filter(({ type, data }) =>
    type === "tool_completed" && data.name === "write_file" && data.isError === false
  );
  const files = await Array.fromAsync(Deno.readDir(join(cli.workspace, "new")));
  // The last change may have happened without its result being stored; its start always is.
  assert.ok(files.length - done.length <= 1, `${files.length} files, ${done.length} results`);
  assert.ok(files.length > 0);
}

/** Overwrites the middle of the file, the header left as it is. */
async function overwritePages(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  const { size } = await file.stat();
  for (let offset = 4_096; offset < size; offset += 4_096) {
    await file.seek(offset, Deno.SeekMode.Start);
    await file.write(new Uint8Array(2_000).fill(0xa5));
  }
}

function change(cli: CliScene, sql: string): void {
  const db = new DatabaseSync(databaseOf(cli));
  db.exec(sql);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function stepsOf(reply: ReturnType<typeof chatReply>): readonly string[] {
  assert.ok(Array.isArray(reply.steps));
  return reply.steps;
}
