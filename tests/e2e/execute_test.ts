import assert from "node:assert/strict";
import { type CliResult, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { assertResumes, isGone, onlySession, useModel } from "./_support.ts";

const READ_ALL = `
const names = (await callTool("list_files", {})).files;
const texts = await Promise.all(names.map((path) => callTool("read_file", { path })));
console.log(names.length + " files");
return texts.map(({ content }) => content.length);
`;

/** The data of all events of a type. */
function allOf(run: CliResult, type: string): readonly Readonly<Record<string, unknown>>[] {
  return jsonLines(run).filter((line) => line.type === type).map(({ data }) => data);
}

Deno.test("execute calls tools in a headless run, and only what it returns goes to the model", async () => {
  await using model = await startModel([callTurn(["execute", { code: READ_ALL }])]);
  await withCli(async (cli) => {
    await Deno.writeTextFile(`${cli.workspace}/a.txt`, "secret words\n");
    await Deno.writeTextFile(`${cli.workspace}/b.txt`, "more\n");
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "--allow-process", "go"]);
    assert.equal(run.status, 0, shown(run));
    const request = await model.chat(1);
    const { value, console, calls } = JSON.parse(toolResults(request)[0] ?? "");
    assert.deepEqual(value, ["1: secret words".length, "1: more".length]);
    assert.equal(console, "2 files");
    assert.deepEqual(calls.map(({ tool, outcome }: Record<string, string>) => [tool, outcome]), [
      ["list_files", "done"],
      ["read_file", "done"],
      ["read_file", "done"],
    ]);
    assert.ok(!JSON.stringify(request.json).includes("secret words"));
    const started = allOf(run, "tool_started");
    const parent = started[0]?.id;
    assert.deepEqual(started.map(({ id, name, parentId }) => [id, name, parentId]), [
      [parent, "execute", undefined],
      [`${parent}/1`, "list_files", parent],
      [`${parent}/2`, "read_file", parent],
      [`${parent}/3`, "read_file", parent],
    ]);
    const completed = allOf(run, "tool_completed");
    assert.equal(completed.filter(({ parentId }) => parentId === parent).length, 3);
    assert.equal(completed.at(-1)?.id, parent);
    assert.deepEqual(model.violations, []);
  });
});

const OUTCOME = `const tell = async (name, input) => {
  try { await callTool(name, input); return "done"; } catch (error) { return error.message; }
};
`;

Deno.test("execute refuses what flags do not permit, and asks nobody", async () => {
  const code = `${OUTCOME}return [
    await tell("shell", { command: "true" }),
    await tell("write_file", { path: "new.txt", content: "x", expectedHash: null }),
    await tell("read_file", { path: "/etc/passwd" }),
    await tell("execute", { code: "1" }),
    await tell("ask_user_question", { questions: [] }),
    await tell("task", { description: "x", prompt: "x", subagent_type: "explore" }),
    await tell("nothing"),
  ];`;
  await using model = await startModel([callTurn(["execute", { code }])]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "--allow-process", "go"]);
    // What permission refused to a snippet was refused.
    assert.equal(run.status, 5, shown(run));
    const { value } = JSON.parse(toolResults(await model.chat(1))[0] ?? "");
    assert.equal(value[0], "done");
    assert.match(value[1], /^Refused: /);
    assert.match(value[2], /^Refused: /);
    assert.match(value[3], /cannot be called by another call/);
    assert.match(value[4], /cannot be called by another call/);
    assert.match(value[5], /cannot be called by another call/);
    assert.match(value[6], /^There is no tool "nothing"/);
    await assert.rejects(Deno.stat(`${cli.workspace}/new.txt`), Deno.errors.NotFound);
    assert.equal(allOf(run, "approval_requested").length, 0);
  });
});

for (const args of [[], ["--allow-write"], ["--allow-process", "--read-only"]]) {
  Deno.test(`execute is not there with ${args.join(" ") || "no flag"}`, async () => {
    await using model = await startModel([callTurn(["execute", { code: "1" }])]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      await cli.run(["run", ...args, "go"]);
      const [first] = model.chats;
      assert.ok(!JSON.stringify(first?.json).includes('"execute"'));
      assert.match(toolResults(await model.chat(1))[0] ?? "", /^Refused: |^There is no tool/);
    });
  });
}

Deno.test("execute starts no call after its snippet has ended, and lists what ran (field case 168)", async () => {
  const code = `for (let at = 0; at < 10; at++) {
    callTool("shell", { command: "echo " + at + " >> ran.txt; sleep 0.2" });
  }
  return "left";`;
  await using model = await startModel([callTurn(["execute", { code }])]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "--allow-process", "go"]);
    assert.equal(run.status, 0, shown(run));
    const { value, calls } = JSON.parse(toolResults(await model.chat(1))[0] ?? "");
    assert.equal(value, "left");
    const outcomes = calls.map(({ outcome }: { readonly outcome: string }) => outcome);
    assert.equal(outcomes.length, 10);
    const done = outcomes.filter((outcome: string) => outcome === "done").length;
    assert.ok(done <= 1, `${outcomes}`);
    assert.equal(outcomes.filter((outcome: string) => outcome === "not started").length, 10 - done);
    const ran = await Deno.readTextFile(`${cli.workspace}/ran.txt`).catch(() => "");
    assert.equal(ran.split("\n").filter((line) => line !== "").length, done);
    assert.equal(allOf(run, "tool_started").length, 1 + done);
  });
});

