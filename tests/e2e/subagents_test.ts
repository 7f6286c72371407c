import assert from "node:assert/strict";
import { jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest } from "../support/stub_server.ts";
import { answers, delegates, hangs, playing, said, type Turn } from "./_roles.ts";
import { useModel } from "./_support.ts";

Deno.test("alisio run explores in two agents at once, as the documents show it", async () => {
  const both = Promise.withResolvers<void>();
  let arrived = 0;
  const meets = (text: string): Turn => async () => {
    arrived += 1;
    if (arrived === 2) both.resolve();
    await both.promise;
    return chatReply({ text });
  };
  await using model = await startModel(playing({
    Use: [
      delegates(["explore", "host: map it"], ["explore", "tui: map it"]),
      answers("Panels are drawn by the TUI from what the host keeps"),
    ],
    "host:": [() => callTurn(["list_files", {}]), meets("The host keeps panels")],
    "tui:": [() => callTurn(["search_text", { pattern: "panel" }]), meets("The TUI draws panels")],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model);
    await Deno.writeTextFile(`${cli.workspace}/panel.ts`, "export const panel = 1;\n");
    const run = await cli.run([
      "run",
      "Use two explore subagents in parallel: one maps the plugin host, the other the TUI panel code.",
      "--json",
    ]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(model.violations, []);
    const last = model.chats.findLast((request) => said(request)[0]?.startsWith("Use"));
    assert.ok(last !== undefined);
    const [host, tui] = toolResults(last);
    assert.match(
      host ?? "",
      /^<task id="[^"]+" agent="explore" state="completed">\nSubagent output/,
    );
    assert.match(host ?? "", /The host keeps panels/);
    assert.match(tui ?? "", /The TUI draws panels/);
    // Each agent tells under its own session, of which the first is the one that was asked.
    const session = sessionOf(run);
    const told = [...new Set(jsonLines(run).map(({ sessionId }) => sessionId))];
    assert.equal(told.length, 3);
    assert.equal(told[0], session);
    const list = await cli.run(["sessions", "list"]);
    assert.match(list.stdout, /Use two explore/);
    const id = /id="([^"]+)"/.exec(host ?? "")?.[1] ?? "";
    const child = await cli.run(["sessions", "show", id]);
    assert.equal(child.status, 0, shown(child));
    assert.match(child.stdout, /host: map it[^]*The host keeps panels/);
    const exported = await cli.run(["sessions", "export", id]);
    assert.equal(exported.status, 0, shown(exported));
    assert.match(exported.stdout, /The host keeps panels/);
  });
});

Deno.test("alisio run stops the agents that still work at its end, says so, and they can go on", async () => {
  let id = "";
  await using model = await startModel(playing({
    root: [
      delegates(["explore", "slow", { background: true }], ["explore", "later", {
        background: true,
      }]),
      answers("They work"),
      (request) => {
        id = /id="([^"]+)"/.exec(toolResults(request)[0] ?? "")?.[1] ?? "";
        return callTurn(["task", {
          description: "go on",
          prompt: "more",
          subagent_type: "explore",
          task_id: id,
        }]);
      },
    ],
    slow: [
      (request) =>
        (said(request)[0] ?? "").includes("more") ? chatReply({ text: "Slow" }) : hangs(),
    ],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model, {
      builtinPlugins: { subagents: { maxConcurrentTotal: 1 } },
    });
    const run = await cli.run(["run", "root", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(
      run.stderr,
      /^Stopped 2 tasks of agents at the end of the run: explore: do slow \([^)]+\), explore: do later \([^)]+\); each/m,
    );
    const session = sessionOf(run);
    const resumed = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(resumed.status, 0, shown(resumed));
    const last = model.chats.at(-1);
    assert.ok(last !== undefined);
    assert.match(toolResults(last)[2] ?? "", new RegExp(`<task id="${id}"[^]*\\nSlow\\n`));
    assert.equal(model.chats.some((request) => said(request)[0] === "later"), false);
    assert.match(
      said(last).join("\n"),
      /<task-notification id="[^"]+" agent="explore" state="cancelled"/,
    );
  });
});

