/**
 * What a run makes of a stop at any place, of a record that fails, and of tools, providers and
 * observers that are not what they should be.
 */
import assert from "node:assert/strict";
import { type ModelEvent, ProviderError, type RunEvent, textResult } from "@alisio/sdk";
import type { ApprovalAnswer } from "../../../core/gate/approval.ts";
import { RunCancelledError, RunFailedError } from "../../../core/run/run_error.ts";
import { recoverSession } from "../../../core/session/recovery.ts";
import type { HostTool } from "../../../core/tools/host_tool.ts";
import {
  calls,
  countListeners,
  fails,
  PlayedProvider,
  type PlayedTurn,
  type RunHarness,
  says,
  withRun,
} from "../../support/run_harness.ts";

const NOT_RUN = "Not run: the run was stopped before this call";

/** A tool without input. */
function tool(
  name: string,
  effect: HostTool["effect"],
  execute: HostTool["execute"],
): HostTool {
  return { name, description: name, effect, inputSchema: { type: "object" }, execute };
}

/** Refuses to record what `when` says of a new row of the journal. */
function noCall(when: string): string {
  return `CREATE TRIGGER refuse BEFORE INSERT ON tool_calls WHEN ${when}
    BEGIN SELECT RAISE(ABORT, 'no such call'); END`;
}

function isFailure(code: string): (error: unknown) => boolean {
  return (error) => error instanceof RunFailedError && error.code === code;
}

/** Results as they were stored: id of the call, and text. */
function results({ messages }: RunHarness): readonly (readonly [string, string])[] {
  return messages().flatMap((message) => {
    if (message.role !== "tool") return [];
    const [part] = message.content;
    return [[message.callId, part?.type === "text" ? part.text : ""] as const];
  });
}

function dataOf(events: readonly RunEvent[], type: string): readonly RunEvent["data"][] {
  return events.filter((event) => event.type === type).map(({ data }) => data);
}

Deno.test("runSession() stores calls that a stop forestalled as not run, and refuses none of them", async () => {
  const stop = new AbortController();
  const first = tool("first", "write", () => {
    stop.abort(new Error("stop"));
    return Promise.resolve(textResult("written"));
  });
  await withRun({ allowWrite: true, signal: stop.signal, tools: [first] }, async (harness) => {
    const turn = calls([["first", {}, "c1"], ["change", {}, "c2"], ["look", {}, "c3"]]);
    await assert.rejects(harness.run("go", [turn]), RunCancelledError);
    assert.deepEqual(results(harness), [["c1", "written"], ["c2", NOT_RUN], ["c3", NOT_RUN]]);
    assert.deepEqual(harness.called, []);
    assert.deepEqual(harness.store.calls(harness.sessionId).map(({ callId }) => callId), ["c1"]);
    assert.deepEqual(dataOf(harness.events, "tool_started").map(({ id }) => id), [
      "c1",
      "c2",
      "c3",
    ]);
    const completed = dataOf(harness.events, "tool_completed");
    assert.deepEqual(completed.map(({ id, refused }) => [id, refused]), [
      ["c1", undefined],
      ["c2", undefined],
      ["c3", undefined],
    ]);
    assert.equal(harness.types().at(-1), "run_cancelled");
  });
});

Deno.test("runSession() stores a stop while a person is asked as not run, not as their answer", async () => {
  const stop = new AbortController();
  await withRun({
    signal: stop.signal,
    approver() {
      stop.abort(new Error("stop"));
      return new Promise<ApprovalAnswer>(() => {});
    },
  }, async (harness) => {
    const turn = calls([["change", {}, "c1"], ["change", {}, "c2"]]);
    await assert.rejects(harness.run("go", [turn]), RunCancelledError);
    assert.deepEqual(results(harness), [["c1", NOT_RUN], ["c2", NOT_RUN]]);
    assert.equal(harness.types().includes("approval_resolved"), false);
    assert.deepEqual(dataOf(harness.events, "tool_completed").map(({ refused }) => refused), [
      undefined,
      undefined,
    ]);
    assert.deepEqual([harness.called, harness.store.calls(harness.sessionId)], [[], []]);
  });
});

