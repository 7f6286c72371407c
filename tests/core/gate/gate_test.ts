import assert from "node:assert/strict";
import { type Effect, textResult } from "@alisio/sdk";
import type { ApprovalAnswer, Approver } from "../../../core/gate/approval.ts";
import type { Gate } from "../../../core/gate/gate.ts";
import { judgePath } from "../../../core/paths/judge_path.ts";
import { parseStoredMessage } from "../../../core/session/stored_message.ts";
import { MAX_RESULT_CHARS } from "../../../core/text/bound_text.ts";
import type { HostTool } from "../../../core/tools/host_tool.ts";
import { MAX_RESULT_PARTS, resultText } from "../../../core/tools/result_text.ts";
import { person, tool, withGate } from "../../support/gate_scene.ts";
import { countListeners, type GateOptions } from "../../support/run_harness.ts";

function verdictOf(gate: Gate, session: string, name: string): string | undefined {
  return gate.status(session).find(({ tool }) => tool.name === name)?.decision.decision;
}

Deno.test("Gate.call() keeps what a person granted to one session from every other", async () => {
  const { approver, asked } = person("session");
  await withGate({ approver }, async ({ gate, call, called }) => {
    await call("change", { path: "a" }, { session: "s1" });
    await call("change", { path: "b" }, { session: "s1" });
    assert.deepEqual(asked.map(({ sessionId }) => sessionId), ["s1"]);
    assert.equal(verdictOf(gate, "s1", "change"), "allow");
    assert.equal(verdictOf(gate, "s2", "change"), "ask");
    await call("change", { path: "c" }, { session: "s2" });
    assert.deepEqual(asked.map(({ sessionId }) => sessionId), ["s1", "s2"]);
    assert.equal(called.length, 3);
  });
});

Deno.test("Gate.call() keeps a granted directory to its session", async () => {
  const { approver, asked } = person("session");
  await withGate({ approver }, async ({ folder, call }) => {
    await Deno.mkdir(`${folder}/other`);
    for (const session of ["s1", "s1", "s2"]) {
      await call("look", { path: "../other" }, { session });
    }
    assert.deepEqual(asked.map(({ sessionId }) => sessionId), ["s1", "s2"]);
  });
});

Deno.test("Gate.call() asks for the directory that a call names, not for its parent", async () => {
  const { approver, asked } = person("session");
  await withGate({ approver }, async ({ folder, call }) => {
    await Deno.mkdir(`${folder}/other/deep`, { recursive: true });
    await Deno.mkdir(`${folder}/private`);
    await Deno.writeTextFile(`${folder}/private/file`, "");
    const rows: readonly (readonly [string, string | null])[] = [
      ["../other", "other"],
      ["../other/deep", null],
      ["../other/new", null],
      ["../private/file", "private"],
      ["../private", null],
      ["../missing", ""],
    ];
    for (const [path, directory] of rows) {
      const before = asked.length;
      await call("look", { path });
      const subject = asked[before]?.subject;
      assert.deepEqual(
        subject,
        directory === null ? undefined : {
          kind: "directory",
          path: directory === "" ? folder : `${folder}/${directory}`,
        },
        path,
      );
    }
  });
});

Deno.test("Gate.call() runs nothing when the run stops while a path is judged", async () => {
  const stop = new AbortController();
  await withGate((folder) => ({
    allowWrite: true,
    judgePath(path) {
      stop.abort(new Error("stop"));
      return judgePath(path, { workspace: `${folder}/ws`, roots: [`${folder}/ws`] });
    },
  }), async ({ call, called, records }) => {
    for (const name of ["change", "look"]) {
      const outcome = await call(name, { path: "a" }, { signal: stop.signal });
      assert.deepEqual([outcome.skipped, outcome.refused, outcome.isError], [
        true,
        undefined,
        true,
      ]);
      assert.match(resultText(outcome.content), /^Not run: the run was stopped/);
    }
    assert.deepEqual([called, records], [[], []]);
  });
});

