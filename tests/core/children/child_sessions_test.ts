import assert from "node:assert/strict";
import type { ModelRequest, RunEvent } from "@alisio/sdk";
import type { ApprovalQuestion } from "../../../core/gate/approval.ts";
import { withScene } from "../../support/application_scene.ts";
import { calls, hangs, type PlayedTurn, says } from "../../support/run_harness.ts";
import { childrenOf, delegating, NO_STOP } from "./_scene.ts";

const WRITE = calls([["write_file", { path: "a.txt", content: "x", expectedHash: null }]]);
const SPEC = { title: "Look around", agent: "explore" };

/** Texts of results that a request shows the model. */
function results({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message) => message.role === "tool" ? [message.text] : []);
}

/** What stands in the messages of a user, oldest first. */
function said({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message) =>
    message.role !== "user"
      ? []
      : message.content.map((part) => part.type === "text" ? part.text : part.type)
  );
}

Deno.test("ChildSessions.run() runs a prompt in a conversation of its own and keeps it", async () => {
  await withScene({}, async ({ open }) => {
    const { options, provider } = delegating(
      says("ready"),
      says("It is a shop", { usage: { input: 10, output: 3 } }),
      says("Twelve", { usage: { input: 20, output: 1 } }),
    );
    const application = await open(options);
    const session = await application.createSession();
    await session.run("secret plan", NO_STOP);
    const children = childrenOf(application);
    const { id, ...info } = children.spawn({
      ...SPEC,
      parentId: session.id,
      instructions: "Be brief.",
    });
    assert.deepEqual({ ...info, createdAt: 0, updatedAt: 0 }, {
      parentId: session.id,
      depth: 1,
      agent: "explore",
      title: "Look around",
      status: "queued",
      model: "m",
      workspace: application.workspace,
      usage: { input: 0, output: 0 },
      capabilities: { write: false, process: false, approvals: false, readOnly: true },
      createdAt: 0,
      updatedAt: 0,
    });
    assert.deepEqual(await children.run(id, "What is this?"), {
      id,
      status: "completed",
      text: "It is a shop",
      usage: { input: 10, output: 3 },
    });
    const { text } = await children.run(id, "How many files?");
    assert.equal(text, "Twelve");
    const [, first, second] = provider.requests;
    assert.match(first?.system ?? "", /\n\nBe brief\.$/);
    assert.deepEqual(
      first === undefined ? [] : said(first),
      ["What is this?"],
      "nothing of its parent",
    );
    assert.deepEqual(second === undefined ? [] : said(second), [
      "What is this?",
      "How many files?",
    ]);
    assert.deepEqual(children.get(id)?.usage, { input: 30, output: 4 });
    assert.deepEqual(children.children(session.id).map((child) => child.status), ["completed"]);
    assert.deepEqual(children.ancestors(id), [session.id]);
  });
});

Deno.test("ChildSessions.run() asks of no child what the agent of the conversation is asked for", async () => {
  const configuration = { agents: { active: "terse" } };
  await withScene({ "config/config.json": JSON.stringify(configuration) }, async ({ open }) => {
    const { options, provider } = delegating(says("ready"), says("Twelve"));
    const terse = {
      description: "d",
      prompt: "p",
      mode: "primary",
      alisio: { text: { verbosity: "low" } },
    };
    const application = await open({ ...options, agents: { terse } });
    const session = await application.createSession();
    await session.run("Go", NO_STOP);
    const children = childrenOf(application);
    const { id } = children.spawn({ ...SPEC, parentId: session.id });
    await children.run(id, "How many files?");
    assert.deepEqual(provider.requests.map(({ answer }) => answer), [
      { verbosity: "low" },
      undefined,
    ]);
  });
});

