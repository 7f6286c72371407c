import type { ApprovalQuestion, AskOptions } from "../approval.ts";
import type { ApprovalHop, ApprovalPlan } from "./approval_plan.ts";
import { type ReadReply, readReply } from "./read_reply.ts";

/** What became of a question; `withdrawn` when the run stopped before it was answered. */
export type ApprovalResolution =
  & (ReadReply | { readonly kind: "withdrawn" })
  & {
    /** The channel that decided, or the last one that was asked. */
    readonly channel: string;
  };

/** What timers of the runtime can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const TIMED_OUT: ReadReply = { kind: "undecided", source: "timed_out" };

/**
 * Asks one channel after the other until somebody decides. A channel that fails, stays silent past
 * its time, abstains or answers what was not on offer is passed by.
 *
 * @param plan Who is asked.
 * @param question The question.
 * @param signal Takes the question back.
 */
export async function askInOrder(
  { channel, hops }: ApprovalPlan,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ApprovalResolution> {
  let resolution: ApprovalResolution = { kind: "undecided", source: "unavailable", channel };
  for (const hop of hops) {
    const reply = await askHop(hop, question, signal);
    const { key } = hop.channel;
    // A channel that gives up together with the run has answered nothing.
    if (signal.aborted) return { kind: "withdrawn", channel: key };
    resolution = { ...reply, channel: key };
    if (reply.kind !== "undecided") break;
  }
  return resolution;
}

async function askHop(
  hop: ApprovalHop,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ReadReply> {
  const limitMs = Math.min(hop.timeoutMs ?? Infinity, hop.channel.timeoutMs ?? Infinity);
  if (limitMs <= 0) return TIMED_OUT;
  const { promise: over, resolve } = Promise.withResolvers<ReadReply>();
  const asking = new AbortController();
  const takeBack = (reason: string) => {
    resolve(TIMED_OUT);
    asking.abort(new Error(reason));
  };
  const stop = () => takeBack("The run was stopped");
  const timer = limitMs === Infinity ? undefined : setTimeout(
    () => takeBack("Nobody answered in time"),
    Math.min(limitMs, MAX_TIMER_MS),
  );
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([put(hop, question, asking.signal), over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Never rejects: a question that cannot be put has no answer. */
async function put(
  { channel, recipient }: ApprovalHop,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<ReadReply> {
  const options: AskOptions = { signal, ...(recipient === undefined ? {} : { recipient }) };
  try {
    return readReply(await channel.ask(question, options), question);
  } catch {
    return { kind: "undecided", source: "unreachable" };
  }
}