Deno.test("Gate.call() takes a stop while a person is asked for no answer of the person", async () => {
  const rows: readonly (readonly [string, () => Promise<ApprovalAnswer>])[] = [
    ["an answer that never comes", () => new Promise(() => {})],
    ["a yes that comes too late", () => Promise.resolve("once")],
    ["a no that comes too late", () => Promise.resolve("deny")],
    ["a question that fails", () => Promise.reject(new Error("the screen is gone"))],
  ];
  for (const [name, answer] of rows) {
    const stop = new AbortController();
    await withGate({
      approver() {
        stop.abort(new Error("stop"));
        return answer();
      },
    }, async ({ call, called, records, events }) => {
      const outcome = await call("change", {}, { signal: stop.signal });
      assert.equal(outcome.skipped, true, name);
      assert.equal(outcome.refused, undefined, name);
      assert.match(resultText(outcome.content), /^Not run: the run was stopped/, name);
      assert.deepEqual([called, records], [[], []], name);
      assert.deepEqual(events, ["tool_started", "approval_requested"], name);
    });
  }
});

Deno.test("Gate.call() takes an approver that gives up with the run for no answer", async () => {
  const stop = new AbortController();
  await withGate({
    approver(_question, signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      queueMicrotask(() => stop.abort(new Error("stop")));
      return promise;
    },
  }, async ({ call, events }) => {
    const outcome = await call("change", {}, { signal: stop.signal });
    assert.deepEqual([outcome.skipped, outcome.refused], [true, undefined]);
    assert.deepEqual(events, ["tool_started", "approval_requested"]);
  });
});

Deno.test("Gate.call() calls a person's no a refusal", async () => {
  await withGate(person("deny"), async ({ call, called, events }) => {
    const outcome = await call("change", {});
    assert.equal(outcome.skipped, undefined);
    assert.match(outcome.refused?.reason ?? "", /the person refused "change"/);
    assert.deepEqual(events, ["tool_started", "approval_requested", "approval_resolved"]);
    assert.deepEqual(called, []);
  });
});

Deno.test("Gate.call() gives up a question that waits behind another when its own run stops", async () => {
  const first = Promise.withResolvers<ApprovalAnswer>();
  const shown = Promise.withResolvers<void>();
  const asked: string[] = [];
  await withGate({
    approver({ sessionId }) {
      asked.push(sessionId);
      shown.resolve();
      return first.promise;
    },
  }, async ({ call, called }) => {
    const stop = new AbortController();
    const showing = call("change", { path: "a" }, { session: "s1" });
    await shown.promise;
    const waiting = call("change", { path: "b" }, { session: "s2", signal: stop.signal });
    stop.abort(new Error("stop"));
    const outcome = await waiting;
    assert.deepEqual([outcome.skipped, outcome.refused], [true, undefined]);
    first.resolve("once");
    assert.equal((await showing).isError, false);
    assert.deepEqual(asked, ["s1"], "what was given up is not asked later");
    assert.deepEqual(called, [["change", { path: "a" }]]);
  });
});

Deno.test("Gate.call() lets an answer for the session settle the questions that wait behind it", async () => {
  const rows: readonly (readonly ["session" | "once" | "deny", number, number])[] = [
    ["session", 1, 3],
    ["once", 3, 3],
    ["deny", 3, 0],
  ];
  for (const [answer, questions, runs] of rows) {
    const { approver, asked } = person(answer);
    await withGate({ approver }, async ({ folder, call, called }) => {
      await Deno.mkdir(`${folder}/other`);
      await Promise.all(["a", "b", "c"].map((name) => call("look", { path: `../other/${name}` })));
      assert.equal(asked.length, questions, answer);
      assert.equal(called.length, runs, answer);
    });
  }
});

Deno.test("Gate.call() asks one question at a time", async () => {
  let open = 0;
  let most = 0;
  await withGate({
    async approver() {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return "once";
    },
  }, async ({ folder, call }) => {
    await Deno.mkdir(`${folder}/other`);
    const sessions = ["s1", "s2", "s3"];
    await Promise.all(sessions.map((session) => call("look", { path: "../other" }, { session })));
    assert.equal(most, 1);
  });
});

Deno.test("Gate.call() leaves no listener on the signal of its run", async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  await withGate(person("once"), async ({ folder, call, called }) => {
    await Deno.mkdir(`${folder}/other`);
    for (let count = 0; count < 20; count++) {
      await call("change", { path: "a" }, { signal });
      await call("look", { path: "b" }, { signal });
    }
    await Promise.all(
      ["a", "b", "c", "d"].map((name) => call("look", { path: `../other/${name}` }, { signal })),
    );
    assert.equal(called.length, 44);
    assert.equal(listeners(), 0);
  });
});

