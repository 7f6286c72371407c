import assert from "node:assert/strict";
import { type ModelEvent, ProviderError, type RunEvent, textResult } from "@alisio/sdk";
import type { CompactionHookPort } from "../../../core/compaction/compactor.ts";
import { CUT_MARK } from "../../../core/compaction/reduce_messages.ts";
import { AlisioError } from "../../../core/errors.ts";
import { RunCancelledError, RunFailedError } from "../../../core/run/run_error.ts";
import type { StoredMessage } from "../../../core/session/stored_message.ts";
import {
  calls,
  fails,
  hangs,
  type PlayedTurn,
  type RunHarness,
  says,
  withRun,
} from "../../support/run_harness.ts";
import { answer, prompt, randomConversation, result } from "./_conversation.ts";
import { said, SummarisingModel, SUMMARY } from "./_summarising_model.ts";

/** A window of 4,000 tokens, which 16,000 characters fill. */
const SMALL = { contextWindow: 4_000, compaction: {} } as const;

/** Four turns with a call each, in about 14,000 characters. */
const HISTORY: readonly StoredMessage[] = ["one", "two", "three", "four"].flatMap((name) => [
  prompt(`prompt ${name}`),
  answer("", `call-${name}`),
  result(`call-${name}`, `result ${name} ${"x".repeat(3_000)}`),
  answer(`answer ${name} ${"y".repeat(400)}`),
]);

function fill(harness: RunHarness, messages: readonly StoredMessage[] = HISTORY): void {
  for (const message of messages) {
    harness.store.appendMessage(harness.sessionId, message, Date.now());
  }
}

const ofCompaction = ({ type }: RunEvent) => /^compaction|^context_reduced/.test(type);

function eventsOf(harness: RunHarness): readonly (readonly [string, RunEvent["data"]])[] {
  return harness.events.filter(ofCompaction).map(({ type, data }) => [type, data]);
}

const typesOf = (harness: RunHarness) => eventsOf(harness).map(([type]) => type);

/** Every call has its result, directly behind its message, and every id is there once. */
function assertPaired(model: SummarisingModel): void {
  for (const { messages } of model.requests) {
    let waiting: string[] = [];
    const seen = new Set<string>();
    for (const message of messages) {
      if (message.role === "tool") {
        assert.equal(waiting.shift(), message.callId);
        continue;
      }
      assert.deepEqual(waiting, []);
      if (message.role !== "assistant") continue;
      waiting = message.calls.map(({ id }) => id);
      for (const id of waiting) assert.equal(seen.has(id), false);
      waiting.forEach((id) => seen.add(id));
    }
    assert.deepEqual(waiting, []);
  }
}

