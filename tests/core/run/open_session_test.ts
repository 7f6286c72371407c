import assert from "node:assert/strict";
import { textResult } from "@alisio/sdk";
import { AlisioError, type AlisioErrorCode } from "../../../core/errors.ts";
import type { PromptOptions } from "../../../core/run/open_session.ts";
import { RunCancelledError, RunFailedError } from "../../../core/run/run_error.ts";
import type { HostTool } from "../../../core/tools/host_tool.ts";
import {
  calls,
  hangs,
  PlayedProvider,
  type RunHarness,
  says,
  withRun,
} from "../../support/run_harness.ts";

/** Refuses to store how any call ended. */
const NO_CALL_END = `
  CREATE TRIGGER refuse BEFORE UPDATE ON tool_calls
  BEGIN SELECT RAISE(ABORT, 'no call may end'); END`;

/** Options of a prompt whose events the harness sees. */
function observed(harness: RunHarness, rest: Partial<PromptOptions> = {}): PromptOptions {
  return {
    signal: new AbortController().signal,
    observers: [(event) => void harness.events.push(event)],
    ...rest,
  };
}

function isError(code: AlisioErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof AlisioError && error.code === code;
}

/** Types of the stored events that end a run. */
function terminalEvents({ store, sessionId }: RunHarness): readonly string[] {
  return store.eventsOf(sessionId).map(({ type }) => type).filter((type) =>
    ["run_completed", "run_failed", "run_cancelled", "run_turns_exceeded"].includes(type)
  );
}

/** A tool that says when it runs, and then does not stop by itself. */
function deafTool(
  effect: HostTool["effect"],
): { readonly tool: HostTool; readonly runs: Promise<void> } {
  const { promise: runs, resolve } = Promise.withResolvers<void>();
  const tool: HostTool = {
    name: "deaf",
    description: "does not stop",
    effect,
    inputSchema: { type: "object" },
    execute() {
      resolve();
      return new Promise(() => {});
    },
  };
  return { tool, runs };
}

Deno.test("OpenSession.run() goes on with what the prompts before it left", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([says("one"), says("two")]);
    const session = await harness.open(provider);
    await session.run("first", observed(harness));
    const result = await session.run("second", observed(harness));
    assert.equal(result.text, "two");
    assert.deepEqual(provider.requests[1]?.messages.map(({ role }) => role), [
      "user",
      "assistant",
      "user",
    ]);
    await session.close();
  });
});

Deno.test("OpenSession.run() refuses a second prompt while one runs, and leaves that one alone", async () => {
  await withRun({}, async (harness) => {
    const release = Promise.withResolvers<void>();
    const provider = new PlayedProvider([async function* (request) {
      await release.promise;
      yield* says("done")(request);
    }]);
    const session = await harness.open(provider);
    const first = session.run("first", observed(harness));
    await assert.rejects(session.run("second", observed(harness)), isError("session_locked"));
    release.resolve();
    assert.equal((await first).text, "done");
    assert.equal((await session.run("third", observed(harness))).text, "done");
    assert.deepEqual(terminalEvents(harness), ["run_completed", "run_completed"]);
    await session.close();
  });
});

Deno.test("OpenSession.run() refuses a prompt once the session was closed", async () => {
  await withRun({}, async (harness) => {
    const session = await harness.open([says("done")]);
    await session.close();
    await assert.rejects(session.run("late", observed(harness)), isError("session_locked"));
    assert.deepEqual(harness.store.runs(harness.sessionId), []);
  });
});

Deno.test("OpenSession.close() stops what runs and stores one end of it", async () => {
  const closed: string[] = [];
  await withRun({}, async (harness) => {
    const begun = Promise.withResolvers<void>();
    const session = await harness.open([async function* (request) {
      begun.resolve();
      yield* hangs()(request);
    }], { onClosed: () => void closed.push("closed") });
    const running = session.run("go", observed(harness));
    const outcome = assert.rejects(running, RunCancelledError);
    await begun.promise;
    assert.equal(harness.store.isLeased(harness.sessionId), true);
    await session.close();
    await outcome;
    assert.deepEqual(terminalEvents(harness), ["run_cancelled"]);
    assert.deepEqual(harness.store.runs(harness.sessionId).map(({ status }) => status), [
      "cancelled",
    ]);
    assert.equal(harness.store.isLeased(harness.sessionId), false);
    await session.close();
    assert.deepEqual(closed, ["closed"]);
  });
});

