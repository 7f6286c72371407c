import type { ToolResult, UiPart } from "@alisio/sdk";
import { formatCutNote } from "../core/process/output_capture.ts";
import type { CommandOutcome } from "../core/process/run_command.ts";
import { cutMiddle, utf8Length } from "../core/process/visible_text.ts";

/** Most bytes of both streams in JSON, so that a result fits whole into what a model is sent. */
const MAX_STREAMS_JSON_BYTES = 44_000;

/** What was run, for display and for messages. */
export interface CommandTitle {
  /** The command as a person would read it. */
  readonly command: string;
  /** Where it ran. */
  readonly cwd: string;
  /** Its time limit. */
  readonly timeoutMs: number;
}

/**
 * The result of a command that was started: JSON for the model, a terminal block for people.
 *
 * A command that ends by itself is no error of the tool, whatever its exit code; one that had to
 * be stopped is.
 *
 * @param outcome What it came to.
 * @param title What was run.
 */
export function commandResult(outcome: CommandOutcome, title: CommandTitle): ToolResult {
  const { stdout, stderr, isCut } = fitStreams(outcome);
  const notes = [...endNotes(outcome, title), ...leftoverNotes(outcome)];
  const text = JSON.stringify({
    exitCode: outcome.exitCode,
    endedBy: outcome.endedBy,
    ...(outcome.signal === null ? {} : { signal: outcome.signal }),
    ...(notes.length === 0 ? {} : { note: notes.join("\n") }),
    stdout,
    stderr,
    truncated: outcome.truncated || isCut,
  });
  const content = [{ type: "text" as const, text }, terminalPart(outcome, title)];
  const wasStopped = outcome.endedBy === "timeout" || outcome.endedBy === "cancelled";
  return wasStopped ? { content, isError: true } : { content };
}

function endNotes(outcome: CommandOutcome, title: CommandTitle): readonly string[] {
  switch (outcome.endedBy) {
    case "timeout":
      return [`Stopped at the time limit of ${title.timeoutMs} ms; the output so far is here`];
    case "cancelled":
      return ["Stopped because the call was cancelled; the output so far is here"];
    case "signal":
      return [`Ended by ${outcome.signal}`];
    case "exit":
      return [];
    default:
      return outcome.endedBy satisfies never;
  }
}

function leftoverNotes(outcome: CommandOutcome): readonly string[] {
  if (outcome.leftBehind === "unknown") {
    return ["A process that the command started may still be running"];
  }
  const endedByItself = outcome.endedBy === "exit" || outcome.endedBy === "signal";
  return outcome.leftBehind === "killed" && endedByItself
    ? ["The command left processes running; they were ended with it"]
    : [];
}

interface FittedStreams {
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

/** Text of many quotes or line ends grows in JSON; what does not fit then is cut once more. */
function fitStreams(outcome: CommandOutcome): FittedStreams {
  let { stdout, stderr } = outcome;
  let maxBytes = Math.max(utf8Length(stdout), utf8Length(stderr));
  let isCut = false;
  while (jsonLength(stdout) + jsonLength(stderr) > MAX_STREAMS_JSON_BYTES) {
    maxBytes = Math.floor(maxBytes * 0.8);
    stdout = recut(outcome.stdout, { outcome, maxBytes, totalBytes: outcome.stdoutBytes });
    stderr = recut(outcome.stderr, { outcome, maxBytes, totalBytes: outcome.stderrBytes });
    isCut = true;
  }
  return { stdout, stderr, isCut };
}

function recut(
  text: string,
  { outcome: { fullOutput }, maxBytes, totalBytes }: {
    readonly outcome: CommandOutcome;
    readonly maxBytes: number;
    readonly totalBytes: number;
  },
): string {
  const note = (head: number, tail: number) =>
    formatCutNote({ totalBytes, head, tail, fullOutput });
  return cutMiddle(text, maxBytes, note);
}

function jsonLength(text: string): number {
  return utf8Length(JSON.stringify(text));
}

function terminalPart(outcome: CommandOutcome, title: CommandTitle): UiPart {
  return {
    type: "ui",
    block: {
      kind: "terminal",
      // A bare carriage return would let later output cover earlier output.
      output: outcome.terminal.replace(/\r(?!\n)/g, "\n"),
      command: title.command,
      cwd: title.cwd,
      ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
      durationMs: outcome.durationMs,
      truncated: outcome.terminalTruncated,
    },
  };
}