Deno.test("A conversation that fills the window is summarised before the next request", async () => {
  await withRun(SMALL, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")]);
    assert.equal((await harness.run("prompt five", model)).text, "done");
    const [request] = model.requests;
    const [first, ...rest] = request?.messages ?? [];
    assert.ok(first?.role === "user" && first.content[0]?.type === "text");
    assert.match(first.content[0].text, /^\[Checkpoint: [^]*## Goal\nShip the parser\n/);
    assert.match(first.content[0].text, /- prompt one\n- prompt two\n- prompt three$/);
    assert.deepEqual(
      rest.map((message) => message.role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    assertPaired(model);
    const [started, completed, ...others] = eventsOf(harness);
    assert.deepEqual(others, []);
    assert.equal(started?.[0], "compaction_started");
    assert.deepEqual(started?.[1], {
      reason: "auto",
      before: started?.[1]["before"],
      messages: 12,
    });
    assert.equal(completed?.[0], "compaction_completed");
    const { before, after, summarizedTokens, checkpointTokens, ...facts } = completed?.[1] ?? {};
    assert.deepEqual(facts, { reason: "auto", replaced: 12, structured: true, plugins: {} });
    assert.ok(Number(before) >= 3_400 && Number(after) < 1_700, `${before} ${after}`);
    assert.ok(Number(summarizedTokens) > 2_500 && Number(checkpointTokens) < 400);
    const usages = harness.events.map(({ type }) => type);
    assert.ok(usages.indexOf("compaction_started") > usages.indexOf("run_started"));
  });
});

Deno.test("What is summarised is kept as compacted, and a later run reads the checkpoint", async () => {
  await withRun(SMALL, async (harness) => {
    fill(harness);
    await harness.run("prompt five", new SummarisingModel([says("done")]));
    const rows = harness.store.messagesPage(harness.sessionId);
    assert.deepEqual(rows.slice(0, 16).map(({ message }) => message), HISTORY);
    assert.deepEqual(
      rows.map(({ compacted }) => compacted),
      [...Array(12).fill(true), ...Array(7).fill(false)],
    );
    const again = new SummarisingModel([says("more")]);
    await harness.run("prompt six", again);
    assert.deepEqual(again.summaryRequests, []);
    assert.match(
      said(again.requests[0]),
      /^\[\{"role":"user","content":\[\{"type":"text","text":"\[Ch/,
    );
    assertPaired(again);
  });
});

Deno.test("The request for a summary is text without tools, under its own output limit", async () => {
  const compaction = { maxOutputTokens: 700 };
  await withRun({ ...SMALL, compaction }, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")]);
    await harness.run("prompt five", model);
    const [request, ...others] = model.summaryRequests;
    assert.deepEqual([others.length, request?.tools, request?.maxOutputTokens], [0, [], 700]);
    assert.equal(request?.messages.length, 1);
    const text = said(request);
    assert.match(text, /--- person ---\\nprompt one\\n--- agent calls look ---\\n\{\}/);
    assert.match(text, /--- result of look ---\\nresult three x/);
    assert.doesNotMatch(text, /prompt four/);
    // The window holds request and answer.
    assert.ok(text.length / 4 + 700 < 4_000, `${text.length} characters`);
  });
});

Deno.test("Tokens of a summary do not count for the run", async () => {
  await withRun({ ...SMALL, limits: { maxTokens: 1_000 } }, async (harness) => {
    fill(harness);
    const summary = says(SUMMARY, { usage: { input: 5_000, output: 500 } });
    const model = new SummarisingModel(
      [says("done", { usage: { input: 900, output: 5 } })],
      [summary],
    );
    assert.deepEqual((await harness.run("go", model)).usage, { input: 900, output: 5 });
  });
});

const PLAIN = "The port is 4317, and one test of the parser fails.";

const USABLE: readonly (readonly [string, PlayedTurn, Record<string, unknown>, RegExp])[] = [
  ["words", says(PLAIN), { structured: false }, /The port is 4317, and one/],
  [
    "JSON that the limit cut",
    says('{"goal": "Ship the parser", "discoveries": ["the po', { truncated: true }),
    { structured: false, partial: true },
    /Ship the parser/,
  ],
  [
    "JSON and a call",
    async function* () {
      const call = { id: "x", name: "look", arguments: "{}" };
      yield { type: "completed", message: { role: "assistant", text: SUMMARY, calls: [call] } };
    },
    { structured: true },
    /Ship the parser/,
  ],
];

for (const [name, summary, facts, text] of USABLE) {
  Deno.test(`A summary of ${name} is used`, async () => {
    await withRun(SMALL, async (harness) => {
      fill(harness);
      const model = new SummarisingModel([says("done")], [summary]);
      await harness.run("prompt five", model);
      const completed = eventsOf(harness).find(([type]) => type === "compaction_completed")?.[1];
      const { structured, partial } = completed ?? {};
      const isPartial = partial === undefined ? {} : { partial };
      assert.deepEqual({ structured, ...isPartial }, facts);
      assert.match(said(model.requests[0]), text);
      assert.deepEqual(harness.called, [], "no call of a summary is run");
    });
  });
}

const USELESS: readonly (readonly [string, PlayedTurn, RegExp])[] = [
  ["fails", fails(new ProviderError("no such model", { code: "model_not_found" })), /no such mode/],
  ["breaks off", fails(new ProviderError("gone", { code: "network" }), "It is"), /gone/],
  ["says nothing", says(""), /nothing that could stand for the conversation/],
  ["says nonsense", says("ok"), /nothing that could stand for the conversation/],
  ["is cut off", says("", { truncated: true }), /raise "compaction\.maxOutputTokens"/],
  ["calls a tool (field case 46)", calls([["look", {}]]), /called a tool instead/],
  ["is silent", hangs(), /sent nothing for 50 ms/],
  ["falls silent", hangs({ type: "text_delta", delta: "It" }), /nothing more .* came for 50 ms/],
  [
    "does not fit (field case 40)",
    fails(new ProviderError("too long", { code: "context_overflow" })),
    /too long/,
  ],
];

for (const [name, summary, reason] of USELESS) {
  Deno.test(`A summariser that ${name} does no harm`, async () => {
    const limits = { firstTokenTimeoutMs: 50, firstTokenRetries: 0 };
    await withRun({ ...SMALL, limits }, async (harness) => {
      fill(harness);
      const model = new SummarisingModel([says("done")], [summary]);
      assert.equal((await harness.run("prompt five", model)).text, "done");
      assert.deepEqual(typesOf(harness), ["compaction_started", "compaction_failed"]);
      assert.match(String(eventsOf(harness)[1]?.[1].error), reason);
      assert.deepEqual(harness.messages().slice(0, 16), HISTORY);
      assert.deepEqual(harness.called, []);
      assertPaired(model);
      // It is not asked again before the conversation has grown.
      const asked = model.summaryRequests.length;
      assert.ok(asked <= 3, `${asked} requests`);
      const next = new SummarisingModel([says("done")], [summary]);
      await harness.run("prompt six", next);
      assert.deepEqual(next.summaryRequests, []);
    });
  });
}

Deno.test("A summary that fails again and again is given up, also after a restart", async () => {
  const failing = fails(new ProviderError("no", { code: "server_error" }));
  await withRun({ contextWindow: 40_000, compaction: {} }, async (harness) => {
    const turn = (round: number) => [
      prompt(`prompt ${round}`),
      answer(`answer ${"y".repeat(14_000)}`),
    ];
    fill(harness, Array.from({ length: 10 }, (_, round) => turn(round)).flat());
    let asked = 0;
    for (let round = 0; round < 20; round++) {
      const model = new SummarisingModel([says(`a${"y".repeat(20_000)}`)], [failing]);
      await harness.run(`prompt ${round}`, model);
      asked += model.summaryRequests.length;
    }
    assert.equal(asked, 3);
    assert.equal(typesOf(harness).filter((type) => type === "compaction_failed").length, 3);
    const skipped = eventsOf(harness).findLast(([type]) => type === "compaction_skipped")?.[1];
    assert.match(String(skipped?.detail), /^it failed 3 times in a row: try it with \/compact/);
    assert.ok(typesOf(harness).includes("context_reduced"), "it goes on all the same");
    // The person's own wish is tried, and sets it right.
    const session = await harness.open(new SummarisingModel([says("done")]));
    const outcome = await session.compact({
      signal: new AbortController().signal,
      observers: [],
    });
    assert.equal(outcome.status, "completed");
    assert.deepEqual(harness.store.session(harness.sessionId)?.options, {});
    await session.close();
  });
});

Deno.test("A tail that is too long by itself is not summarised on every turn", async () => {
  await withRun({ contextWindow: 10_000, compaction: {} }, async (harness) => {
    fill(harness, [
      ...HISTORY,
      prompt("now"),
      answer("", "big"),
      result("big", "x".repeat(33_000)),
      answer("so far"),
    ]);
    const turns = Array.from({ length: 8 }, (_, turn) => calls([["look", { path: `${turn}` }]]));
    const model = new SummarisingModel([...turns, says("done")]);
    await harness.run("go on", model);
    assert.equal(model.requests.length, 9);
    assert.ok(model.summaryRequests.length <= 2, `${model.summaryRequests.length} summaries`);
    assertPaired(model);
  });
});

Deno.test("Instructions and tools that alone are too large end the run at once (field case 39)", async () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `tool_${index}`,
    description: "d".repeat(400),
    effect: "read",
    inputSchema: { type: "object" },
    execute: () => Promise.resolve(textResult("ok")),
  } as const));
  await withRun({ ...SMALL, tools }, async (harness) => {
    fill(harness, [prompt("hi"), answer("hello")]);
    const model = new SummarisingModel([says("done")]);
    await assert.rejects(harness.run("go", model), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "context_budget");
      assert.match(
        error.message,
        /^Context budget exceeded: the instructions .* and tools \(\d{5} characters\).*4000 tokens/,
      );
      return true;
    });
    assert.deepEqual([model.requests, model.summaryRequests], [[], []]);
    assert.equal(harness.messages().length, 2);
  });
});

