import assert from "node:assert/strict";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ProviderError, textResult } from "@alisio/sdk";
import { RunCancelledError, RunFailedError } from "../../../core/run/run_error.ts";
import { calls, fails, hangs, PlayedProvider, says, withRun } from "../../support/run_harness.ts";

const BROKEN = new ProviderError("the connection broke", {
  code: "stream_interrupted",
  retryable: true,
});

Deno.test("runSession() stores messages, calls, runs and events of a whole run", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([
      calls([["look", { path: "a" }, "c1"], ["look", { path: "b" }, "c2"]], {
        usage: { input: 10, output: 2, cachedInput: 4 },
      }),
      says("done", { usage: { input: 20, output: 3 } }),
    ]);
    const result = await harness.run("go", provider);
    assert.deepEqual(
      { ...result, runId: "", activeMs: 0 },
      {
        runId: "",
        sessionId: harness.sessionId,
        text: "done",
        status: "completed",
        usage: { input: 30, output: 5, cachedInput: 4 },
        toolCalls: 2,
        refusedCalls: 0,
        activeMs: 0,
      },
    );
    assert.deepEqual(harness.types(), [
      "run_started",
      "turn_completed",
      "tool_started",
      "tool_started",
      "tool_completed",
      "tool_completed",
      "text_delta",
      "turn_completed",
      "run_completed",
    ]);
    assert.deepEqual(harness.messages().map(({ role }) => role), [
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    assert.deepEqual(harness.store.calls(harness.sessionId).map(({ status }) => status), [
      "completed",
      "completed",
    ]);
    assert.deepEqual(harness.store.runs(harness.sessionId).map(({ status }) => status), [
      "completed",
    ]);
    const stored = harness.store.eventsOf(harness.sessionId);
    const durable = harness.events.filter((event) => event.eventId !== undefined);
    assert.deepEqual(stored, durable, "what is seen is what is stored");
    assert.equal(durable.length, harness.events.length - 1, "only the delta is not stored");
    assert.deepEqual(
      harness.events.map(({ seq }) => seq),
      harness.events.map((_, index) => index + 1),
    );
  });
});

Deno.test("runSession() gives calls without an id one of their own (field case 1)", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls([["look", {}]]), says("ok")]);
    await harness.run("go", provider);
    const [, assistant, tool] = provider.requests[1]?.messages ?? [];
    assert.ok(assistant?.role === "assistant" && tool?.role === "tool");
    assert.match(assistant.calls[0]?.id ?? "", /^call_[0-9a-f]{32}$/);
    assert.equal(tool.callId, assistant.calls[0]?.id);
    assert.equal(harness.called.length, 1);
  });
});

Deno.test("runSession() keeps ids unique in a response and over turns (field case 33)", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([
      calls([["look", { path: "a" }, "call_0"], ["look", { path: "b" }, "call_0"]]),
      calls([["look", { path: "c" }, "call_0"]]),
      says("ok"),
    ]);
    await harness.run("go", provider);
    await harness.run(
      "again",
      new PlayedProvider([
        calls([["look", { path: "d" }, "call_0"]]),
        says("ok"),
      ]),
    );
    const ids = harness.messages().flatMap((message) =>
      message.role === "assistant" ? message.calls.map(({ id }) => id) : []
    );
    const answered = harness.messages().flatMap((message) =>
      message.role === "tool" ? [message.callId] : []
    );
    assert.equal(new Set(ids).size, 4);
    assert.deepEqual(answered, ids);
    // Reads of one response run side by side.
    assert.deepEqual(harness.called.map(([, { path }]) => path).sort(), ["a", "b", "c", "d"]);
  });
});

Deno.test("runSession() replays an object whatever arguments the model sent (field cases 9, 10, 13)", async () => {
  for (
    const [sent, replayed, ran] of [["", "{}", 1], ["[]", "{}", 0], ['"x"', "{}", 0], [
      '{"path":"a',
      "{}",
      0,
    ], ['{"path":"a"}', '{"path":"a"}', 1]] as const
  ) {
    await withRun({}, async (harness) => {
      const provider = new PlayedProvider([calls([["look", sent, "c"]]), says("ok")]);
      await harness.run("go", provider);
      const assistant = provider.requests[1]?.messages[1];
      assert.ok(assistant?.role === "assistant");
      assert.equal(assistant.calls[0]?.arguments, replayed, sent);
      assert.equal(harness.called.length, ran, sent);
    });
  }
});