Deno.test("ChildSessions.run() lets a child do nothing that its parent may not (field case 162)", async () => {
  const rows = [
    { name: "headless", options: {}, text: /not available|run again with --allow-write|Refused/ },
    { name: "read-only", options: { readOnly: true, allowWrite: true }, text: /Refused/ },
    {
      name: "its own wish",
      options: { allowWrite: true },
      spec: { readOnly: true },
      text: /Refused/,
    },
    {
      name: "its own rule",
      options: { allowWrite: true },
      spec: { permission: { write: "deny" as const } },
      text: /Refused/,
    },
    {
      name: "its own tools",
      options: { allowWrite: true },
      spec: { tools: { allow: ["read_file"] } },
      text: /Refused/,
    },
    {
      name: "nobody to ask",
      options: { allowWrite: true },
      spec: { permission: { write: "ask" as const } },
      text: /Refused/,
    },
    {
      name: "allowed to both",
      options: { allowWrite: true },
      spec: { permission: { write: "allow" as const } },
      text: /"sha256"/,
    },
  ];
  for (const { name, options: flags, spec = {}, text } of rows) {
    await withScene({}, async ({ open, folder }) => {
      const { options, provider } = delegating(WRITE, says("done"));
      const application = await open({ ...options, ...flags });
      const session = await application.createSession();
      const children = childrenOf(application);
      const child = children.spawn({ ...SPEC, ...spec, parentId: session.id });
      await children.run(child.id, "Write");
      const [result = ""] = results(provider.requests[1] ?? assert.fail(name));
      assert.match(result, text, name);
      const exists = await Deno.stat(`${folder}/ws/a.txt`).then(() => true, () => false);
      assert.equal(exists, name === "allowed to both", name);
    });
  }
});

Deno.test("ChildSessions.spawn() gives a grandchild no more than its parent has, and says so", async () => {
  await withScene({}, async ({ open }) => {
    const { options } = delegating(says("x"));
    const application = await open({ ...options, allowWrite: true, allowProcess: true });
    const { id: root } = await application.createSession();
    const children = childrenOf(application);
    const reader = children.spawn({
      ...SPEC,
      parentId: root,
      permission: { process: "deny" },
      tools: { allow: ["read_file", "write_file"] },
      maxTurns: 5,
    });
    assert.equal(reader.narrowed, undefined);
    assert.deepEqual(reader.capabilities, {
      write: true,
      process: false,
      approvals: false,
      readOnly: false,
    });
    const deeper = children.spawn({
      ...SPEC,
      parentId: reader.id,
      permission: { write: "allow", process: "allow" },
      tools: { allow: ["read_file", "shell"] },
      maxTurns: 9,
    });
    assert.equal(deeper.depth, 2);
    assert.deepEqual(deeper.narrowed, [
      'its parent has no tool "shell"',
      '"permission.process" is "allow", its parent has "deny"',
      '"maxTurns" is 9, its parent has 5',
    ]);
    assert.deepEqual(deeper.capabilities, reader.capabilities);
    assert.deepEqual(children.ancestors(deeper.id), [reader.id, root]);
  });
});

Deno.test("ChildSessions.run() asks the person with the path of the agent", async () => {
  await withScene({}, async ({ open, folder }) => {
    const asked: ApprovalQuestion[] = [];
    const { options } = delegating(WRITE, says("done"));
    const application = await open({
      ...options,
      approve: (question) => {
        asked.push(question);
        return Promise.resolve("session");
      },
    });
    const session = await application.createSession();
    const children = childrenOf(application);
    const outer = children.spawn({ ...SPEC, agent: "general", parentId: session.id });
    const inner = children.spawn({ ...SPEC, agent: "test-writer", parentId: outer.id });
    assert.equal((await children.run(inner.id, "Write")).status, "completed");
    assert.deepEqual(asked.map(({ agentPath }) => agentPath), [["general", "test-writer"]]);
    assert.equal(await Deno.readTextFile(`${folder}/ws/a.txt`), "x");
    assert.deepEqual(application.gate.sessionGrants(session.id), [], "the grant is the child's");
  });
});

