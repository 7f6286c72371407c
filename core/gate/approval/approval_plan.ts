import type { ApprovalChannel, Approver } from "../approval.ts";

/** One channel that is asked. */
export interface ApprovalHop {
  readonly channel: ApprovalChannel;
  /** Where to on that channel; absent for the person that the run belongs to. */
  readonly recipient?: string;
  /** Longest wait beside the channel's own. */
  readonly timeoutMs?: number;
}

/** Who is asked about a call. */
export interface ApprovalPlan {
  /** Where a person is asked first, or would have been if one could be reached. */
  readonly channel: string;
  /** Asked in order until somebody decides. Empty when nobody can be asked. */
  readonly hops: readonly ApprovalHop[];
}

/** Who could be asked. */
export interface Approvers {
  /**
   * The channels of the person that the run belongs to; none when it works alone, and for an agent
   * that another one started.
   */
  readonly originators: readonly ApprovalChannel[];
  /** Channels that a profile can name in a route. */
  readonly channels: readonly ApprovalChannel[];
}

/** Nobody can be asked: the plan of a run that works alone. */
export const HEADLESS: ApprovalPlan = { channel: "headless", hops: [] };

/**
 * A plan that asks the person who is there, on each of their channels in order.
 *
 * @param channels The channels.
 */
export function askHere(channels: readonly ApprovalChannel[]): ApprovalPlan {
  const [first] = channels;
  if (first === undefined) return HEADLESS;
  return { channel: first.key, hops: channels.map((channel) => ({ channel })) };
}

/**
 * The channels of the person that a run belongs to.
 *
 * @param approve What the program that opened Alisio gave: a function, which is the channel
 * `host`, or channels. None means that nobody is there.
 */
export function channelsOf(
  approve: Approver | ApprovalChannel | readonly ApprovalChannel[] | undefined,
): readonly ApprovalChannel[] {
  if (approve === undefined) return [];
  if (typeof approve === "function") {
    return [{ key: "host", ask: (question, { signal }) => approve(question, signal) }];
  }
  return "ask" in approve ? [approve] : approve;
}

/**
 * Looks for what is wrong with channels before anybody is asked on them.
 *
 * @param approvers Who could be asked.
 * @returns What is wrong, or `null`.
 */
export function channelProblem({ originators, channels }: Approvers): string | null {
  const seen = new Set<string>();
  for (const { key, timeoutMs } of [...originators, ...channels]) {
    if (key.trim() === "") return "a channel has no key";
    if (seen.has(key)) return `two channels have the key "${key}"`;
    if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
      return `the time limit of "${key}" is no number from 0: it is ${timeoutMs}`;
    }
    seen.add(key);
  }
  const unnamed = channels.find(({ key }) => !/^[^.\s]+\.\S+$/.test(key));
  return unnamed === undefined
    ? null
    : `"${unnamed.key}" is no key of a channel: write it as "<platform>.<alias>"`;
}
