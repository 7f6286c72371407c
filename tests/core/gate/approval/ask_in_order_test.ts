import assert from "node:assert/strict";
import type {
  ApprovalChannel,
  ApprovalQuestion,
  ApprovalReply,
  AskOptions,
} from "../../../../core/gate/approval.ts";
import type { ApprovalHop } from "../../../../core/gate/approval/approval_plan.ts";
import { askInOrder } from "../../../../core/gate/approval/ask_in_order.ts";
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
  choices: ["once", "session", "deny", "edit"],
};

const SILENT = () => new Promise<ApprovalReply>(() => {});

function channel(
  key: string,
  ask: (question: ApprovalQuestion, options: AskOptions) => Promise<ApprovalReply>,
  timeoutMs?: number,
): ApprovalChannel {
  return { key, ask, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function says(key: string, reply: ApprovalReply): ApprovalChannel {
  return channel(key, () => Promise.resolve(reply));
}

async function ask(
  channels: readonly ApprovalChannel[],
  options: Omit<ApprovalHop, "channel"> & { readonly signal?: AbortSignal } = {},
): Promise<Awaited<ReturnType<typeof askInOrder>>> {
  const { signal = new AbortController().signal, ...rest } = options;
  const hops = channels.map((each) => ({ channel: each, ...rest }));
  return await askInOrder({ channel: "planned", hops }, QUESTION, signal);
}

Deno.test("askInOrder() asks one after the other until somebody decides (row R19)", async () => {
  const abstains = says("first", { undecided: "unavailable" });
  const fails = channel("fails", () => Promise.reject(new Error("not connected")));
  const odd = says("odd", "maybe" as ApprovalReply);
  const denies = says("second", { answer: "deny", user: "ada" });
  const after = channel("after", () => Promise.reject(new Error("must not be asked")));
  assert.deepEqual(await ask([abstains, fails, odd, denies, after]), {
    kind: "answered",
    answer: "deny",
    user: "ada",
    channel: "second",
  });
  assert.deepEqual(await ask([fails, abstains]), {
    kind: "undecided",
    source: "unavailable",
    channel: "first",
  });
  assert.deepEqual(await ask([]), {
    kind: "undecided",
    source: "unavailable",
    channel: "planned",
  });
});

Deno.test("askInOrder() asks nobody on a channel without time (row R26)", async () => {
  let asked = 0;
  const count = () => {
    asked += 1;
    return Promise.resolve("once" as const);
  };
  const resolution = await ask([channel("telegram.default", count, 0)]);
  assert.deepEqual(resolution, {
    kind: "undecided",
    source: "timed_out",
    channel: "telegram.default",
  });
  assert.equal(asked, 0);
  const next = await ask([channel("telegram.default", count, 0), says("host", "once")]);
  assert.equal(next.channel, "host");
});

Deno.test("askInOrder() takes silence for no decision, and a reply after it for nothing (row R25)", async () => {
  const reply = Promise.withResolvers<ApprovalReply>();
  let takenBack: unknown;
  const slow = channel("matrix.ops", (_question, { signal }) => {
    signal.addEventListener("abort", () => takenBack = signal.reason.message, { once: true });
    return reply.promise;
  }, 20);
  const resolution = await ask([slow]);
  reply.resolve("once");
  await reply.promise;
  assert.deepEqual(resolution, { kind: "undecided", source: "timed_out", channel: "matrix.ops" });
  assert.equal(takenBack, "Nobody answered in time");
});

Deno.test("askInOrder() waits no longer than the shorter of two limits", async () => {
  for (const [own, route] of [[20, 600_000], [600_000, 20]] as const) {
    const resolution = await ask([channel("c", SILENT, own)], { timeoutMs: route });
    assert.equal(resolution.kind === "undecided" && resolution.source, "timed_out");
  }
  // Longer than timers of the runtime can hold, which would end them at once.
  const late = Promise.withResolvers<ApprovalReply>();
  const asking = ask([channel("c", () => late.promise, 2 ** 40)]);
  setTimeout(() => late.resolve("once"), 5);
  assert.equal((await asking).kind, "answered");
});

Deno.test("askInOrder() counts the first of two replies (row R24)", async () => {
  const twice = channel("web", () => {
    const { promise, resolve } = Promise.withResolvers<ApprovalReply>();
    resolve("once");
    resolve("deny");
    return promise;
  });
  assert.deepEqual(await ask([twice]), { kind: "answered", answer: "once", channel: "web" });
});

Deno.test("askInOrder() leaves no listener behind, however a question ends", async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  await ask([says("a", { undecided: "unavailable" }), channel("b", SILENT, 5), says("c", "once")], {
    signal,
  });
  assert.equal(listeners(), 0);
});

Deno.test("askInOrder() tells a channel where to ask, and the person's own nothing", async () => {
  const recipients: unknown[] = [];
  const note = channel("matrix.ops", (_question, options) => {
    recipients.push("recipient" in options ? options.recipient : "absent");
    return Promise.resolve("once");
  });
  await ask([note], { recipient: "!ops:example.org" });
  await ask([note]);
  assert.deepEqual(recipients, ["!ops:example.org", "absent"]);
});
