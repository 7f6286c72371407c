import type { FieldShape, TextFormat } from "./elicitation_request.ts";
import type { FieldAnswer } from "./field_question.ts";

/** A value that a server receives. */
export type ElicitationValue = string | number | boolean | readonly string[];

const DATE_REGEXP = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME_REGEXP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const FORMATS: Readonly<Record<TextFormat, { words: string; holds: (text: string) => boolean }>> = {
  email: { words: "an e-mail address", holds: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { words: "an address such as https://example.com", holds: (text) => URL.canParse(text) },
  date: { words: "a date such as 2030-12-31", holds: isDate },
  "date-time": {
    words: "a date and time such as 2030-12-31T09:30:00Z",
    holds: (text) =>
      DATE_TIME_REGEXP.test(text) && isDate(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
  },
};

/**
 * What a field takes, in words.
 *
 * @param shape What it takes.
 */
export function describeShape(shape: FieldShape): string {
  switch (shape.kind) {
    case "text": {
      const { minChars, maxChars, format, pattern } = shape;
      return [
        format === undefined ? "a text" : FORMATS[format].words,
        ...between(minChars, maxChars, "characters"),
        ...(pattern === undefined ? [] : [`matching ${pattern}`]),
      ].join(", ");
    }
    case "number":
      return [shape.isInteger ? "a whole number" : "a number", ...between(shape.min, shape.max)]
        .join(", ");
    case "flag":
      return "yes or no";
    case "choice":
      return "one of the options";
    case "choices":
      return [
        "any of the options",
        ...between(
          shape.minItems === 0 ? undefined : shape.minItems,
          shape.maxItems >= shape.choices.length ? undefined : shape.maxItems,
          "of them",
        ),
      ].join(", ");
  }
}

/**
 * Holds an answer against what its field takes.
 *
 * @param shape What the field takes.
 * @param given Words of the person, or the values that were picked.
 */
export function checkValue(shape: FieldShape, given: string | readonly string[]): FieldAnswer {
  if (shape.kind === "choices") {
    const values = typeof given === "string" ? [given] : given;
    return values.length < shape.minItems || values.length > shape.maxItems
      ? wrong(shape)
      : { kind: "value", value: values };
  }
  const words = typeof given === "string" ? given : given.join(" ");
  if (shape.kind === "number") {
    const number = words.trim() === "" ? NaN : Number(words);
    const isRight = Number.isFinite(number) && (!shape.isInteger || Number.isSafeInteger(number)) &&
      isWithin(number, shape.min, shape.max);
    return isRight ? { kind: "value", value: number } : wrong(shape);
  }
  if (shape.kind === "text") {
    const isRight = isWithin([...words].length, shape.minChars, shape.maxChars) &&
      (shape.format === undefined || FORMATS[shape.format].holds(words));
    return isRight ? { kind: "value", value: words } : wrong(shape);
  }
  return wrong(shape);
}

function wrong(shape: FieldShape): FieldAnswer {
  return { kind: "wrong", reason: `it takes ${describeShape(shape)}` };
}

function between(min?: number, max?: number, noun = ""): readonly string[] {
  const end = noun === "" ? "" : ` ${noun}`;
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${end}`];
  if (min !== undefined) return [`at least ${min}${end}`];
  return max === undefined ? [] : [`at most ${max}${end}`];
}

function isWithin(value: number, min = -Infinity, max = Infinity): boolean {
  return value >= min && value <= max;
}

/** The thirtieth of February is a text of the right form, and no day. */
function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return DATE_REGEXP.test(text) && !Number.isNaN(day.getTime()) &&
    day.toISOString().startsWith(text);
}
