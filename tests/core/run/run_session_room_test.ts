import assert from "node:assert/strict";
import { ProviderError, textResult } from "@alisio/sdk";
import { DEFAULT_RUN_LIMITS } from "../../../core/run/run_limits.ts";
import { RunFailedError } from "../../../core/run/run_error.ts";
import {
  calls,
  fails,
  PlayedProvider,
  type PlayedTurn,
  type RunHarness,
  says,
  withRun,
} from "../../support/run_harness.ts";

const MAX_CHARS = DEFAULT_RUN_LIMITS.maxContextChars;

/** A tool whose result is as large as a result may be. */
const LARGE_READ = {
  name: "read_much",
  description: "answers much",
  effect: "read",
  inputSchema: { type: "object" },
  execute: () => Promise.resolve(textResult("r".repeat(40_000))),
} as const;

/** Goes on with the session, and asserts that what is sent is within the limit. */
async function assertGoesOn(harness: RunHarness, maxChars = MAX_CHARS): Promise<void> {
  const provider = new PlayedProvider([says("still here")]);
  assert.equal((await harness.run("go on", provider)).text, "still here");
  const sent = JSON.stringify(provider.requests[0]?.messages);
  // Ids and punctuation are not counted by the limit.
  assert.ok(sent.length < maxChars * 1.1, `${sent.length} characters`);
}

const OVERSIZED: readonly (readonly [string, readonly PlayedTurn[]])[] = [
  ["5 MB of arguments", [
    calls([["change", { path: "a".repeat(5_000_000) }, "c"]]),
    says("ok"),
  ]],
  ["5 MB of broken arguments", [
    calls([["change", `{"path":"${"a".repeat(5_000_000)}`, "c"]]),
    says("ok"),
  ]],
  ["an answer of 5 MB", [says("a".repeat(5_000_000))]],
  ["an answer of 5 MB beside a call", [
    calls([["look", {}, "c"]], { text: "a".repeat(5_000_000) }),
    says("ok"),
  ]],
  ["5 MB of reasoning", [async function* () {
    yield {
      type: "completed",
      message: { role: "assistant", text: "ok", calls: [], reasoning: "r".repeat(5_000_000) },
    };
  }]],
  ["5 MB that only the provider can read", [async function* () {
    yield {
      type: "completed",
      message: {
        role: "assistant",
        text: "ok",
        calls: [],
        continuation: { provider: "played", items: ["o".repeat(5_000_000)] },
      },
    };
  }]],
  ["200 calls with large results", [
    calls(Array.from({ length: 200 }, (_, index) => ["read_much", {}, `c${index}`])),
    says("ok"),
  ]],
  ["10,000 calls", [
    calls(Array.from({ length: 10_000 }, (_, index) => ["look", {}, `c${index}`])),
    says("ok"),
  ]],
  ["200 calls of 100 KB each", [
    calls(
      Array.from(
        { length: 200 },
        (_, index) => ["change", { path: "p".repeat(100_000) }, `c${index}`],
      ),
    ),
    says("ok"),
  ]],
];

for (const [name, turns] of OVERSIZED) {
  Deno.test(`runSession() goes on with a session after ${name}`, async () => {
    await withRun({ tools: [LARGE_READ] }, async (harness) => {
      await harness.run("go", turns);
      await assertGoesOn(harness);
      await assertGoesOn(harness);
    });
  });
}

const INTERRUPTED: readonly (readonly [string, ProviderError])[] = [
  ["breaks off", new ProviderError("gone", { code: "stream_interrupted", retryable: true })],
  ["is no use", new ProviderError("too large", { code: "invalid_response" })],
];

for (const [name, error] of INTERRUPTED) {
  Deno.test(`runSession() keeps the ends of a long answer that ${name}`, async () => {
    await withRun({}, async (harness) => {
      const piece = "0123456789abcdef".repeat(4_096);
      const flood: PlayedTurn = async function* () {
        yield { type: "text_delta", delta: "start " };
        for (let count = 0; count < 100; count++) yield { type: "text_delta", delta: piece };
        yield { type: "text_delta", delta: " end" };
        throw error;
      };
      await assert.rejects(harness.run("go", [flood, fails(error, "again"), fails(error)]));
      const [, partial] = harness.messages();
      assert.ok(partial?.role === "assistant" && partial.partial === true);
      assert.match(partial.text, /^start 0123[^]*… \[\d{7} characters left out\] …[^]* end$/);
      assert.ok(partial.text.length <= MAX_CHARS / 2, `${partial.text.length} characters`);
      await assertGoesOn(harness);
    });
  });
}

