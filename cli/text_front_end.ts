import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { previewText } from "../core/text/bound_text.ts";
import { VisibleStream } from "../core/text/visible_stream.ts";
import type { RunObserver } from "../core/run/run_events.ts";
import { jsonLine } from "./json_line.ts";
import type { Output } from "./output.ts";

/**
 * Shows a run as text: the answer streams to standard output; what happens meanwhile goes to
 * standard error, and only when a person is there to see it. Control characters in anything that
 * a model or a tool wrote are shown, never obeyed.
 *
 * @param output Where it prints.
 * @param options How it shows it.
 */
export function createTextFrontEnd(output: Output, options: TextFrontEndOptions): RunObserver {
  return new TextFrontEnd(output, options).observe;
}

/** How a run is shown as text. */
export interface TextFrontEndOptions {
  /** Whether progress and hints are left out. */
  readonly quiet: boolean;
  /**
   * Whether another prompt follows, so that nobody need be told how to go on.
   *
   * @default false
   */
  readonly isOneOfMany?: boolean;
}

/**
 * Shows a run as JSON lines, one event each, and nothing else.
 *
 * @param output Where it prints.
 */
export function createJsonFrontEnd(output: Output): RunObserver {
  return (event) => output.out(jsonLine(event));
}

/** Begins the result of a command that did not end by itself. A preview may be cut, so no JSON. */
const STOPPED_COMMAND_REGEXP = /^\{"exitCode":(?:null|\d+),"endedBy":"(cancelled|timeout)"/;

type ArtifactPublished = Extract<KnownRunEvent, { type: "artifact_published" }>["data"];
type ToolCompleted = Extract<KnownRunEvent, { type: "tool_completed" }>["data"];

class TextFrontEnd {
  readonly #output: Output;
  readonly #quiet: boolean;
  readonly #isOneOfMany: boolean;
  readonly #progress: boolean;
  /** Whether the answer's last line is still open. */
  #lineIsOpen = false;
  readonly #text = new VisibleStream();
  #remedies = new Set<string>();
  /** Ids of the calls that run. */
  readonly #running = new Set<string>();
  /** Ids of the calls that a person answered in place of a tool. */
  readonly #answered = new Set<string>();
  /** Whether the reply at hand was seen while it was made; a provider need not stream. */
  #hasStreamed = false;
  /** Whether a call of this batch began while another one ran. */
  #overlaps = false;

  constructor(output: Output, { quiet, isOneOfMany = false }: TextFrontEndOptions) {
    this.#output = output;
    this.#quiet = quiet;
    this.#isOneOfMany = isOneOfMany;
    this.#progress = output.errIsTerminal && !quiet;
  }

  readonly observe = (event: RunEvent): void => this.#show(event as KnownRunEvent);

  #show(event: KnownRunEvent): void {
    switch (event.type) {
      case "text_delta":
        this.#hasStreamed = true;
        this.#answer(event.data.delta);
        return;
      case "turn_completed":
        this.#endLine();
        return;
      case "tool_started":
        this.#hasStreamed = false;
        this.#running.add(event.data.id);
        this.#overlaps = this.#running.size > 1;
        this.#say(
          `${indentOf(event.data)}→ ${event.data.name} ${previewText(event.data.arguments, 100)}`,
        );
        return;
      case "approval_resolved":
        if (event.data.decision === "edit") this.#answered.add(event.data.id);
        return;
      case "tool_completed":
        this.#toolCompleted(event.data);
        return;
      case "request_retry":
        this.#note(
          `Asking again in ${Math.round(event.data.afterMs)} ms (${event.data.reason}, ` +
            `${event.data.attempt} of ${event.data.of})`,
        );
        return;
      case "truncation_recovery":
        this.#hasStreamed = false;
        this.#note(`The reply was not usable (${event.data.reason}); asking again`);
        return;
      case "artifact_published":
        this.#artifact(event.data);
        return;
      case "run_warning":
        this.#note(`Warning: ${event.data.message}`);
        return;
      case "compaction_started":
        this.#say(`Summarising ${event.data.messages} messages to make room`);
        return;
      case "compaction_completed":
        this.#note(
          `Summarised ${event.data.replaced} messages: about ${event.data.before} tokens of ` +
            `context are ${event.data.after} now${formatReports(event.data.plugins)}`,
        );
        return;
      case "compaction_failed":
        this.#note(`The conversation could not be summarised: ${event.data.error}`);
        return;
      case "compaction_skipped":
        this.#say(`The conversation is not summarised: ${event.data.detail}`);
        return;
      case "context_reduced":
        this.#note(`Cut ${event.data.messages} long messages so that the conversation fits`);
        return;
      case "response_truncated":
        this.#note(
          `The answer was cut at ${event.data.maxOutputTokens} tokens (${event.data.source}); ` +
            'raise "limits.maxOutputTokens" for more',
        );
        return;
      case "run_completed":
        if (!this.#hasStreamed) this.#answer(event.data.text);
        this.#endLine();
        if (!this.#isOneOfMany) {
          this.#say(`Go on with: alisio resume ${event.sessionId.slice(0, 8)} "…"`);
        }
        return;
      case "run_failed":
      case "run_cancelled":
      case "run_turns_exceeded":
        this.#endLine();
        return;
      default:
        return;
    }
  }

  /** Said under --quiet too: it is a result of the run. */
  #artifact({ artifact, path }: ArtifactPublished): void {
    const { kind, fileName, bytes } = artifact;
    this.#endLine();
    this.#output.err(
      `artifact: ${kind} ${visibleName(fileName)} ${bytes} bytes ${visibleName(path)}\n`,
    );
  }

  #toolCompleted(data: ToolCompleted): void {
    // Where calls overlap, the line above need not be the one that this is about.
    const name = this.#overlaps ? `${data.name} ` : "";
    this.#running.delete(data.id);
    this.#overlaps &&= this.#running.size > 0;
    const isAnswered = this.#answered.delete(data.id);
    const outcome = isAnswered ? "not run, answered in its place" : formatOutcome(data);
    this.#say(`${indentOf(data)}  ${name}${outcome}`);
    const remedy = data.refused?.remedy;
    if (remedy === undefined) return;
    const text = `Refused "${data.name}" (${data.refused?.matched}): to permit it, ${remedy}`;
    if (this.#remedies.has(text)) return;
    this.#remedies.add(text);
    this.#note(text);
  }

  #answer(delta: string): void {
    this.#print(this.#text.push(delta));
  }

  #print(shown: string): void {
    if (shown === "") return;
    this.#output.out(shown);
    this.#lineIsOpen = !shown.endsWith("\n");
  }

  /** A line about progress, for a terminal alone. */
  #say(text: string): void {
    if (!this.#progress) return;
    this.#endLine();
    this.#output.err(`${visibleLines(text).replaceAll("\n", " ")}\n`);
  }

  /** A line that matters in a log too. */
  #note(text: string): void {
    if (this.#quiet) return;
    this.#endLine();
    this.#output.err(`${visibleLines(text)}\n`);
  }

  #endLine(): void {
    this.#print(this.#text.end());
    if (!this.#lineIsOpen) return;
    this.#lineIsOpen = false;
    this.#output.out("\n");
  }
}

/** What a call made stands below it, set in. */
function indentOf({ parentId }: { readonly parentId?: string }): string {
  return parentId === undefined ? "" : "  ";
}

/** What plugins report of a summary. */
function formatReports(plugins: Readonly<Record<string, string>>): string {
  return Object.entries(plugins).map(([id, report]) => `; ${id}: ${report}`).join("");
}

/** What a person at the terminal sees of a result: that it is there, or why it is not. */
function formatOutcome({ isError, refused, durationMs, preview }: ToolCompleted): string {
  if (refused !== undefined) return "refused";
  if (!isError) return `done in ${durationMs} ms`;
  const [, endedBy] = STOPPED_COMMAND_REGEXP.exec(preview) ?? [];
  if (endedBy === "cancelled") return `stopped after ${durationMs} ms`;
  if (endedBy === "timeout") return `stopped at its time limit, after ${durationMs} ms`;
  return `failed in ${durationMs} ms: ${previewText(preview, 200)}`;
}
