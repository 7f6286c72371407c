/** The start of a line that may become a heading, a list, a quote, a rule or a fence. */
const UNDECIDED_REGEXP = /^ {0,3}(?:-{1,2}|=+|[*+_]{1,2}|#{1,6}|\d{1,9}[.)]?|>|`{1,2}|~{1,2})$/;

/**
 * What is shown of a text whose last line still grows, so that nothing on the screen jumps when the
 * rest of it comes: a line that does not say yet what it is waits, a row of a table waits until it is
 * whole, and what was opened in the line is closed.
 *
 * @param source Complete lines of the part.
 * @param rest The line that still grows.
 */
export function mendTail(source: string, rest: string): string {
  const before = source === "" ? "" : `${source}\n`;
  if (rest.trim() === "" || UNDECIDED_REGEXP.test(rest.trimEnd())) return source;
  if (rest.trimStart().startsWith("|")) return source;
  return before + closeMarks(rest);
}

/** Closes code and strong text that was opened in a line and not closed yet. */
function closeMarks(line: string): string {
  const ticks = line.match(/`/g)?.length ?? 0;
  if (ticks % 2 === 1) return line.endsWith("`") ? line.slice(0, -1) : `${line}\``;
  const outside = line.replace(/`[^`]*`/g, "");
  const strong = outside.match(/\*\*/g)?.length ?? 0;
  if (strong % 2 === 0) return line;
  return line.endsWith("**") ? line.slice(0, -2) : `${line.replace(/\*$/, "")}**`;
}
