import type { Application } from "../../core/application.ts";
import type { ContextUsage } from "../../core/run/context_meter.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import { readSessionStats, type SessionStats } from "../../core/session/session_stats.ts";
import type { TokenCounts, ToolStats } from "../../core/session/session_stats.ts";
import { formatTime } from "../../core/text/format_time.ts";
import type { Entry, Section } from "./layout.ts";

/** What is told of a session and of what surrounds it. */
export interface StatsFacts {
  /** The session, if one is open. */
  readonly session?: {
    readonly id: string;
    readonly model: string;
    /** Epoch milliseconds. */
    readonly createdAt: number;
    /** How full the context is, in words. */
    readonly context: string;
    readonly stats: SessionStats;
  };
  /** Plugins, one line each. */
  readonly plugins: readonly Entry[];
  /** What plugins show in the status bar, with more about it. */
  readonly statuses: readonly Entry[];
  /** Who takes the place of which part of Alisio. */
  readonly extensions: readonly Entry[];
  /** What is wrong with something, one sentence each. */
  readonly diagnostics: readonly Entry[];
}

/**
 * Gathers what statistics tell.
 *
 * @param application The application.
 * @param session The session, if one is open.
 */
export async function gatherStats(
  application: Application,
  session: OpenSession | undefined,
): Promise<StatsFacts> {
  const { resolved, conflicts } = application.extensions();
  const [prompts, skills] = await Promise.all([
    application.listPromptTemplates(),
    application.listSkills(),
  ]);
  return {
    ...session === undefined ? {} : {
      session: {
        id: session.id,
        model: session.model,
        createdAt: application.store.session(session.id)?.createdAt ?? 0,
        context: formatContext(session.contextUsage()),
        stats: readSessionStats(application.store, session.id),
      },
    },
    plugins: application.plugins().map(({ plugin: { id, version }, tools, commands }) => ({
      name: `${id} ${version}`,
      text: `${count(tools.length, "tool")}, ${count(commands.length, "command")}`,
    })),
    statuses: application.pluginStatuses().map(({ plugin, text, detail }) => ({
      name: plugin,
      text: detail === undefined ? text : `${text}: ${detail}`,
    })),
    extensions: resolved.map(({ point, plugin }) => ({ name: point, text: `from ${plugin}` })),
    diagnostics: [
      ...conflicts.map(({ point, winner, losers }) => ({
        name: "extension_conflict",
        text: `${point}: ${winner} stands before ${losers.join(", ")}`,
      })),
      ...prompts.diagnostics.map(({ code, message }) => ({ name: code, text: message })),
      ...skills.diagnostics.map(({ severity, message, path }) => ({
        name: `skill ${severity}`,
        text: `${path}: ${message}`,
      })),
      ...application.loaded.notices.map((text) => ({ name: "configuration", text })),
    ],
  };
}

/**
 * What statistics tell, in sections. Pure.
 *
 * @param facts What was gathered.
 */
export function statsSections({ session, ...around }: StatsFacts): readonly Section[] {
  return [
    ...session === undefined
      ? [{ heading: "Session", entries: [{ name: "none", text: "It begins with a prompt" }] }]
      : sessionSections(session),
    { heading: "Plugins", entries: around.plugins },
    { heading: "Status of plugins", entries: around.statuses },
    { heading: "Extensions", entries: around.extensions },
    {
      heading: "Diagnostics",
      entries: [
        ...session?.stats.warnings.map((text) => ({ name: "run", text })) ?? [],
        ...around.diagnostics,
      ],
    },
  ];
}

function sessionSections(
  { id, model, createdAt, context, stats }: NonNullable<StatsFacts["session"]>,
): readonly Section[] {
  const { tokens, uncountedTurns, firstTokenMs } = stats;
  const runs = Object.entries(stats.runs).map(([status, n]) => `${n} ${status}`);
  return [
    {
      heading: "Session",
      entries: [
        { name: "id", text: id },
        { name: "model", text: model },
        { name: "began", text: formatTime(createdAt) },
        { name: "prompts", text: runs.length === 0 ? "none" : runs.join(", ").replace("_", " ") },
        { name: "turns", text: formatCount(stats.turns) },
        { name: "context", text: context },
        { name: "time", text: `${formatMs(stats.durationMs)}, of it ${modelTime(stats)}` },
        ...firstTokenMs === null
          ? []
          : [{ name: "first token", text: `${formatMs(firstTokenMs)} (median)` }],
        ...stats.retries === 0 ? [] : [{ name: "sent again", text: formatCount(stats.retries) }],
      ],
    },
    {
      heading: "Tokens",
      entries: [
        { name: "input", text: formatInput(tokens) },
        { name: "output", text: formatCount(tokens.output) },
        ...uncountedTurns === 0
          ? []
          : [{ name: "not counted", text: `${count(uncountedTurns, "turn")} of the server's` }],
      ],
    },
    {
      heading: "Models",
      entries: stats.models.length < 2 ? [] : stats.models.map((each) => ({
        name: each.model,
        text: `${count(each.turns, "turn")}, in ${formatInput(each.tokens)}, ` +
          `out ${formatCount(each.tokens.output)}`,
      })),
    },
    {
      heading: "Tools",
      entries: stats.tools.map((tool) => ({ name: tool.name, text: formatTool(tool) })),
    },
  ];
}

/** A size that nobody has said is not made up. */
function formatContext({ usedTokens, isEstimated, totalTokens }: ContextUsage): string {
  const used = `${isEstimated ? "~" : ""}${formatCount(usedTokens)}`;
  if (totalTokens === null) return `${used} / ?`;
  const percent = Math.round(usedTokens * 100 / totalTokens);
  return `${used} / ${formatCount(totalTokens)} (${percent}%)`;
}

function modelTime({ modelMs }: SessionStats): string {
  return `${formatMs(modelMs)} for the model`;
}

function formatInput({ input, cachedInput }: TokenCounts): string {
  if (cachedInput === 0 || input === 0) return formatCount(input);
  return `${formatCount(input)} (${Math.round(cachedInput * 100 / input)}% from a cache)`;
}

function formatTool({ calls, errors, refused, durationMs }: ToolStats): string {
  return [
    count(calls, "call"),
    ...errors === 0 ? [] : [count(errors, "error")],
    ...refused === 0 ? [] : [`${refused} refused`],
    formatMs(durationMs),
  ].join(", ");
}

function count(n: number, noun: string): string {
  return `${formatCount(n)} ${noun}${n === 1 ? "" : "s"}`;
}

function formatCount(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor(ms / 1_000) % 60;
  return minutes < 60
    ? `${minutes} min ${seconds} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