Deno.test("A huge turn is cut inside, arguments included, and no request is above the window", async () => {
  const large = {
    name: "large",
    description: "answers much",
    effect: "read",
    inputSchema: { type: "object" },
    execute: () => Promise.resolve(textResult("r".repeat(40_000))),
  } as const;
  await withRun({ contextWindow: 20_000, compaction: {}, tools: [large] }, async (harness) => {
    const batch = (round: number) =>
      calls(Array.from({ length: 6 }, (_, index) => [
        "large",
        { note: `${round}.${index} ${"n".repeat(4_000)}` },
      ]));
    const model = new SummarisingModel([batch(1), batch(2), batch(3), says("done")]);
    assert.equal((await harness.run("read it all", model)).text, "done");
    assertPaired(model);
    for (const { system, messages, tools } of model.requests) {
      const tokens = (system.length + JSON.stringify([messages, tools]).length) / 4;
      assert.ok(tokens < 20_000, `${tokens} tokens`);
    }
    assert.match(said(model.requests.at(-1)), /read it all/, "the prompt is never lost");
  });
});

Deno.test("Without compaction.auto nothing is summarised, and long messages are cut", async () => {
  const limits = { maxContextChars: 10_000 };
  await withRun({ compaction: { auto: false }, limits }, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")]);
    await harness.run("go", model);
    assert.deepEqual(model.summaryRequests, []);
    assert.deepEqual(eventsOf(harness), [["context_reduced", { messages: 4 }]]);
    assert.ok(said(model.requests[0]).includes(CUT_MARK));
    const rows = harness.store.messagesPage(harness.sessionId);
    assert.deepEqual(rows.slice(0, 16).map(({ message }) => message), HISTORY);
    assert.deepEqual(rows.filter(({ compacted }) => compacted).length, 4);
    const again = new SummarisingModel([says("done")]);
    await harness.run("again", again);
    assert.equal(typesOf(harness).length, 1, "what was cut is stored");
    assertPaired(again);
  });
});

