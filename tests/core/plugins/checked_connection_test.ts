import assert from "node:assert/strict";
import type { ModelEvent, ModelProvider, ModelRequest } from "@alisio/sdk";
import { ProviderError } from "@alisio/sdk";
import { checkedConnection } from "../../../core/plugins/checked_connection.ts";

const REQUEST: ModelRequest = {
  model: "m",
  system: "",
  messages: [],
  tools: [],
  maxOutputTokens: 1,
  signal: new AbortController().signal,
};

const MESSAGE = { role: "assistant", text: "Hi", calls: [{ id: "1", name: "x", arguments: "{}" }] };

/** Plugins need not be written in TypeScript. */
function connection(given: unknown): ModelProvider {
  return given as ModelProvider;
}

async function eventsOf(events: readonly unknown[]): Promise<readonly ModelEvent[]> {
  const provider = connection({
    id: "acme",
    async *stream() {
      yield* events;
    },
  });
  return await Array.fromAsync(checkedConnection("acme", provider).stream(REQUEST));
}

Deno.test("checkedConnection() hands on what the contract says, and nothing else of an answer", async () => {
  const deltas = [
    { type: "text_delta", delta: "H" },
    { type: "reasoning_delta", delta: "" },
    { type: "warning", message: "slow" },
    { type: "activity" },
    { type: "of a newer version" },
  ];
  const continuation = { provider: "acme", items: [{ a: 1 }] };
  const usage = { input: 1, output: 2 };
  const answer = { ...MESSAGE, reasoning: "r", continuation, calls: [], more: () => {} };
  assert.deepEqual(await eventsOf([...deltas, { type: "completed", message: answer, usage }]), [
    ...deltas,
    {
      type: "completed",
      message: { role: "assistant", text: "Hi", calls: [], reasoning: "r", continuation },
      usage,
    },
  ]);
  assert.deepEqual(await eventsOf([{ type: "completed", message: MESSAGE, truncated: true }]), [
    { type: "completed", message: MESSAGE, truncated: true },
  ]);
});

Deno.test("checkedConnection() ends a stream of nonsense, and names the provider", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const answers = (more: object) => ({ type: "completed", message: { ...MESSAGE, ...more } });
  const rows: readonly (readonly [unknown, string])[] = [
    [null, "an event of its stream is no object"],
    [5, "an event of its stream is no object"],
    [{ type: "text_delta", delta: 5 }, 'the delta of an event "text_delta" is no text'],
    [{ type: "reasoning_delta" }, 'the delta of an event "reasoning_delta" is no text'],
    [{ type: "warning" }, "the message of a warning is no text"],
    [{ type: "completed" }, 'its answer is no message of the role "assistant"'],
    [answers({ role: "user" }), 'its answer is no message of the role "assistant"'],
    [answers({ text: 5 }), "the text of its answer is none"],
    [answers({ calls: "x" }), "the calls of its answer are no list of"],
    [answers({ calls: [null] }), "the calls of its answer are no list of"],
    [
      answers({ calls: [{ id: "1", name: "x", arguments: {} }] }),
      "the calls of its answer are no list of",
    ],
    [answers({ reasoning: 5 }), "the reasoning of its answer is no text"],
    [answers({ continuation: [] }), "the continuation of its answer is none"],
    [
      answers({ continuation: { provider: "acme", items: [circular] } }),
      "the continuation of its answer is no JSON",
    ],
  ];
  for (const [event, what] of rows) {
    await assert.rejects(eventsOf([event]), (error) => {
      assert.ok(error instanceof ProviderError, what);
      assert.equal(error.code, "invalid_response");
      assert.ok(
        error.message.startsWith(`Provider "acme" answered what no provider may: ${what}`),
        error.message,
      );
      return true;
    });
  }
});

Deno.test("checkedConnection() refuses what is no connection, or streams nothing", async () => {
  for (const given of [null, 5, {}, { id: "acme", stream: 5 }]) {
    assert.throws(
      () => checkedConnection("acme", connection(given)),
      /^TypeError: Cannot use provider "acme": create\(request\) returned nothing with a function/,
    );
  }
  for (const given of [undefined, null, 5, [1]]) {
    const provider = checkedConnection("acme", connection({ stream: () => given }));
    assert.equal(provider.id, "acme");
    await assert.rejects(
      Array.fromAsync(provider.stream(REQUEST)),
      /stream\(request\) returned no stream of events/,
    );
  }
});

Deno.test("checkedConnection() takes a list of models that have ids", async () => {
  const list = (models: unknown) =>
    checkedConnection("acme", connection({ stream() {}, listModels: () => models }))
      .listModels?.(REQUEST);
  assert.deepEqual(await list([{ id: "m", more: 1 }]), [{ id: "m", more: 1 }]);
  for (const models of [5, undefined, { 0: { id: "m" } }]) {
    await assert.rejects(async () => await list(models), /: its models are no list; /);
  }
  for (const models of [[null], [{ name: "m" }], [{ id: "m" }, { id: 5 }]]) {
    await assert.rejects(async () => await list(models), /: a model of its list has no id; /);
  }
});

Deno.test("checkedConnection() keeps whether tools of the server are passed on, and only a plain yes", () => {
  const stream = () => {};
  for (
    const [given, wanted] of [[true, true], [false, undefined], ["yes", undefined]] as const
  ) {
    const checked = checkedConnection("acme", connection({ stream, acceptsServerTools: given }));
    assert.equal(checked.acceptsServerTools, wanted);
  }
});
