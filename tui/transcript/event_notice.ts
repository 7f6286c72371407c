import type { RunEvent } from "@alisio/sdk";
import type { NoticeKind } from "../stage.ts";
import { formatDuration } from "../text/format_duration.ts";

/** One calm line about something that a person should know. */
export interface EventNotice {
  /** How it looks. */
  readonly tone: NoticeKind;
  /** What it says. */
  readonly text: string;
}

type Facts = Readonly<Record<string, unknown>>;
type Describe = (facts: Facts) => EventNotice | undefined;

/** What a person can do about a failure, by the start of its code. */
const REMEDIES: readonly (readonly [code: string, remedy: string])[] = [
  ["provider_authentication", "/connect signs in or takes another key"],
  ["provider_permission", "/connect takes another key, /model another model"],
  ["provider_model_not_found", "/model chooses another model"],
  ["provider_quota_exceeded", "/model chooses another model, /connect another provider"],
  ["provider_context_overflow", "/compact makes the conversation shorter, /new begins another one"],
  ["context_budget", "/compact makes the conversation shorter, /new begins another one"],
  ["output_truncated", "raise “limits.maxOutputTokens” in /settings"],
  ["token_budget", "raise the limit in /settings, or go on in /new"],
  ["cost_limit", "raise the limit in /settings"],
  ["timeout", "send the prompt again; /settings has the time limits"],
  ["provider_", "send the prompt again; /model chooses another model"],
  ["repeated_calls", "say in other words what is wanted"],
];

const RECOVERIES: Readonly<Record<string, string>> = {
  tool_call_cut: "The reply was cut inside a call",
  empty_response: "The reply was empty",
  stream_interrupted: "The reply broke off",
};

/** Icons of what was made, and what they are in ASCII. */
const ARTIFACT_SIGNS: Readonly<Record<string, string>> = {
  dashboard: "[D]",
  document: "[M]",
  spreadsheet: "[T]",
  image: "[I]",
  data: "[J]",
  code: "[C]",
  archive: "[Z]",
  file: "[F]",
};

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  run_failed: ({ error, code }) => failure(wordOf(error) || "The run failed", wordOf(code)),
  run_cancelled: () => ({ tone: "warning", text: "Stopped. Say how to go on." }),
  run_turns_exceeded: ({ turns }) => ({
    tone: "warning",
    text: `Paused after ${numberOf(turns)} turns, the limit. A new prompt goes on; ` +
      "/settings → Max turns raises the limit.",
  }),
  response_truncated: ({ maxOutputTokens, source }) => ({
    tone: "warning",
    text: `The answer was cut at ${numberOf(maxOutputTokens)} tokens (${wordOf(source)}); ` +
      'raise "limits.maxOutputTokens" for more.',
  }),
  request_retry: ({ attempt, of, reason, afterMs }) => ({
    tone: "info",
    text: `${retryReason(wordOf(reason))}; asking again in ${formatDuration(Number(afterMs))} (${
      numberOf(attempt)
    }/${numberOf(of)})`,
  }),
  truncation_recovery: ({ attempt, of, reason }) => ({
    tone: "info",
    text: `${RECOVERIES[wordOf(reason)] ?? "The reply was not usable"}; asking again ` +
      `with more room (${numberOf(attempt)}/${numberOf(of)})`,
  }),
  run_warning: ({ message }) => ({ tone: "warning", text: wordOf(message) }),
  plugin_hook_failed: ({ source, hook, error }) => ({
    tone: "warning",
    text: `The plugin "${wordOf(source)}" failed in ${wordOf(hook)}, and the run goes on ` +
      `without it: ${wordOf(error)}`,
  }),
  model_changed: ({ model, previous }) => ({
    tone: "info",
    text: `The model is ${wordOf(model)} from here on; it was ${wordOf(previous)}.`,
  }),
  session_context_injected: ({ tokens, sources }) => ({
    tone: "info",
    text: `Context added: ${numberOf(tokens)} tokens from ${listOf(sources)}`,
  }),
  context_reduced: ({ messages }) => ({
    tone: "info",
    text: `${numberOf(messages)} long messages were shortened to fit the context`,
  }),
  compaction_started: ({ before }) => ({
    tone: "info",
    text: `Compacting the context (${numberOf(before)} tokens)`,
  }),
  compaction_completed: compactionCompleted,
  compaction_skipped: ({ detail, reason }) => ({
    tone: "info",
    text: `Nothing was compacted: ${wordOf(detail) || wordOf(reason)}`,
  }),
  compaction_failed: ({ error }) => ({
    tone: "error",
    text: `The context could not be compacted: ${wordOf(error)}`,
  }),
  artifact_published: artifactPublished,
  plan_proposed: ({ title }) => ({ tone: "info", text: `Plan proposed: ${wordOf(title)}` }),
  plan_decided: ({ decision }) => ({ tone: "info", text: `Plan answered: ${wordOf(decision)}` }),
  "autonomy:approval_timeout": ({ tool, reason }) => ({
    tone: "warning",
    text: `Nobody answered in time, so ${wordOf(tool)} was refused: ${wordOf(reason)}`,
  }),
};