Deno.test("What cannot be made to fit ends the run, and says what compaction did", async () => {
  const limits = { maxContextChars: 3_000 };
  await withRun({ compaction: {}, limits }, async (harness) => {
    fill(harness, Array.from({ length: 40 }, (_, index) => answer(`${index} ${"y".repeat(900)}`)));
    const failing = fails(new ProviderError("no such model", { code: "model_not_found" }));
    const model = new SummarisingModel([says("done")], [failing]);
    await assert.rejects(harness.run("go", model), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "context_budget");
      assert.match(
        error.message,
        /^Context budget exceeded: .*"limits\.maxContextChars" is 3000; compaction f.*: use \/compact/,
      );
      return true;
    });
    assert.deepEqual(model.requests, []);
  });
});

Deno.test("A server that refuses a conversation teaches its window and is asked once more (field case 43)", async () => {
  await withRun({ contextWindow: 128_000, compaction: {} }, async (harness) => {
    fill(harness);
    const refusal = new ProviderError("too long", {
      code: "context_overflow",
      contextLimit: 3_000,
    });
    const model = new SummarisingModel([fails(refusal), says("done")]);
    assert.equal((await harness.run("prompt five", model)).text, "done");
    assert.deepEqual(typesOf(harness), ["compaction_started", "compaction_completed"]);
    const warning = harness.events.find(({ type }) => type === "run_warning")?.data;
    assert.deepEqual(warning, {
      code: "context_window",
      message: "The server says that the model can hold 3000 tokens, not 128000; noted",
    });
    assert.ok(said(model.requests[1]).length < said(model.requests[0]).length / 2);
    assertPaired(model);
  });
});