Deno.test("runSession() runs no call of a cut response, complete or not (field case 12)", async () => {
  for (const args of ['{"path":"half', '{"path":"whole"}']) {
    await withRun({ allowWrite: true }, async (harness) => {
      const provider = new PlayedProvider([
        calls([["change", args, "c"]], { truncated: true, text: "I will write" }),
        says("smaller now"),
      ]);
      const result = await harness.run("go", provider);
      assert.equal(harness.called.length, 0);
      assert.equal(result.text, "smaller now");
      const notice = provider.requests[1]?.messages.at(-1);
      assert.ok(notice?.role === "user" && notice.content[0]?.type === "text");
      assert.match(notice.content[0].text, /cut off by the output limit/);
      assert.deepEqual(harness.messages().map(({ role }) => role), [
        "user",
        "assistant",
        "assistant",
      ], "the notice is not stored");
    });
  }
});

Deno.test("runSession() gives up on a response that is cut again and again", async () => {
  await withRun({ limits: { truncationRecoveries: 2 } }, async (harness) => {
    const provider = new PlayedProvider([says("", { truncated: true })]);
    await assert.rejects(
      harness.run("go", provider),
      (error) => error instanceof RunFailedError && error.code === "output_truncated",
    );
    assert.equal(provider.requests.length, 3);
    assert.deepEqual(harness.types(), [
      "run_started",
      "truncation_recovery",
      "truncation_recovery",
      "run_failed",
    ]);
  });
});

Deno.test("runSession() completes with the text of an answer that was cut", async () => {
  await withRun({}, async (harness) => {
    await harness.run("go", [says("half an ans", { truncated: true })]);
    assert.deepEqual(harness.types().slice(-2), ["response_truncated", "run_completed"]);
    assert.equal(harness.events.at(-1)?.data.truncated, true);
  });
});

Deno.test("runSession() keeps the text of a broken answer and asks on (field case 19)", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([fails(BROKEN, "first half"), says("second half")]);
    await harness.run("go", provider);
    assert.deepEqual(harness.messages().slice(1), [
      { role: "assistant", text: "first half", calls: [], partial: true },
      { role: "assistant", text: "second half", calls: [] },
    ]);
  });
});

Deno.test("runSession() shows a connection that keeps breaking as an error (field case 19)", async () => {
  await withRun({ limits: { truncationRecoveries: 1 } }, async (harness) => {
    await assert.rejects(
      harness.run("go", [fails(BROKEN, "some text")]),
      (error) => error instanceof RunFailedError && error.code === "provider_stream_interrupted",
    );
    assert.equal(harness.types().at(-1), "run_failed");
    const session = harness.messages();
    assert.ok(session.every((message) => message.role !== "assistant" || message.text !== ""));
    await harness.run("again", [says("fine")]);
  });
});

Deno.test("runSession() never stores or sends an empty answer (field case 30)", async () => {
  await withRun({ limits: { truncationRecoveries: 1 } }, async (harness) => {
    const provider = new PlayedProvider([says(""), says("now")]);
    await harness.run("go", provider);
    assert.ok(
      provider.requests[1]?.messages.every((message) =>
        message.role !== "assistant" || message.text !== ""
      ),
    );
    await assert.rejects(
      harness.run("again", [says("")]),
      (error) => error instanceof RunFailedError && error.code === "provider_empty_response",
    );
    const last = new PlayedProvider([says("usable")]);
    await harness.run("third", last);
    assert.ok(
      last.requests[0]?.messages.every((message) =>
        message.role !== "assistant" || message.text !== ""
      ),
    );
  });
});

Deno.test("runSession() stops a model that repeats one call for ever (field case 36)", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls([["look", { path: "a" }]])]);
    await assert.rejects(
      harness.run("go", provider),
      (error) => error instanceof RunFailedError && error.code === "repeated_calls",
    );
    assert.equal(harness.called.length, 6);
    const warned = provider.requests[3]?.messages.at(-1);
    assert.ok(warned?.role === "tool");
    assert.match(warned.text, /Do not repeat/);
  });
});

