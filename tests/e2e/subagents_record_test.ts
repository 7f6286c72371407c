import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliScene, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import {
  callTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { answers, delegates, hangs, playing, roleOf, said, taskIdOf } from "./_roles.ts";
import { isGone, useModel } from "./_support.ts";

const FLAGS = ["--json", "--allow-write", "--allow-process"];

function lastOf(model: ScriptedModel, role: string) {
  const last = model.chats.findLast((request) => roleOf(request) === role);
  assert.ok(last !== undefined, `${role} was not asked`);
  return last;
}

/** Rows of a table of the record. */
async function rowsOf(
  { stateHome }: CliScene,
  query: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(`${stateHome}/sessions.sqlite`);
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

/** Paths of all files below a folder whose name or content holds a text. */
async function holding(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await holding(path, text));
    const bytes = isDirectory ? "" : new TextDecoder("latin1").decode(await Deno.readFile(path));
    if (name.includes(text) || bytes.includes(text)) found.push(path);
  }
  return found;
}

Deno.test("What a child runs in the background belongs to the tree, is not announced, and ends with the program", async () => {
  let pid = 0;
  await using model = await startModel((server) =>
    playing({
      root: [
        delegates(["general", "child"]),
        () => callTurn(["bg_list", {}]),
        answers("All is said"),
      ],
      child: [
        () =>
          callTurn(["bg_run", {
            command: `${server.report("pid")}; exec sleep 600`,
            label: "server",
          }]),
        async () => {
          pid = await server.reported("pid");
          return chatReply({ text: "It serves" });
        },
      ],
    })
  );
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "root", ...FLAGS]);
    assert.equal(run.status, 0, shown(run));
    const [, list] = toolResults(lastOf(model, "root"));
    assert.match(list ?? "", /"label":"server"|server/);
    assert.match(list ?? "", /running/);
    assert.ok(pid > 1 && await isGone(pid), "it ended with the program");
    const [task] = await rowsOf(cli, "SELECT * FROM background_tasks");
    assert.equal(task?.["root_session_id"], sessionOf(run));
    assert.notEqual(task?.["session_id"], sessionOf(run));
    assert.equal(task?.["status"], "cancelled");
    const resumed = await cli.run(["resume", sessionOf(run), "go on", ...FLAGS]);
    assert.equal(resumed.status, 0, shown(resumed));
    assert.deepEqual(said(lastOf(model, "root")), ["root", "go on"]);
  });
});

Deno.test("alisio sessions rewind and delete reach what the children of a session did", async () => {
  await using model = await startModel(playing({
    root: [answers("Looked"), delegates(["general", "child: make it"]), answers("Done")],
    "child:": [
      () => callTurn(["write_file", { path: "made.txt", content: "new", expectedHash: null }]),
      delegates(["explore", "late", { background: true }]),
      answers("It is made: REPORTWORD"),
    ],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const first = await cli.run(["run", "root", ...FLAGS]);
    assert.equal(first.status, 0, shown(first));
    const id = sessionOf(first);
    const second = await cli.run(["resume", id, "make it", ...FLAGS]);
    assert.equal(second.status, 0, shown(second));
    const made = join(cli.workspace, "made.txt");
    assert.equal(await Deno.readTextFile(made), "new");
    const show = await cli.run(["sessions", "show", id]);
    const number = /\[user\] \(message (\d+)\)\nmake it/.exec(show.stdout)?.[1] ?? "";
    const rewind = await cli.run(["sessions", "rewind", id, number, "--files", "--yes"]);
    assert.equal(rewind.status, 0, shown(rewind));
    await assert.rejects(Deno.stat(made), Deno.errors.NotFound);
    const undo = await cli.run(["sessions", "rewind", id, "--undo", "--yes"]);
    assert.equal(undo.status, 0, shown(undo));
    assert.equal(await Deno.readTextFile(made), "new");
    const ids = (await rowsOf(cli, "SELECT id FROM sessions")).map((row) => String(row["id"]));
    assert.equal(ids.length, 3);
    const gone = await cli.run(["sessions", "delete", id, "--yes"]);
    assert.equal(gone.status, 0, shown(gone));
    for (const table of ["sessions", "messages", "events", "runs", "session_inbox"]) {
      assert.deepEqual(await rowsOf(cli, `SELECT * FROM ${table}`), [], table);
    }
    // The audit stays, which names sessions; nothing that was said does, in no page of the file.
    for (const text of ["REPORTWORD", "late is done", "You work alone on one task"]) {
      assert.deepEqual(await holding(cli.stateHome, text), [], text);
    }
    for (const each of ids) {
      const files = await holding(cli.stateHome, each);
      assert.deepEqual(files.filter((path) => !path.includes("sessions.sqlite")), [], each);
    }
  });
});

Deno.test("A child with a call of unknown outcome holds its caller up in nothing, and is recovered by its id", async () => {
  let id = "";
  const again = () =>
    callTurn(["task", {
      description: "again",
      prompt: "again",
      subagent_type: "general",
      task_id: id,
    }]);
  await using model = await startModel((server) =>
    playing({
      root: [delegates(["general", "child"]), again, answers("It needs recovery"), again],
      child: [
        () =>
          callTurn(["shell", {
            command: `${server.report("began")}; exec sleep 600`,
          }]),
        answers("Went on"),
      ],
    })
  );
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = cli.start(["run", "root", ...FLAGS]);
    await model.reported("began");
    run.kill("SIGKILL");
    const session = sessionOf(await run.ended);
    const [child] = await rowsOf(cli, "SELECT id FROM sessions WHERE parent_id IS NOT NULL");
    id = String(child?.["id"]);
    const resumed = await cli.run(["resume", session, "go on", ...FLAGS]);
    assert.equal(resumed.status, 0, shown(resumed));
    const failure = JSON.parse(toolResults(lastOf(model, "root"))[1] ?? "");
    assert.deepEqual([failure.task_id, failure.state], [id, "failed"]);
    assert.match(failure.error, new RegExp(`alisio sessions recover ${id}`));
    const recover = await cli.run(["sessions", "recover", id, "--acknowledge"]);
    assert.equal(recover.status, 0, shown(recover));
    const last = await cli.run(["resume", session, "and on", ...FLAGS]);
    assert.equal(last.status, 0, shown(last));
    assert.match(toolResults(lastOf(model, "root"))[2] ?? "", /Went on/);
    assert.equal(taskIdOf(toolResults(lastOf(model, "root"))[2]), id);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("A title cannot write a line of its own, nor move the cursor", async () => {
  const title = "x\u001b[2K\r\nAllow shell (process)?\nalisio: y/n \u202e";
  await using model = await startModel(playing({
    root: [
      delegates(["explore", "child", { description: title }], ["explore", "slow", {
        description: title,
        background: true,
      }]),
      answers("ok"),
    ],
    slow: [hangs],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "root"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(run.stderr, /explore/);
    assert.doesNotMatch(run.stderr, /^\s*(?:Allow|alisio: y)/m);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(run.stdout + run.stderr, /[\u001b\r\u202e]/);
    assert.match(run.stderr, /Stopped 1 task/);
  });
});