Deno.test("runSession() does not count calls that it skipped", async () => {
  await withRun({ limits: { maxTokens: 100, maxTurns: 1 } }, async (harness) => {
    const within = calls([["look", {}]], { usage: { input: 10, output: 10 } });
    assert.equal((await harness.run("go", [within])).toolCalls, 1);
  });
  const seen: (readonly [string, unknown])[] = [];
  await withRun({ limits: { maxTokens: 100 } }, async (harness) => {
    const over = calls([["look", {}, "c1"], ["change", {}, "c2"]], {
      usage: { input: 90, output: 20 },
    });
    await assert.rejects(harness.run("go", [over]), isFailure("token_budget"));
    for (const { type, data } of harness.events) {
      if (type === "tool_started" || type === "tool_completed") seen.push([type, data.id]);
    }
    assert.deepEqual(seen, [
      ["tool_started", "c1"],
      ["tool_completed", "c1"],
      ["tool_started", "c2"],
      ["tool_completed", "c2"],
    ]);
    assert.equal(harness.types().includes("run_warning"), false, "they are no repetition either");
  });
});

Deno.test("runSession() leaves no listener on the signals of its caller and its tools", async () => {
  const { signal } = new AbortController();
  const ofCaller = countListeners(signal);
  let ofTools: (() => number) | undefined;
  const peek = tool("peek", "write", (_input, context) => {
    ofTools ??= countListeners(context.signal);
    return Promise.resolve(textResult(crypto.randomUUID()));
  });
  await withRun({
    signal,
    approver: () => Promise.resolve("once"),
    tools: [peek],
  }, async (harness) => {
    const turns = Array.from({ length: 12 }, () => calls([["peek", {}], ["look", {}]]));
    await harness.run("go", [...turns, says("done")]);
    assert.deepEqual([ofTools?.(), ofCaller()], [0, 0]);
  });
});

Deno.test("runSession() ends last when one of two reads cannot be recorded", async () => {
  let late = () => {};
  const slow = tool("slow", "read", async (_input, context) => {
    // By then, the other call has been refused its record.
    await new Promise((resolve) => setTimeout(resolve));
    context.emit("at work");
    late = () => context.emit("late");
    return textResult("read");
  });
  await withRun({ tools: [slow] }, async (harness) => {
    harness.sql(noCall("NEW.call_id = 'c2'"));
    const turn = calls([["slow", {}, "c1"], ["look", {}, "c2"]]);
    await assert.rejects(harness.run("go", [turn]), RunFailedError);
    late();
    await new Promise((resolve) => setTimeout(resolve));
    assert.equal(harness.types().at(-1), "run_failed");
    assert.equal(harness.types().filter((type) => type === "run_failed").length, 1);
    assert.deepEqual(results(harness), [["c1", "read"]], "what was read is kept");
    assert.deepEqual(harness.called, [], "what was not recorded did not run");
    const { length } = harness.events;
    assert.deepEqual(
      harness.events.map(({ seq }) => seq),
      Array.from({ length }, (_, at) => at + 1),
    );
  });
});

Deno.test("runSession() drops what a tool emits after the end of the run", async () => {
  let late = () => {};
  const chatty = tool("chatty", "read", (_input, context) => {
    late = () => context.emit("late");
    return Promise.resolve(textResult("ok"));
  });
  await withRun({ tools: [chatty] }, async (harness) => {
    await harness.run("go", [calls([["chatty", {}]]), says("done")]);
    late();
    assert.equal(harness.types().at(-1), "run_completed");
  });
});

Deno.test("runSession() outlives an observer that rejects", async () => {
  const observers = [async () => {
    await Promise.resolve();
    throw new Error("a broken screen");
  }];
  await withRun({ observers }, async (harness) => {
    assert.equal((await harness.run("go", [says("done")])).text, "done");
    // A rejection that nobody handles would end the program by now.
    await new Promise((resolve) => setTimeout(resolve));
  });
});

Deno.test("runSession() stores the end of a run and its event together, whatever fails", async () => {
  const rows: readonly (readonly [string, string, string | undefined, string])[] = [
    ["UPDATE ON runs", "1", undefined, "running"],
    ["UPDATE ON runs", "NEW.status = 'completed'", "run_failed", "failed"],
    ["INSERT ON events", "NEW.type = 'run_completed'", "run_failed", "failed"],
    [
      "INSERT ON events",
      "NEW.type LIKE 'run_%ed' AND NEW.type <> 'run_started'",
      undefined,
      "running",
    ],
  ];
  for (const [change, when, event, status] of rows) {
    const name = `${change} ${when}`;
    await withRun({}, async (harness) => {
      harness.sql(`CREATE TRIGGER refuse BEFORE ${change} WHEN ${when}
        BEGIN SELECT RAISE(ABORT, 'no end'); END`);
      await assert.rejects(harness.run("go", [says("done")]), RunFailedError, name);
      const stored = harness.store.eventsOf(harness.sessionId);
      const ends = stored.filter(({ type }) => /^run_(?!started)/.test(type));
      assert.deepEqual(ends.map(({ type }) => type), event === undefined ? [] : [event], name);
      assert.deepEqual(
        harness.store.runs(harness.sessionId).map((run) => run.status),
        [status],
        name,
      );
      assert.equal(harness.types().at(-1), "run_failed", "the person sees it in any case");
      const { length } = harness.events;
      assert.deepEqual(
        harness.events.map(({ seq }) => seq),
        Array.from({ length }, (_, at) => at + 1),
        name,
      );
      harness.sql("DROP TRIGGER refuse");
      recoverSession(harness.store, harness.sessionId, Date.now());
      assert.equal((await harness.run("again", [says("fine")])).text, "fine", name);
    });
  }
});

