import type { StoredMessage } from "../session/stored_message.ts";

/** How much of a conversation is kept as it is. */
export interface CutOptions {
  /** Turns of the person, with all that followed each; at least one is kept. */
  readonly keepTurns: number;
  /** What is kept should be no longer than this; fewer turns are kept then. */
  readonly maxTailChars: number;
}

/**
 * Decides which beginning of a conversation is summarised. The cut is before a turn of the person
 * or, inside a turn that is too long by itself, behind the results of a call: a call and its result
 * are never parted. Pure.
 *
 * @param messages The conversation, oldest first.
 * @param sizes Characters of each message.
 * @param options How much is kept.
 * @returns How many messages are summarised; 0 where nothing is worth it.
 */
export function chooseCut(
  messages: readonly StoredMessage[],
  sizes: readonly number[],
  options: CutOptions,
): number {
  const safe = safeCuts(messages);
  const tails = tailsOf(sizes);
  const fits = (cut: number) => (tails[cut] ?? 0) <= options.maxTailChars;
  const first = messages.findIndex((message) => !isSummary(message));
  if (first < 0) return 0;
  const starts = turnStarts(messages).slice(-Math.max(1, options.keepTurns))
    .map((start) => safeAtOrBefore(safe, start));
  const worth = (cut: number) => cut > first ? cut : 0;
  for (let turns = Math.max(1, options.keepTurns); turns >= 1; turns--) {
    const cut = starts.at(-turns) ?? 0;
    if (starts.length >= turns ? fits(cut) : fits(first)) return worth(cut);
  }
  const last = starts.at(-1) ?? 0;
  const inside = safe.flatMap((isSafe, cut) =>
    isSafe && cut > last && cut < messages.length ? [cut] : []
  );
  return worth(inside.find(fits) ?? inside.at(-1) ?? last);
}

/**
 * Where a conversation may be cut: at each index, whether every call before it has all of its
 * results before it too. Pure.
 *
 * @param messages The conversation, oldest first.
 * @returns One more than there are messages.
 */
export function safeCuts(messages: readonly StoredMessage[]): readonly boolean[] {
  const safe = [true];
  let farthest = -1;
  reaches(messages).forEach((end, index) => {
    farthest = Math.max(farthest, end);
    safe.push(farthest <= index);
  });
  return safe;
}

/** How far the results of each message's calls reach; beyond the end for one that is missing. */
function reaches(messages: readonly StoredMessage[]): readonly number[] {
  const reach = messages.map((_, index) => index);
  const open = new Map<string, number[]>();
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      for (const { id } of message.calls) {
        const waiting = open.get(id);
        if (waiting === undefined) open.set(id, [index]);
        else waiting.push(index);
      }
    } else if (message.role === "tool") {
      const owner = open.get(message.callId)?.pop();
      if (owner !== undefined) reach[owner] = index;
    }
  });
  for (const waiting of open.values()) {
    for (const owner of waiting) reach[owner] = messages.length;
  }
  return reach;
}

/** Where turns begin: at what the person says, several messages in a row being one turn. */
function turnStarts(messages: readonly StoredMessage[]): readonly number[] {
  const starts: number[] = [];
  let wasPrompt = false;
  messages.forEach((message, index) => {
    const isPrompt = message.role === "user" && message.summary !== true;
    if (isPrompt && !wasPrompt) starts.push(index);
    wasPrompt = isPrompt;
  });
  return starts;
}

function safeAtOrBefore(safe: readonly boolean[], index: number): number {
  let cut = index;
  while (cut > 0 && safe[cut] !== true) cut--;
  return cut;
}

function isSummary(message: StoredMessage): boolean {
  return message.role === "user" && message.summary === true;
}

/** Characters from each index to the end. */
function tailsOf(sizes: readonly number[]): readonly number[] {
  const tails = Array.from({ length: sizes.length + 1 }, () => 0);
  for (let index = sizes.length - 1; index >= 0; index--) {
    tails[index] = (tails[index + 1] ?? 0) + (sizes[index] ?? 0);
  }
  return tails;
}