Deno.test("runSession() retries a passing failure before the first token and no other (field case 27)", async () => {
  const rows = [
    ["server_error", true, 5],
    ["overloaded", true, 5],
    ["network", true, 5],
    ["rate_limited", true, 5],
    ["invalid_request", false, 1],
    ["authentication", false, 1],
    ["quota_exceeded", false, 1],
  ] as const;
  for (const [code, retryable, requests] of rows) {
    await withRun({}, async (harness) => {
      const provider = new PlayedProvider([fails(new ProviderError("no", { code, retryable }))]);
      await assert.rejects(
        harness.run("go", provider),
        (error) => error instanceof RunFailedError && error.code === `provider_${code}`,
      );
      assert.equal(provider.requests.length, requests, code);
      assert.equal(harness.types().filter((type) => type === "request_retry").length, requests - 1);
    });
  }
});

Deno.test("runSession() waits as long as the server asked, and not beyond its own time", async () => {
  await withRun({}, async (harness) => {
    const wait = new ProviderError("slow down", {
      code: "rate_limited",
      retryable: true,
      retryAfterMs: 30,
    });
    await harness.run("go", [fails(wait), says("ok")]);
    assert.equal(harness.events.find(({ type }) => type === "request_retry")?.data.afterMs, 30);
  });
  await withRun({ limits: { timeoutMs: 5_000 } }, async (harness) => {
    const hour = new ProviderError("come back in an hour", {
      code: "rate_limited",
      retryable: true,
      retryAfterMs: 3_600_000,
    });
    const provider = new PlayedProvider([fails(hour)]);
    await assert.rejects(
      harness.run("go", provider),
      /come back in an hour: it asks to wait 3600 s, and the run has [34] s left: go on later, or/,
    );
    assert.equal(provider.requests.length, 1);
  });
});

Deno.test("runSession() sends a silent request again, then fails by name of the limit (field case 28)", async () => {
  await withRun(
    { limits: { firstTokenTimeoutMs: 30, firstTokenRetries: 1, timeoutMs: 60_000 } },
    async (harness) => {
      const provider = new PlayedProvider([hangs()]);
      await assert.rejects(harness.run("go", provider), /limits.firstTokenTimeoutMs/);
      assert.equal(provider.requests.length, 2);
      const failed = harness.events.at(-1);
      assert.equal(failed?.data.code, "timeout");
      assert.deepEqual(failed?.data.timeout, {
        kind: "first_token",
        ms: 30,
        model: "m",
        provider: "played",
        stage: "model",
        firstRequest: true,
        attempts: 2,
      });
    },
  );
});

Deno.test("runSession() does not resend a request that had begun to answer", async () => {
  await withRun({ limits: { firstTokenTimeoutMs: 30, timeoutMs: 150 } }, async (harness) => {
    const provider = new PlayedProvider([hangs({ type: "text_delta", delta: "thinking" })]);
    await assert.rejects(harness.run("go", provider), /limits.timeoutMs/);
    assert.equal(provider.requests.length, 1);
    assert.deepEqual(harness.messages().at(-1), {
      role: "assistant",
      text: "thinking",
      calls: [],
      partial: true,
    });
  });
});

Deno.test("runSession() ends softly at the turn limit and goes on with the next prompt", async () => {
  await withRun({ limits: { maxTurns: 2 } }, async (harness) => {
    let path = 0;
    const provider = new PlayedProvider([
      (request) => calls([["look", { path: `${path++}` }]])(request),
    ]);
    const result = await harness.run("go", provider);
    assert.equal(result.status, "turns-exceeded");
    assert.equal(harness.types().at(-1), "run_turns_exceeded");
    assert.equal((await harness.run("go on", [says("done")])).text, "done");
  });
});

Deno.test("runSession() stops at the token budget before further calls", async () => {
  await withRun({ limits: { maxTokens: 100 } }, async (harness) => {
    const provider = new PlayedProvider([
      calls([["look", {}]], { usage: { input: 90, output: 20 } }),
      says("never"),
    ]);
    await assert.rejects(harness.run("go", provider), /limits.maxTokens/);
    assert.equal(harness.called.length, 0);
    assert.equal(harness.messages().at(-1)?.role, "tool", "every call is answered");
  });
});

Deno.test("runSession() names what is too large when the context budget is used up", async () => {
  await withRun({ limits: { maxContextChars: 100 } }, async (harness) => {
    const provider = new PlayedProvider([says("x")]);
    await assert.rejects(harness.run("y".repeat(200), provider), /Context budget exceeded/);
    assert.equal(provider.requests.length, 0);
  });
});