Deno.test("A server that refuses without a number is taken at its word, and asked once more", async () => {
  await withRun({ compaction: {} }, async (harness) => {
    fill(harness);
    const refusal = new ProviderError("too long", { code: "context_overflow" });
    const model = new SummarisingModel([fails(refusal)]);
    await assert.rejects(harness.run("prompt five", model), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "provider_context_overflow");
      return true;
    });
    assert.equal(model.requests.length, 2);
    assert.equal(model.summaryRequests.length, 1);
    // The history was not lost, and the session goes on.
    assert.deepEqual(
      harness.store.loadMessages(harness.sessionId, { includeCompacted: true }).slice(0, 16),
      HISTORY,
    );
    const next = new SummarisingModel([says("done")]);
    assert.equal((await harness.run("again", next)).text, "done");
  });
});

Deno.test("Other failures are no overflow, and destroy nothing (field case 42)", async () => {
  const errors = [
    new ProviderError("failed to load model: context length", { code: "server_error" }),
    new ProviderError("image size exceeds the limit", { code: "invalid_request" }),
  ];
  for (const error of errors) {
    await withRun({ compaction: {} }, async (harness) => {
      fill(harness);
      const model = new SummarisingModel([fails(error)]);
      await assert.rejects(harness.run("prompt five", model), RunFailedError);
      assert.deepEqual([model.summaryRequests.length, typesOf(harness)], [0, []]);
      assert.deepEqual(harness.messages().slice(0, 16), HISTORY);
    });
  }
});

Deno.test("A stop during a summary changes nothing", async () => {
  const stop = new AbortController();
  await withRun({ ...SMALL, signal: stop.signal }, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")], [async function* (request) {
      stop.abort(new Error("Stopped by SIGINT"));
      yield* hangs()(request);
    }]);
    await assert.rejects(harness.run("prompt five", model), RunCancelledError);
    assert.deepEqual(harness.types().slice(-2), ["compaction_failed", "run_cancelled"]);
    assert.deepEqual(harness.messages().slice(0, 16), HISTORY);
  });
});

Deno.test("A session that is compacted many times stays in order", async () => {
  await withRun({ contextWindow: 6_000, compaction: {} }, async (harness) => {
    const facts: string[] = [];
    for (let round = 0; round < 40; round++) {
      facts.push(`FACT-${round}.`);
      const summary: PlayedTurn = (request) => {
        const found = [...new Set(said(request).match(/FACT-\d+\./g))];
        return says(JSON.stringify({ goal: "keep the facts", discoveries: found }))(request);
      };
      const model = new SummarisingModel([
        calls([["look", { path: `f${round}` }]], { text: `t${"y".repeat(900)}` }),
        says(`Noted ${"z".repeat(900)}`),
      ], [summary]);
      await harness.run(`remember FACT-${round}.`, model);
      assertPaired(model);
      for (const request of model.requests) {
        assert.ok(said(request).length / 4 < 6_000);
        for (const fact of facts) assert.ok(said(request).includes(fact), fact);
      }
    }
    const completed = typesOf(harness).filter((type) => type === "compaction_completed");
    assert.ok(completed.length >= 3, `${completed.length}`);
    const all = harness.store.loadMessages(harness.sessionId, { includeCompacted: true });
    assert.equal(all.filter(({ role }) => role === "assistant").length, 80, "nothing is deleted");
  });
});

Deno.test("OpenSession.compact() summarises at the person's wish, with what they want kept", async () => {
  await withRun({ compaction: {} }, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")]);
    const session = await harness.open(model);
    const events: RunEvent[] = [];
    const before = session.contextUsage();
    const outcome = await session.compact({
      focus: "the port",
      signal: new AbortController().signal,
      observers: [(event) => void events.push(event)],
    });
    assert.ok(outcome.status === "completed");
    assert.deepEqual(
      [outcome.replaced, outcome.structured, outcome.partial, outcome.before],
      [8, true, false, before.usedTokens],
    );
    assert.deepEqual(events.map(({ type }) => type), [
      "compaction_started",
      "compaction_completed",
    ]);
    assert.deepEqual(events.map(({ seq, data }) => [seq, data.reason]), [
      [1, "manual"],
      [2, "manual"],
    ]);
    assert.match(said(model.summaryRequests[0]), /kept in view above all: the port\\n/);
    assert.equal(session.contextUsage().usedTokens, outcome.after);
    assert.ok(outcome.after < before.usedTokens);
    assert.equal(session.isBusy, false);
    assert.equal(
      (await session.run("go", { signal: AbortSignal.timeout(60_000), observers: [] }))
        .text,
      "done",
    );
    await session.close();
  });
});

