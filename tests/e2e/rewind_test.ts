import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../core/files/sha256.ts";
import { type CliScene, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL } from "../support/person.ts";
import { callTurn, messagesOf, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

const hashOf = (text: string) => sha256Hex(new TextEncoder().encode(text));

const textOf = (cli: CliScene, name: string) => Deno.readTextFile(join(cli.workspace, name));

/** A session whose second prompt changes one file, creates another and runs a command. */
async function fillSession(cli: CliScene): Promise<string> {
  await Deno.writeTextFile(join(cli.workspace, "a.txt"), "old\r\n");
  const flags = ["--allow-write", "--allow-process"];
  const first = await cli.run(["run", "look around", "--json", ...flags]);
  assert.equal(first.status, 0, shown(first));
  const id = sessionOf(first);
  const second = await cli.run(["resume", id, "change it", ...flags]);
  assert.equal(second.status, 0, shown(second));
  assert.equal(await textOf(cli, "a.txt"), "new\n", shown(second));
  return id;
}

async function* blobTexts(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* blobTexts(path);
    else yield await Deno.readTextFile(path);
  }
}

async function startEditor() {
  return await startModel([
    callTurn(["list_files", { path: "." }]),
    chatReply({ text: "Looked" }),
    callTurn(
      ["write_file", { path: "a.txt", content: "new\n", expectedHash: await hashOf("old\r\n") }],
      ["write_file", { path: "src/b.txt", content: "b", expectedHash: null }],
      ["shell", { command: "true" }],
    ),
  ]);
}