Deno.test("OpenSession.close() waits for the end of the run, however often it is called", async () => {
  await withRun({}, async (harness) => {
    const begun = Promise.withResolvers<void>();
    const session = await harness.open([async function* (request) {
      begun.resolve();
      yield* hangs()(request);
    }]);
    session.run("go", observed(harness)).catch(() => {});
    await begun.promise;
    const first = session.close();
    await session.close();
    assert.deepEqual(terminalEvents(harness), ["run_cancelled"]);
    assert.equal(harness.store.isLeased(harness.sessionId), false);
    await first;
  });
});

Deno.test("OpenSession.close() ends a run that its own signal has stopped already", async () => {
  const stop = new AbortController();
  await withRun({}, async (harness) => {
    const session = await harness.open([hangs()]);
    const running = session.run("go", observed(harness, { signal: stop.signal }));
    stop.abort(new Error("Stopped by SIGINT"));
    await Promise.all([session.close(), assert.rejects(running, /Stopped by SIGINT/)]);
    assert.deepEqual(terminalEvents(harness), ["run_cancelled"]);
  });
});

Deno.test("OpenSession.run() refuses to go on when the outcome of a call could not be recorded", async () => {
  await withRun({ allowWrite: true }, async (harness) => {
    const provider = new PlayedProvider([calls([["change", { path: "a" }, "c1"]]), says("ok")]);
    const session = await harness.open(provider);
    harness.sql(NO_CALL_END);
    await assert.rejects(session.run("go", observed(harness)), RunFailedError);
    assert.equal(harness.called.length, 1, "it was changed");
    harness.sql("DROP TRIGGER refuse");
    await assert.rejects(
      session.run("again", observed(harness)),
      isError("session_needs_recovery"),
    );
    assert.deepEqual([provider.requests.length, harness.called.length], [1, 1]);
    await session.close();
  });
});

Deno.test("OpenSession.run() goes on after a read whose outcome could not be recorded", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([calls([["look", { path: "a" }, "c1"]]), says("ok")]);
    const session = await harness.open(provider);
    harness.sql(NO_CALL_END);
    await assert.rejects(session.run("go", observed(harness)), RunFailedError);
    harness.sql("DROP TRIGGER refuse");
    assert.equal((await session.run("again", observed(harness))).text, "ok");
    const [, , result] = provider.requests[1]?.messages ?? [];
    assert.ok(result?.role === "tool" && result.isError);
    assert.match(result.text, /^Interrupted/);
    await session.close();
  });
});

Deno.test("OpenSession.run() leaves a write behind that does not stop, as one nobody knows of", async () => {
  const { tool, runs } = deafTool("write");
  const stop = new AbortController();
  await withRun({ allowWrite: true, stopGraceMs: 1, tools: [tool] }, async (harness) => {
    const session = await harness.open([calls([["deaf", {}, "c1"]]), says("ok")]);
    const running = session.run("go", observed(harness, { signal: stop.signal }));
    await runs;
    stop.abort(new Error("stop"));
    await assert.rejects(running, RunCancelledError);
    assert.deepEqual(harness.types().slice(-2), ["tool_completed", "run_cancelled"]);
    const uncertain = harness.store.uncertainCalls(harness.sessionId);
    assert.deepEqual(uncertain.map(({ callId }) => callId), ["c1"]);
    await assert.rejects(
      session.run("again", observed(harness)),
      isError("session_needs_recovery"),
    );
    await session.close();
  });
});

Deno.test("OpenSession.run() answers for a read that does not stop, and goes on", async () => {
  const { tool, runs } = deafTool("read");
  const stop = new AbortController();
  await withRun({ stopGraceMs: 1, tools: [tool] }, async (harness) => {
    const session = await harness.open([calls([["deaf", {}, "c1"]]), says("ok")]);
    const running = session.run("go", observed(harness, { signal: stop.signal }));
    await runs;
    stop.abort(new Error("stop"));
    await assert.rejects(running, RunCancelledError);
    assert.deepEqual(harness.store.pendingCalls(harness.sessionId), []);
    assert.equal(harness.messages().at(-1)?.role, "tool");
    assert.equal((await session.run("again", observed(harness))).text, "ok");
    await session.close();
  });
});

