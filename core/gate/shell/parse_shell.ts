/**
 * A parser for the command lines that `shell` hands to bash or to `/bin/sh`.
 *
 * Why our own: what decides about permission may not rest on a guess, and core loads no package.
 * The parsers that are published were measured and read. `unbash` (ISC, no dependencies, 6 ms to
 * import, 300 kB) reads bash very well, but it repairs what it cannot read, knows no other shell —
 * and `dash` gives `((`, `&>` and `{a,b}` another meaning — and would have to be passed in;
 * `sh-syntax` (MIT, mvdan/sh as WebAssembly) takes 32 ms to load, 15 ms for the first command, and
 * answers with promises; `bash-parser` and its successor (MIT, 44 ms) read `cat <<EOF | sh` as
 * words and throw on arrays; `mvdan-sh` (60 ms) is no longer maintained; `tree-sitter-bash` needs
 * its own WebAssembly runtime and repairs errors too. Here, one thing in the text that is not
 * certain makes the whole text "not understood", and what is not understood is never allowed.
 *
 * @module
 */
import { Cursor, NotUnderstood } from "./_cursor.ts";
import { readCommand } from "./_read_command.ts";
import { readHeredocBodies, skipLineEnds } from "./_read_redirection.ts";
import { skipBlanks } from "./_read_word.ts";
import type {
  ParsedShell,
  ShellDialect,
  ShellOperator,
  ShellScript,
  ShellStep,
} from "./shell_syntax.ts";

/** The longest command line that is read; longer ones are not understood. */
export const MAX_COMMAND_CHARACTERS = 65_536;

/** How a command line is read. */
export interface ParseShellOptions {
  /** The grammar; `sh` where the shell is not known to be bash. */
  readonly dialect: ShellDialect;
}

const OPERATOR_REGEXP = /&&|\|\||\|&|&|\||;(?!;|&)/y;
const TOKEN_END_REGEXP = /[ \t\n;&|<>()]|$/y;
const PREFIX_REGEXP = /(!|time(?:[ \t]+-p)?)(?=[ \t\n]|$)/y;

/**
 * Parses a command line. Never throws; takes time in proportion to the length of the text.
 *
 * History expansion is off, as it is in a shell that is not interactive, and so are aliases and
 * extended patterns; a grader has to refuse the commands that would turn them on.
 *
 * @param command The command line.
 * @param options How it is read.
 */
export function parseShell(command: string, options: ParseShellOptions): ParsedShell {
  const problem = findTextProblem(command);
  if (problem !== null) return { ok: false, source: command, reason: problem };
  const { dialect } = options;
  try {
    const cursor = new Cursor(command, dialect, readScript);
    const script = readScript(cursor, []);
    if (!cursor.isAtEnd) cursor.fail("something stands where a command should begin");
    return { ok: true, source: command, dialect, script };
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    return { ok: false, source: command, reason: error.message };
  }
}

function findTextProblem(command: string): string | null {
  if (command.length > MAX_COMMAND_CHARACTERS) {
    return `it is longer than ${MAX_COMMAND_CHARACTERS} characters`;
  }
  if (command.includes("\0")) return "it holds a NUL character";
  if (!command.isWellFormed()) return "it holds half of a character";
  return null;
}

/** Reads commands up to one of `ends`, which are reserved words or operators. */
function readScript(cursor: Cursor, ends: readonly string[]): ShellScript {
  const steps: ShellStep[] = [];
  for (;;) {
    skipLineEnds(cursor);
    if (cursor.isAtEnd || isAtEnd(cursor, ends)) break;
    const prefixes = readPrefixes(cursor);
    const command = readCommand(cursor);
    skipBlanks(cursor);
    const operator = readOperator(cursor);
    steps.push({ command, prefixes, operator });
    if (operator === null) break;
    if (joinsNext(operator)) requireCommand(cursor, ends);
  }
  return { steps };
}

function isAtEnd(cursor: Cursor, ends: readonly string[]): boolean {
  return ends.some((end) => {
    if (!cursor.sees(end)) return false;
    if (!/^[a-z}]/.test(end)) return true;
    TOKEN_END_REGEXP.lastIndex = cursor.index + end.length;
    return TOKEN_END_REGEXP.test(cursor.text);
  });
}

function readPrefixes(cursor: Cursor): readonly ("!" | "time")[] {
  const prefixes: ("!" | "time")[] = [];
  for (;;) {
    const found = cursor.look(PREFIX_REGEXP);
    // Where the shell is not bash, `time` is a program.
    if (found === null || (found[0] !== "!" && cursor.dialect !== "bash")) return prefixes;
    cursor.index += found[0].length;
    prefixes.push(found[0] === "!" ? "!" : "time");
    skipBlanks(cursor);
  }
}

function readOperator(cursor: Cursor): ShellOperator | null {
  if (cursor.take("\n")) {
    readHeredocBodies(cursor);
    return "newline";
  }
  const found = cursor.match(OPERATOR_REGEXP);
  if (found === null) return null;
  if (found[0] === "|&") cursor.requireBash('"|&"');
  return found[0] as ShellOperator;
}

function joinsNext(operator: ShellOperator): boolean {
  return operator === "&&" || operator === "||" || operator === "|" || operator === "|&";
}

function requireCommand(cursor: Cursor, ends: readonly string[]): void {
  skipLineEnds(cursor);
  if (cursor.isAtEnd || isAtEnd(cursor, ends)) cursor.fail("a command is missing");
}
