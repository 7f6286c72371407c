import assert from "node:assert/strict";
import { ProviderError } from "@alisio/sdk";
import { calls, fails, hangs, says } from "../../support/run_harness.ts";
import {
  agentFile,
  delegates,
  Gate,
  results,
  said,
  taskIdOf,
  then,
  withDelegation,
} from "./_scene.ts";

const HEADER =
  "Subagent output (non-authoritative; verify important claims before relying on them)";

Deno.test("task runs agents of one turn side by side, each with nothing of its caller", async () => {
  const both = new Gate(2);
  const meets = (text: string) =>
    then(() => {
      both.arrive();
      return both.says(text);
    });
  const roles = {
    root: [
      delegates(["explore", "host of plugins"], ["explore", "tui of panels"]),
      says("Both are there"),
    ],
    host: [meets("The host is in core")],
    tui: [meets("The panels are in tui")],
  };
  await withDelegation(roles, {}, async ({ run, provider, application, session }) => {
    assert.equal((await run()).text, "Both are there");
    const [host, tui] = results(provider.of("root").at(-1));
    const reports = [[host, "The host is in core"], [tui, "The panels are in tui"]] as const;
    for (const [report, text] of reports) {
      const head = `<task id="${taskIdOf(report)}" agent="explore" state="completed">`;
      assert.equal(report, `${head}\n${HEADER}\n\n${text}\n</task>`);
    }
    const [asked] = provider.of("host");
    assert.deepEqual(said(asked), ["host of plugins"]);
    assert.deepEqual(asked?.tools.map(({ name }) => name), [
      "read_file",
      "list_files",
      "search_text",
      "git_status",
      "git_diff",
      "context_explain",
    ]);
    const infos = application.children?.children(session.id) ?? [];
    assert.deepEqual(
      infos.map(({ title, agent, status, depth }) => ({ title, agent, status, depth })),
      ["host of plugins", "tui of panels"].map((prompt) => ({
        title: `do ${prompt}`,
        agent: "explore",
        status: "completed",
        depth: 1,
      })),
    );
  });
});

Deno.test("task names the agents that there are when the model is asked, and no other ones", async () => {
  const files = {
    "config/agents/reviewer.md": agentFile({ description: "Reviews diffs" }),
    "config/agents/boss.md": agentFile({ description: "Leads", mode: "primary" }),
    "config/agents/both.md": agentFile({ description: "Does both", mode: "all" }),
    "config/agents/ghost.md": agentFile({ description: "Unseen", hidden: true }),
    "config/agents/plan.md": agentFile({ description: "Plans my way" }),
  };
  let add = () => {};
  const roles = {
    root: [
      then(() => {
        add();
        return calls([["list_files", {}]]);
      }),
      delegates(["ghost", "seen"]),
      says("ok"),
    ],
  };
  await withDelegation(roles, { files }, async ({ run, provider, folder }) => {
    add = () =>
      Deno.writeTextFileSync(`${folder}/config/agents/late.md`, agentFile({ description: "Late" }));
    await run();
    const lists = provider.of("root").map(({ tools }) =>
      tools.find(({ name }) => name === "task")?.description.split("subagent_type:\n")[1]?.split(
        "\n",
      ).map((line) => line.replace(/: .*/, ""))
    );
    const names = ["- both", "- plan", "- reviewer", "- general", "- explore"];
    assert.deepEqual(lists[0], names);
    assert.deepEqual(lists[1], ["- both", "- late", ...names.slice(1)]);
    assert.match(results(provider.of("root").at(-1))[1] ?? "", /agent="ghost" state="completed"/);
  });
});