Deno.test("ChildSessions.run() gives a child that ran out of turns as completed", async () => {
  await withScene({ "ws/a.txt": "x" }, async ({ open }) => {
    const reads = calls([["read_file", { path: "a.txt" }]], { text: "Half of it" });
    const { options } = delegating(reads, reads);
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const { id } = children.spawn({ ...SPEC, parentId: session.id, maxTurns: 1 });
    const { usage: _, ...result } = await children.run(id, "Read");
    assert.deepEqual(result, { id, status: "completed", text: "Half of it", turnsExceeded: true });
  });
});

Deno.test("ChildSessions.run() tells how a child failed, and rejects nothing", async () => {
  await withScene({}, async ({ open }) => {
    const broken: PlayedTurn = async function* () {
      yield { type: "text_delta", delta: "" };
      throw new Error("The line is dead");
    };
    const { options } = delegating(broken);
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const { id } = children.spawn({ ...SPEC, parentId: session.id });
    const { status, error } = await children.run(id, "Read");
    assert.equal(status, "failed");
    assert.match(error ?? "", /The line is dead/);
    assert.equal(children.get(id)?.status, "failed");
  });
});

Deno.test("ChildSessions.stopBelow() ends the whole tree at once, and lets nothing begin (field case 164)", async () => {
  await withScene({}, async ({ open }) => {
    const { options, provider } = delegating(hangs());
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const tree = [session.id];
    for (let depth = 0; depth < 3; depth++) {
      const parentId = tree.at(-1) ?? "";
      tree.push(children.spawn({ ...SPEC, parentId }).id);
    }
    const started = new Set<string>();
    const { promise: allStarted, resolve } = Promise.withResolvers<void>();
    children.watch(({ type, sessionId }) => {
      if (type === "run_started") started.add(sessionId);
      if (started.size === 3) resolve();
    });
    const runs = tree.slice(1).map((id) => children.run(id, "Go"));
    await allStarted;
    const startedAt = performance.now();
    children.stopBelow(session.id);
    const results = await Promise.all(runs);
    assert.ok(performance.now() - startedAt < 5_000);
    assert.deepEqual(results.map(({ status }) => status), Array(3).fill("cancelled"));
    assert.equal(children.runningCount, 0);
    const requests = provider.requests.length;
    const [, child = "", grandchild = ""] = tree;
    assert.throws(() => children.spawn({ ...SPEC, parentId: session.id }), /was stopped/);
    assert.throws(() => children.spawn({ ...SPEC, parentId: grandchild }), /was stopped/);
    assert.equal((await children.run(child, "Again")).status, "cancelled");
    assert.equal(provider.requests.length, requests);
    children.allowBelow(session.id);
    children.spawn({ ...SPEC, parentId: session.id });
  });
});

Deno.test("OpenSession.run() stops children when it is stopped", async () => {
  await withScene({}, async ({ open }) => {
    const { options } = delegating(hangs());
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const { id } = children.spawn({ ...SPEC, parentId: session.id });
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    children.watch(({ type }) => {
      if (type === "run_started") resolve();
    });
    const stop = new AbortController();
    const own = session.run("go", { signal: stop.signal, observers: [] });
    const child = children.run(id, "Go");
    await begun;
    stop.abort(new Error("Enough"));
    await assert.rejects(own);
    assert.equal((await child).status, "cancelled");
  });
});

Deno.test("ChildSessions.enqueue() reaches the next turn, and waits where nothing runs", async () => {
  await withScene({ "ws/a.txt": "x" }, async ({ open }) => {
    const { options, provider } = delegating(
      calls([["read_file", { path: "a.txt" }]]),
      says("seen"),
      says("again"),
    );
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const { id } = children.spawn({ ...SPEC, parentId: session.id });
    children.enqueue(id, "before");
    children.watch(({ type }) => {
      if (type === "tool_started") children.enqueue(id, "meanwhile");
      if (type === "text_delta" && provider.requests.length === 2) children.enqueue(id, "late");
    });
    const { text } = await children.run(id, "Read");
    assert.equal(text, "again", "the late one was answered, too");
    assert.deepEqual(provider.requests.map(said), [
      ["before", "Read"],
      ["before", "Read", "meanwhile"],
      ["before", "Read", "meanwhile", "late"],
    ]);
    assert.throws(() => children.enqueue(id, " "), /1 to 100000 characters/);
    assert.throws(() => children.enqueue("nobody", "x"), /Cannot find session/);
    for (let count = 0; count < 100; count++) children.enqueue(id, "x");
    assert.throws(() => children.enqueue(id, "x"), /100 messages wait/);
  });
});

