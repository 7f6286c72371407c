import { clipText } from "../text/clip_text.ts";
import { safeOutput } from "../text/safe_text.ts";

const MAX_CHARS = 80;
/** Only the end of what a tool reports is looked at. */
const MAX_LOOKED_AT = 4_000;

/** Fields of a report that hold words for a person. */
const FIELDS = ["message", "line", "text", "status", "progress", "output", "chunk"] as const;

/**
 * The last line of what a tool reports while it runs.
 *
 * @param data What it reported; anything.
 * @returns At most 80 characters; undefined if there are no words in it.
 */
export function progressLine(data: unknown): string | undefined {
  const text = wordsOf(data);
  if (text === undefined) return undefined;
  const lines = safeOutput(text.slice(-MAX_LOOKED_AT)).split("\n");
  const last = lines.findLast((line) => line.trim() !== "");
  return last === undefined ? undefined : clipText(last.trim(), MAX_CHARS);
}

function wordsOf(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (typeof data === "number") return String(data);
  if (typeof data !== "object" || data === null) return undefined;
  const facts: Readonly<Record<string, unknown>> = { ...data };
  const field = FIELDS.find((name) => typeof facts[name] === "string" && facts[name] !== "");
  return field === undefined ? undefined : String(facts[field]);
}