Deno.test("task, task_wait, task_status and send_message refuse what cannot be, by name", async () => {
  const files = {
    "config/agents/boss.md": agentFile({ description: "Leads", mode: "primary" }),
    "config/agents/broken.md": "---\nname: broken\n---\nNo description.\n",
  };
  const task = (more: object) => ["task", { description: "d", prompt: "child", ...more }] as const;
  const rows: readonly (readonly [string, readonly [string, object], RegExp])[] = [
    [
      "no such agent",
      task({ subagent_type: "nobody" }),
      /no agent \\?"nobody\\?"; the agents are: general, explore, plan/,
    ],
    ["an agent for people", task({ subagent_type: "boss" }), /only holds conversations/],
    ["a broken definition", task({ subagent_type: "broken" }), /its definition is broken/],
    ["an id that is none", task({ subagent_type: "explore", task_id: "x-1" }), /no such task/],
    ["a status of nothing", ["task_status", { task_id: "x-1" }], /no such task/],
    ["a wait for nothing", ["task_wait", { task_id: "x-1" }], /no such task/],
    ["a message to nobody", ["send_message", { task_id: "x-1", text: "hi" }], /no such task/],
    ["no prompt", ["task", { description: "d", subagent_type: "explore" }], /prompt/],
    [
      "an empty prompt",
      ["task", { description: "d", prompt: "", subagent_type: "explore" }],
      /prompt/,
    ],
    ["another field", ["task_status", { task_id: "x", taskId: "y" }], /taskId/],
    ["a time below zero", ["task_wait", { task_id: "x", timeout_ms: -1 }], /timeout_ms/],
  ];
  const roles = { root: [calls(rows.map(([, [name, input]]) => [name, input])), says("ok")] };
  await withDelegation(roles, { files }, async ({ run, provider, application, session }) => {
    await run();
    const answers = results(provider.of("root").at(-1));
    for (const [index, [name, , expected]] of rows.entries()) {
      assert.match(answers[index] ?? "", expected, name);
    }
    assert.deepEqual(application.children?.children(session.id), []);
    assert.equal(provider.of("child").length, 0);
  });
});

Deno.test("A task reaches neither itself nor anything above it, whatever it knows", async () => {
  let ids: readonly string[] = [];
  const tries = then(() =>
    calls(ids.flatMap((task_id) => [
      ["task_status", { task_id }],
      ["send_message", { task_id, text: "obey" }],
      ["task", { description: "d", prompt: "p", subagent_type: "general", task_id }],
    ]))
  );
  const roles = {
    root: [delegates(["general", "child"]), says("ok")],
    child: [tries, says("child is done")],
  };
  await withDelegation(roles, {}, async ({ run, provider, application, session }) => {
    const children = application.children;
    const leave = children?.watch(({ sessionId }) => ids = [session.id, sessionId]);
    await run();
    leave?.();
    const answers = results(provider.of("child").at(-1));
    assert.equal(answers.length, 6);
    for (const answer of answers.slice(0, 3)) assert.match(answer, /works above this one/);
    for (const answer of answers.slice(3)) assert.match(answer, /a task of its own/);
  });
});

Deno.test("A task that fails is an error with its id, and goes on with its whole history", async () => {
  let id = "";
  const onFire = new ProviderError("The server is on fire", { code: "server_error" });
  const roles = {
    root: [
      delegates(["general", "child one"]),
      then((request) => {
        id = taskIdOf(results(request)[0]);
        return delegates(["general", "and two", { task_id: id }]);
      }),
      then((request) => {
        assert.match(results(request)[1] ?? "", new RegExp(`<task id="${id}" .*state="completed"`));
        return delegates(["explore", "three", { task_id: id }]);
      }),
      delegates(["general", "three", { task_id: "" }]),
      says("ok"),
    ],
    child: [
      then((request) => said(request).length === 1 ? fails(onFire) : says("Saw both")),
    ],
  };
  await withDelegation(
    {
      ...roles,
      child: [
        then((request) =>
          said(request).length === 1
            ? fails(new ProviderError("The server is on fire", { code: "server_error" }))
            : says("Saw both")
        ),
      ],
    },
    {},
    async ({ run, provider }) => {
      await run();
      const [failed, , wrong] = results(provider.of("root").at(-1));
      const { error, ...facts } = JSON.parse(failed ?? "");
      assert.match(error, /The server is on fire/);
      assert.deepEqual(facts, {
        task_id: id,
        agent: "general",
        state: "failed",
        hint: "Call task with this task_id to let it go on with its history",
      });
      assert.match(wrong ?? "", /belongs to the agent \\"general\\"/);
      const last = provider.of("child").at(-1);
      assert.deepEqual(said(last), ["child one", "and two"]);
    },
  );
});

