import type {
  Question,
  QuestionAnswer,
  QuestionOption,
} from "../../../core/tools/user_question.ts";
import { previewText } from "../../../core/text/bound_text.ts";
import type { ElicitationChoice, ElicitationField, FieldShape } from "./elicitation_request.ts";
import { checkValue, describeShape, type ElicitationValue } from "./field_value.ts";

/** What an answer to a field comes to. */
export type FieldAnswer =
  | { readonly kind: "value"; readonly value: ElicitationValue }
  /** The field stays out. */
  | { readonly kind: "none" }
  /** The person gives the server nothing at all. */
  | { readonly kind: "declined" }
  | { readonly kind: "wrong"; readonly reason: string };

/** A field as a question to the person. */
export interface FieldQuestion {
  readonly question: Question;
  /** Whether it was passed over, which is none of the answers below. */
  readonly read: (answer: QuestionAnswer) => FieldAnswer;
}

/** Gives the server nothing, in every question. */
export const DECLINE = "Decline, answer nothing";

const LEAVE_OUT = "Leave this out";
const YES = "Yes";
const NO = "No";
const MAX_HEADER_CHARS = 40;
const MAX_SHOWN_CHARS = 60;

/** An option, and what picking it means. */
interface Pick {
  readonly option: QuestionOption;
  readonly answer: FieldAnswer;
}

/**
 * A field as a question. What the server says stands behind `> ` in it, so that none of it reads
 * like words of Alisio.
 *
 * @param field The field.
 * @param before What stands before it.
 */
export function fieldQuestion(field: ElicitationField, before: string): FieldQuestion {
  const { name, title, description, isRequired, shape } = field;
  const picks = withUniqueLabels([
    ...picksOf(shape),
    ...(isRequired ? [] : [pick(LEAVE_OUT, { kind: "none" })]),
    pick(DECLINE, { kind: "declined" }),
  ]);
  const label = title === name ? title : `${title} (${name})`;
  return {
    question: {
      header: previewText(title, MAX_HEADER_CHARS),
      question: [
        before,
        quotedLines(description === undefined ? label : `${label}\n${description}`),
        `${isRequired ? "Needed" : "May be left out"}: ${describeShape(shape)}`,
      ].filter((part) => part !== "").join("\n"),
      multiSelect: shape.kind === "choices",
      options: picks.map(({ option }) => option),
    },
    read: (answer) => readPicked(answer.selected, picks, shape),
  };
}

/**
 * Lines that a server wrote, each marked as such.
 *
 * @param text What it wrote.
 */
export function quotedLines(text: string): string {
  return text.trim() === "" ? "" : text.trim().replaceAll(/^/gm, "> ");
}

function readPicked(
  selected: readonly string[],
  picks: readonly Pick[],
  shape: FieldShape,
): FieldAnswer {
  const found = selected.map((label) =>
    picks.find(({ option }) => option.label === label && option.takesText !== true)?.answer
  );
  if (found.some((answer) => answer?.kind === "declined")) return { kind: "declined" };
  if (found.some((answer) => answer?.kind === "none")) return { kind: "none" };
  if (shape.kind === "choices") {
    const values = found.map((answer) => answer?.kind === "value" ? answer.value : undefined);
    return checkValue(shape, values.filter((value) => typeof value === "string"));
  }
  const [answer] = found;
  if (answer !== undefined) return answer;
  const takesWords = shape.kind === "text" || shape.kind === "number";
  const [words] = selected;
  if (!takesWords || words === undefined) {
    return { kind: "wrong", reason: "pick one of the options" };
  }
  return checkValue(shape, words);
}

function picksOf(shape: FieldShape): readonly Pick[] {
  switch (shape.kind) {
    case "text":
    case "number":
      return [
        { option: { label: "Type an answer", takesText: true }, answer: { kind: "none" } },
        ...(shape.initial === undefined ? [] : [initialPick(shape.initial)]),
      ];
    case "flag":
      return [true, false].map((value) =>
        pick(value ? YES : NO, { kind: "value", value }, value === shape.initial)
      );
    case "choice":
      return shape.choices.map((choice) => choicePick(choice, choice.value === shape.initial));
    case "choices":
      return shape.choices.map((choice) =>
        choicePick(choice, shape.initial?.includes(choice.value) === true)
      );
  }
}

function initialPick(value: string | number): Pick {
  const shown = previewText(String(value), MAX_SHOWN_CHARS);
  return pick(`Take what the server proposes: ${shown}`, { kind: "value", value });
}

function choicePick({ value, label }: ElicitationChoice, isInitial: boolean): Pick {
  return pick(label, { kind: "value", value }, isInitial);
}

function pick(label: string, answer: FieldAnswer, isInitial = false): Pick {
  const description = isInitial ? { description: "The server proposes this" } : {};
  return { option: { label, ...description }, answer };
}

/** Answers are known by their labels. Those of the server, which come first, give way. */
function withUniqueLabels(picks: readonly Pick[]): readonly Pick[] {
  const taken = new Set<string>();
  return picks.toReversed().map((each) => {
    const { label } = each.option;
    let unique = label.trim() === "" ? "(blank)" : label;
    for (let count = 2; taken.has(unique.trim()); count++) unique = `${label} (${count})`;
    taken.add(unique.trim());
    return { ...each, option: { ...each.option, label: unique } };
  }).reverse();
}
