import assert from "node:assert/strict";
import { join } from "node:path";
import { type ModelEvent, type ModelProvider, ProviderError, type RunEventData } from "@alisio/sdk";
import { AlisioError } from "../../../core/errors.ts";
import {
  MAX_REQUEST_RETRIES,
  type ModelOutcome,
  type ModelRequestPorts,
  requestModel,
  retryPauseMs,
} from "../../../core/run/model_request.ts";
import { DENO, ROOT } from "../../support/paths.ts";
import {
  countListeners,
  fails,
  hangs,
  PlayedProvider,
  type PlayedTurn,
  says,
} from "../../support/run_harness.ts";

const REQUEST = {
  model: "m",
  system: "system",
  messages: [],
  tools: [],
  maxOutputTokens: 100,
} as const;

interface Answered {
  readonly outcome: Promise<ModelOutcome>;
  readonly partial: string[];
  readonly emitted: (keyof RunEventData)[];
}

function ask(
  turns: readonly PlayedTurn[] | ModelProvider,
  ports: Partial<ModelRequestPorts> = {},
): Answered {
  const partial: string[] = [];
  const emitted: (keyof RunEventData)[] = [];
  const outcome = requestModel(
    {
      provider: "stream" in turns ? turns : new PlayedProvider(turns),
      signal: new AbortController().signal,
      firstTokenTimeoutMs: 60_000,
      firstTokenRetries: 1,
      remainingMs: () => 60_000,
      retryBaseMs: 1,
      emit: (type) => void emitted.push(type),
      ...ports,
    },
    REQUEST,
    (text) => void partial.push(text),
  );
  return { outcome, partial, emitted };
}

/** A provider whose stream is iterated by hand. */
function iterated(iterator: Partial<AsyncIterator<ModelEvent>>): ModelProvider {
  return {
    id: "iterated",
    stream: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: true, value: undefined }),
        ...iterator,
      }),
    }),
  };
}

const COMPLETED: ModelEvent = {
  type: "completed",
  message: { role: "assistant", text: "done", calls: [] },
};

Deno.test("requestModel() fails once for what asking again cannot help, and keeps the text", async () => {
  for (const code of ["invalid_request", "authentication", "quota_exceeded"] as const) {
    const provider = new PlayedProvider([
      fails(new ProviderError("no", { code }), "half an answer"),
    ]);
    const { outcome, partial } = ask(provider);
    await assert.rejects(outcome, (error) => error instanceof ProviderError && error.code === code);
    assert.deepEqual([partial, provider.requests.length], [["half an answer"], 1], code);
  }
});

Deno.test("requestModel() answers what came before a passing failure, and repeats nothing", async () => {
  const rows = [
    new ProviderError("cut", { code: "stream_interrupted", retryable: true }),
    new ProviderError("full", { code: "output_truncated" }),
  ];
  for (const error of rows) {
    const provider = new PlayedProvider([fails(error, "half an answer")]);
    const { outcome, partial } = ask(provider);
    assert.deepEqual(await outcome, { kind: "interrupted", text: "half an answer", error });
    assert.deepEqual([partial, provider.requests.length], [[], 1], error.code);
  }
});

Deno.test("requestModel() waits after a failure as long as the server asked", async () => {
  const error = new ProviderError("slow down", {
    code: "overloaded",
    retryable: true,
    retryAfterMs: 30,
  });
  const startedAt = performance.now();
  await ask([fails(error, "half")]).outcome;
  // Timers may fire a moment early.
  assert.ok(performance.now() - startedAt >= 28);
});

Deno.test("requestModel() does not wait for what the run has no time for", async () => {
  const error = new ProviderError("come back", {
    code: "overloaded",
    retryable: true,
    retryAfterMs: 3_600_000,
  });
  const outcome = await ask([fails(error, "half")], { remainingMs: () => 1_000 }).outcome;
  assert.equal(outcome.kind, "interrupted");
});