/**
 * What a person is told about an event. Events that rows of their own show, such as calls and their
 * approvals, and events that change nothing for a person are silent.
 *
 * @param event Any event; its data need not be what its type says.
 */
export function noticeOfEvent(event: RunEvent): EventNotice | undefined {
  if (!Object.hasOwn(DESCRIPTIONS, event.type)) return undefined;
  const facts: unknown = event.data;
  if (typeof facts !== "object" || facts === null) return undefined;
  const notice = DESCRIPTIONS[event.type]?.(facts as Facts);
  return notice?.text === "" ? undefined : notice;
}

/**
 * What a person reads about a failure, and what they can do.
 *
 * @param error What went wrong.
 * @param code Its code, if it has one.
 */
function failure(error: string, code: string): EventNotice {
  const remedy = REMEDIES.find(([start]) => code.startsWith(start))?.[1];
  const named = remedy === undefined ? "" : `\nWhat helps: ${remedy.replace(/[“”]/g, '"')}.`;
  return { tone: "error", text: error + named };
}

function compactionCompleted(facts: Facts): EventNotice {
  const { before, after, replaced, partial, plugins } = facts;
  const reports = typeof plugins === "object" && plugins !== null
    ? Object.entries(plugins).map(([id, report]) => `\n${id}: ${reportText(report)}`).join("")
    : "";
  return {
    tone: "success",
    text: `Context compacted: ${numberOf(before)} → ${numberOf(after)} tokens, ` +
      `${numberOf(replaced)} messages summarised${partial === true ? " in part" : ""}${reports}`,
  };
}

function artifactPublished({ artifact, path }: Facts): EventNotice | undefined {
  if (typeof artifact !== "object" || artifact === null) return undefined;
  const { kind, fileName, bytes }: Facts = { ...artifact };
  const sign = ARTIFACT_SIGNS[wordOf(kind)] ?? "[F]";
  const place = wordOf(path) === "" ? "" : `\n${wordOf(path)}`;
  return {
    tone: "success",
    text: `${sign} ${wordOf(fileName)}, ${formatBytes(Number(bytes))}${place}`,
  };
}

function retryReason(reason: string): string {
  return reason === "first_token_timeout"
    ? "The model did not respond"
    : `The request failed (${reason.replaceAll("_", " ")})`;
}

function reportText(report: unknown): string {
  if (typeof report === "object" && report !== null && "summary" in report) {
    return wordOf(report.summary);
  }
  return typeof report === "string" ? report : JSON.stringify(report) ?? "";
}

function formatBytes(bytes: number): string {
  if (!(bytes >= 0)) return "size unknown";
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): string {
  return typeof value === "number" && Number.isFinite(value) ? value.toLocaleString("en") : "?";
}

function listOf(value: unknown): string {
  const names = Array.isArray(value) ? value.map(String) : [];
  return names.length === 0 ? "plugins" : names.slice(0, 8).join(", ");
}