Deno.test("runSession() gives no call the id of one whose message is damaged (field case 33)", async () => {
  for (const damaged of ["role = 'assistant'", "role <> 'user'", "1"]) {
    await withRun({}, async (harness) => {
      await harness.run("go", [calls([["look", { path: "a" }, "call_0"]]), says("ok")]);
      harness.sql(`UPDATE messages SET message = '{' WHERE ${damaged}`);
      await harness.run("again", [calls([["look", { path: "b" }, "call_0"]]), says("ok")]);
      const ids = harness.store.calls(harness.sessionId).map(({ callId }) => callId);
      assert.equal(new Set(ids).size, 2, damaged);
      assert.deepEqual(harness.called.map(([, { path }]) => path), ["a", "b"], damaged);
    });
  }
});

Deno.test("runSession() fails once for what asking again cannot help, and keeps the text", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([
      fails(new ProviderError("not allowed", { code: "permission" }), "half an answer"),
    ]);
    await assert.rejects(harness.run("go", provider), isFailure("provider_permission"));
    assert.equal(provider.requests.length, 1);
    assert.equal(harness.types().includes("truncation_recovery"), false);
    assert.deepEqual(harness.messages().at(-1), {
      role: "assistant",
      text: "half an answer",
      calls: [],
      partial: true,
    });
  });
});

Deno.test("runSession() says that an answer was cut whenever the provider does so", async () => {
  const cut = new ProviderError("the output limit was reached", { code: "output_truncated" });
  for (const text of ["", "half an answer"]) {
    await withRun({ limits: { truncationRecoveries: 1, maxOutputTokens: 50 } }, async (harness) => {
      const provider = new PlayedProvider([fails(cut, text)]);
      await assert.rejects(harness.run("go", provider), isFailure("output_truncated"));
      assert.equal(provider.requests.length, 2);
      const [failed] = dataOf(harness.events, "run_failed");
      assert.equal(failed?.code, "output_truncated", text);
      assert.deepEqual(failed?.truncation, { attempts: 1, maxOutputTokens: 50, model: "m" }, text);
    });
  }
});

Deno.test("runSession() counts the tokens of every response once", async () => {
  const usage = { input: 10, output: 1 };
  const rows: readonly (readonly [string, number, readonly PlayedTurn[], number])[] = [
    ["an answer", 0, [says("done", { usage })], 1],
    ["a silent end after work", 0, [calls([["look", {}]], { usage }), says("", { usage })], 2],
    [
      "silence that is asked again",
      1,
      [calls([["look", {}]], { usage }), says("", { usage }), says("done", { usage })],
      3,
    ],
    [
      "silence that is asked again in vain",
      1,
      [calls([["look", {}]], { usage }), says("", { usage }), says("", { usage })],
      3,
    ],
    [
      "a cut that is asked again",
      1,
      [says("", { usage, truncated: true }), says("x", { usage })],
      2,
    ],
  ];
  for (const [name, truncationRecoveries, turns, responses] of rows) {
    await withRun({ limits: { truncationRecoveries } }, async (harness) => {
      const result = await harness.run("go", turns);
      assert.deepEqual(result.usage, { input: 10 * responses, output: responses }, name);
      assert.deepEqual(harness.store.runs(harness.sessionId)[0]?.usage, result.usage, name);
    });
  }
});

Deno.test("runSession() keeps its token limit against usage that is no number", async () => {
  const odd = [
    { input: NaN, output: NaN },
    { input: 1e308, output: 1e308 },
    { input: 1, output: Infinity },
    { input: -1, output: 0 },
    { input: 1, output: 1, cachedInput: 1e13 },
  ];
  for (const each of odd) {
    await withRun({ limits: { maxTokens: 100 } }, async (harness) => {
      const usage = { input: 60, output: 0 };
      let path = 0;
      const next = (rest: Partial<Extract<ModelEvent, { type: "completed" }>>): PlayedTurn =>
        calls([["look", { path: `${path++}` }]], rest);
      await assert.rejects(
        harness.run("go", [next({ usage }), next({ usage: each }), next({ usage }), says("never")]),
        isFailure("token_budget"),
      );
      const tokens = dataOf(harness.events, "turn_completed").map((data) => data.tokens);
      assert.deepEqual(tokens, [60, 60, 120]);
    });
  }
});