Deno.test("Gate.call() shows unseen instructions to the model before the person is asked", async () => {
  const { approver, asked } = person("once");
  const texts = ["Use tabs in here"];
  await withGate({
    approver,
    nestedInstructions: () => Promise.resolve(texts.pop() ?? null),
  }, async ({ call, called, records }) => {
    const first = await call("change", { path: "a" });
    assert.match(resultText(first.content), /^Not run yet: [\s\S]*Use tabs in here/);
    assert.deepEqual([asked, called, records], [[], [], []]);
    const second = await call("change", { path: "a" });
    assert.equal(second.isError, false);
    assert.deepEqual([asked.length, called.length], [1, 1]);
  });
});

Deno.test("Gate.call() spends no instructions on a call that is refused out of hand", async () => {
  let given = 0;
  const nestedInstructions = () => {
    given += 1;
    return Promise.resolve("Use tabs in here");
  };
  await withGate({ nestedInstructions }, async ({ call }) => {
    const outcome = await call("change", { path: "a" });
    assert.equal(outcome.refused?.matched, "flags:write");
    assert.equal(given, 0);
  });
});

Deno.test("Gate.call() attaches whole instructions to a result that had to be cut", async () => {
  const instructions = `# Rules\n${"Use tabs. ".repeat(500)}END`;
  await withGate({
    tools: [tool("long", "read", () => Promise.resolve(textResult("x".repeat(500_000))))],
    nestedInstructions: () => Promise.resolve(instructions),
  }, async ({ call }) => {
    const { content } = await call("long", {});
    const text = resultText(content);
    assert.ok(text.endsWith(`\n${instructions}`));
    assert.match(text, /characters left out/);
    assert.ok(text.length < MAX_RESULT_CHARS + instructions.length + 200);
  });
});

Deno.test("Gate.call() leaves a tool behind that does not stop, and says so of a write", async () => {
  const rows: readonly (readonly [Effect, true | undefined])[] = [
    ["write", true],
    ["read", undefined],
    ["internal", undefined],
  ];
  for (const [effect, unfinished] of rows) {
    const stop = new AbortController();
    const deaf = tool("deaf", effect, () => {
      queueMicrotask(() => stop.abort(new Error("stop")));
      return new Promise(() => {});
    });
    const options = { allowWrite: true, stopGraceMs: 1, tools: [deaf] };
    await withGate(options, async ({ call }) => {
      const outcome = await call("deaf", {}, { signal: stop.signal });
      assert.deepEqual([outcome.isError, outcome.unfinished], [true, unfinished], effect);
      assert.match(resultText(outcome.content), /^Stopped/, effect);
    });
  }
});

Deno.test("Gate.call() leaves a tool behind that stops its own run and goes on", async () => {
  const stop = new AbortController();
  const deaf = tool("deaf", "write", () => {
    stop.abort(new Error("stop"));
    return new Promise(() => {});
  });
  await withGate({ allowWrite: true, stopGraceMs: 1, tools: [deaf] }, async ({ call }) => {
    assert.equal((await call("deaf", {}, { signal: stop.signal })).unfinished, true);
  });
});

Deno.test("Gate.call() waits for a tool that stops in time, and says that its effect is open", async () => {
  for (const [effect, text] of [["write", /may or may not/], ["read", /^Stopped/]] as const) {
    const stop = new AbortController();
    const obedient = tool("obedient", effect, (_input, { signal }) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      queueMicrotask(() => stop.abort(new Error("stop")));
      return promise;
    });
    await withGate({ allowWrite: true, tools: [obedient] }, async ({ call }) => {
      const outcome = await call("obedient", {}, { signal: stop.signal });
      assert.equal(outcome.unfinished, undefined, effect);
      assert.match(resultText(outcome.content), text, effect);
    });
  }
});

Deno.test("Gate.call() passes no progress on once its tool has answered", async () => {
  let late = () => {};
  await withGate({
    tools: [tool("chatty", "read", (_input, { emit }) => {
      emit("early");
      late = () => emit("late");
      return Promise.resolve(textResult("ok"));
    })],
  }, async ({ call, events }) => {
    await call("chatty", {});
    late();
    assert.deepEqual(events, ["tool_started", "tool_progress"]);
  });
});

Deno.test("Gate.status() and Gate.offered() hand out nothing that can execute", async () => {
  await withGate({ allowWrite: true }, ({ gate }) => {
    const handedOut = [...gate.status("s1"), ...gate.offered("s1")];
    assert.equal(handedOut.length, 6);
    assert.deepEqual(functionsIn(handedOut), []);
    return Promise.resolve();
  });
});

/** Names of properties, at any depth, that hold a function. */
function functionsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "function" ? [key] : functionsIn(each)
  );
}

const UNREADABLE = { type: "text", text: "[a part of this result could not be read]" };

