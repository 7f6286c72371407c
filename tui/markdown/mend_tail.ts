/** The start of a line that may become a heading, a list, a quote or a rule. */
const UNDECIDED_REGEXP = /^ {0,3}(?:-{1,2}|=+|[*+_]{1,2}|#{1,6}|\d{1,9}[.)]?|>|`{1,2}|~{1,2})$/;
/** A fence whose line is not over: what stands behind it is the name of a language. */
const FENCE_REGEXP = /^ *(?:`{3,}[^`]*|~{3,}.*)$/;
const TABLE_ROW_REGEXP = /^ {0,3}\|/;
/** A mark that opens something, of which nothing has come yet. */
const OPENING_REGEXP = /(^|[\s(])(?:[*_~]{1,3}|`{1,2})$/;

/**
 * What is shown of a text whose last line still grows, so that nothing on the screen jumps when the
 * rest of it comes: a line that does not say yet what it is waits, a row of a table waits until it is
 * whole, and what was opened in the line is closed.
 *
 * @param source Complete lines of the part.
 * @param rest The line that still grows.
 */
export function mendTail(source: string, rest: string): string {
  const isUndecided = rest.trim() === "" || UNDECIDED_REGEXP.test(rest.trimEnd()) ||
    FENCE_REGEXP.test(rest);
  if (TABLE_ROW_REGEXP.test(rest)) return withoutHead(source);
  if (isUndecided) return rest === "" ? withoutHead(source) : source;
  return (source === "" ? "" : `${source}\n`) + closeMarks(rest);
}

/** The head of a table is known for one by the line below it alone. */
function withoutHead(source: string): string {
  const lines = source.split("\n");
  const [last = "", before = ""] = [lines.at(-1), lines.at(-2)];
  const isHead = TABLE_ROW_REGEXP.test(last) && !TABLE_ROW_REGEXP.test(before);
  return isHead ? lines.slice(0, -1).join("\n") : source;
}

/** Closes code and strong text that was opened in a line and not closed yet. */
function closeMarks(line: string): string {
  const shown = line.replace(OPENING_REGEXP, "$1");
  const ticks = shown.match(/`/g)?.length ?? 0;
  if (ticks % 2 === 1) return `${shown}\``;
  const outside = shown.replace(/`[^`]*`/g, "");
  const strong = outside.match(/\*\*/g)?.length ?? 0;
  if (strong % 2 === 0) return shown;
  return shown.endsWith("**") ? shown.slice(0, -2) : `${shown.replace(/\*$/, "").trimEnd()}**`;
}