Deno.test("A summary that is longer than what it would stand for does no harm", async () => {
  await withRun({ compaction: {} }, async (harness) => {
    fill(harness);
    const session = await harness.open(
      new SummarisingModel([says("done")], [says("z".repeat(30_000))]),
    );
    const signal = new AbortController().signal;
    const outcome = await session.compact({ signal, observers: [] });
    assert.ok(outcome.status === "failed");
    assert.equal(outcome.error, "the summary is longer than what it would stand for");
    assert.deepEqual(harness.messages(), HISTORY);
    await session.close();
  });
});

Deno.test("A summary without end is cut to a part of the room", async () => {
  await withRun(SMALL, async (harness) => {
    fill(harness);
    const model = new SummarisingModel([says("done")], [says("z".repeat(300_000))]);
    await harness.run("prompt five", model);
    assert.deepEqual(typesOf(harness), ["compaction_started", "compaction_completed"]);
    assert.ok(said(model.requests[0]).length < 13_000);
  });
});

Deno.test("A summary that never ends is cut at its output limit, and its server let go", async () => {
  const cut = /before it said anything: raise "compaction.maxOutputTokens"/;
  const rows: readonly (readonly [ModelEvent, string, RegExp])[] = [
    [{ type: "text_delta", delta: "The port is 4317. " }, "compaction_completed", /"partial":true/],
    [{ type: "reasoning_delta", delta: "Let me think again. " }, "compaction_failed", cut],
    [{ type: "tool_delta" }, "compaction_failed", cut],
  ];
  for (const [event, type, facts] of rows) {
    let isLetGo = false;
    const flood: PlayedTurn = async function* () {
      try {
        while (true) yield await Promise.resolve(event);
      } finally {
        isLetGo = true;
      }
    };
    await withRun(SMALL, async (harness) => {
      fill(harness);
      const run = await harness.run(
        "prompt five",
        new SummarisingModel([says("done")], [flood]),
      );
      assert.equal(run.text, "done", event.type);
      const [, end] = harness.events.filter((each) => each.type.startsWith("compaction_"));
      assert.equal(end?.type, type);
      assert.match(JSON.stringify(end?.data).replaceAll('\\"', '"'), facts);
      assert.ok(isLetGo);
    });
  }
});

Deno.test("OpenSession.compact() shortens one long turn that nothing else would yet", async () => {
  await withRun({ contextWindow: 20_000, compaction: {} }, async (harness) => {
    const calls = Array.from({ length: 10 }, (_, index) => [
      answer("", `c${index}`),
      result(`c${index}`, "r".repeat(3_000)),
    ]).flat();
    fill(harness, [prompt("read all of it"), ...calls, answer("done")]);
    const model = new SummarisingModel([says("done")]);
    const session = await harness.open(model);
    const signal = new AbortController().signal;
    const outcome = await session.compact({ signal, observers: [] });
    assert.ok(outcome.status === "completed");
    assert.ok(outcome.after < 4_500, `${outcome.after} tokens`);
    await session.run("and now?", { signal, observers: [] });
    assert.match(said(model.requests[0]), /What the person asks for now, word for word.*read all/);
    assertPaired(model);
    await session.close();
  });
});

Deno.test("OpenSession.compact() says when there is nothing to summarise", async () => {
  await withRun({ compaction: {} }, async (harness) => {
    fill(harness, [prompt("hi"), answer("hello")]);
    const model = new SummarisingModel([says("done")]);
    const session = await harness.open(model);
    const options = { signal: new AbortController().signal, observers: [] };
    const outcome = await session.compact(options);
    assert.ok(outcome.status === "skipped");
    assert.match(outcome.detail, /^there is nothing before the latest turns/);
    assert.deepEqual(model.summaryRequests, []);
    await session.close();
    await assert.rejects(session.compact(options), /Cannot compact the session: it was closed/);
  });
});

