import type { Cursor } from "./_cursor.ts";
import { readBodyExpansions } from "./_read_expansion.ts";
import { literalText, readWord, skipBlanks } from "./_read_word.ts";
import type { Redirection, RedirectionOperator, ShellWord, WordPart } from "./shell_syntax.ts";

const REDIRECTION_REGEXP = /(\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)|(&>>|&>)/y;
const SINGLE_DIGIT_REGEXP = /^\d$/;
const BASH_OPERATORS: readonly string[] = ["<<<", "&>", "&>>"];

/**
 * Reads a redirection, or null where none begins.
 *
 * @param cursor Where to read.
 */
export function readRedirection(cursor: Cursor): Redirection | null {
  const found = cursor.look(REDIRECTION_REGEXP);
  if (found === null) return null;
  const descriptor = found[1] ?? null;
  const operator = (found[2] ?? found[3]) as RedirectionOperator;
  const end = cursor.index + found[0].length;
  // `<(` begins a word, with or without digits in front of it.
  if ((operator === "<" || operator === ">") && cursor.text.charAt(end) === "(") return null;
  if (BASH_OPERATORS.includes(operator)) cursor.requireBash(`"${operator}"`);
  if (descriptor !== null && !SINGLE_DIGIT_REGEXP.test(descriptor)) {
    cursor.requireBash("a descriptor of more than one digit");
  }
  cursor.index = end;
  skipBlanks(cursor);
  const target = readWord(cursor);
  if (target === null) cursor.fail("a redirection has no target");
  const body = operator === "<<" || operator === "<<-"
    ? openHeredoc(cursor, target, { stripsTabs: operator === "<<-" })
    : [];
  return { operator, descriptor, target, body };
}

/**
 * Skips blanks, comments and line ends, and reads the here-documents behind each line end.
 *
 * @param cursor Where to read.
 */
export function skipLineEnds(cursor: Cursor): void {
  skipBlanks(cursor);
  while (cursor.take("\n")) {
    readHeredocBodies(cursor);
    skipBlanks(cursor);
  }
}

/**
 * Reads the bodies of the here-documents that were opened on the line before.
 *
 * @param cursor At the start of a line.
 */
export function readHeredocBodies(cursor: Cursor): void {
  if (cursor.outerHeredocs) cursor.fail("a here-document is not clear");
  if (cursor.heredocs.length === 0) return;
  const pending = cursor.heredocs;
  cursor.heredocs = [];
  for (const heredoc of pending) {
    const lines: string[] = [];
    for (;;) {
      if (cursor.isAtEnd) {
        if (!cursor.isOutermost) cursor.fail("a here-document is not closed");
        break;
      }
      const line = readLine(cursor, heredoc.stripsTabs);
      if (line === heredoc.delimiter) break;
      // A joined line hides or makes the delimiter, and not in every shell.
      if (heredoc.isExpanded && /(?:^|[^\\])(?:\\\\)*\\$/.test(line)) {
        cursor.fail("a line of a here-document is continued");
      }
      lines.push(line);
    }
    if (heredoc.isExpanded) {
      const body = cursor.inner(lines.join("\n"));
      heredoc.parts.push(...readBodyExpansions(body));
    }
  }
}

function openHeredoc(
  cursor: Cursor,
  target: ShellWord,
  options: { readonly stripsTabs: boolean },
): readonly WordPart[] {
  const delimiter = literalText(target);
  if (delimiter === null || delimiter === "" || delimiter.includes("\n")) {
    cursor.fail("the delimiter of a here-document is not clear");
  }
  const parts: WordPart[] = [];
  const isExpanded = target.source === delimiter;
  cursor.heredocs.push({ delimiter, isExpanded, stripsTabs: options.stripsTabs, parts });
  return parts;
}

function readLine(cursor: Cursor, stripsTabs: boolean): string {
  const end = cursor.text.indexOf("\n", cursor.index);
  const stop = end === -1 ? cursor.text.length : end;
  const line = cursor.text.slice(cursor.index, stop);
  cursor.index = end === -1 ? stop : stop + 1;
  return stripsTabs ? line.replace(/^\t+/, "") : line;
}
