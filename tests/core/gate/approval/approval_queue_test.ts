import assert from "node:assert/strict";
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalReply,
  Approver,
} from "../../../../core/gate/approval.ts";
import { askHere, channelsOf } from "../../../../core/gate/approval/approval_plan.ts";
import { ApprovalQueue } from "../../../../core/gate/approval/approval_queue.ts";
import { countListeners } from "../../../support/run_harness.ts";

const QUESTION: ApprovalQuestion = {
  sessionId: "s",
  agentPath: [],
  callId: "c",
  tool: "write_file",
  effect: "write",
  arguments: "{}",
  summary: { paths: [], programs: [] },
  subject: { kind: "effect" },
  reason: "it changes files",
  choices: ["once", "session", "deny"],
};

function queueOf(approver: Approver): ApprovalQueue {
  return new ApprovalQueue(askHere(channelsOf(approver)));
}

/** Puts one question as the gate does; answers what became of it in one word. */
async function askInTurn(
  queue: ApprovalQueue,
  signal: AbortSignal = new AbortController().signal,
  question: ApprovalQuestion = QUESTION,
): Promise<string | null> {
  const resolution = await queue.inTurn(signal, () => queue.ask(question, signal));
  if (resolution === null) return null;
  if (resolution.kind === "answered") return resolution.answer;
  return resolution.kind === "undecided" ? resolution.source : resolution.kind;
}

Deno.test("ApprovalQueue.ask() takes an answer that is on offer, and any other for none", async () => {
  const throwing: Approver = () => {
    throw new Error("no screen");
  };
  const answering = (answer: unknown): Approver => () => Promise.resolve(answer as ApprovalReply);
  const rows: readonly (readonly [string, Approver, string])[] = [
    ["once", answering("once"), "once"],
    ["session", answering("session"), "session"],
    ["deny", answering("deny"), "deny"],
    ["an answer with its person", answering({ answer: "once", user: "ada" }), "once"],
    ["yes", answering("yes"), "unreachable"],
    ["nothing", answering(undefined), "unreachable"],
    ["null", answering(null), "unreachable"],
    ["a list", answering(["once"]), "unreachable"],
    ["true", answering(true), "unreachable"],
    ["an answer inside of an answer", answering({ answer: { answer: "once" } }), "unreachable"],
    ["what only the queue says", answering("withdrawn"), "unreachable"],
    ["edit without a text", answering("edit"), "unreachable"],
    ["a text that was not on offer", answering({ replacement: "no" }), "unreachable"],
    ["nobody there", answering({ undecided: "unavailable" }), "unavailable"],
    ["its own time is over", answering({ undecided: "timed_out" }), "timed_out"],
    ["a reason that there is not", answering({ undecided: "policy" }), "unreachable"],
    ["a rejection", () => Promise.reject(new Error("no screen")), "unreachable"],
    ["an exception", throwing, "unreachable"],
  ];
  for (const [name, approver, expected] of rows) {
    assert.equal(await askInTurn(queueOf(approver)), expected, name);
  }
});

Deno.test("ApprovalQueue.ask() denies an answer that this question does not offer", async () => {
  const queue = queueOf(() => Promise.resolve("session"));
  const question = { ...QUESTION, choices: ["once", "deny"] } as const;
  assert.equal(await askInTurn(queue, undefined, question), "unreachable");
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
    const queue = queueOf(() => {
      stop.abort(new Error("stop"));
      return answer();
    });
    assert.equal((await queue.ask(QUESTION, stop.signal)).kind, "withdrawn");
  }
});

Deno.test("ApprovalQueue.ask() withdraws a question whose approver fails because the run stops", async () => {
  const stop = new AbortController();
  const shown = Promise.withResolvers<void>();
  const queue = queueOf((_question, signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    shown.resolve();
    return promise;
  });
  const asking = queue.ask(QUESTION, stop.signal);
  await shown.promise;
  stop.abort(new Error("stop"));
  assert.equal((await asking).kind, "withdrawn");
});

Deno.test("ApprovalQueue.inTurn() goes first in, first out, one at a time", async () => {
  const log: string[] = [];
  const queue = queueOf(() => Promise.resolve("once"));
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
  const queue = queueOf(({ sessionId }) => {
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
  const queue = queueOf(() => Promise.resolve("once"));
  assert.equal(await askInTurn(queue, AbortSignal.abort()), null);
  assert.equal(await askInTurn(queue), "once");
});

Deno.test("ApprovalQueue.inTurn() lets the next one in after a turn that throws", async () => {
  const queue = queueOf(() => Promise.resolve("once"));
  const { signal } = new AbortController();
  const failing = queue.inTurn(signal, () => Promise.reject(new Error("cannot decide")));
  const next = askInTurn(queue);
  await assert.rejects(failing, /cannot decide/);
  assert.equal(await next, "once");
});

Deno.test("ApprovalQueue.inTurn() lets the next one in when the question before it is withdrawn", async () => {
  const shown = Promise.withResolvers<void>();
  const queue = queueOf(({ sessionId }) => {
    shown.resolve();
    return sessionId === "stuck" ? new Promise(() => {}) : Promise.resolve("once");
  });
  const stop = new AbortController();
  const stuck = askInTurn(queue, stop.signal, { ...QUESTION, sessionId: "stuck" });
  const next = askInTurn(queue);
  await shown.promise;
  stop.abort(new Error("stop"));
  assert.deepEqual([await stuck, await next], ["withdrawn", "once"]);
});

Deno.test("ApprovalQueue leaves no listener behind, however a question ends", async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  let count = 0;
  const queue = queueOf(() =>
    ++count % 2 === 0 ? Promise.resolve("once") : Promise.reject(new Error("no screen"))
  );
  await Promise.all(Array.from({ length: 20 }, () => askInTurn(queue, signal)));
  assert.equal(count, 20);
  assert.equal(listeners(), 0);
});
