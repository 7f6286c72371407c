import assert from "node:assert/strict";
import {
  type ApprovalAnswer,
  type ApprovalOutcome,
  type ApprovalQuestion,
  ApprovalQueue,
  type Approver,
} from "../../../core/gate/approval.ts";
import { countListeners } from "../../support/run_harness.ts";

const QUESTION: ApprovalQuestion = {
  sessionId: "s",
  callId: "c",
  tool: "write_file",
  effect: "write",
  arguments: "{}",
  subject: { kind: "effect" },
  reason: "it changes files",
  choices: ["once", "session", "deny"],
};

/** Puts one question as the gate does. */
async function askInTurn(
  queue: ApprovalQueue,
  signal: AbortSignal = new AbortController().signal,
  question: ApprovalQuestion = QUESTION,
): Promise<ApprovalOutcome | null> {
  return await queue.inTurn(signal, () => queue.ask(question, signal));
}

Deno.test("ApprovalQueue.ask() takes an answer that is on offer, and any other for a no", async () => {
  const throwing: Approver = () => {
    throw new Error("no screen");
  };
  const answering = (answer: unknown): Approver => () => Promise.resolve(answer as ApprovalAnswer);
  const rows: readonly (readonly [string, Approver, ApprovalOutcome])[] = [
    ["once", answering("once"), "once"],
    ["session", answering("session"), "session"],
    ["deny", answering("deny"), "deny"],
    ["yes", answering("yes"), "deny"],
    ["nothing", answering(undefined), "deny"],
    ["true", answering(true), "deny"],
    ["what only the queue says", answering("withdrawn"), "deny"],
    ["a rejection", () => Promise.reject(new Error("no screen")), "deny"],
    ["an exception", throwing, "deny"],
    ["no promise", (() => "once") as unknown as Approver, "deny"],
  ];
  for (const [name, approver, expected] of rows) {
    assert.equal(await askInTurn(new ApprovalQueue(approver)), expected, name);
  }
});

Deno.test("ApprovalQueue.ask() denies an answer that this question does not offer", async () => {
  const queue = new ApprovalQueue(() => Promise.resolve("session"));
  const question = { ...QUESTION, choices: ["once", "deny"] } as const;
  assert.equal(await askInTurn(queue, undefined, question), "deny");
  assert.equal(await askInTurn(queue), "session");
});

Deno.test("ApprovalQueue.ask() withdraws a question whose run stops, whatever is answered", async () => {
  const answers: readonly (() => Promise<ApprovalAnswer>)[] = [
    () => new Promise(() => {}),
    () => Promise.resolve("once"),
    () => Promise.reject(new Error("no screen")),
  ];
  for (const answer of answers) {
    const stop = new AbortController();
    const queue = new ApprovalQueue(() => {
      stop.abort(new Error("stop"));
      return answer();
    });
    assert.equal(await queue.ask(QUESTION, stop.signal), "withdrawn");
  }
});

Deno.test("ApprovalQueue.ask() withdraws a question whose approver fails because the run stops", async () => {
  const stop = new AbortController();
  const shown = Promise.withResolvers<void>();
  const queue = new ApprovalQueue((_question, signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    shown.resolve();
    return promise;
  });
  const asking = queue.ask(QUESTION, stop.signal);
  await shown.promise;
  stop.abort(new Error("stop"));
  assert.equal(await asking, "withdrawn");
});

Deno.test("ApprovalQueue.inTurn() goes first in, first out, one at a time", async () => {
  const log: string[] = [];
  const queue = new ApprovalQueue(() => Promise.resolve("once"));
  const { signal } = new AbortController();
  const turn = (name: string) =>
    queue.inTurn(signal, async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      return name;
    });
  assert.deepEqual(await Promise.all([turn("a"), turn("b"), turn("c")]), ["a", "b", "c"]);
  const expected = ["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]);
  assert.deepEqual(log, expected);
});

Deno.test("ApprovalQueue.inTurn() gives a place up as soon as its signal aborts", async () => {
  const first = Promise.withResolvers<ApprovalAnswer>();
  const asked: string[] = [];
  const queue = new ApprovalQueue(({ sessionId }) => {
    asked.push(sessionId);
    return first.promise;
  });
  const stop = new AbortController();
  const showing = askInTurn(queue);
  const waiting = askInTurn(queue, stop.signal, { ...QUESTION, sessionId: "waits" });
  const behind = askInTurn(queue, undefined, { ...QUESTION, sessionId: "behind" });
  stop.abort(new Error("stop"));
  assert.equal(await waiting, null);
  first.resolve("once");
  assert.deepEqual([await showing, await behind], ["once", "once"]);
  assert.deepEqual(asked, ["s", "behind"]);
});

Deno.test("ApprovalQueue.inTurn() does not begin for a signal that has aborted", async () => {
  const queue = new ApprovalQueue(() => Promise.resolve("once"));
  assert.equal(await askInTurn(queue, AbortSignal.abort()), null);
  assert.equal(await askInTurn(queue), "once");
});

Deno.test("ApprovalQueue.inTurn() lets the next one in after a turn that throws", async () => {
  const queue = new ApprovalQueue(() => Promise.resolve("once"));
  const { signal } = new AbortController();
  const failing = queue.inTurn(signal, () => Promise.reject(new Error("cannot decide")));
  const next = askInTurn(queue);
  await assert.rejects(failing, /cannot decide/);
  assert.equal(await next, "once");
});

Deno.test("ApprovalQueue.inTurn() lets the next one in when the question before it is withdrawn", async () => {
  const queue = new ApprovalQueue(({ sessionId }) =>
    sessionId === "stuck" ? new Promise(() => {}) : Promise.resolve("once")
  );
  const stop = new AbortController();
  const stuck = askInTurn(queue, stop.signal, { ...QUESTION, sessionId: "stuck" });
  const next = askInTurn(queue);
  stop.abort(new Error("stop"));
  assert.deepEqual([await stuck, await next], [null, "once"]);
});

Deno.test("ApprovalQueue leaves no listener behind, however a question ends", async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  let count = 0;
  const queue = new ApprovalQueue(() =>
    ++count % 2 === 0 ? Promise.resolve("once") : Promise.reject(new Error("no screen"))
  );
  await Promise.all(Array.from({ length: 20 }, () => askInTurn(queue, signal)));
  assert.equal(count, 20);
  assert.equal(listeners(), 0);
});
