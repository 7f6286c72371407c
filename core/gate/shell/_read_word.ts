import type { Cursor } from "./_cursor.ts";
import { readBackquoted, readDollar } from "./_read_expansion.ts";
import type { ShellWord, WordPart } from "./shell_syntax.ts";

// deno-lint-ignore no-control-regex -- control characters end a word or make it unclear
const PLAIN_REGEXP = /[^\x00-\x20\x7f\\'"`$<>|&;()*?[]+/y;
const DOUBLE_QUOTED_REGEXP = /[^"\\$`]+/y;
// deno-lint-ignore no-control-regex -- as above
const REGEX_PLAIN_REGEXP = /[^\x00-\x20\x7f\\'"`$<>|&;()]+/y;
const BEFORE_LINE_JOINT_REGEXP = /[\w./:,=+\-'" \t\n]/;
const OPERATOR_BEFORE_LINE_JOINT_REGEXP = /[;&|<>(]/;
const AFTER_LINE_JOINT_REGEXP = /[\w./'" \t-]/;
const ARRAY_SUBSCRIPT_REGEXP = /\[\w+\]\+?=/y;
const LONE_BRACKET_REGEXP = /\[(?=[ \t\n;&|<>()]|$)/y;
const ARRAY_TEXT_REGEXP = /^[A-Za-z_]\w*\+?=$/;

/**
 * Skips blanks, joined lines and a comment. A line end stays.
 *
 * @param cursor Where to read.
 */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const next = cursor.next;
    if (next === " " || next === "\t") cursor.index++;
    else if (cursor.sees("\\\n")) skipLineJoint(cursor);
    else if (next === "#") skipComment(cursor);
    else return;
  }
}

/**
 * Reads one word, or null where none begins.
 *
 * @param cursor Where to read.
 */
export function readWord(cursor: Cursor): ShellWord | null {
  const start = cursor.index;
  const parts: WordPart[] = [];
  while (readPart(cursor, parts, start)) {
    // Each call reads one piece.
  }
  if (cursor.index === start) return null;
  return { source: cursor.text.slice(start, cursor.index), parts };
}

/**
 * Reads the regular expression after `=~`, which may hold characters that end other words.
 *
 * @param cursor Where to read.
 */
export function readRegexWord(cursor: Cursor): ShellWord {
  const start = cursor.index;
  const parts: WordPart[] = [];
  let depth = 0;
  for (;;) {
    const plain = cursor.match(REGEX_PLAIN_REGEXP);
    if (plain !== null) {
      parts.push({ kind: "text", text: plain[0], quoting: "none" });
      continue;
    }
    const next = cursor.next;
    if (next === "(" || next === ")" || (next === "|" && depth > 0)) {
      if (next === ")" && depth === 0) break;
      depth += next === "(" ? 1 : next === ")" ? -1 : 0;
      cursor.index++;
      parts.push({ kind: "text", text: next, quoting: "none" });
      continue;
    }
    if (!"'\"`$\\".includes(next) || next === "") break;
    if (!readPart(cursor, parts, start)) break;
  }
  if (depth > 0 || cursor.index === start) cursor.fail("a regular expression is not clear");
  return { source: cursor.text.slice(start, cursor.index), parts };
}

/**
 * The text of a word if expansion cannot change it, or null.
 *
 * @param word A word.
 */
export function literalText(word: ShellWord): string | null {
  let text = "";
  for (const part of word.parts) {
    if (part.kind !== "text") return null;
    text += part.text;
  }
  return text;
}

function readPart(cursor: Cursor, parts: WordPart[], start: number): boolean {
  const plain = cursor.match(PLAIN_REGEXP);
  if (plain !== null) {
    parts.push({ kind: "text", text: plain[0], quoting: "none" });
    return true;
  }
  switch (cursor.next) {
    case "\\":
      readEscape(cursor, parts);
      return true;
    case "'":
      parts.push({ kind: "text", text: readSingleQuoted(cursor), quoting: "single" });
      return true;
    case '"':
      readDoubleQuoted(cursor, parts);
      return true;
    case "$":
      parts.push(readDollar(cursor, { isQuoted: false }));
      return true;
    case "`":
      parts.push(readBackquoted(cursor, { isQuoted: false }));
      return true;
    case "*":
    case "?":
      parts.push({ kind: "pattern", text: cursor.next });
      cursor.index++;
      return true;
    case "[":
      readBracket(cursor, parts, start);
      return true;
    case "<":
    case ">":
      return readProcess(cursor, parts);
    case "(":
      return readArray(cursor, parts);
    default:
      return endOfWord(cursor);
  }
}

function endOfWord(cursor: Cursor): false {
  const code = cursor.next.charCodeAt(0);
  if (code < 0x20 && code !== 0x09 && code !== 0x0a || code === 0x7f) {
    cursor.fail("a control character stands outside quotes");
  }
  return false;
}

function readEscape(cursor: Cursor, parts: WordPart[]): void {
  if (cursor.sees("\\\n")) return skipLineJoint(cursor);
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.index + 1) ?? 0);
  if (character < " " || character === "\x7f") cursor.fail("a backslash protects nothing");
  cursor.index += 1 + character.length;
  parts.push({ kind: "text", text: character, quoting: "escape" });
}

/** Shells join lines before they look for operators, so a joint may not stand inside one. */
function skipLineJoint(cursor: Cursor): void {
  const before = cursor.text.charAt(cursor.index - 1);
  cursor.index += 2;
  const isClear = before === "" || BEFORE_LINE_JOINT_REGEXP.test(before) ||
    (OPERATOR_BEFORE_LINE_JOINT_REGEXP.test(before) && AFTER_LINE_JOINT_REGEXP.test(cursor.next));
  const isDescriptor = /\d/.test(before) && (cursor.next === "<" || cursor.next === ">");
  if (!isClear || isDescriptor) cursor.fail("a line is continued in the middle of an operator");
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf("\n", cursor.index);
  cursor.index = end === -1 ? cursor.text.length : end;
}

function readSingleQuoted(cursor: Cursor): string {
  const end = cursor.text.indexOf("'", cursor.index + 1);
  if (end === -1) cursor.fail("a single quote is not closed");
  const text = cursor.text.slice(cursor.index + 1, end);
  cursor.index = end + 1;
  return text;
}

function readDoubleQuoted(cursor: Cursor, parts: WordPart[]): void {
  cursor.index++;
  parts.push({ kind: "text", text: "", quoting: "double" });
  for (;;) {
    const plain = cursor.match(DOUBLE_QUOTED_REGEXP);
    if (plain !== null) parts.push({ kind: "text", text: plain[0], quoting: "double" });
    if (cursor.take('"')) return;
    if (cursor.isAtEnd) cursor.fail("a double quote is not closed");
    if (cursor.next === "$") parts.push(readDollar(cursor, { isQuoted: true }));
    else if (cursor.next === "`") parts.push(readBackquoted(cursor, { isQuoted: true }));
    else if (cursor.next === "\\") parts.push(readQuotedEscape(cursor));
  }
}

function readQuotedEscape(cursor: Cursor): WordPart {
  const escaped = cursor.text.charAt(cursor.index + 1);
  if (escaped === "") cursor.fail("a double quote is not closed");
  if (escaped === "\n") {
    cursor.index += 2;
    return { kind: "text", text: "", quoting: "double" };
  }
  if (!'$`"\\'.includes(escaped)) {
    cursor.index++;
    return { kind: "text", text: "\\", quoting: "double" };
  }
  cursor.index += 2;
  return { kind: "text", text: escaped, quoting: "double" };
}

function readBracket(cursor: Cursor, parts: WordPart[], start: number): void {
  const isLone = cursor.index === start && cursor.look(LONE_BRACKET_REGEXP) !== null;
  cursor.index++;
  parts.push(
    isLone ? { kind: "text", text: "[", quoting: "none" } : { kind: "pattern", text: "[" },
  );
}

function readProcess(cursor: Cursor, parts: WordPart[]): boolean {
  if (cursor.text.charAt(cursor.index + 1) !== "(") return false;
  cursor.requireBash("process substitution");
  cursor.index += 2;
  const script = cursor.nested(() => cursor.readScript(cursor, [")"]));
  cursor.expect(")");
  parts.push({ kind: "process", script });
  return true;
}

function readArray(cursor: Cursor, parts: WordPart[]): boolean {
  const [first] = parts;
  const isArray = parts.length === 1 && first?.kind === "text" && first.quoting === "none" &&
    ARRAY_TEXT_REGEXP.test(first.text);
  if (!isArray) return false;
  cursor.requireBash("an array");
  cursor.index++;
  const words: ShellWord[] = [];
  for (;;) {
    skipBlanks(cursor);
    if (cursor.take(")")) break;
    if (cursor.next === "\n") {
      if (cursor.heredocs.length > 0 || cursor.outerHeredocs) {
        cursor.fail("a here-document is not clear");
      }
      cursor.index++;
      continue;
    }
    if (cursor.next === "[" && cursor.look(ARRAY_SUBSCRIPT_REGEXP) === null) {
      cursor.fail("a subscript is not clear");
    }
    const word = cursor.nested(() => readWord(cursor));
    if (word === null) cursor.fail("an array is not closed");
    words.push(word);
  }
  parts.push({ kind: "array", words });
  return true;
}