Deno.test("alisio run --wait-tasks waits for agents too, and tells the model", async () => {
  const ended = Promise.withResolvers<void>();
  await using model = await startModel(playing({
    root: [
      delegates(["explore", "slow", { background: true }], ["explore", "next", {
        background: true,
      }]),
      answers("They work"),
      answers("Both reported"),
    ],
    slow: [async () => {
      await ended.promise;
      return chatReply({ text: "Slow report" });
    }],
    next: [answers("Next report")],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model, { builtinPlugins: { subagents: { maxConcurrentTotal: 1 } } });
    const running = cli.start(["run", "root", "--wait-tasks", "--json"]);
    await running.event("run_completed");
    ended.resolve();
    const run = await running.ended;
    assert.equal(run.status, 0, shown(run));
    assert.doesNotMatch(run.stderr, /Stopped/);
    const last = model.chats.at(-1);
    assert.ok(last !== undefined);
    const texts = said(last);
    assert.equal(texts.length, 2);
    assert.match(
      texts[1] ?? "",
      /^<task-notification [^]*Slow report[^]*<task-notification [^]*Next report[^]*have ended/,
    );
    assert.equal(jsonLines(run).at(-1)?.data["text"], "Both reported");
  });
});

Deno.test("alisio run --agents brings agents that work can be handed to, with their tools and limits", async () => {
  await using model = await startModel(playing({
    root: [delegates(["reviewer", "child"]), answers("ok")],
    child: [() => callTurn(["list_files", {}]), () => callTurn(["list_files", { offset: 1 }])],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const agents = {
      reviewer: {
        description: "Reviews diffs for bugs",
        prompt: "Review the change and list correctness bugs.",
        tools: ["read_file", "search_text", "git_diff"],
      },
    };
    const run = await cli.run(["run", "root", "--json", "--agents", JSON.stringify(agents)]);
    assert.equal(run.status, 0, shown(run));
    const child = model.chats.find((request) => said(request)[0] === "child");
    assert.deepEqual(namesOf(child), ["read_file", "search_text", "git_diff"]);
    assert.match(JSON.stringify(child?.json), /Review the change and list correctness bugs/);
    assert.match(JSON.stringify(model.chats[0]?.json), /reviewer: Reviews diffs for bugs/);
  });
});

Deno.test("A task with a model that there is not fails before any model is asked for it", async () => {
  await using model = await startModel(playing({
    root: [
      delegates(["explore", "child", { model: "scripted/big.json" }], ["lost", "child"]),
      answers("ok"),
    ],
  }));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const agents = { lost: { description: "Lost", prompt: "x", model: "scripted/small.json" } };
    const run = await cli.run(["run", "root", "--json", "--agents", JSON.stringify(agents)]);
    assert.equal(run.status, 0, shown(run));
    const last = model.chats.at(-1);
    assert.ok(last !== undefined);
    for (const [index, name] of ["big.json", "small.json"].entries()) {
      assert.match(
        toolResults(last)[index] ?? "",
        new RegExp(`^\\{"error":"Cannot read script .*${name}`),
      );
    }
    assert.equal(model.chats.length, 2);
  });
});

