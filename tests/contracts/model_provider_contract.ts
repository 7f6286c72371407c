/**
 * What every {@linkcode ModelProvider} promises, as tests that any of them can be put through.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  ProviderError,
  type ProviderErrorCode,
  type Usage,
} from "@alisio/sdk";

/** What the model behind the provider does with each request of a test. */
export type ContractTurn =
  | {
    readonly type: "answer";
    readonly text: string;
    readonly reasoning?: string;
    readonly calls?: readonly {
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }[];
    readonly usage?: Usage;
  }
  /** Fails, after some text if there is any. */
  | { readonly type: "error"; readonly code: ProviderErrorCode; readonly text?: string }
  /** Says nothing for as long as it is listened to. */
  | { readonly type: "silence" };

/** A provider under test and what it needs. */
export interface ContractSubject extends AsyncDisposable {
  readonly provider: ModelProvider;
}

/**
 * Registers the tests of the contract.
 *
 * @param name Names the provider in the tests.
 * @param makeProvider Builds a provider whose model does the same with every request.
 * @param options Whether its server tells how many tokens came from a cache.
 */
export function providerContractTests(
  name: string,
  makeProvider: (turn: ContractTurn) => Promise<ContractSubject>,
  options: { readonly countsCached: boolean } = { countsCached: true },
): void {
  Deno.test(`${name} yields deltas and then exactly one completion`, async () => {
    await using subject = await makeProvider(ANSWER);
    const { events, error } = await collect(subject.provider.stream(request()));
    assert.equal(error, undefined);
    const completed = events.filter((event) => event.type === "completed");
    assert.equal(completed.length, 1);
    assert.equal(events.at(-1), completed[0]);
    assert.equal(completed[0]?.message.text, ANSWER.text);
    assert.equal(textOf(events, "text_delta"), ANSWER.text);
    assert.equal(textOf(events, "reasoning_delta"), ANSWER.reasoning);
    const { cachedInput, ...counted } = ANSWER.usage;
    const expected = options.countsCached ? { ...counted, cachedInput } : counted;
    assert.deepEqual(completed[0]?.usage, expected);
    assert.equal(completed[0]?.truncated ?? false, false);
  });

  Deno.test(`${name} gives calls with id, name and arguments as JSON text`, async () => {
    await using subject = await makeProvider(ANSWER);
    const { events } = await collect(subject.provider.stream(request()));
    const calls = events.flatMap((event) => event.type === "completed" ? event.message.calls : []);
    assert.deepEqual(
      calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) })),
      ANSWER.calls,
    );
    assert.ok(events.some((event) => event.type === "tool_delta"));
  });

  Deno.test(`${name} gives an answer without calls`, async () => {
    await using subject = await makeProvider({ type: "answer", text: "Only text" });
    const { events } = await collect(subject.provider.stream(request()));
    const last = events.at(-1);
    assert.deepEqual(last?.type === "completed" && last.message.calls, []);
    assert.ok(last?.type === "completed" && last.usage === undefined);
  });

  for (const code of ["authentication", "context_overflow", "overloaded"] as const) {
    Deno.test(`${name} throws one ProviderError with code ${code} and completes nothing`, async () => {
      await using subject = await makeProvider({ type: "error", code });
      const { events, error } = await collect(subject.provider.stream(request()));
      assert.ok(error instanceof ProviderError);
      assert.equal(error.code, code);
      assert.ok(error.message.length > 0);
      assert.ok(events.every((event) => event.type !== "completed"));
    });
  }

  Deno.test(`${name} throws the error of an answer that fails in the middle`, async () => {
    await using subject = await makeProvider({ type: "error", code: "overloaded", text: "Half" });
    const { events, error } = await collect(subject.provider.stream(request()));
    assert.ok(error instanceof ProviderError);
    assert.equal(textOf(events, "text_delta"), "Half");
    assert.ok(events.every((event) => event.type !== "completed"));
  });

  Deno.test(`${name} throws the reason of a signal that has aborted before`, async () => {
    await using subject = await makeProvider(ANSWER);
    const reason = new Error("stopped before");
    const outcome = await collect(subject.provider.stream(request(AbortSignal.abort(reason))));
    assert.equal(outcome.error, reason);
    assert.deepEqual(outcome.events, []);
  });

  Deno.test(`${name} throws the reason of a signal that aborts while the model is silent`, async () => {
    await using subject = await makeProvider({ type: "silence" });
    const controller = new AbortController();
    const reason = new Error("stopped while silent");
    const outcome = collect(subject.provider.stream(request(controller.signal)));
    setTimeout(() => controller.abort(reason), 20);
    const startedAt = performance.now();
    assert.equal((await outcome).error, reason);
    assert.ok(performance.now() - startedAt < 2_000, "an abort is heard at once");
  });

  Deno.test(`${name} throws the reason of a signal that aborts between two events`, async () => {
    await using subject = await makeProvider(ANSWER);
    const controller = new AbortController();
    const reason = new Error("stopped in between");
    const seen: ModelEvent[] = [];
    await assert.rejects(async () => {
      for await (const event of subject.provider.stream(request(controller.signal))) {
        seen.push(event);
        if (event.type === "text_delta") controller.abort(reason);
      }
    }, (error) => error === reason);
    assert.ok(seen.every((event) => event.type !== "completed"));
  });

  Deno.test(`${name} lets a caller stop listening`, async () => {
    await using subject = await makeProvider(ANSWER);
    for await (const event of subject.provider.stream(request())) {
      if (event.type === "text_delta") break;
    }
  });

  Deno.test(`${name} keeps streams apart that run at once`, async () => {
    await using subject = await makeProvider(ANSWER);
    const outcomes = await Promise.all([
      collect(subject.provider.stream(request())),
      collect(subject.provider.stream(request())),
    ]);
    for (const { events } of outcomes) assert.equal(textOf(events, "text_delta"), ANSWER.text);
  });

  Deno.test(`${name} changes nothing of a request`, async () => {
    await using subject = await makeProvider(ANSWER);
    const frozen = freeze(request());
    const { error } = await collect(subject.provider.stream(frozen));
    assert.equal(error, undefined);
  });

  Deno.test(`${name} has an id that stays the same`, async () => {
    await using subject = await makeProvider(ANSWER);
    const { id } = subject.provider;
    assert.ok(id.length > 0);
    await collect(subject.provider.stream(request()));
    assert.equal(subject.provider.id, id);
  });
}

