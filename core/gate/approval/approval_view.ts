import type { ApprovalChoice, ApprovalQuestion } from "../approval.ts";
import { EFFECT_WORDS } from "../decide.ts";

/** What a call would do, for a person who decides about it. Nothing in it is cut. */
export interface CallPreview {
  /** What a call is about in a word or two each: a path, a program, an address. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** What runs or is written: a command line, a change, or the input field by field. */
  readonly body: string;
  /** What the body is, where it can be drawn in a way of its own. */
  readonly form?: BodyForm;
}

/** `command`: a command line; `change`: lines that begin with `+`, `-`, `@` or a blank. */
export type BodyForm = "command" | "change";

/** A question about a call, as a person reads it. Plain data: how it is drawn is not its matter. */
export interface ApprovalView {
  /** The question. */
  readonly title: string;
  /** What belongs to it, each on a line of its own. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** What would run, whole. */
  readonly body: string;
  /** What the body is, where it can be drawn in a way of its own. */
  readonly form?: BodyForm;
  /** The answers that are on offer. */
  readonly choices: readonly ApprovalChoice[];
  /** What an answer for the session would cover. */
  readonly sessionScope: string;
}

/**
 * Puts a question about a call in words. Pure.
 *
 * @param question The question.
 * @param preview What the call would do.
 */
export function approvalView(question: ApprovalQuestion, preview: CallPreview): ApprovalView {
  const { agentPath, subject, tool, effect, reason, choices, summary } = question;
  const asks = agentPath.length === 0 ? "" : `${agentPath.join(" › ")} asks: `;
  return {
    title: asks + titleOf(question),
    facts: [
      ...(subject.kind === "directory" ? [["directory", subject.path] as const] : []),
      ...(subject.kind === "protected" ? [["file", subject.path] as const] : []),
      ...preview.facts,
      ...summary.programs.map(({ name, path }) =>
        ["starts", `${name}, which is ${path ?? "not known"}`] as const
      ),
      ["why", reason],
    ],
    body: preview.body,
    ...(preview.form === undefined ? {} : { form: preview.form }),
    choices,
    sessionScope: subject.kind === "directory"
      ? "this directory and all below it"
      : subject.kind === "tool"
      ? `every call of ${tool}`
      : `${EFFECT_WORDS[effect]} (${effect})`,
  };
}

function titleOf({ tool, effect, subject }: ApprovalQuestion): string {
  const call = `${tool} (${effect})`;
  switch (subject.kind) {
    case "effect":
    case "tool":
      return `Allow ${call}?`;
    case "directory":
      return `Allow ${call} to reach a directory outside the workspace?`;
    case "protected":
      return `Allow ${call} to change a protected file?`;
  }
}
