import type { SettableKey } from "../../core/config/change_settings.ts";

/** A value that a setting can have; null leaves it to the default. */
export type SettingValue = string | number | boolean | null;

/** One setting that can be changed from the interface. */
export interface Setting {
  /** Its path in the configuration. */
  readonly key: SettableKey;
  /** For the person. */
  readonly name: string;
  readonly category: string;
  /** What it does, in one sentence without a full stop. */
  readonly description: string;
  /** What is offered, in this order. */
  readonly values: readonly SettingValue[];
  /** How a value is written; as it is, without one. */
  readonly format?: (value: string | number) => string;
  /** What a value of null is called. */
  readonly unset?: string;
  /** What the person has to agree to before it is switched on; a paragraph on each line. */
  readonly warning?: string;
}

const BOOLEANS = [true, false] as const;

const percent = (value: string | number): string => `${Math.round(Number(value) * 100)} %`;
const thousands = (value: string | number): string => `${Number(value) / 1_000}k`;
const kibibytes = (value: string | number): string =>
  Number(value) >= 1_048_576 ? "1 MiB" : `${Number(value) / 1_024} KiB`;
const seconds = (value: string | number): string => `${Number(value) / 1_000} s`;

const minutes = (value: string | number): string => `${Math.round(Number(value) / 6_000) / 10} min`;
const mebibytes = (value: string | number): string =>
  Number(value) < 1_048_576
    ? kibibytes(value)
    : `${Math.round(Number(value) / 104_857.6) / 10} MiB`;
const days = (value: string | number): string =>
  Number(value) === 0 ? "for ever" : Number(value) === 1 ? "1 day" : `${value} days`;

