import type { JsonObject, JsonValue } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { Verdict } from "../gate/policy.ts";

/** Effects that a child may have less of than its parent. */
export const NARROWED_EFFECTS = ["write", "process", "external"] as const;

/** An effect that a child may have less of than its parent. */
export type NarrowedEffect = (typeof NARROWED_EFFECTS)[number];

/** What was settled when a child session was made, and holds for each of its runs. */
export interface ChildSettings {
  /** Who works in it, as people see it. */
  readonly agent: string;
  /** More instructions. */
  readonly instructions?: string;
  /** The only tools that it has; null for all that its parent has. */
  readonly tools: readonly string[] | null;
  /** Tools that it does not have. */
  readonly without: readonly string[];
  /** Whether it only looks. */
  readonly onlyReads: boolean;
  /** The most that it may do without more: its own wish, and what its parent could then. */
  readonly verdicts: Readonly<Partial<Record<NarrowedEffect, Verdict>>>;
  /** Most turns of one run. */
  readonly maxTurns?: number;
  /** Longest time of one run. */
  readonly timeoutMs?: number;
  /** Most tokens of one run. */
  readonly maxTokens?: number;
  /** Most tokens of one response. */
  readonly maxOutputTokens?: number;
  /** What it was to have and has not, because its parent has it not; one sentence each. */
  readonly narrowed: readonly string[];
}

/** Where the settings are kept in the options of the session. */
export const CHILD_OPTION = "child";

/**
 * What is stored of the settings.
 *
 * @param settings The settings.
 */
export function formatChildSettings(settings: ChildSettings): JsonObject {
  const { tools, without, verdicts, narrowed, ...plain } = settings;
  return {
    ...plain,
    tools: tools === null ? null : [...tools],
    without: [...without],
    verdicts: { ...verdicts },
    narrowed: [...narrowed],
  };
}

/**
 * Reads what was stored. What cannot be read gives a child that only looks, never one that may do
 * more.
 *
 * @param stored The value of the option.
 */
export function parseChildSettings(stored: JsonValue | undefined): ChildSettings {
  if (!isObject(stored) || typeof stored["agent"] !== "string") return UNREADABLE;
  const { agent, instructions, tools } = stored;
  const verdicts = isObject(stored["verdicts"]) ? stored["verdicts"] : {};
  return {
    agent,
    ...(typeof instructions === "string" ? { instructions } : {}),
    tools: tools === null ? null : textsOf(tools),
    without: textsOf(stored["without"]),
    onlyReads: stored["onlyReads"] !== false,
    verdicts: Object.fromEntries(NARROWED_EFFECTS.flatMap((effect) => {
      const verdict = verdicts[effect];
      return isVerdict(verdict) ? [[effect, verdict]] : [];
    })),
    ...numberOf(stored, "maxTurns"),
    ...numberOf(stored, "timeoutMs"),
    ...numberOf(stored, "maxTokens"),
    ...numberOf(stored, "maxOutputTokens"),
    narrowed: textsOf(stored["narrowed"]),
  };
}

const UNREADABLE: ChildSettings = {
  agent: "unknown",
  tools: null,
  without: [],
  onlyReads: true,
  verdicts: { write: "deny", process: "deny", external: "deny" },
  narrowed: ["its settings could not be read, so it only looks"],
};

function isVerdict(value: unknown): value is Verdict {
  return value === "allow" || value === "ask" || value === "deny";
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function numberOf<K extends string>(
  stored: Readonly<Record<string, unknown>>,
  key: K,
): Partial<Record<K, number>> {
  const value = stored[key];
  const isNumber = typeof value === "number" && Number.isSafeInteger(value) && value > 0;
  return isNumber ? { [key]: value } as Record<K, number> : {};
}