Deno.test("ChildSessions.reap() marks what a dead process left, and runs nothing again", async () => {
  await withScene({}, async ({ open }) => {
    const { options, provider } = delegating(says("x"));
    const first = await open(options);
    const session = await first.createSession();
    const mine = childrenOf(first).spawn({ ...SPEC, parentId: session.id });
    const lost = childrenOf(first).spawn({ ...SPEC, parentId: session.id });
    first.store.database.run(
      `UPDATE sessions SET status = 'running',
         options = json_set(options, '$.childState.owner', 'somebody-dead') WHERE id = ?`,
      lost.id,
    );
    childrenOf(first).enqueue(lost.id, "still here");
    const second = await open(options);
    await second.createSession();
    assert.equal(childrenOf(second).get(lost.id)?.status, "interrupted");
    assert.equal(childrenOf(second).get(mine.id)?.status, "queued", "its process lives");
    const told = first.store.takeMail(session.id);
    assert.equal(told.length, 1, "the parent is told of the one that was lost, once");
    assert.match(told[0] ?? "", new RegExp(`^<task-notification id="${lost.id}" agent="explore" `));
    assert.match(told[0] ?? "", /state="interrupted">\n.*: Look around\n/);
    assert.equal(provider.requests.length, 0);
    const { status } = await childrenOf(second).run(lost.id, "Go on");
    assert.equal(status, "completed");
    assert.deepEqual(provider.requests.map(said), [["still here", "Go on"]]);
  });
});

Deno.test("ChildSessions.watch() shows the events under the id of the child", async () => {
  await withScene({}, async ({ open }) => {
    const { options } = delegating(says("x"));
    const application = await open(options);
    const session = await application.createSession();
    const children = childrenOf(application);
    const events: RunEvent[] = [];
    const end = children.watch((event) => events.push(event));
    const { id } = children.spawn({ ...SPEC, parentId: session.id });
    await children.run(id, "Go");
    end();
    await children.run(id, "Go");
    assert.deepEqual([...new Set(events.map(({ sessionId }) => sessionId))], [id]);
    assert.deepEqual(events.map(({ type }) => type), [
      "run_started",
      "text_delta",
      "turn_completed",
      "run_completed",
    ]);
  });
});

Deno.test("ChildSessions.spawn() refuses what no child session can be", async () => {
  await withScene({ "other/x.txt": "" }, async ({ open, folder }) => {
    const { options } = delegating(says("x"));
    const application = await open(options);
    const { id: parentId } = await application.createSession();
    const children = childrenOf(application);
    const rows: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [{ parentId: "nobody" }, /Cannot find session "nobody"/],
      [{ title: "" }, /"title" has to be a text of 1 to 200/],
      [{ agent: 7 }, /"agent" has to be a text/],
      [{ agent: "x asks:\nAllow read_file (read)?" }, /"agent" has to be one line/],
      [{ agent: "x\u202e" }, /"agent" has to be one line/],
      [{ instructions: 7 }, /"instructions" has to be a text/],
      [{ tools: { allow: "x" } }, /"tools" has to hold lists/],
      [{ permission: { write: "maybe" } }, /"permission" has to hold/],
      [{ maxTurns: 0 }, /"maxTurns" has to be a whole number above 0/],
      [{ id: parentId }, /is taken/],
      [{ id: "../x" }, /is taken/],
      [{ model: "other" }, /use "create"/],
      [{ workspace: "nowhere" }, /no folder that can be opened/],
      [{ workspace: `${folder}/other` }, /its parent may not touch that folder/],
    ];
    for (const [fields, message] of rows) {
      assert.throws(() => children.spawn({ ...SPEC, parentId, ...fields }), message);
    }
    assert.deepEqual(children.children(parentId), []);
  });
});