Deno.test("Gate.call() makes a result that can be stored of whatever a tool answers", async () => {
  const circle: Record<string, unknown> = { kind: "json" };
  circle["data"] = circle;
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ["null", [null], [UNREADABLE]],
    ["a number", [7], [UNREADABLE]],
    ["a text without text", [{ type: "text" }], [UNREADABLE]],
    ["a text that is a number", [{ type: "text", text: 7n }], [UNREADABLE]],
    ["an unknown type", [{ type: "video" }], [UNREADABLE]],
    ["an image without data", [{ type: "image", mimeType: "image/png" }], [UNREADABLE]],
    ["a block that is none", [{ type: "ui", block: null }], [UNREADABLE]],
    ["a block of a BigInt", [{ type: "ui", block: { kind: "json", data: 1n } }], [UNREADABLE]],
    ["a block in a circle", [{ type: "ui", block: circle }], [UNREADABLE]],
    [
      "a block that turns into something else",
      [{ type: "ui", block: { kind: "json", toJSON: () => 5 } }],
      [UNREADABLE],
    ],
    ["a hole", Array(1), [UNREADABLE]],
    [
      "good parts beside a bad one",
      [{ type: "text", text: "ok" }, undefined, { type: "ui", block: { kind: "new", x: 1 } }],
      [{ type: "text", text: "ok" }, UNREADABLE, { type: "ui", block: { kind: "new", x: 1 } }],
    ],
    ["no part", [], []],
    [
      "more parts than there is room for",
      Array(MAX_RESULT_PARTS + 2).fill({ type: "text", text: "" }),
      [
        ...Array(MAX_RESULT_PARTS).fill({ type: "text", text: "" }),
        { type: "text", text: "… [2 parts left out] …" },
      ],
    ],
  ];
  for (const [name, answered, content] of rows) {
    // What a plugin answers is only as typed as its author made it.
    const answer = { content: answered } as Awaited<ReturnType<HostTool["execute"]>>;
    await withGate({
      tools: [tool("odd", "read", () => Promise.resolve(answer))],
    }, async ({ call }) => {
      const outcome = await call("odd", {});
      assert.deepEqual([outcome.content, outcome.isError], [content, false], name);
      const { callId } = outcome;
      const stored = {
        role: "tool",
        callId,
        name: "odd",
        content: outcome.content,
        isError: false,
      };
      assert.deepEqual(parseStoredMessage(JSON.stringify(stored)), stored, name);
    });
  }
});

Deno.test("Gate.call() says of a tool that answers or throws nonsense that it failed", async () => {
  const answers = (value: unknown) => () => Promise.resolve(value);
  const throws = (value: unknown) => () => {
    throw value;
  };
  const rows: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["null", answers(null)],
    ["undefined", answers(undefined)],
    ["a BigInt", answers(1n)],
    ["a text", answers("done")],
    ["content that is no list", answers({ content: "done" })],
    ["no promise", (() => 7) as unknown as () => Promise<unknown>],
    [
      "a getter that throws",
      answers({
        get content() {
          throw new Error("no");
        },
      }),
    ],
    ["throws an error", throws(new Error("no"))],
    ["throws an object without a text", throws(Object.create(null))],
    ["throws nothing", throws(undefined)],
    ["throws a BigInt", throws(1n)],
    ["throws a symbol", throws(Symbol("no"))],
    ["rejects with an object without a text", () => Promise.reject(Object.create(null))],
  ];
  for (const [name, execute] of rows) {
    await withGate({
      tools: [tool("odd", "read", execute as HostTool["execute"])],
    }, async ({ call }) => {
      const outcome = await call("odd", {});
      assert.equal(outcome.isError, true, name);
      assert.match(resultText(outcome.content), /^Tool "odd" failed: ./, name);
    });
  }
});

Deno.test("Gate.call() makes a result of anything that fails before the call is decided", async () => {
  const throwing = (error: unknown) => () => {
    throw error;
  };
  const rows: readonly (readonly [string, GateOptions])[] = [
    ["a validator that throws", {
      loadValidator: () => Promise.resolve(throwing(new Error("bad schema"))),
    }],
    ["a validator that throws no error", {
      loadValidator: () => Promise.resolve(throwing(Object.create(null))),
    }],
    ["a validator that cannot be loaded", {
      loadValidator: () => Promise.reject(new Error("no module")),
    }],
    ["a path that cannot be judged", { judgePath: () => Promise.reject(new Error("a loop")) }],
  ];
  for (const [name, options] of rows) {
    await withGate({ ...options, allowWrite: true }, async ({ call, called, records }) => {
      const outcome = await call("change", { path: "a" });
      assert.equal(outcome.isError, true, name);
      assert.notEqual(resultText(outcome.content), "", name);
      assert.deepEqual([called, records], [[], []], name);
    });
  }
});