Deno.test("runSession() cancels at once and leaves a session that opens again (field case 144)", async () => {
  const stop = new AbortController();
  await withRun({ signal: stop.signal }, async (harness) => {
    const running = harness.run("go", [hangs({ type: "text_delta", delta: "par" })]);
    const seen = Promise.withResolvers<void>();
    const timer = setInterval(() => harness.types().includes("text_delta") && seen.resolve(), 1);
    await seen.promise;
    clearInterval(timer);
    stop.abort(new Error("Stopped by SIGINT"));
    await assert.rejects(running, RunCancelledError);
    assert.equal(harness.types().at(-1), "run_cancelled");
    assert.equal(harness.store.runs(harness.sessionId)[0]?.status, "cancelled");
    assert.deepEqual(harness.messages().map(({ role }) => role), ["user", "assistant"]);
  });
});

Deno.test("runSession() stops waiting for a provider that ignores its signal", async () => {
  const stop = new AbortController();
  await withRun({ signal: stop.signal }, async (harness) => {
    const deaf = harness.run("go", [async function* () {
      yield { type: "text_delta", delta: "x" };
      stop.abort(new Error("stop"));
      await new Promise(() => {});
    }]);
    await assert.rejects(deaf, RunCancelledError);
  });
});

Deno.test("runSession() answers calls that cannot run with results the model can act on", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([
      calls([
        ["lok", {}, "1"],
        ["look", { file: "a" }, "2"],
        ["look", { path: "../outside" }, "3"],
        ["change", { path: "a" }, "4"],
        ["throws", {}, "5"],
      ]),
      says("ok"),
    ]);
    const result = await harness.run("go", provider);
    const texts = (provider.requests[1]?.messages ?? []).flatMap((message) =>
      message.role === "tool" ? [message.text] : []
    );
    assert.match(texts[0] ?? "", /There is no tool "lok"; did you mean "look"\?/);
    assert.match(texts[1] ?? "", /"file" is not a field: use "path"/);
    assert.match(texts[2] ?? "", /Refused: .*outside the workspace/);
    assert.match(texts[3] ?? "", /Refused: changing files is not permitted/);
    assert.match(texts[4] ?? "", /Tool "throws" failed: the tool broke/);
    assert.equal(result.refusedCalls, 2);
    assert.deepEqual(
      harness.events.filter(({ type }) => type === "tool_completed").map(({ data }) =>
        data.refused
      ),
      [
        undefined,
        undefined,
        {
          matched: "roots:outside",
          remedy: `add a directory that holds "${dirname(harness.workspace)}/outside" with ` +
            '--add-dir or "additionalDirectories"',
        },
        { matched: "flags:write", remedy: "run again with --allow-write" },
        undefined,
      ],
    );
    assert.deepEqual(harness.called.map(([name]) => name), ["throws"]);
  });
});