/** Every setting, in the order of the menu. */
export const SETTINGS: readonly Setting[] = [
  {
    key: "limits.maxTurns",
    name: "Max turns",
    category: "Runs",
    description: "How often the model may answer for one prompt",
    values: [5, 10, 15, 20, 30, 50, 100],
  },
  {
    key: "limits.timeoutMs",
    name: "Time limit",
    category: "Runs",
    description: "How long one prompt may work; waiting for you does not count",
    values: range(30_000, 600_000, 30_000),
    format: seconds,
  },
  {
    key: "limits.maxOutputTokens",
    name: "Max output tokens",
    category: "Runs",
    description: "How long one answer of the model may be",
    values: [null, 1_000, 2_000, 4_000, 8_000, 16_000],
    format: thousands,
    unset: "as the model says",
  },
  {
    key: "limits.maxContextChars",
    name: "Max context",
    category: "Runs",
    description: "How many characters of conversation are sent, where the window is not known",
    values: [80_000, 120_000, 160_000, 240_000, 320_000, 800_000],
    format: thousands,
  },
  {
    key: "limits.truncationRecoveries",
    name: "Retries of cut answers",
    category: "Runs",
    description: "How often an answer that was cut is asked for again",
    values: range(0, 5, 1),
  },
  {
    key: "compaction.auto",
    name: "Compact by itself",
    category: "Context",
    description: "Whether older messages are summarised when the window fills up",
    values: BOOLEANS,
  },
  {
    key: "compaction.threshold",
    name: "Compact at",
    category: "Context",
    description: "How full the window is when that happens",
    values: range(50, 95, 5).map((value) => value / 100),
    format: percent,
  },
  {
    key: "compaction.keepTurns",
    name: "Turns to keep",
    category: "Context",
    description: "How many of the last turns stay as they are",
    values: range(0, 20, 1),
  },
  {
    key: "compaction.maxOutputTokens",
    name: "Max summary tokens",
    category: "Context",
    description: "How long a summary may be",
    values: [8_000, 12_000, 16_000, 24_000, 32_000],
    format: thousands,
  },
  {
    key: "context.claudeMdFallback",
    name: "Read CLAUDE.md",
    category: "Context",
    description: "Whether CLAUDE.md instructs the model where there is no AGENTS.md",
    values: BOOLEANS,
  },
  {
    key: "context.maxBytes",
    name: "Max instructions",
    category: "Context",
    description: "How much of instruction files is sent",
    values: range(4_096, 1_048_576, 4_096),
    format: kibibytes,
  },
  {
    key: "websearch.provider",
    name: "Web search",
    category: "Tools",
    description: "Who is asked when the model searches the web",
    values: [
      null,
      "searxng",
      "duckduckgo-instant",
      "duckduckgo-html",
      "tavily",
      "brave",
      "serpapi",
      "native",
    ],
    unset: "a public SearXNG",
  },
  {
    key: "mcp.allow",
    name: "MCP servers",
    category: "Tools",
    description: "Whether every enabled MCP server is connected at each start, without a question",
    values: BOOLEANS,
    warning: "An MCP server is a program that runs with all your rights, outside every sandbox, " +
      "or an address that is sent what its tools are given.\n" +
      "Every start connects each enabled server, those of projects that you trust among them.",
  },
  {
    key: "pluginHooks.timeoutMs",
    name: "Time for plugins",
    category: "Tools",
    description: "How long a plugin may take when a session begins, or before a compaction",
    values: [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000],
    format: seconds,
  },
  {
    key: "goal.enabled",
    name: "Goals",
    category: "Goals",
    description: "Whether the model may work toward a goal by itself",
    values: BOOLEANS,
  },
  {
    key: "goal.maxTurns",
    name: "Turns of a goal",
    category: "Goals",
    description: "How many runs a goal may take that is set from now on",
    values: [5, 10, 20, 50, 100, 200, 500, 1_000],
  },
  {
    key: "goal.maxMinutes",
    name: "Time of a goal",
    category: "Goals",
    description: "How many minutes its runs may take; waiting for you does not count",
    values: [10, 30, 60, 120, 240, 480, 1_440],
    format: (value) => `${value} min`,
  },
  {
    key: "goal.repeatedReplyLimit",
    name: "Repeated replies",
    category: "Goals",
    description: "After how many repeats of its reply in a row a goal is paused",
    values: [2, 3, 4, 5, 10, 20],
  },
  {
    key: "goal.noToolTurnsLimit",
    name: "Idle turns",
    category: "Goals",
    description: "After how many turns in a row without a call a goal is paused",
    values: [2, 3, 4, 5, 10, 20],
  },
  {
    key: "goal.blockedRepeats",
    name: "Blocked reports",
    category: "Goals",
    description: "In how many turns in a row the model has to report that it is blocked",
    values: [1, 2, 3, 5, 10],
  },
  {
    key: "plan.diagrams",
    name: "Diagrams of plans",
    category: "Plans",
    description: "Whether a plan may hold diagrams",
    values: BOOLEANS,
  },
  {
    key: "plan.maxDiagrams",
    name: "Number of diagrams",
    category: "Plans",
    description: "How many diagrams a plan may hold",
    values: range(0, 8, 1),
  },
  {
    key: "tasks.enabled",
    name: "Background tasks",
    category: "Background tasks",
    description: "Whether the model may start commands that run on while it works",
    values: BOOLEANS,
  },
  {
    key: "tasks.maxPerSession",
    name: "Tasks at once",
    category: "Background tasks",
    description: "How many tasks of one session may run",
    values: [1, 2, 4, 8, 16, 32],
  },
  {
    key: "tasks.maxRunMs",
    name: "Time of a task",
    category: "Background tasks",
    description: "How long a task may run before it is stopped",
    values: [300_000, 900_000, 1_800_000, 3_600_000, 14_400_000, 43_200_000, 86_400_000],
    format: minutes,
  },
  {
    key: "tasks.maxOutputBytes",
    name: "Output of a task",
    category: "Background tasks",
    description: "How much of the beginning of its output is kept",
    values: [524_288, 1_048_576, 2_097_152, 8_388_608, 33_554_432, 104_857_600],
    format: mebibytes,
  },
  {
    key: "tasks.retentionDays",
    name: "Ended tasks",
    category: "Background tasks",
    description: "How long ended tasks and their output stay",
    values: [0, 1, 7, 30, 90, 365],
    format: days,
  },
  {
    key: "tui.theme",
    name: "Theme",
    category: "Interface",
    description: "The colours; a file in the folder themes of your configuration is one more",
    values: ["auto", "dark", "light"],
  },
  {
    key: "tui.paddingX",
    name: "Padding",
    category: "Interface",
    description: "Empty columns beside the screen",
    values: range(0, 4, 1),
  },
  {
    key: "tui.contentPaddingX",
    name: "Content padding",
    category: "Interface",
    description: "Empty columns beside the conversation",
    values: range(0, 12, 1),
  },
  {
    key: "tui.skillSlashCommands",
    name: "Skills as commands",
    category: "Interface",
    description: "Whether skills are in the menu of slash commands",
    values: BOOLEANS,
  },
  {
    key: "tui.notify",
    name: "Notification",
    category: "Interface",
    description: "How you are told that a question waits while you look elsewhere",
    values: ["off", "bell", "osc9"],
  },
];

/**
 * A value in words. Pure.
 *
 * @param setting The setting.
 * @param value One of its values, or another that a file has.
 */
export function formatSetting(
  { format = String, unset = "default" }: Setting,
  value: SettingValue,
): string {
  if (value === null) return unset;
  return typeof value === "boolean" ? value ? "on" : "off" : format(value);
}

/**
 * The value that follows another one: the next that is offered, and after the last the first. A
 * value that is not offered is followed by the next greater one. Pure.
 *
 * @param setting The setting.
 * @param value The value that it has.
 * @param values What is offered.
 */
export function nextValue(
  value: SettingValue,
  values: readonly SettingValue[],
): SettingValue {
  const at = values.indexOf(value);
  const greater = typeof value === "number"
    ? values.find((each) => typeof each === "number" && each > value)
    : undefined;
  return (at === -1 ? greater : values[at + 1]) ?? values[0] ?? null;
}

function range(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
}
