/** Where a JSON text is broken, and how. */
export interface JsonErrorLocation {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 code units. */
  readonly column: number;
  /** What was expected there, for example `a comma or "}"`. */
  readonly reason: string;
}

// deno-lint-ignore no-control-regex
const STRING_REGEXP = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR_REGEXP = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const SPACE_REGEXP = /[ \t\r\n]*/y;

type Expectation =
  | "value"
  | "value_or_end"
  | "key"
  | "key_or_end"
  | "colon"
  | "comma_or_end"
  | "end";

/**
 * Finds the first place where a text stops being JSON. The runtime's own message names a place only
 * sometimes, and quotes the text around it, which may hold a secret; this one quotes nothing.
 *
 * @param text A text that `JSON.parse` refused.
 */
export function locateJsonError(text: string): JsonErrorLocation {
  const open: ("{" | "[")[] = [];
  let expected: Expectation = "value";
  let offset = skip(text, SPACE_REGEXP, 0);
  while (offset < text.length) {
    const step = readToken(text, offset, expected, open);
    if (step === undefined) break;
    expected = step.expected;
    offset = skip(text, SPACE_REGEXP, step.end);
  }
  return { ...positionOf(text, offset), reason: reasonAt(text, offset, expected, open) };
}

function readToken(
  text: string,
  offset: number,
  expected: Expectation,
  open: ("{" | "[")[],
): { readonly end: number; readonly expected: Expectation } | undefined {
  const char = text[offset] ?? "";
  const end = offset + 1;
  if (expected === "colon") return char === ":" ? { end, expected: "value" } : undefined;
  if (expected === "end") return undefined;
  if (expected === "comma_or_end" && char === ",") {
    return { end, expected: open.at(-1) === "{" ? "key" : "value" };
  }
  if (expected !== "value" && expected !== "key" && char === closerOf(open.at(-1))) {
    open.pop();
    return { end, expected: afterValue(open) };
  }
  if (expected === "comma_or_end") return undefined;
  if (expected === "key" || expected === "key_or_end") {
    const after = skip(text, STRING_REGEXP, offset);
    return after > offset ? { end: after, expected: "colon" } : undefined;
  }
  if (char === "{" || char === "[") {
    open.push(char);
    return { end, expected: char === "{" ? "key_or_end" : "value_or_end" };
  }
  const after = Math.max(skip(text, STRING_REGEXP, offset), skip(text, SCALAR_REGEXP, offset));
  return after > offset ? { end: after, expected: afterValue(open) } : undefined;
}

function reasonAt(
  text: string,
  offset: number,
  expected: Expectation,
  open: readonly ("{" | "[")[],
): string {
  const closer = closerOf(open.at(-1));
  if (offset >= text.length) {
    return open.length === 0
      ? "the text ends before a value"
      : `the text ends before a "${closer}"`;
  }
  const char = text[offset];
  if (char === "/" || char === "#") return "comments are not part of JSON";
  if (char === "'") return "JSON quotes with double quotes only";
  if (char === '"' && expected !== "colon" && expected !== "comma_or_end" && expected !== "end") {
    return "this string is not closed on its line, or holds an unknown escape";
  }
  if (char === closer && (expected === "key" || expected === "value")) {
    return `a comma before "${closer}" is not part of JSON`;
  }
  switch (expected) {
    case "colon":
      return 'expected ":"';
    case "comma_or_end":
      return `expected a comma or "${closer}"`;
    case "end":
      return "expected nothing more";
    case "key":
      return "expected a name in double quotes";
    case "key_or_end":
      return 'expected a name in double quotes or "}"';
    case "value":
    case "value_or_end":
      return "expected a value";
  }
}

function closerOf(opener: "{" | "[" | undefined): string {
  return opener === "{" ? "}" : "]";
}

function afterValue(open: readonly string[]): Expectation {
  return open.length === 0 ? "end" : "comma_or_end";
}

function skip(text: string, pattern: RegExp, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  return { line: before.split(/\r\n|\r|\n/).length, column: offset - lineStart + 1 };
}