Deno.test("alisio leaves nothing running when it is killed with ten agents, and notes them as interrupted", async () => {
  const names = Array.from({ length: 10 }, (_, index) => `child${index}`);
  const ready = Promise.withResolvers<void>();
  let waiting = 0;
  const waits: Turn = () => {
    waiting += 1;
    if (waiting === names.length) ready.resolve();
    return hangs();
  };
  let id = "";
  await using model = await startModel(playing({
    root: [
      delegates(...names.map((name) => ["explore", name] as const)),
      () =>
        callTurn(["task_status", { task_id: id }], ["task", {
          description: "again",
          prompt: "again",
          subagent_type: "explore",
          task_id: id,
        }]),
      answers("ok"),
    ],
    ...Object.fromEntries(names.map((name) => [name, [
      (request: RecordedRequest) =>
        (said(request)[0] ?? "").includes("again")
          ? chatReply({ text: "Went on" })
          : waits(request),
    ]])),
  }));
  await withCli(async (cli) => {
    await useModel(cli, model, {
      builtinPlugins: { subagents: { maxConcurrentPerParent: 10, maxConcurrentTotal: 10 } },
    });
    const run = cli.start(["run", "root", "--json"]);
    await ready.promise;
    const open = model.chats.filter((request) => said(request)[0]?.startsWith("child"));
    run.kill("SIGKILL");
    const ended = await run.ended;
    assert.equal(ended.signal, "SIGKILL");
    // The server sees every connection go.
    await Promise.all(open.map(({ closed }) => closed));
    assert.equal(open.length, names.length);
    const session = sessionOf(ended);
    const before = model.chats.length;
    id = await firstChild(cli.stateHome, session);
    const resumed = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(resumed.status, 0, shown(resumed));
    assert.deepEqual(model.violations, []);
    const first = model.chats[before];
    assert.ok(first !== undefined);
    const told = said(first).join("\n");
    assert.equal(
      told.match(/<task-notification id="[^"]+" agent="explore" state="interrupted">/g)?.length,
      10,
    );
    assert.ok(told.includes(`task_id "${id}"`), "the model knows what it can go on with");
    const last = model.chats.at(-1);
    assert.ok(last !== undefined);
    const [status, report] = toolResults(last).slice(-2);
    assert.equal(JSON.parse(status ?? "").state, "interrupted");
    assert.match(report ?? "", /Went on/);
    const woken = model.chats.slice(before).filter((request) =>
      said(request)[0]?.startsWith("child")
    );
    assert.equal(woken.length, 1, "no other one began again");
    const own = jsonLines(resumed).filter(({ sessionId }) => sessionId === session);
    assert.equal(own.find(({ type }) => type === "run_completed")?.data?.["text"], "ok");
  });
});

/** Names of the tools that a request offers. */
function namesOf(request: RecordedRequest | undefined): readonly string[] {
  const text = JSON.stringify(request?.json ?? {});
  const { tools = [] }: { tools?: readonly { function: { name: string } }[] } = JSON.parse(text);
  return tools.map(({ function: { name } }) => name);
}

/** The first child of a session, from the record. */
async function firstChild(stateHome: string, session: string): Promise<string> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(`${stateHome}/sessions.sqlite`);
  try {
    const row = database.prepare("SELECT id FROM sessions WHERE parent_id = ? ORDER BY rowid")
      .get(session);
    return String(row?.["id"]);
  } finally {
    database.close();
  }
}

for (const named of [false, true]) {
  const where = named ? "the folder that worktreeDir names" : "the state home";
  Deno.test(`alisio run keeps two writers apart under the second wall, in a worktree in ${where}`, async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meets: Turn = async () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      return chatReply({ text: "Written" });
    };
    const writes = (path: string): Turn => () =>
      callTurn(["write_file", { path, content: `${path}\n`, expectedHash: null }]);
    await using model = await startModel(playing({
      root: [delegates(["general", "one"], ["general", "two"]), answers("Both wrote")],
      one: [writes("one.txt"), meets],
      two: [writes("two.txt"), meets],
    }));
    await withCli(async (cli) => {
      const trees = await Deno.realPath(cli.dir) + "/trees";
      await Deno.mkdir(trees);
      await useModel(cli, model, {
        builtinPlugins: {
          subagents: { parallelWrites: "worktree", ...named ? { worktreeDir: trees } : {} },
        },
      });
      const git = async (...args: readonly string[]) => {
        const identity = ["-c", "user.name=A", "-c", "user.email=a@b.c"];
        const { success, stdout } = await new Deno.Command("git", {
          args: [...identity, ...args],
          cwd: cli.workspace,
        }).output();
        assert.ok(success, args.join(" "));
        return new TextDecoder().decode(stdout).trim();
      };
      await git("init", "-q");
      await git("commit", "-q", "--allow-empty", "-m", "First");
      const run = await cli.run([
        "run",
        "root",
        "--allow-write",
        "--json",
        // Beside other files, where the run may make no folder of its own.
        ...named ? [] : ["--db", `${cli.dir}/beside.sqlite`],
      ]);
      assert.equal(run.status, 0, shown(run));
      const last = model.chats.findLast((request) => said(request)[0] === "root");
      assert.ok(last !== undefined);
      const [, two = ""] = toolResults(last);
      const branch = /Branch (alisio\/\S+), worktree /.exec(two)?.[1] ?? two;
      assert.equal(two.includes(`, worktree ${trees}/`), named, two);
      assert.equal(await git("show", `${branch}:two.txt`), "two.txt");
      assert.equal(await git("status", "--porcelain"), "?? one.txt");
    });
  });
}