Deno.test("runSession() names no secret in what would permit a call", async () => {
  const secret = "super+secret&1";
  await withRun({ secrets: [secret] }, async (harness) => {
    await harness.run(
      "go",
      new PlayedProvider([calls([["look", { path: `../${secret}/x` }, "1"]]), says("ok")]),
    );
    assert.deepEqual(harness.events.filter((event) => JSON.stringify(event).includes(secret)), []);
    const completed = harness.events.find(({ type }) => type === "tool_completed");
    const told = JSON.stringify(completed?.data["refused"]);
    assert.match(told, /"remedy":"add a directory that holds .*\[redacted\]\/x/);
  });
});

Deno.test("runSession() offers no tool that is denied out of hand", async () => {
  const names = async (options: Parameters<typeof withRun>[0]) => {
    const provider = new PlayedProvider([says("ok")]);
    await withRun(options, async (harness) => void await harness.run("go", provider));
    return provider.requests[0]?.tools.map(({ name }) => name);
  };
  assert.deepEqual(await names({}), ["look", "throws"]);
  assert.deepEqual(await names({ allowWrite: true }), ["look", "change", "throws"]);
  assert.deepEqual(await names({ allowWrite: true, readOnly: true }), ["look", "throws"]);
  const approver = () => Promise.resolve("deny" as const);
  assert.deepEqual(await names({ approver }), ["look", "change", "throws"]);
});

Deno.test("runSession() asks once, remembers for the session, and takes no for an answer", async () => {
  const asked: string[] = [];
  const answers = ["deny", "once", "session"] as const;
  await withRun({
    approver: (question) => {
      asked.push(`${question.tool} ${question.arguments}`);
      return Promise.resolve(answers[asked.length - 1] ?? "deny");
    },
  }, async (harness) => {
    const turns = ["a", "b", "c", "d"].map((path) => calls([["change", { path }]]));
    await harness.run("go", [...turns, says("ok")]);
    assert.deepEqual(asked, ["a", "b", "c"].map((path) => `change {"path":"${path}"}`));
    assert.deepEqual(harness.called.map(([, input]) => input.path), ["b", "c", "d"]);
  });
});

Deno.test("runSession() gives results in the order of the calls, whoever ends first", async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>(
    ["a", "b"].map((name) => [name, Promise.withResolvers<void>()]),
  );
  await withRun({
    tools: [{
      name: "wait",
      description: "waits",
      effect: "read",
      inputSchema: { type: "object", properties: { name: { type: "string" } } },
      async execute(input) {
        const name = String(input.name);
        if (name === "a") await gates.get("a")?.promise;
        else gates.get("a")?.resolve();
        return textResult(name);
      },
    }],
  }, async (harness) => {
    const provider = new PlayedProvider([
      calls([["wait", { name: "a" }], ["wait", { name: "b" }]]),
      says("ok"),
    ]);
    await harness.run("go", provider);
    const texts = (provider.requests[1]?.messages ?? []).flatMap((message) =>
      message.role === "tool" ? [message.text] : []
    );
    assert.deepEqual(texts, ["a", "b"]);
  });
});

Deno.test("runSession() records a call with an effect before it runs", async () => {
  const pending: (string | undefined)[] = [];
  let harnessStore: { pendingCalls(id: string): readonly { callId: string }[] } | undefined;
  let sessionId = "";
  await withRun({
    allowWrite: true,
    tools: [{
      name: "effect",
      description: "looks at the journal",
      effect: "write",
      inputSchema: { type: "object" },
      execute() {
        pending.push(harnessStore?.pendingCalls(sessionId)[0]?.callId);
        return Promise.resolve(textResult("ok"));
      },
    }],
  }, async (harness) => {
    harnessStore = harness.store;
    sessionId = harness.sessionId;
    await harness.run("go", [calls([["effect", {}, "call_7"]]), says("ok")]);
    assert.deepEqual(pending, ["call_7"]);
    assert.deepEqual(harness.store.pendingCalls(sessionId), []);
  });
});

Deno.test("runSession() runs no tool when its record cannot be written (field case 149)", async () => {
  await withRun({ allowWrite: true }, async (harness) => {
    const failing = new PlayedProvider([async function* (request) {
      yield { type: "tool_delta" };
      const other = new DatabaseSync(harness.store.path);
      other.exec("DROP TABLE tool_calls");
      other.close();
      yield* calls([["change", { path: "a" }, "c"]])(request);
    }]);
    await assert.rejects(
      harness.run("go", failing),
      (error) => error instanceof RunFailedError && error.code === "record_failed",
    );
    assert.equal(harness.called.length, 0);
    assert.equal(harness.types().at(-1), "run_failed", "the failure is still seen");
  });
});

Deno.test("runSession() runs no tool when the decision about it cannot be written", async () => {
  const answers = [undefined, () => Promise.resolve("once" as const)];
  for (const approver of answers) {
    const permission = approver === undefined ? { allowWrite: true } : { approver };
    await withRun(permission, async (harness) => {
      harness.sql("DROP TABLE decisions");
      await assert.rejects(
        harness.run("go", [calls([["change", { path: "a" }]]), says("Done")]),
        (error) => error instanceof RunFailedError && error.code === "record_failed",
      );
      assert.equal(harness.called.length, 0);
      assert.equal(harness.types().some((type) => type.startsWith("autonomy:")), false);
      assert.deepEqual(harness.store.calls(harness.sessionId), []);
    });
  }
});