Deno.test("execute makes as many calls as the configuration permits, and stops at its time", async () => {
  const code = `let count = 0;
  try { for (;;) { await callTool("list_files", {}); count++; } } catch (error) { console.log(error.message); }
  return count;`;
  const slow = 'await callTool("shell", { command: "sleep 60" });';
  await using model = await startModel([
    callTurn(["execute", { code }]),
    callTurn(["execute", { code: slow }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { execute: { maxCalls: 3, timeoutMs: 3_000 } });
    const run = await cli.run(["run", "--json", "--allow-process", "go"]);
    assert.equal(run.status, 0, shown(run));
    const [first = "", second = ""] = toolResults(await model.chat(2));
    assert.deepEqual(JSON.parse(first).value, 3);
    assert.match(JSON.parse(first).console, /this snippet has made 3 calls, which is the limit/);
    assert.match(JSON.parse(second).error, /took longer than 3000 ms, its calls included/);
    assert.equal(JSON.parse(second).calls[0].outcome, "failed");
  });
});

for (const sandbox of ["bubblewrap", "landlock"] as const) {
  Deno.test({
    name: `execute runs its snippet in the sandbox ${sandbox}`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      await using model = await startModel([callTurn(["execute", { code: READ_ALL }])]);
      await withCli(async (cli) => {
        await Deno.writeTextFile(`${cli.workspace}/a.txt`, "words\n");
        await useModel(cli, model, { sandbox });
        const run = await cli.run(["run", "--allow-process", "go"]);
        // Whether it works here at all, other tests find out.
        if (run.status !== 0 && /cannot be used/.test(run.stderr)) return;
        assert.equal(run.status, 0, shown(run));
        const [text = ""] = toolResults(await model.chat(1));
        assert.deepEqual(JSON.parse(text).value, ["1: words".length], text);
      });
    },
  });
}

const NEW_FILE =
  'await callTool("write_file", { path: "new.txt", content: "x", expectedHash: null });';

Deno.test({
  name: "execute that a kill cut short needs recovery, and tells the model which calls it had made",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["execute", {
        code: `${NEW_FILE}\nawait callTool("shell", { command: ${
          JSON.stringify(`${server.report("nested")}; sleep 60`)
        } });`,
      }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model, { execute: { timeoutMs: 60_000 } });
      const run = cli.start(["run", "--json", "--allow-process", "--allow-write", "go"]);
      const nested = await model.reported("nested");
      run.kill("SIGKILL");
      await run.ended;
      Deno.kill(nested, "SIGKILL");
      const session = await onlySession(cli);
      const looked = await cli.run(["sessions", "recover", session]);
      assert.equal(looked.status, 4, shown(looked));
      assert.match(looked.stdout, /^execute \(process, [^]*^shell \(process, /m);
      const accepted = await cli.run(["sessions", "recover", session, "--acknowledge"]);
      assert.equal(accepted.status, 0, shown(accepted));
      const [text = ""] = toolResults(await assertResumes(cli, session));
      assert.match(
        text,
        /may or may not have happened.*It had made these calls: write_file .*: done/,
      );
      assert.match(text, /; shell .*: not known$/);
    });
  },
});

Deno.test({
  name: "execute leaves no loop behind when alisio is killed",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["execute", {
        code: `await callTool("shell", { command: ${
          JSON.stringify(server.report("here"))
        } });\nfor (;;);`,
      }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model, { execute: { timeoutMs: 2_000 } });
      const run = cli.start(["run", "--json", "--allow-process", "go"]);
      await model.reported("here");
      const children = await childrenOf(run.pid);
      assert.ok(children.length > 0, "the process of the snippet is there");
      run.kill("SIGKILL");
      await run.ended;
      for (const id of children) {
        // It ends by itself once it has used its computing time.
        for (let look = 0; look < 15 && !await isGone(id); look++);
        assert.ok(await isGone(id));
      }
    });
  },
});

Deno.test("alisio sessions rewind puts back what a snippet wrote", async () => {
  await using model = await startModel([callTurn(["execute", { code: NEW_FILE }])]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "--json", "--allow-process", "--allow-write", "go"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(await Deno.readTextFile(`${cli.workspace}/new.txt`), "x");
    const rewind = ["sessions", "rewind", sessionOf(run), "last", "--files", "--yes"];
    const back = await cli.run(rewind);
    assert.equal(back.status, 0, shown(back));
    assert.doesNotMatch(back.stdout + back.stderr, /Not taken back/);
    await assert.rejects(Deno.stat(`${cli.workspace}/new.txt`), Deno.errors.NotFound);
  });
});

/** Processes that a process started, however far down. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid="] }).output();
  const all = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
    line.trim().split(/\s+/).map(Number)
  );
  const found: number[] = [];
  for (let ids = [pid]; ids.length > 0;) {
    ids = all.filter(([, parent = 0]) => ids.includes(parent)).map(([id = 0]) => id);
    found.push(...ids);
  }
  return found;
}