Deno.test("OpenSession.run() says that the model is another than the session had, once", async () => {
  await withRun({}, async (harness) => {
    const session = await harness.open([says("ok")], { reference: "other/n" });
    await session.run("first", observed(harness));
    await session.run("second", observed(harness));
    const changed = harness.events.filter(({ type }) => type === "model_changed");
    assert.deepEqual(changed.map(({ data }) => data), [{ model: "other/n", previous: "m" }]);
    assert.deepEqual(harness.types().slice(0, 2), ["run_started", "model_changed"]);
    assert.equal(harness.store.session(harness.sessionId)?.model, "other/n");
    await session.close();
  });
});

Deno.test("OpenSession.run() says nothing of a model that the session had before", async () => {
  await withRun({}, async (harness) => {
    const session = await harness.open([says("ok")]);
    await session.run("go", observed(harness));
    assert.equal(harness.types().includes("model_changed"), false);
    await session.close();
  });
});

Deno.test("OpenSession.run() names the person as the source of an output limit of one prompt", async () => {
  await withRun({}, async (harness) => {
    const provider = new PlayedProvider([says("half an ans", { truncated: true })]);
    const session = await harness.open(provider);
    await session.run("go", observed(harness, { limits: { maxOutputTokens: 7 } }));
    await session.run("go", observed(harness, { limits: { maxTurns: 3 } }));
    const truncated = harness.events.filter(({ type }) => type === "response_truncated");
    assert.deepEqual(truncated.map(({ data }) => [data.maxOutputTokens, data.source]), [
      [7, "user"],
      [16_384, "default"],
    ]);
    assert.deepEqual(provider.requests.map(({ maxOutputTokens }) => maxOutputTokens), [7, 16_384]);
    await session.close();
  });
});

Deno.test("OpenSession.run() goes on from a history with odd results", async () => {
  const odd: HostTool = {
    name: "odd",
    description: "answers nonsense",
    effect: "read",
    inputSchema: { type: "object" },
    execute() {
      const content: unknown = [null, { type: "ui", block: { kind: "json", value: 1n } }, 7];
      return Promise.resolve({ ...textResult("ok"), content } as ReturnType<typeof textResult>);
    },
  };
  await withRun({ tools: [odd] }, async (harness) => {
    const provider = new PlayedProvider([calls([["odd", {}, "c1"]]), says("ok"), says("on")]);
    const session = await harness.open(provider);
    await session.run("go", observed(harness));
    assert.equal((await session.run("again", observed(harness))).text, "on");
    assert.deepEqual(harness.messages().map(({ role }) => role), [
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    await session.close();
  });
});

Deno.test("OpenSession.run() waits for observers that are behind, with its clock standing still", async () => {
  await withRun({ limits: { timeoutMs: 40 } }, async (harness) => {
    const session = await harness.open([calls([["look", {}]]), says("done")]);
    const waits: string[] = [];
    const result = await session.run("go", {
      signal: new AbortController().signal,
      observers: [({ type }) => void waits.push(type)],
      drained: () => {
        waits.push("wait");
        return new Promise((resolve) => setTimeout(resolve, 60));
      },
    });
    assert.equal(result.status, "completed");
    assert.ok(result.activeMs < 40);
    assert.deepEqual(waits.filter((each) => !/^run|^turn/.test(each)), [
      "wait",
      "tool_started",
      "tool_completed",
      "wait",
      "text_delta",
      "wait",
    ]);
    await session.close();
  });
});

Deno.test("OpenSession.run() ends on a stop while its observers are behind", async () => {
  for (const type of ["text_delta", "tool_completed"]) {
    await withRun({}, async (harness) => {
      const stop = new AbortController();
      const session = await harness.open([calls([["look", {}]]), says("half")]);
      let isBehind = false;
      const running = session.run("go", {
        signal: stop.signal,
        observers: [(event) => void (isBehind = event.type === type)],
        drained: () => {
          if (!isBehind) return undefined;
          stop.abort(new Error("stop"));
          return new Promise(() => {});
        },
      });
      await assert.rejects(running, RunCancelledError, type);
      await session.close();
    });
  }
});