const ANSWER = {
  type: "answer",
  text: "Reading both files before I answer.",
  reasoning: "Two files are named.",
  calls: [
    { id: "call_a", name: "read_file", arguments: { path: "a.txt" } },
    { id: "call_b", name: "read_file", arguments: { path: "ü/日本.txt" } },
  ],
  usage: { input: 120, output: 30, cachedInput: 100 },
} as const satisfies ContractTurn;

function request(signal: AbortSignal = new AbortController().signal): ModelRequest {
  const messages: readonly ModelMessage[] = [
    { role: "user", content: [{ type: "text", text: "Compare a and b" }] },
  ];
  return {
    model: "contract-model",
    system: "You are under test.",
    messages,
    tools: [{
      name: "read_file",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
    }],
    maxOutputTokens: 1_000,
    signal,
  };
}

async function collect(
  stream: AsyncIterable<ModelEvent>,
): Promise<{ readonly events: readonly ModelEvent[]; readonly error?: unknown }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

function textOf(events: readonly ModelEvent[], type: "text_delta" | "reasoning_delta"): string {
  return events.map((event) => event.type === type ? event.delta : "").join("");
}

/** Freezes plain data at every depth; the signal is not data. */
function freeze(request: ModelRequest): ModelRequest {
  const { signal, ...data } = request;
  const freezeDeep = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const entry of Object.values(value)) freezeDeep(entry);
    Object.freeze(value);
  };
  freezeDeep(data);
  return Object.freeze({ ...data, signal });
}
