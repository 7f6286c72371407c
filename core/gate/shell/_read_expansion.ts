import { decodeAnsiQuoted } from "./_ansi_quoted.ts";
import type { Cursor } from "./_cursor.ts";
import type { ShellScript, WordPart } from "./shell_syntax.ts";

/** Where an expansion stands. */
export interface ExpansionContext {
  /** Whether it is inside double quotes or a here-document. */
  readonly isQuoted: boolean;
}

const NAME_REGEXP = /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y;
const PLAIN_BRACES_REGEXP = /\$\{(?:[#!]?[A-Za-z_]\w*|#?[0-9]+|#?[@*#?$!-])\}/y;
const BRACES_TEXT_REGEXP = /[^'"\\$`{}<>@]+/y;
const BODY_TEXT_REGEXP = /[^\\$`]+/y;
const ARITHMETIC_TEXT_REGEXP = /[^'"\\$`()]+/y;

/**
 * Reads what begins with `$`: an expansion, or the character itself.
 *
 * @param cursor Where the `$` stands.
 * @param context Where the expansion stands.
 */
export function readDollar(cursor: Cursor, context: ExpansionContext): WordPart {
  if (cursor.sees("$\\\n")) cursor.fail("a line is continued in the middle of an operator");
  if (cursor.sees("$((")) return readDollarArithmetic(cursor);
  if (cursor.sees("$(")) return readDollarCommand(cursor);
  const name = cursor.match(NAME_REGEXP) ?? cursor.match(PLAIN_BRACES_REGEXP);
  if (name !== null) return { kind: "parameter", text: name[0], scripts: [] };
  if (cursor.sees("${")) return readBraces(cursor, context);
  if (cursor.sees("$'") && !context.isQuoted) return readAnsiQuoted(cursor);
  if (cursor.sees('$"') && !context.isQuoted) cursor.fail('"$" stands before a double quote');
  if (cursor.sees("$[")) cursor.fail('"$[" does not mean the same in every shell');
  cursor.index++;
  return { kind: "text", text: "$", quoting: "none" };
}

/**
 * Reads a command between backquotes.
 *
 * @param cursor Where the backquote stands.
 * @param context Where the expansion stands.
 */
export function readBackquoted(cursor: Cursor, context: ExpansionContext): WordPart {
  cursor.index++;
  let command = "";
  for (;;) {
    const next = cursor.next;
    if (next === "") cursor.fail("a backquote is not closed");
    cursor.index++;
    if (next === "`") break;
    const escaped = cursor.next;
    if (next === "\\" && escaped === '"' && context.isQuoted) {
      cursor.fail("a double quote is escaped inside backquotes");
    }
    if (next === "\\" && escaped !== "" && "$`\\".includes(escaped)) {
      command += escaped;
      cursor.index++;
    } else command += next;
  }
  refuseLineEnd(cursor, command);
  const inner = cursor.inner(command);
  const script = cursor.nested(() => inner.readScript(inner, []));
  if (!inner.isAtEnd) cursor.fail("a command between backquotes is not complete");
  return { kind: "command", script };
}

/**
 * Reads an expression up to and over `))`.
 *
 * @param cursor Behind the `((`.
 * @returns The expression, and the commands inside it.
 */
export function readArithmetic(
  cursor: Cursor,
): { readonly text: string; readonly scripts: readonly ShellScript[] } {
  const start = cursor.index;
  const scripts: ShellScript[] = [];
  let depth = 0;
  for (;;) {
    cursor.match(ARITHMETIC_TEXT_REGEXP);
    if (depth === 0 && cursor.sees("))")) break;
    const next = cursor.next;
    if (next === "(") depth++;
    else if (next === ")") depth--;
    if (next === "(" || next === ")") {
      if (depth < 0) cursor.fail("an arithmetic expression may also be commands in parentheses");
      cursor.index++;
    } else if (next === "$" || next === "`") {
      const part = next === "$"
        ? readDollar(cursor, { isQuoted: true })
        : readBackquoted(cursor, { isQuoted: true });
      scripts.push(...scriptsOf(part));
    } else cursor.fail("an arithmetic expression is not clear");
  }
  const text = cursor.text.slice(start, cursor.index);
  cursor.index += 2;
  refuseLineEnd(cursor, text);
  return { text, scripts };
}

/**
 * The expansions of the body of a here-document.
 *
 * @param body A cursor at the start of the body.
 */
export function readBodyExpansions(body: Cursor): readonly WordPart[] {
  const parts: WordPart[] = [];
  while (!body.isAtEnd) {
    if (body.match(BODY_TEXT_REGEXP) !== null) continue;
    if (body.next === "\\") body.index += 2;
    else if (body.next === "$") parts.push(readDollar(body, { isQuoted: true }));
    else parts.push(readBackquoted(body, { isQuoted: false }));
  }
  return parts.filter((part) => part.kind !== "text");
}

/** Shells do not agree on where the body of a here-document begins inside an expansion. */
function refuseLineEnd(cursor: Cursor, text: string): void {
  if (text.includes("\n") && (cursor.heredocs.length > 0 || cursor.outerHeredocs)) {
    cursor.fail("a here-document is not clear");
  }
}

function scriptsOf(part: WordPart): readonly ShellScript[] {
  switch (part.kind) {
    case "command":
    case "process":
      return [part.script];
    case "parameter":
    case "arithmetic":
      return part.scripts;
    case "text":
    case "pattern":
    case "array":
      return [];
  }
}

function readDollarCommand(cursor: Cursor): WordPart {
  cursor.index += 2;
  const script = cursor.nested(() => cursor.readScript(cursor, [")"]));
  cursor.expect(")");
  return { kind: "command", script };
}

function readDollarArithmetic(cursor: Cursor): WordPart {
  cursor.index += 3;
  return { kind: "arithmetic", ...cursor.nested(() => readArithmetic(cursor)) };
}

/** `${…}` beyond a plain name. What shells read differently inside it is not understood. */
function readBraces(cursor: Cursor, context: ExpansionContext): WordPart {
  const start = cursor.index;
  const scripts: ShellScript[] = [];
  cursor.index += 2;
  cursor.nested(() => {
    while (!cursor.take("}")) {
      if (cursor.match(BRACES_TEXT_REGEXP) !== null) continue;
      const next = cursor.next;
      if (next === "$") scripts.push(...scriptsOf(readDollar(cursor, context)));
      else if (next === "`") scripts.push(...scriptsOf(readBackquoted(cursor, context)));
      else if (next === "@" && !cursor.sees("@P")) cursor.index++;
      else if (next === "'" && !context.isQuoted) skipSingleQuoted(cursor);
      else cursor.fail("the text between braces is not clear");
    }
  });
  const text = cursor.text.slice(start, cursor.index);
  refuseLineEnd(cursor, text);
  return { kind: "parameter", text, scripts };
}

function skipSingleQuoted(cursor: Cursor): void {
  const end = cursor.text.indexOf("'", cursor.index + 1);
  if (end === -1) cursor.fail("a single quote is not closed");
  cursor.index = end + 1;
}

function readAnsiQuoted(cursor: Cursor): WordPart {
  cursor.requireBash('"$\'"');
  const decoded = decodeAnsiQuoted(cursor.text, cursor.index + 2);
  if (decoded === null) cursor.fail("an escape sequence is not clear");
  cursor.index = decoded.end;
  return { kind: "text", text: decoded.text, quoting: "ansi" };
}