Deno.test("alisio sessions rewind puts conversation and files back, and takes that back", async () => {
  await using model = await startEditor();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const id = await fillSession(cli);
    const show = await cli.run(["sessions", "show", id]);
    const number = /\[user\] \(message (\d+)\)\nchange it/.exec(show.stdout)?.[1] ?? "";
    const rewind = ["sessions", "rewind", id, number];

    const dry = await cli.run([...rewind, "--files", "--dry-run"]);
    assert.equal(dry.status, 0, shown(dry));
    assert.match(dry.stdout, /^Would do this, and changed nothing:/);
    assert.match(dry.stdout, /^Put back: a\.txt$/m);
    assert.match(dry.stdout, /^Removed, since it was not there: src\/b\.txt$/m);
    assert.match(dry.stdout, /^Not taken back: whatever 1 call of programs/m);
    assert.equal(await textOf(cli, "a.txt"), "new\n");

    const unasked = await cli.run([...rewind, "--files"]);
    assert.equal(unasked.status, 2, shown(unasked));
    assert.equal(await textOf(cli, "a.txt"), "new\n");

    await Deno.writeTextFile(join(cli.workspace, "src/b.txt"), "mine");
    const wouldRefuse = await cli.run([...rewind, "--files", "--dry-run"]);
    assert.equal(wouldRefuse.status, 1, shown(wouldRefuse));
    assert.match(wouldRefuse.stdout, /^Would be refused, because files are in the way/);
    assert.match(wouldRefuse.stdout, /^In the way: src\/b\.txt: it was changed by other hands/m);
    assert.doesNotMatch(wouldRefuse.stdout, /Put back|Removed/);
    const asData = await cli.run([...rewind, "--files", "--dry-run", "--json"]);
    assert.equal(asData.status, 1, shown(asData));
    const { conflicts, ...planned } = JSON.parse(asData.stdout);
    assert.deepEqual([planned.refused, planned.restored, planned.removed, conflicts.length], [
      true,
      [],
      [],
      1,
    ]);
    const refused = await cli.run([...rewind, "--files", "--yes"]);
    assert.equal(refused.status, 1, shown(refused));
    assert.match(refused.stderr, /b\.txt": it was changed by other hands than Alisio's/);
    assert.equal(await textOf(cli, "a.txt"), "new\n");
    await Deno.writeTextFile(join(cli.workspace, "src/b.txt"), "b");

    const done = await cli.run([...rewind, "--files", "--yes", "--json"]);
    assert.equal(done.status, 0, shown(done));
    const { type, restored, removed } = JSON.parse(done.stdout);
    assert.deepEqual({ type, restored, removed }, {
      type: "session_rewound",
      restored: [join(cli.workspace, "a.txt")],
      removed: [join(cli.workspace, "src/b.txt")],
    });
    assert.equal(await textOf(cli, "a.txt"), "old\r\n");
    await assert.rejects(textOf(cli, "src/b.txt"), Deno.errors.NotFound);
    const after = await cli.run(["sessions", "show", id]);
    assert.match(after.stdout, /\(message \d+, rewound\)\nchange it/);
    const exported = await cli.run(["sessions", "export", id]);
    assert.match(exported.stdout, /"compacted":false,"rewound":true,.*change it/);
    assert.match(exported.stdout, /"type":"session_rewound"/);

    const undone = await cli.run(["sessions", "rewind", id, "--undo", "--yes"]);
    assert.equal(undone.status, 0, shown(undone));
    assert.equal(await textOf(cli, "a.txt"), "new\n");
    assert.equal(await textOf(cli, "src/b.txt"), "b");

    const again = await cli.run(rewind);
    assert.equal(again.status, 0, shown(again));
    assert.equal(await textOf(cli, "a.txt"), "new\n", "files stay without --files");
    const count = model.chats.length;
    const next = await cli.run(["resume", id, "another way"]);
    assert.equal(next.status, 0, shown(next));
    const sent = JSON.stringify(messagesOf(await model.chat(count)));
    assert.match(sent, /look around/);
    assert.match(sent, /another way/);
    assert.doesNotMatch(sent, /change it/);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio sessions fork copies what came before a prompt, and the original goes on", async () => {
  await using model = await startEditor();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const id = await fillSession(cli);
    const fork = await cli.run(["sessions", "fork", id, "last"]);
    assert.equal(fork.status, 0, shown(fork));
    const copy = fork.stdout.trim();
    const shownCopy = await cli.run(["sessions", "show", copy]);
    assert.match(shownCopy.stdout, /look around/);
    assert.doesNotMatch(shownCopy.stdout, /change it/);
    const whole = await cli.run(["sessions", "fork", copy, "--json"]);
    assert.equal(JSON.parse(whole.stdout).from, copy);
    for (const session of [id, copy, JSON.parse(whole.stdout).id]) {
      const next = await cli.run(["resume", session, "go on"]);
      assert.equal(next.status, 0, shown(next));
    }
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio sessions rewind and fork say what is wrong with a command line", async () => {
  await using model = await startEditor();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const id = await fillSession(cli);
    for (
      const [args, pattern] of [
        [["rewind", id], /write alisio sessions rewind/],
        [["rewind", id, "1", "--undo"], /write alisio sessions rewind/],
        [["rewind", id, "1", "2"], /write alisio sessions rewind/],
        [["rewind", id, "2"], /Cannot find message "2"/],
        [["rewind", id, "--undo"], /the session has none to undo/],
        [["rewind", "none-such", "1"], /Cannot find session/],
        [["rewind", id, "last", "--files", "--read-only", "--yes"], /this run changes nothing/],
        [["fork", id, "1", "2"], /write alisio sessions fork/],
        [["fork", id, "x"], /Cannot find message "x"/],
      ] as const
    ) {
      const run = await cli.run(["sessions", ...args]);
      assert.equal(run.status, 2, shown(run));
      assert.match(run.stderr, pattern);
    }
  });
});

Deno.test("alisio sessions rewind undoes a rewind once, however many ask for it at once", async () => {
  await using model = await startEditor();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const id = await fillSession(cli);
    const done = await cli.run(["sessions", "rewind", id, "last", "--files", "--yes"]);
    assert.equal(done.status, 0, shown(done));
    const undo = ["sessions", "rewind", id, "--undo", "--yes"];
    const both = await Promise.all([cli.run(undo), cli.run(undo)]);
    assert.equal(both.filter(({ status }) => status === 0).length, 1, both.map(shown).join("\n"));
    assert.equal(await textOf(cli, "a.txt"), "new\n");
    const show = await cli.run(["sessions", "show", id]);
    assert.doesNotMatch(show.stdout, /rewound/);
  });
});

