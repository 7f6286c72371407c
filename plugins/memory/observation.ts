import type { Scope } from "./memory_settings.ts";

/** What an observation is about. */
export const OBSERVATION_TYPES = [
  "decision",
  "bugfix",
  "discovery",
  "pattern",
  "architecture",
  "config",
  "preference",
  "learning",
] as const;

/** What an observation is about. */
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

/** What made an observation. */
export type ObservationSource = "memory_save" | "compaction" | "session_summary";

/** An observation that is to be kept. */
export interface NewObservation {
  readonly title: string;
  readonly content: string;
  readonly type: ObservationType;
  readonly scope: Scope;
  /** What it is the latest word on: `family/description`. */
  readonly topicKey?: string;
}

/** An observation as it is kept. */
export interface Observation extends NewObservation {
  readonly id: number;
  readonly sessionId?: string;
  readonly source: ObservationSource;
  readonly project: string;
  readonly revisions: number;
  readonly duplicates: number;
  readonly isPinned: boolean;
  readonly accessCount: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

const MAX_TITLE_CHARS = 200;
const MAX_CONTENT_CHARS = 50_000;
const MAX_TOPIC_CHARS = 120;
const CUT_MARK = "... [truncated]";
/** One that is never closed hides the rest: nobody knows where it was to end. */
const PRIVATE_REGEXP = /<private>.*?(?:<\/private>|$)/gis;

/**
 * Makes an observation fit to be kept: what is private goes, and long texts are cut. Pure.
 *
 * @param given The observation.
 * @throws {RangeError} If nothing is left of its title or its content.
 */
export function cleanObservation(given: NewObservation): NewObservation {
  const title = cut(
    oneForm(withoutPrivate(given.title)).replaceAll(/\s+/g, " ").trim(),
    MAX_TITLE_CHARS,
  );
  const content = cut(oneForm(withoutPrivate(given.content)).trim(), MAX_CONTENT_CHARS);
  for (const [name, text] of [["title", title], ["content", content]] as const) {
    if (text === "") throw new RangeError(`Cannot save: "${name}" is empty; say what to keep`);
  }
  const { topicKey: topic, ...rest } = given;
  const topicKey = topic === undefined ? "" : normaliseTopic(topic);
  return { ...rest, title, content, ...(topicKey === "" ? {} : { topicKey }) };
}

/**
 * Takes out of a text what its author marked as private.
 *
 * @param text The text.
 */
export function withoutPrivate(text: string): string {
  return text.replaceAll(PRIVATE_REGEXP, "[REDACTED]").trim();
}

/**
 * One spelling of what looks the same, without signs that nobody sees and a terminal obeys.
 *
 * @param text The text.
 */
export function oneForm(text: string): string {
  // deno-lint-ignore no-control-regex -- what is taken out
  return text.normalize("NFC").replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, " ");
}

/**
 * The one spelling of a topic: `family/description`, in small letters and hyphens.
 *
 * @param topic The topic as somebody wrote it.
 */
export function normaliseTopic(topic: string): string {
  return oneForm(topic).toLowerCase().split("/")
    .map((part) => part.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, ""))
    .filter((part) => part !== "").join("/").slice(0, MAX_TOPIC_CHARS).replace(/[-/]+$/, "");
}

/**
 * What two contents have in common that say the same: letters and blanks may differ.
 *
 * @param content The content.
 * @returns SHA-256 in hexadecimal.
 */
export async function contentHash(content: string): Promise<string> {
  const normalised = content.toLowerCase().replaceAll(/\s+/g, " ").trim();
  const bytes = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(normalised)),
  );
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Cuts a text to a length, with a mark that counts towards it. No character is cut in two.
 *
 * @param text The text.
 * @param maxChars Its longest length.
 */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const kept = text.slice(0, Math.max(0, maxChars - CUT_MARK.length));
  return `${kept.replace(/[\ud800-\udbff]$/, "")}${CUT_MARK}`;
}

/**
 * One line that shows a text.
 *
 * @param text The text.
 * @param maxChars Its longest length, without the sign that it goes on.
 */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxChars) return line;
  return `${line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…`;
}