Deno.test("requestModel() ignores usage that is no number of tokens", async () => {
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ["whole", { input: 1, output: 2 }, { input: 1, output: 2 }],
    ["with a cache", { input: 1, output: 2, cachedInput: 1 }, {
      input: 1,
      output: 2,
      cachedInput: 1,
    }],
    ["zero", { input: 0, output: 0 }, { input: 0, output: 0 }],
    ["NaN input", { input: NaN, output: 2 }, undefined],
    ["NaN output", { input: 1, output: NaN }, undefined],
    ["NaN of the cache", { input: 1, output: 2, cachedInput: NaN }, undefined],
    ["infinite", { input: Infinity, output: 2 }, undefined],
    ["negative", { input: -1_000_000, output: 2 }, undefined],
    ["missing numbers", {}, undefined],
    ["texts", { input: "1", output: "2" }, undefined],
    ["null", null, undefined],
    ["undefined", undefined, undefined],
  ];
  for (const [name, usage, expected] of rows) {
    const turn = says("done", { usage } as Partial<Extract<ModelEvent, { type: "completed" }>>);
    const outcome = await ask([turn]).outcome;
    assert.ok(outcome.kind === "completed", name);
    assert.deepEqual(outcome.usage, expected, name);
  }
});

Deno.test("requestModel() passes over events that it does not know", async () => {
  const turn: PlayedTurn = async function* () {
    yield { type: "citation", url: "x" } as unknown as ModelEvent;
    yield* says("done")({ ...REQUEST, signal: new AbortController().signal });
  };
  const outcome = await ask([turn]).outcome;
  assert.ok(outcome.kind === "completed");
  assert.equal(outcome.message.text, "done");
});

Deno.test("requestModel() does not call a failure to record one of the provider", async () => {
  const error = new AlisioError("database_unusable", "Cannot store: the disk is full");
  const { outcome } = ask([says("done")], {
    emit() {
      throw error;
    },
  });
  await assert.rejects(outcome, (thrown) => thrown === error);
});

Deno.test("requestModel() takes what a provider throws for a failure of the provider", async () => {
  const thrown: readonly unknown[] = [new TypeError("bug"), Object.create(null), undefined, 1n];
  for (const error of thrown) {
    const turn: PlayedTurn = () => {
      throw error;
    };
    await assert.rejects(
      ask([turn]).outcome,
      (failure) => failure instanceof ProviderError && failure.code === "server_error",
    );
  }
});

Deno.test("requestModel() does not care how a stream takes being closed", async () => {
  const throwing = () => {
    throw new Error("cannot close");
  };
  const rows: readonly (readonly [string, Partial<AsyncIterator<ModelEvent>>])[] = [
    ["never answers", { return: () => new Promise(() => {}) }],
    ["rejects", { return: () => Promise.reject(new Error("cannot close")) }],
    ["throws", { return: throwing }],
    ["answers no promise", { return: (() => 7) as unknown as () => Promise<never> }],
    ["cannot be closed", {}],
  ];
  for (const [name, closing] of rows) {
    const answering = iterated({
      ...closing,
      next: () => Promise.resolve({ done: false, value: COMPLETED }),
    });
    assert.equal((await ask(answering).outcome).kind, "completed", name);
    const cut = ask(iterated({ ...closing, next: () => Promise.reject(new TypeError("cut")) }));
    await assert.rejects(cut.outcome, /cut/, name);
  }
});

Deno.test("requestModel() calls a stream that ends without an answer interrupted", async () => {
  await assert.rejects(
    ask(iterated({})).outcome,
    (error) => error instanceof ProviderError && error.code === "stream_interrupted",
  );
});

Deno.test("requestModel() ends for its signal at once, whatever it waits for", async () => {
  const overloaded = new ProviderError("full", {
    code: "overloaded",
    retryable: true,
    retryAfterMs: 50_000,
  });
  const rows: readonly (readonly [string, PlayedTurn, readonly string[]])[] = [
    ["a silent server", hangs(), [""]],
    ["a server that has begun", hangs({ type: "text_delta", delta: "ha" }), ["ha"]],
    ["a pause before the next request", fails(overloaded), []],
    ["a pause after part of an answer", fails(overloaded, "half"), ["half"]],
  ];
  for (const [name, turn, kept] of rows) {
    const stop = new AbortController();
    const { outcome, partial } = ask([turn], { signal: stop.signal });
    const reason = new Error("stop");
    setTimeout(() => stop.abort(reason), 5);
    await assert.rejects(outcome, (error) => error === reason, name);
    assert.deepEqual(partial, kept, name);
  }
});