Deno.test("alisio sessions rewind puts a summarised conversation back word for word", async () => {
  await using model = await startModel([
    chatReply({ text: "answer one" }),
    chatReply({ text: "answer two" }),
    chatReply({ text: "answer three" }),
    chatReply({ text: JSON.stringify({ goal: "THE SUMMARY" }) }),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { compaction: { keepTurns: 0 } });
    const first = await cli.run(["run", "prompt one", "--json"]);
    const id = sessionOf(first);
    for (const name of ["two", "three"]) {
      const next = await cli.run(["resume", id, `prompt ${name}`]);
      assert.equal(next.status, 0, shown(next));
    }
    const compacted = await cli.run(["sessions", "compact", id]);
    assert.equal(compacted.status, 0, shown(compacted));
    const show = await cli.run(["sessions", "show", id]);
    const number = /\(message (\d+)[^)]*\)\nprompt two/.exec(show.stdout)?.[1] ?? "";
    const back = await cli.run(["sessions", "rewind", id, number]);
    assert.equal(back.status, 0, shown(back));
    const count = model.chats.length;
    const next = await cli.run(["resume", id, "another way"]);
    assert.equal(next.status, 0, shown(next));
    const sent = JSON.stringify(messagesOf(await model.chat(count)));
    assert.match(sent, /prompt one.*answer one.*another way/);
    assert.doesNotMatch(sent, /THE SUMMARY|prompt two/);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio sessions rewind leaves files with keys as they are, and says so", async () => {
  const key = `sk-${"a1B2c3D4".repeat(6)}`;
  await using model = await startModel([
    callTurn(
      ["write_file", { path: ".env", content: "B=2\n", expectedHash: await hashOf("A=1\n") }],
      ["write_file", { path: "notes.md", content: "none", expectedHash: await hashOf(key) }],
      ["write_file", { path: "b.txt", content: "b", expectedHash: null }],
    ),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    await Deno.writeTextFile(join(cli.workspace, ".env"), "A=1\n");
    await Deno.writeTextFile(join(cli.workspace, "notes.md"), key);
    const run = await cli.run(["run", "change it", "--json", "--allow-write"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(await textOf(cli, "notes.md"), "none", shown(run));
    const id = sessionOf(run);
    const done = await cli.run(["sessions", "rewind", id, "last", "--files", "--yes"]);
    assert.equal(done.status, 0, shown(done));
    for (const name of [".env", "notes.md"]) {
      assert.ok(done.stderr.includes(`Cannot be put back: ${name}: it may hold a secret`));
    }
    assert.match(done.stderr, /Removed, since it was not there: b\.txt/);
    const files = await Promise.all([".env", "notes.md"].map((name) => textOf(cli, name)));
    assert.deepEqual(files, ["B=2\n", "none"]);
    const kept = await Array.fromAsync(blobTexts(join(cli.stateHome, "blobs")));
    assert.deepEqual(kept, ["b"], "the one copy is of what the rewind removed");
  });
});

Deno.test("alisio sessions rewind and fork leave a session alone that another process works in", async () => {
  await using model = await startModel([
    chatReply({ text: "Here" }),
    { steps: [{ do: "hang" }] },
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const id = sessionOf(await cli.run(["run", "one", "--json"]));
    const busy = cli.start(["resume", id, "two"]);
    await model.chat(1);
    for (
      const args of [["rewind", id, "last"], ["rewind", id, "last", "--files", "--yes"], [
        "fork",
        id,
      ]]
    ) {
      const refused = await cli.run(["sessions", ...args]);
      assert.equal(refused.status, 1, shown(refused));
      assert.match(refused.stderr, /already in use/);
    }
    busy.kill("SIGKILL");
    await busy.ended;
    const back = await cli.run(["sessions", "rewind", id, "last"]);
    assert.equal(back.status, 0, shown(back));
    assert.match(back.stderr, /The prompt was: two/);
  });
});

Deno.test({
  name: "alisio sessions rewind does what was confirmed at the terminal, or nothing",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using model = await startEditor();
    await withCli(async (cli) => {
      await useModel(cli, model);
      const id = await fillSession(cli);
      const ask = async (meanwhile: () => Promise<void>) => {
        const run = cli.start(["sessions", "rewind", id, "last", "--files"], IN_TERMINAL);
        await run.outputText(/Put back: a\.txt[^]*Put the files back\?/);
        await meanwhile();
        await run.stdin.write(new TextEncoder().encode("y\r"));
        return await run.ended;
      };
      // Somebody was faster and put one of them back by hand.
      const refused = await ask(() => Deno.writeTextFile(join(cli.workspace, "a.txt"), "old\r\n"));
      assert.equal(refused.status, 1, shown(refused));
      assert.match(refused.stdout, /what would be done changed since it was shown/);
      assert.equal(await textOf(cli, "src/b.txt"), "b", "nothing was changed");
      await Deno.writeTextFile(join(cli.workspace, "a.txt"), "new\n");
      const done = await ask(() => Promise.resolve());
      assert.equal(done.status, 0, shown(done));
      assert.equal(await textOf(cli, "a.txt"), "old\r\n");
    });
  },
});