Deno.test("OpenSession.compact() is refused while a prompt runs and while calls are uncertain", async () => {
  await withRun({ compaction: {} }, async (harness) => {
    fill(harness);
    const session = await harness.open(new SummarisingModel([hangs()]));
    const stop = new AbortController();
    const options = { signal: stop.signal, observers: [] };
    const running = session.run("go", options);
    await assert.rejects(session.compact(options), (error) => {
      assert.ok(error instanceof AlisioError);
      assert.equal(error.code, "session_locked");
      return true;
    });
    stop.abort(new Error("stop"));
    await assert.rejects(running, RunCancelledError);
    harness.store.beginCall({
      sessionId: harness.sessionId,
      callId: "lost",
      runId: harness.store.runs(harness.sessionId)[0]?.id ?? "",
      name: "change",
      effect: "write",
      arguments: "{}",
      startedAt: Date.now(),
    });
    const wish = { signal: new AbortController().signal, observers: [] };
    await assert.rejects(session.compact(wish), (error) => {
      assert.ok(error instanceof AlisioError);
      assert.equal(error.code, "session_needs_recovery");
      return true;
    });
    await session.close();
  });
});

Deno.test("Plugins ask for fields in the same request, and add text and a report", async () => {
  const told: unknown[] = [];
  const compactionHooks: CompactionHookPort = {
    before: ({ reason, messages, sessionId }) => {
      told.push([reason, messages.length, sessionId === "" ? "" : "id"]);
      return Promise.resolve([
        { plugin: "acme.a", instructions: "Keep names.", fields: [["notes", "short strings"]] },
        { plugin: "acme.b", instructions: "", fields: [["notes", "others"], ["goal", "mine"]] },
      ]);
    },
    after: (resultFor) => {
      const { checkpoint, checkpointText, extracted, structured, replaced } = resultFor("acme.a");
      told.push([Object.keys(checkpoint).length, structured, replaced, extracted]);
      told.push([checkpointText.startsWith("[Checkpoint: "), resultFor("acme.b").extracted]);
      return Promise.resolve([
        { plugin: "acme.a", context: "Remember: 4317", report: "notes: 2" },
        { plugin: "acme.b", context: "x".repeat(16_000), report: "" },
      ]);
    },
  };
  await withRun({ ...SMALL, compactionHooks }, async (harness) => {
    fill(harness);
    const summary = { ...JSON.parse(SUMMARY), notes: ["a", "b"], notes_2: "c", goal_2: "d" };
    const model = new SummarisingModel([says("done")], [says(JSON.stringify(summary))]);
    await harness.run("prompt five", model);
    assert.deepEqual(told, [
      ["auto", 12, "id"],
      [7, true, 12, { notes: ["a", "b"] }],
      [true, { notes: "c", goal: "d" }],
    ]);
    const system = model.summaryRequests[0]?.system ?? "";
    assert.match(system, /- "notes": short strings\n- "notes_2": others\n- "goal_2": mine\n/);
    assert.match(system, /From plugin acme\.a: Keep names\.$/);
    const [, context] = model.requests[0]?.messages ?? [];
    assert.ok(context?.role === "user" && context.content[0]?.type === "text");
    assert.match(context.content[0].text, /^# From plugin acme\.a\n\nRemember: 4317\n\n# From pl/);
    assert.ok(context.content[0].text.length < 1_700, "bounded by the window");
    const completed = eventsOf(harness).find(([type]) => type === "compaction_completed")?.[1];
    assert.deepEqual(completed?.plugins, { "acme.a": "notes: 2" });
  });
});

Deno.test("A model that takes no images is sent none behind a checkpoint either", async () => {
  await withRun(SMALL, async (harness) => {
    const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
    fill(harness, [
      ...HISTORY,
      { role: "user", content: [{ type: "text", text: "look" }, image] },
      answer("I did"),
    ]);
    const model = new SummarisingModel([says("done")]);
    const info = { id: "m", inputModalities: ["text"] };
    const session = await harness.open(model, { info });
    const signal = new AbortController().signal;
    const types: string[] = [];
    await session.run("x".repeat(600), {
      signal,
      observers: [({ type }) => void types.push(type)],
    });
    assert.ok(types.includes("compaction_completed"), types.join());
    assert.match(said(model.requests[0]), /look.*\[image\/png: this model takes no images\]/);
    await session.close();
  });
});

Deno.test("A prompt that no window holds is refused at the first message, and not kept", async () => {
  await withRun(SMALL, async (harness) => {
    const model = new SummarisingModel([says("done")]);
    await assert.rejects(harness.run("x".repeat(20_000), model), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "context_budget");
      assert.match(
        error.message,
        /the prompt has 20000 characters .*can hold 4000 tokens; the pro/,
      );
      return true;
    });
    assert.deepEqual([model.requests, harness.messages()], [[], []]);
    // One that fits once the rest is summarised is taken.
    fill(harness);
    assert.equal((await harness.run("y".repeat(9_000), model)).text, "done");
    assert.ok(typesOf(harness).includes("compaction_completed"));
  });
});