Deno.test("Gate.call() makes a result of a tool whose paths cannot be told", async () => {
  const odd: HostTool = {
    ...tool("odd", "write", () => Promise.resolve(textResult("done"))),
    paths() {
      throw new TypeError("no path");
    },
  };
  await withGate({ allowWrite: true, tools: [odd] }, async ({ call, records }) => {
    const outcome = await call("odd", {});
    assert.deepEqual([outcome.isError, resultText(outcome.content)], [true, "no path"]);
    assert.deepEqual(records, []);
  });
});

Deno.test("Gate.call() never opens the file of stored keys, whoever would permit it", async () => {
  const { approver, asked } = person("session");
  const rows: readonly (readonly [string, GateOptions])[] = [
    ["headless", {}],
    ["with --allow-write", { allowWrite: true }],
    ["with a person", { approver }],
    ["with both", { approver, allowWrite: true }],
  ];
  for (const [name, options] of rows) {
    await withGate(options, async ({ workspace, call, called }) => {
      await Deno.mkdir(`${workspace}/.alisio`);
      await Deno.writeTextFile(`${workspace}/.alisio/credentials.json`, "{}");
      await Deno.symlink(`${workspace}/.alisio/credentials.json`, `${workspace}/notes.md`);
      await Deno.writeTextFile(`${workspace}/.alisio/config.json`, "{}");
      for (const path of [".alisio/credentials.json", "notes.md"]) {
        for (const tool of ["look", "change"]) {
          const outcome = await call(tool, { path });
          assert.equal(outcome.refused?.decision, "deny", `${name}: ${tool} ${path}`);
        }
        const read = await call("look", { path });
        assert.equal(read.refused?.matched, "protected-files:secret", `${name}: ${path}`);
      }
      assert.deepEqual([called, asked], [[], []], name);
      // Its neighbour is a file like any other to a read.
      assert.equal((await call("look", { path: ".alisio/config.json" })).isError, false, name);
    });
  }
});

Deno.test("Gate.skip() reports a call that is not to be made", async () => {
  await withGate({}, ({ gate, events }) => {
    const outcome = gate.skip({ id: "c1", name: "change", arguments: "{}" }, {
      sessionId: "s1",
      signal: AbortSignal.abort(),
      emit: (type) => void events.push(type),
      recordStart: () => assert.fail("It was recorded"),
      recordDecision: () => {},
      pauseWhile: (wait) => wait(),
    });
    assert.deepEqual(events, ["tool_started"]);
    assert.deepEqual(
      { ...outcome, content: resultText(outcome.content) },
      {
        callId: "c1",
        name: "change",
        effect: "write",
        durationMs: 0,
        content: "Not run: the run was stopped before this call",
        isError: true,
        skipped: true,
      },
    );
    return Promise.resolve();
  });
});

Deno.test("Gate.call() counts no wait for a person into the time of a call", async () => {
  let waited = 0;
  const approver: Approver = async () => {
    const askedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 60));
    waited = performance.now() - askedAt;
    return "once";
  };
  await withGate({ approver }, async ({ call }) => {
    const startedAt = performance.now();
    const { durationMs, isError } = await call("change", { path: "a" });
    assert.equal(isError, false);
    assert.ok(durationMs <= performance.now() - startedAt - waited + 1, `${durationMs} ms`);
  });
});

Deno.test("Gate.call() asks each time about a tool that is approved once", async () => {
  const { approver, asked } = person("session", "once", "session");
  const tools = [
    tool("start", "process", () => Promise.resolve(textResult("started"))),
    {
      ...tool("install", "process", () => Promise.resolve(textResult("installed"))),
      approvedOnce: true,
    },
  ];
  await withGate({ approver, tools }, async ({ call }) => {
    const errors: boolean[] = [];
    for (const name of ["start", "start", "install", "install"]) {
      errors.push((await call(name, {})).isError);
    }
    assert.deepEqual(errors, [false, false, false, true], "a session is not on offer");
    assert.deepEqual(asked.map(({ tool, choices }) => [tool, choices.includes("session")]), [
      ["start", true],
      ["install", false],
      ["install", false],
    ]);
  });
});