Deno.test("runSession() ends a run whose record was lost, before the next call or at its end", async () => {
  const losses = [
    ["deleted", (path: string) => Deno.removeSync(path)],
    ["emptied", (path: string) => Deno.truncateSync(path)],
    ["replaced", (path: string) => {
      Deno.copyFileSync(path, `${path}.copy`);
      Deno.renameSync(`${path}.copy`, path);
    }],
  ] as const;
  const answers = [
    ["an effect", calls([["change", { path: "a" }, "c"]])],
    ["a read", calls([["look", {}, "c"]])],
    ["an answer", says("done")],
  ] as const;
  for (const [how, lose] of losses) {
    for (const [what, answer] of answers) {
      await withRun({ allowWrite: true }, async (harness) => {
        const name = `${how}, ${what}`;
        const running = harness.run("go", [async function* (request) {
          lose(harness.store.path);
          yield* answer(request);
        }]);
        await assert.rejects(running, (error) => {
          assert.ok(error instanceof RunFailedError, name);
          assert.deepEqual([error.code, error.isResumable], ["record_failed", false], name);
          assert.ok(error.message.includes(harness.store.path), name);
          return true;
        });
        assert.deepEqual(harness.called, [], name);
        assert.equal(harness.types().at(-1), "run_failed", "the failure is still seen");
        assert.equal(harness.types().includes("run_completed"), false, name);
      });
    }
  }
});

Deno.test("runSession() begins no run in a record that was lost", async () => {
  await withRun({}, async (harness) => {
    await Deno.remove(harness.store.path);
    const provider = new PlayedProvider([says("never")]);
    await assert.rejects(harness.run("go", provider), /was deleted or moved while it was in use/);
    assert.equal(provider.requests.length, 0);
    assert.deepEqual(harness.types(), ["run_failed"]);
  });
});

Deno.test("runSession() says of every end that it is not in the record", async () => {
  const stop = new AbortController();
  const rows = [
    [
      "a failure",
      fails(new ProviderError("no such key", { code: "authentication" })),
      RunFailedError,
      "no such key",
    ],
    [
      "a stop",
      async function* () {
        yield { type: "activity" } as const;
        stop.abort(new Error("stopped by hand"));
        await new Promise(() => {});
      },
      RunCancelledError,
      "stopped by hand",
    ],
  ] as const;
  for (const [name, turn, type, text] of rows) {
    await withRun({ signal: stop.signal }, async (harness) => {
      const running = harness.run("go", [async function* (request) {
        await Deno.remove(harness.store.path);
        yield* turn(request);
      }]);
      await assert.rejects(running, (error) => {
        assert.ok(error instanceof type, name);
        assert.equal(error.isResumable, false, name);
        assert.ok(error.message.startsWith(`${text}. The end of the run could not be recorded: `));
        assert.match(error.message, /was deleted or moved while it was in use/, name);
        assert.deepEqual(harness.events.at(-1)?.data.error, error.message, name);
        return true;
      });
    });
  }
});

Deno.test("runSession() stops a tool at the limit of the run, and says which one", async () => {
  await withRun({
    limits: { timeoutMs: 60 },
    tools: [{
      name: "slow",
      description: "waits for its signal",
      effect: "read",
      inputSchema: { type: "object" },
      execute(_input, context) {
        const { promise, reject } = Promise.withResolvers<never>();
        context.signal.addEventListener("abort", () => reject(context.signal.reason));
        return promise;
      },
    }],
  }, async (harness) => {
    await assert.rejects(harness.run("go", [calls([["slow", {}]])]), /tool "slow" ran/);
    assert.equal(harness.messages().at(-1)?.role, "tool", "the call is answered");
  });
});

Deno.test("runSession() keeps configured secrets out of results and errors (field case 117)", async () => {
  const redact = (text: string) => text.replaceAll("sentinel-key", "[redacted]");
  await withRun({
    redact,
    tools: [{
      name: "leak",
      description: "prints a secret",
      effect: "read",
      inputSchema: { type: "object" },
      execute: (_input, { emit }) => {
        emit({ lines: ["it is sentinel-key", 7] });
        return Promise.resolve(textResult("the key is sentinel-key"));
      },
    }],
  }, async (harness) => {
    const provider = new PlayedProvider([
      calls([["leak", {}]]),
      fails(new ProviderError("bad key sentinel-key", { code: "authentication" })),
    ]);
    await assert.rejects(harness.run("go", provider), /bad key \[redacted\]/);
    assert.doesNotMatch(JSON.stringify(harness.messages()), /sentinel/);
    assert.doesNotMatch(JSON.stringify(harness.events), /sentinel/);
    const progress = harness.events.find(({ type }) => type === "tool_progress");
    assert.deepEqual(progress?.data.data, { lines: ["it is [redacted]", 7] });
  });
});