Deno.test("Instructions and tools that leave no room for any prompt are named as what is too long", async () => {
  await withRun({ contextWindow: 60, compaction: {} }, async (harness) => {
    const model = new SummarisingModel([says("done")]);
    await assert.rejects(harness.run("x".repeat(500), model), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "context_budget");
      assert.match(
        error.message,
        /the instructions \(\d+ characters\) and tools .*can hold 60 tokens: disable .*was not kept$/,
      );
      assert.doesNotMatch(error.message, /shorten it/);
      return true;
    });
    assert.deepEqual([model.requests, harness.messages()], [[], []]);
  });
});

Deno.test("Whatever the conversation, what is sent is paired and within the window, and stays so", async () => {
  let compactions = 0;
  for (let seed = 1; seed <= 40; seed++) {
    await withRun(
      { contextWindow: 2_000, compaction: { keepTurns: seed % 4 } },
      async (harness) => {
        fill(harness, unique([...randomConversation(seed), ...randomConversation(seed + 1_000)]));
        const stored = harness.messages();
        for (let round = 0; round < 3; round++) {
          const model = new SummarisingModel([says(`done ${round}`)], [
            seed % 5 === 0 ? says("no") : says(SUMMARY),
          ]);
          const session = await harness.open(model);
          const ended = await session.run(`go on ${round}`, {
            signal: new AbortController().signal,
            observers: [(event) => void harness.events.push(event)],
          }).catch((error) => error);
          await session.close();
          if (ended instanceof RunFailedError) {
            // Many short messages that nobody summarises cannot be made to fit.
            assert.deepEqual([seed % 5, ended.code], [0, "context_budget"], `seed ${seed}`);
            assert.equal(typesOf(harness).includes("context_reduced"), false, `seed ${seed}`);
            continue;
          }
          assert.equal(ended.text, `done ${round}`);
          assertPaired(model);
          const tokens = said(model.requests[0]).length / 4;
          // Names of fields and quotes are not counted by the limit.
          assert.ok(tokens < 2_000 * 1.3, `seed ${seed}: ${tokens} tokens`);
        }
        const all = harness.store.loadMessages(harness.sessionId, { includeCompacted: true });
        assert.deepEqual(all.slice(0, stored.length), stored, `seed ${seed}`);
        compactions += typesOf(harness).filter((type) => type === "compaction_completed").length;
      },
    );
  }
  assert.ok(compactions >= 20, `${compactions}`);
});

/** Two conversations in a row, so that the second one needs other ids. */
function unique(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const counts = new Map<string, number>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      const calls = message.calls.map((call) => {
        const count = (counts.get(call.id) ?? 0) + 1;
        counts.set(call.id, count);
        return { ...call, id: `${call.id}-${count}` };
      });
      return { ...message, calls };
    }
    return message.role === "tool"
      ? { ...message, callId: `${message.callId}-${counts.get(message.callId)}` }
      : message;
  });
}