Deno.test("requestModel() leaves no listener on the signal of its run", async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  const failing = fails(new ProviderError("no", { code: "overloaded", retryable: true }));
  for (let count = 0; count < 10; count++) {
    await ask([failing, says("done")], { signal }).outcome;
    await assert.rejects(ask([failing], { signal }).outcome);
  }
  assert.equal(listeners(), 0);
});

Deno.test("requestModel() asks again a known number of times before the first token", async () => {
  const error = new ProviderError("no", { code: "overloaded", retryable: true });
  const provider = new PlayedProvider([fails(error)]);
  const { outcome, emitted } = ask(provider);
  await assert.rejects(outcome, (thrown) => thrown === error);
  assert.equal(provider.requests.length, MAX_REQUEST_RETRIES + 1);
  assert.deepEqual(emitted, Array(MAX_REQUEST_RETRIES).fill("request_retry"));
});

Deno.test("retryPauseMs() doubles up to a limit, takes up to half off, and obeys the server", () => {
  const error = new ProviderError("no", { code: "overloaded", retryable: true });
  for (const [attempt, fullMs] of [[1, 500], [2, 1_000], [3, 2_000], [20, 30_000]] as const) {
    const pauseMs = retryPauseMs(error, attempt, 500);
    assert.ok(pauseMs >= fullMs / 2 && pauseMs <= fullMs, `${attempt}: ${pauseMs}`);
  }
  const asked = new ProviderError("no", { code: "overloaded", retryAfterMs: 7 });
  assert.equal(retryPauseMs(asked, 3, 500), 7);
});

Deno.test("requestModel() reads an answer no faster than its events are taken", async () => {
  const behind = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  let read = 0;
  const provider = iterated({
    next: () => {
      read += 1;
      return Promise.resolve({
        done: false,
        value: read <= 2 ? { type: "text_delta", delta: "x" } : COMPLETED,
      });
    },
  });
  const { outcome, emitted } = ask(provider, { drained: () => behind[asked++]?.promise });
  for (const [index, each] of behind.entries()) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.deepEqual([read, asked, emitted.length], [index + 1, index + 1, index + 1]);
    each.resolve();
  }
  assert.equal((await outcome).kind, "completed");
});

Deno.test("requestModel() stops waiting for those who see the events when its signal aborts", async () => {
  const stop = new AbortController();
  const { outcome, partial } = ask([says("half")], {
    signal: stop.signal,
    drained: () => {
      stop.abort(new Error("stop"));
      return new Promise(() => {});
    },
  });
  await assert.rejects(outcome, /stop/);
  assert.deepEqual(partial, ["half"]);
});

Deno.test("requestModel() counts no wait of its own as silence of the server", async () => {
  const provider = new PlayedProvider([async function* () {
    yield { type: "warning", message: "careful" };
    yield COMPLETED;
  }]);
  const { outcome } = ask(provider, {
    firstTokenTimeoutMs: 20,
    drained: () => new Promise((resolve) => setTimeout(resolve, 60)),
  });
  assert.equal((await outcome).kind, "completed");
  assert.equal(provider.requests.length, 1);
});

Deno.test("requestModel() takes a flood of small pieces in little memory", async () => {
  const script = join(ROOT, "tests", "core", "run", "_flood_model.ts");
  const args = ["run", "--no-check", "--quiet", "--v8-flags=--max-old-space-size=48", script];
  const { code, stdout, stderr } = await new Deno.Command(DENO, { args }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr).slice(0, 1_000));
  const { kind, kept } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(kind, "interrupted");
  assert.ok(kept > 390_000 && kept <= 400_000, `${kept} characters`);
});
