import type { ApprovalChoice } from "../../core/gate/approval.ts";
import type { ApprovalView } from "../../core/gate/approval/approval_view.ts";
import type { HiddenCharacter } from "../../core/gate/shell/visible_command.ts";
import type { Role, Theme } from "../theme/theme.ts";
import { layOut } from "./lay_out.ts";

/** What a question can be about beside the call itself. */
const SUBJECTS: readonly string[] = ["directory", "file"];

/** An answer that can be chosen. */
export interface OfferedAnswer {
  readonly choice: ApprovalChoice;
  /** The key that chooses it. */
  readonly key: string;
  /** What it means, in full. */
  readonly label: string;
  /** The same in a word. */
  readonly short: string;
}

/**
 * The answers to a question about a call, in the order in which they are offered.
 *
 * @param view The question.
 */
export function offeredAnswers({ choices, sessionScope }: ApprovalView): readonly OfferedAnswer[] {
  const all: readonly OfferedAnswer[] = [
    { choice: "once", key: "y", label: "Allow once", short: "once" },
    {
      choice: "session",
      key: "a",
      label: `Always allow ${sessionScope} in this session`,
      short: "always",
    },
    { choice: "edit", key: "e", label: "Deny, and answer in its place", short: "answer" },
    { choice: "deny", key: "n", label: "Deny", short: "deny" },
  ];
  return all.filter(({ choice }) => choice === "deny" || choices.includes(choice));
}

/**
 * Lays out all that a person should know before answering: what belongs to the call, what would
 * run, and why it is asked. Nothing is cut.
 *
 * @param view The question.
 * @param style How wide it is, in what colours, and whether the title is repeated in full.
 */
export function approvalText(
  view: ApprovalView,
  { width, theme, withTitle }: {
    readonly width: number;
    readonly theme: Theme;
    readonly withTitle: boolean;
  },
): { readonly rows: readonly string[]; readonly hidden: readonly HiddenCharacter[] } {
  const [line, goesOn] = theme.look.unicode ? ["│ ", "┊ "] : ["| ", ": "];
  const fact = ([label, value]: readonly [string, string]) =>
    layOut(`${label}: ${value}`, {
      width,
      theme,
      prefix: "- ",
      continuation: "  ",
      isOneLine: true,
      role: () => "dim",
    });
  const body = layOut(view.body, {
    width,
    theme,
    prefix: line,
    continuation: goesOn,
    ...(view.form === "change" ? { role: changeRole } : {}),
  });
  // What runs comes first; what it is about, or what is changed, comes before that.
  const isBefore = ([label]: readonly [string, string]) =>
    view.form === "command" ? SUBJECTS.includes(label) : label !== "why";
  const parts = [
    ...(withTitle ? [fact(["asks", view.title])] : []),
    ...view.facts.filter(isBefore).map(fact),
    body,
    ...view.facts.filter((each) => !isBefore(each)).map(fact),
  ];
  return {
    rows: parts.flatMap(({ rows }) => rows),
    hidden: parts.flatMap(({ hidden }) => hidden),
  };
}

/**
 * Says that something was made visible.
 *
 * @param hidden What it was; something at least.
 */
export function hiddenWarning(hidden: readonly HiddenCharacter[]): string {
  const kinds = [...new Set(hidden.map(({ kind }) => kind))].join(", ");
  const what = hidden.length === 1 ? "1 hidden place is" : `${hidden.length} hidden places are`;
  return `Warning: ${what} marked: ${kinds}`;
}

/** A line of a change says by its first character what it is. */
function changeRole(line: string): Role {
  switch (line[0]) {
    case "+":
      return "added";
    case "-":
      return "removed";
    case "@":
      return "hunk";
    default:
      return "text";
  }
}