Deno.test("runSession() answers a call that is too large, and runs the others", async () => {
  await withRun({ allowWrite: true }, async (harness) => {
    const provider = new PlayedProvider([
      calls([
        ["change", { path: "a" }, "a"],
        ["change", { path: "b".repeat(500_000) }, "b"],
        ["change", { path: "c" }, "c"],
      ]),
      says("ok"),
    ]);
    const result = await harness.run("go", provider);
    assert.equal(result.toolCalls, 3, "a call that was answered is one");
    assert.deepEqual(harness.called.map(([, { path }]) => path), ["a", "c"]);
    assert.deepEqual(harness.store.calls(harness.sessionId).map(({ callId }) => callId), [
      "a",
      "c",
    ]);
    const [, assistant, , answer] = provider.requests[1]?.messages ?? [];
    assert.ok(assistant?.role === "assistant" && answer?.role === "tool");
    assert.equal(assistant.calls[1]?.arguments, '{"note":"500011 characters, left out"}');
    assert.deepEqual([answer.callId, answer.isError], ["b", true]);
    assert.match(
      answer.text,
      /^Not run: the arguments are too large: 500011 characters, and about 300000 fit/,
    );
    const started = harness.events.filter(({ type }) => type === "tool_started");
    assert.ok(JSON.stringify(started).length < 2_000, "no event holds it either");
  });
});

Deno.test("runSession() stops a model that repeats a call that is too large (field case 36)", async () => {
  await withRun({ allowWrite: true }, async (harness) => {
    const again = calls([["change", { path: "b".repeat(500_000) }]]);
    await assert.rejects(harness.run("go", new PlayedProvider([again])), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.equal(error.code, "repeated_calls");
      return true;
    });
    assert.deepEqual(harness.called, []);
  });
});

Deno.test("runSession() says that it keeps a part of an answer only", async () => {
  await withRun({ limits: { maxContextChars: 10_000 } }, async (harness) => {
    const result = await harness.run("go", [says("a".repeat(6_000))]);
    assert.match(result.text, /^a+\n… \[\d+ characters left out\] …\na+$/);
    const completed = harness.events.find(({ type }) => type === "run_completed");
    assert.equal(completed?.data.text, result.text);
    const warning = harness.events.find(({ type }) => type === "run_warning");
    assert.equal(warning?.data.code, "response_cut");
    const [, stored] = harness.messages();
    assert.ok(stored?.role === "assistant");
    assert.equal(stored.text, result.text);
  });
  await withRun({ limits: { maxContextChars: 10_000 } }, async (harness) => {
    await harness.run("go", [says("a".repeat(4_000))]);
    assert.equal(harness.types().includes("run_warning"), false);
  });
});

Deno.test("runSession() stops work that fills the context, and a prompt is still answered", async () => {
  await withRun({ tools: [LARGE_READ], limits: { maxContextChars: 200_000 } }, async (harness) => {
    let count = 0;
    const provider = new PlayedProvider([
      (request) => calls([["read_much", { part: count++ }]])(request),
    ]);
    await assert.rejects(harness.run("go", provider), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.deepEqual([error.code, error.isResumable], ["context_budget", true]);
      assert.match(
        error.message,
        /^Context budget exceeded: the conversation holds about \d+ characters, too many to go on/,
      );
      return true;
    });
    assert.ok(provider.requests.length > 4, `${provider.requests.length} requests`);
    for (let round = 0; round < 5; round++) await assertGoesOn(harness, 200_000);
    // Even where next to nothing is left, an answer that is too long does no harm.
    await harness.run("once more", [says("a".repeat(300_000))]);
    await harness.run("once more", [calls([["read_much", { once: true }]]), says("ok")])
      .catch(() => {});
    await assertGoesOn(harness, 200_000);
  });
});

Deno.test("runSession() keeps no prompt that fills the context, and promises nothing it cannot", async () => {
  await withRun({ limits: { maxContextChars: 10_000 } }, async (harness) => {
    await harness.run("hello", [says("hello")]);
    const provider = new PlayedProvider([says("never")]);
    await assert.rejects(harness.run("y".repeat(10_000), provider), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.deepEqual([error.code, error.isResumable], ["context_budget", true]);
      assert.match(
        error.message,
        /^Context budget exceeded: the prompt has 10000 characters .* the prompt was not kept: shor/,
      );
      return true;
    });
    assert.equal(provider.requests.length, 0);
    assert.equal(harness.messages().length, 2);
    await assertGoesOn(harness, 10_000);
    // Prompts fill it by themselves.
    for (let round = 0; round < 3; round++) {
      await harness.run("z".repeat(3_000), [says("ok")]).catch(() => {});
    }
    const room = { role: "user", content: [{ type: "text", text: "w".repeat(2_000) }] } as const;
    harness.store.appendMessage(harness.sessionId, room, Date.now());
    await assert.rejects(harness.run("x", provider), (error) => {
      assert.ok(error instanceof RunFailedError);
      assert.deepEqual([error.code, error.isResumable], ["context_budget", false]);
      assert.match(error.message, /characters, the limit is 10000: start a new session, or raise/);
      return true;
    });
  });
});
