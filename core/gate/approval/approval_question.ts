import type { Effect } from "@alisio/sdk";
import type { ApprovalChoice, ApprovalProgram, ApprovalQuestion } from "../approval.ts";
import type { Decision } from "../decide.ts";
import { shownInput, shownText, shownWords } from "./shown_input.ts";

/** A call that a person is asked about. */
export interface AskedCall {
  readonly callId: string;
  readonly sessionId: string;
  readonly agentPath: readonly string[];
  readonly tool: string;
  readonly effect: Effect;
  /** Its input, as it will run. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Real paths that it touches. */
  readonly paths: readonly string[];
  /** Programs of its command whose name does not say what runs. */
  readonly programs: readonly ApprovalProgram[];
}

/**
 * Makes the question about a call.
 *
 * @param call The call.
 * @param decision Why it is asked.
 * @param redact Takes known secrets out of a text.
 */
export function approvalQuestion(
  call: AskedCall,
  decision: Decision,
  redact: (text: string) => string,
): ApprovalQuestion {
  const { input, paths, programs, ...rest } = call;
  const command = commandLine(call);
  return {
    ...rest,
    arguments: JSON.stringify(shownInput(input, redact)),
    summary: {
      ...(command === null ? {} : { command: shownText(command, redact) }),
      paths: paths.map((path) => shownWords(path, redact)),
      programs,
    },
    subject: shownSubject(decision.subject, redact),
    reason: shownWords(decision.reason, redact),
    choices: approvalChoices(decision, call.effect),
  };
}

/**
 * What a person may choose. For the session only where an approval can stand; an answer in place of
 * the call only where the question is about the call, and the call would do something here.
 *
 * @param decision What is asked about.
 * @param effect Effect of the tool.
 */
export function approvalChoices(decision: Decision, effect: Effect): readonly ApprovalChoice[] {
  const { subject, onceOnly } = decision;
  const isForOnce = subject.kind === "protected" || onceOnly === true;
  const canEdit = subject.kind !== "directory" && (effect === "write" || effect === "process");
  return [
    "once",
    ...(isForOnce ? [] : ["session"] as const),
    "deny",
    ...(canEdit ? ["edit"] as const : []),
  ];
}

function shownSubject(
  subject: Decision["subject"],
  redact: (text: string) => string,
): Decision["subject"] {
  return "path" in subject ? { ...subject, path: shownWords(subject.path, redact) } : subject;
}

/** The command line of a call that starts programs; the words of an array are quoted. */
function commandLine({ effect, input: { command, args } }: AskedCall): string | null {
  if (effect !== "process" || typeof command !== "string") return null;
  return Array.isArray(args) ? [command, ...args].map(quoteWord).join(" ") : command;
}

function quoteWord(word: unknown): string {
  const text = typeof word === "string" ? word : JSON.stringify(word) ?? "";
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