Deno.test("task goes on with a task after another start of the program, of its own session alone", async () => {
  let id = "";
  const roles = {
    root: [
      delegates(["general", "child one"]),
      says("first"),
      then(() => delegates(["general", "two", { task_id: id }])),
      then(() => calls([["task_wait", { task_id: id }]])),
      says("second"),
    ],
    stranger: [then(() => delegates(["general", "mine", { task_id: id }])), says("no")],
    child: [says("Report one"), says("Report two")],
  };
  await withDelegation(roles, {}, async ({ run, provider, application, session, again }) => {
    await run();
    id = taskIdOf(results(provider.of("root").at(-1))[0]);
    await application.close();
    const next = await again();
    const opened = await next.openSession(session.id);
    const options = { signal: new AbortController().signal, observers: [] };
    await opened.run("go on", options);
    const [, report, waited] = results(provider.of("root").at(-1));
    assert.match(report ?? "", /Report two/);
    assert.match(waited ?? "", /<task id="[^]*Report two/, "what is over is known at once");
    const asked = provider.of("child").at(-1);
    assert.deepEqual(said(asked), ["child one", "two"]);
    const other = await next.createSession();
    await other.run("stranger", options);
    assert.match(results(provider.of("stranger").at(-1))[0] ?? "", /no such task/);
  });
});

Deno.test("A task at its turn limit gives what it has, and says that this may not be all", async () => {
  const files = {
    "config/agents/short.md": agentFile({
      description: "Short",
      maxTurns: 2,
      tools: ["list_files"],
    }),
  };
  const looks = (text: string) => calls([["list_files", {}]], { text });
  const roles = {
    root: [delegates(["short", "child"], ["explore", "other"]), says("ok")],
    child: [looks("Half"), looks("Nearly"), says("never")],
    other: [looks("a"), looks("b"), looks("c"), says("Whole")],
  };
  await withDelegation(roles, { files, settings: { maxTurns: 4 } }, async ({ run, provider }) => {
    await run();
    const [short, whole] = results(provider.of("root").at(-1));
    assert.match(short ?? "", /state="completed">[^]*Nearly\n\[The agent reached its turn limit/);
    assert.match(whole ?? "", /\n\nWhole\n<\/task>$/);
    assert.equal(provider.of("child").length, 2);
  });
});

Deno.test("Agents at the greatest depth do not get the tools that hand work over", async () => {
  for (const [maxDepth, deepest] of [[1, "one"], [2, "two"], [3, "three"]] as const) {
    const roles = {
      root: [delegates(["general", "one"]), says("ok")],
      one: [delegates(["general", "two"]), says("1")],
      two: [delegates(["general", "three"]), says("2")],
      three: [delegates(["general", "four"]), says("3")],
    };
    await withDelegation(roles, { settings: { maxDepth } }, async ({ run, provider }) => {
      await run();
      const order = ["root", "one", "two", "three"];
      for (const role of order.slice(0, order.indexOf(deepest) + 1)) {
        const tools = provider.of(role)[0]?.tools.map(({ name }) => name) ?? [];
        assert.equal(tools.includes("task"), role !== deepest, `${role} of ${maxDepth}`);
      }
      assert.match(results(provider.of(deepest).at(-1))[0] ?? "", /not|no tool/i);
      assert.equal(provider.of(order[order.indexOf(deepest) + 1] ?? "four").length, 0);
    });
  }
});

Deno.test("A tree that is deeper than the total of places comes to its end", async () => {
  const roles = {
    root: [delegates(["general", "one"], ["general", "two"]), says("ok")],
    one: [delegates(["general", "three"]), says("1")],
    two: [
      delegates(["general", "four", { background: true }]),
      then((request) => calls([["task_wait", { task_id: taskIdOf(results(request)[0]) }]])),
      says("2"),
    ],
    three: [delegates(["general", "five"], ["general", "six"]), says("3")],
  };
  const settings = { maxConcurrentTotal: 1, maxConcurrentPerParent: 1 };
  await withDelegation(roles, { settings }, async ({ run, provider }) => {
    await run();
    const reports = results(provider.of("root").at(-1));
    assert.match(reports[0] ?? "", /\n1\n/);
    assert.match(reports[1] ?? "", /\n2\n/);
    assert.match(results(provider.of("two").at(-1))[1] ?? "", /four is done/);
  });
});

Deno.test("task turns away at once what would wait beyond the limit, and runs the others in order", async () => {
  const started: string[] = [];
  const first = new Gate();
  const notes = (text: string) =>
    then(() => {
      started.push(text);
      return text === "a" ? first.says("a") : says(text);
    });
  const names = ["a", "b", "c", "d"];
  const roles = {
    root: [
      delegates(...names.map((name) => ["explore", name] as const)),
      says("ok"),
    ],
    ...Object.fromEntries(names.map((name) => [name, [notes(name)]])),
  };
  const settings = { maxConcurrentTotal: 1, maxQueued: 2 };
  await withDelegation(roles, { settings }, async ({ run, provider, application, session }) => {
    const leave = application.children?.watch(({ type }) => {
      if (type === "run_started") first.arrive();
    });
    await run();
    leave?.();
    assert.deepEqual(started, ["a", "b", "c"]);
    const answers = results(provider.of("root").at(-1));
    assert.match(answers[3] ?? "", /2 tasks wait already, which is the limit/);
    assert.deepEqual(answers.slice(0, 3).map((each) => /\n(\w)\n<\/task>/.exec(each)?.[1]), [
      "a",
      "b",
      "c",
    ]);
    assert.equal(application.children?.children(session.id).length, 3);
  });
});

Deno.test("A task in the background returns at once and is told of once, in the next turn", async () => {
  const end = new Gate();
  const roles = {
    root: [
      delegates(["explore", "child", { background: true }]),
      says("It runs"),
      says("Heard"),
      says("Nothing new"),
    ],
    child: [end.says("Found it")],
  };
  await withDelegation(roles, {}, async ({ run, provider, application }) => {
    await run();
    const [started] = results(provider.of("root")[1]);
    assert.match(started ?? "", /<task id="[^"]+" agent="explore" state="running">\nThe task goes/);
    const idle = Promise.withResolvers<void>();
    const leave = application.children?.subscribe(() => {
      if (application.children?.live().length === 0) idle.resolve();
    });
    end.arrive();
    await idle.promise;
    leave?.();
    await run("what now?");
    await run("and now?");
    const last = provider.of("root").at(-1);
    const texts = said(last);
    const id = taskIdOf(started);
    assert.deepEqual(texts, [
      "root",
      `<task-notification id="${id}" agent="explore" state="completed">\n${HEADER}\n\nFound it\n` +
      "</task-notification>",
      "what now?",
      "and now?",
    ]);
  });
});

Deno.test("Nobody is told of the end of a task that task_wait or task_status told already", async () => {
  for (const tool of ["task_wait", "task_status"]) {
    const end = new Gate();
    const roles = {
      root: [
        delegates(["explore", "child", { background: true }]),
        then((request) => {
          end.arrive();
          return calls([["task_wait", { task_id: taskIdOf(results(request)[0]) }]]);
        }),
        then((request) => calls([[tool, { task_id: taskIdOf(results(request)[0]) }]])),
        says("ok"),
        says("ok"),
      ],
      child: [end.says("Found it")],
    };
    await withDelegation(roles, {}, async ({ run, provider }) => {
      await run();
      await run("and?");
      const last = provider.of("root").at(-1);
      assert.deepEqual(said(last), ["root", "and?"]);
      assert.match(results(last)[1] ?? "", /state="completed">[^]*Found it/);
    });
  }
});

Deno.test("task_wait returns the state when its time is over, within the limit of all waits", async () => {
  const rows = [[{ timeout_ms: 1 }, {}], [{}, { waitMaxMs: 100 }], [{ timeout_ms: 900_000 }, {
    waitMaxMs: 100,
  }]] as const;
  for (const [input, settings] of rows) {
    const roles = {
      root: [
        delegates(["explore", "child", { background: true }]),
        then((request) =>
          calls([["task_wait", { task_id: taskIdOf(results(request)[0]), ...input }]])
        ),
        says("ok"),
      ],
      child: [hangs()],
    };
    await withDelegation(roles, { settings }, async ({ run, provider }) => {
      await run();
      const { task_id, ...state } = JSON.parse(results(provider.of("root").at(-1))[1] ?? "");
      assert.match(task_id, /^[0-9a-f-]{36}$/);
      assert.deepEqual(state, {
        agent: "explore",
        state: "running",
        title: "do child",
        model: "m",
        background: true,
        tokens: { input: 0, output: 0 },
        timed_out: true,
      });
    });
  }
});

Deno.test("send_message reaches a task that runs at its next turn, and wakes one that has ended", async () => {
  const sent = new Gate();
  const begun = new Gate();
  let id = "";
  const roles = {
    root: [
      delegates(["explore", "child", { background: true }]),
      then((request) =>
        async function* () {
          id = taskIdOf(results(request)[0]);
          await begun.opened;
          yield* calls([["send_message", { task_id: id, text: "hurry" }]])(request);
        }
      ),
      then(() => {
        sent.arrive();
        return calls([["task_wait", { task_id: id }]]);
      }),
      then(() => calls([["send_message", { task_id: id, text: "one more" }]])),
      then(() => calls([["task_wait", { task_id: id }]])),
      says("ok"),
    ],
    child: [
      then((request) =>
        async function* () {
          begun.arrive();
          await sent.opened;
          yield* calls([["list_files", {}]])(request);
        }
      ),
      says("First"),
      says("Second"),
    ],
  };
  await withDelegation(roles, {}, async ({ run, provider }) => {
    await run();
    const [, next, first, resumed, second] = results(provider.of("root").at(-1));
    assert.equal(JSON.parse(next ?? "").delivered, "next_turn");
    assert.match(first ?? "", /\nFirst\n/);
    assert.equal(JSON.parse(resumed ?? "").delivered, "resumed");
    assert.match(second ?? "", /\nSecond\n/);
    const [, middle, last] = provider.of("child");
    assert.deepEqual(said(middle), ["child", "hurry"]);
    assert.deepEqual(said(last), ["child", "hurry", "one more"]);
  });
});

Deno.test("send_message says at once that a person has to look at a task that was cut short", async () => {
  let cut = (_: string): void => {};
  const roles = {
    root: [
      delegates(["explore", "child"]),
      then((request) => {
        const id = taskIdOf(results(request)[0]);
        cut(id);
        return calls([["send_message", { task_id: id, text: "go on" }]]);
      }),
      says("ok"),
    ],
    child: [says("First"), says("Second")],
  };
  await withDelegation(roles, {}, async ({ application, run, provider }) => {
    const { store } = application;
    cut = (sessionId) =>
      store.beginCall({
        sessionId,
        callId: "cut",
        runId: store.runs(sessionId).at(-1)?.id ?? "",
        name: "shell",
        effect: "process",
        arguments: "{}",
        startedAt: Date.now(),
      });
    await run();
    const [, refused] = results(provider.of("root").at(-1));
    assert.match(refused ?? "", /"error":"Session [^ ]+ needs recovery: a call of \\"shell\\" was/);
    assert.match(refused ?? "", /alisio sessions recover /);
    assert.equal(provider.of("child").length, 1, "nothing was begun that fails unseen");
  });
});

Deno.test("Stopping a run stops all that work for it, and what waits never begins (field case 164)", async () => {
  const ready = new Gate(3);
  const waits = then(() => {
    ready.arrive();
    return hangs();
  });
  const roles = {
    root: [delegates(["general", "one"], ["general", "three", { background: true }])],
    one: [then(() => {
      ready.arrive();
      return delegates(["general", "two"], ["explore", "never"]);
    })],
    two: [waits],
    three: [waits],
  };
  const settings = { maxConcurrentTotal: 2 };
  await withDelegation(roles, { settings }, async ({ run, provider, application, session }) => {
    const controller = new AbortController();
    const running = run("root", controller.signal);
    await ready.opened;
    const startedAt = performance.now();
    controller.abort(new Error("Stop"));
    await assert.rejects(running, /Stop/);
    const idle = Promise.withResolvers<void>();
    const look = () => {
      if (application.children?.live().length === 0) idle.resolve();
    };
    const leave = application.children?.subscribe(look);
    look();
    await idle.promise;
    leave?.();
    assert.ok(performance.now() - startedAt < 1_000);
    assert.equal(provider.of("never").length, 0);
    const all = (id: string): readonly string[] =>
      (application.children?.children(id) ?? []).flatMap((child) => [
        child.status,
        ...all(child.id),
      ]);
    assert.deepEqual(new Set(all(session.id)), new Set(["cancelled"]));
    assert.equal(all(session.id).length, 4);
  });
});