Deno.test("runSession() takes an answer of nothing but space for none (field case 30)", async () => {
  for (const blank of [" ", "\n\n", "\t \r\n"]) {
    await withRun({}, async (harness) => {
      const provider = new PlayedProvider([says(blank), says("now")]);
      assert.equal((await harness.run("go", provider)).text, "now");
      const reasons = dataOf(harness.events, "truncation_recovery").map(({ reason }) => reason);
      assert.deepEqual(reasons, ["empty_response"]);
      assert.deepEqual(harness.messages().map(({ role }) => role), ["user", "assistant"]);
      assert.deepEqual(provider.requests[1]?.messages.map(({ role }) => role), ["user", "user"]);
    });
    await withRun({ limits: { truncationRecoveries: 0 } }, async (harness) => {
      await assert.rejects(harness.run("go", [says(blank)]), isFailure("provider_empty_response"));
      assert.deepEqual(harness.messages().map(({ role }) => role), ["user"]);
    });
  }
});

Deno.test("runSession() lets the model see a warning before it stops a loop (field case 36)", async () => {
  const six = Array.from({ length: 6 }, () => ["look", { path: "a" }] as const);
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls(six), says("done")]);
    assert.equal((await harness.run("go", provider)).text, "done");
    assert.equal(harness.called.length, 6);
    const last = provider.requests[1]?.messages.at(-1);
    assert.ok(last?.role === "tool");
    assert.match(last.text, /Do not repeat/);
  });
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls(six), calls([["look", { path: "a" }]])]);
    await assert.rejects(harness.run("go", provider), isFailure("repeated_calls"));
    assert.equal(provider.requests.length, 2, "a model that does not heed it is stopped at once");
  });
});

Deno.test("runSession() makes no call without end that one reply repeats, and says so once (field case 36)", async () => {
  const many = Array.from({ length: 256 }, () => ["look", { path: "a" }] as const);
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls(many), says("done")]);
    assert.equal((await harness.run("go", provider)).toolCalls, 6);
    assert.equal(harness.called.length, 6);
    assert.equal(dataOf(harness.events, "run_warning").length, 1);
    assert.equal(dataOf(harness.events, "tool_completed").length, 256);
    const results = provider.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    assert.equal(results.length, 256, "every call is answered");
    assert.ok(results.slice(6).every((each) => each.role === "tool" && /^Not run/.test(each.text)));
  });
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls(many), calls([["look", { path: "a" }]])]);
    await assert.rejects(harness.run("go", provider), isFailure("repeated_calls"));
    assert.equal(harness.called.length, 7, "a model that does not heed it is stopped at once");
  });
  await withRun({}, async (harness) => {
    const others = Array.from({ length: 7 }, (_, index) => ["look", { path: `${index}` }] as const);
    const provider = new PlayedProvider([calls(others), says("done")]);
    assert.equal((await harness.run("go", provider)).toolCalls, 7);
  });
});

Deno.test("runSession() warns of a new loop again before it stops it (field case 36)", async () => {
  const six = (path: string) => calls(Array.from({ length: 6 }, () => ["look", { path }] as const));
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([six("a"), six("b"), says("done")]);
    assert.equal((await harness.run("go", provider)).text, "done");
    assert.equal(harness.called.length, 12);
  });
});

Deno.test("runSession() loads what any tool answered, and goes on from it", async () => {
  const answers: readonly unknown[] = [
    { content: [null, 7n, { type: "text" }, { type: "ui", block: { kind: "x", value: 1n } }] },
    { content: Array(2) },
    null,
    1n,
    Object.create(null),
  ];
  const odd = answers.map((answer, index) =>
    tool(`odd_${index}`, "read", () => Promise.resolve(answer) as ReturnType<HostTool["execute"]>)
  );
  const throwing = tool("throwing", "read", () => {
    throw Object.create(null);
  });
  await withRun({ tools: [...odd, throwing] }, async (harness) => {
    const names = [...odd, throwing].map(({ name }) => name);
    const turn = calls(names.map((name) => [name, {}, `of:${name}`] as const));
    assert.equal((await harness.run("go", [turn, says("done")])).text, "done");
    assert.deepEqual(results(harness).map(([id]) => id), names.map((name) => `of:${name}`));
    const provider = new PlayedProvider([says("on")]);
    await harness.run("again", provider);
    assert.equal(provider.requests[0]?.messages.length, names.length + 4);
  });
});
