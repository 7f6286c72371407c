import { resultText } from "../tools/result_text.ts";
import type { StoredMessage, StoredUserMessage } from "../session/stored_message.ts";
import { boundText } from "../text/bound_text.ts";
import { describeImage } from "./describe_image.ts";

/** What of a message is told: who it is from, and what they said. */
interface Entry {
  readonly label: string;
  readonly text: string;
  readonly kind: "text" | "result" | "summary";
}

/** Caps of an entry, from the first pair that makes a transcript fit. */
const CAPS: readonly (readonly [result: number, text: number])[] = [
  [8_000, 16_000],
  [2_000, 4_000],
  [500, 1_000],
  [150, 300],
];

/** A mark, a label and line ends. */
const ENTRY_CHARS = 120;

/** A summary of what came before is worth more than any message. */
const SUMMARY_SHARE = 0.5;

/** How much of the room the beginning has, where something in between must go. */
const HEAD_SHARE = 0.15;

/**
 * Writes messages down as text, for whoever summarises them. Where that is too long, long entries
 * are shortened in the middle, and where that is not enough, entries in the middle are left out;
 * each place is marked. Images are named, not shown.
 *
 * @param messages The messages, oldest first.
 * @param maxChars How long the text may be.
 */
export function transcriptText(messages: readonly StoredMessage[], maxChars: number): string {
  const entries = messages.flatMap(entriesOf);
  const caps = CAPS.find((caps) => totalChars(entries, caps, maxChars) <= maxChars) ??
    CAPS[CAPS.length - 1] ?? [0, 0];
  const blocks = entries.map((entry) => formatEntry(entry, capOf(entry, caps, maxChars)));
  const kept = entries.findIndex(({ kind }) => kind !== "summary");
  return withinRoom(blocks, maxChars, kept < 0 ? entries.length : kept);
}

function entriesOf(message: StoredMessage): readonly Entry[] {
  switch (message.role) {
    case "user":
      return [{
        label: message.summary === true ? "earlier checkpoint" : "person",
        text: message.content.map(partText).join("\n"),
        kind: message.summary === true ? "summary" : "text",
      }];
    case "tool":
      return [{
        label: `${message.isError ? "failed result" : "result"} of ${message.name}`,
        text: resultText(message.content),
        kind: "result",
      }];
    case "assistant":
      return [
        ...message.text.trim() === ""
          ? []
          : [{ label: "agent", text: message.text, kind: "text" } as const],
        ...message.calls.map(({ name, arguments: args }) => ({
          label: `agent calls ${name}`,
          text: args,
          kind: "result",
        } as const)),
      ];
  }
}

function partText(part: StoredUserMessage["content"][number]): string {
  return part.type === "text" ? part.text : describeImage(part);
}

function capOf(
  { kind }: Entry,
  [result, text]: readonly [number, number],
  maxChars: number,
): number {
  if (kind === "summary") return Math.floor(maxChars * SUMMARY_SHARE);
  return kind === "result" ? result : text;
}

function totalChars(
  entries: readonly Entry[],
  caps: readonly [number, number],
  maxChars: number,
): number {
  return entries.reduce(
    (sum, entry) => sum + Math.min(entry.text.length, capOf(entry, caps, maxChars)) + ENTRY_CHARS,
    0,
  );
}

/** A line that begins like a label is moved, so that nobody can speak for somebody else. */
function formatEntry({ label, text }: Entry, cap: number): string {
  const shown = boundText(text, cap).text;
  // Looking for it first is many times as fast as the pattern.
  const safe = shown.includes("--- ") ? shown.replaceAll(/^--- /gm, " --- ") : shown;
  return `--- ${label} ---\n${safe}`;
}

/** Keeps earlier summaries, the beginning and, of the rest, as much of the end as there is room for. */
function withinRoom(blocks: readonly string[], maxChars: number, summaries: number): string {
  const total = blocks.reduce((sum, block) => sum + block.length + 1, 0);
  if (total <= maxChars) return blocks.join("\n");
  const room = Math.max(0, maxChars - ENTRY_CHARS);
  let head = 0;
  let used = 0;
  const most = (at: number) => room * (at < summaries ? 1 : HEAD_SHARE);
  while (head < blocks.length && used + lengthOf(blocks[head]) <= most(head)) {
    used += lengthOf(blocks[head]);
    head++;
  }
  let tail = blocks.length;
  while (tail > head && used + lengthOf(blocks[tail - 1]) <= room) {
    tail--;
    used += lengthOf(blocks[tail]);
  }
  const leftOut = `--- ${tail - head} entries left out ---`;
  return [...blocks.slice(0, head), leftOut, ...blocks.slice(tail)].join("\n");
}

function lengthOf(block: string | undefined): number {
  return (block?.length ?? 0) + 1;
}
