import type { Cursor } from "./_cursor.ts";
import { readArithmetic } from "./_read_expansion.ts";
import { readRedirection, skipLineEnds } from "./_read_redirection.ts";
import { literalText, readRegexWord, readWord, skipBlanks } from "./_read_word.ts";
import type {
  CompoundCommand,
  CompoundKeyword,
  Redirection,
  ShellAssignment,
  ShellCommand,
  ShellScript,
  ShellWord,
  SimpleCommand,
} from "./shell_syntax.ts";

const KEYWORD_REGEXP =
  /(?:\{|\[\[|if|while|until|for|select|case|function|coproc)(?=[ \t\n;&|<>()]|$)/y;
const NAME_REGEXP = /[A-Za-z_]\w*/y;
const FUNCTION_NAME_REGEXP = /[\w.:+-]+(?=[ \t]*\([ \t]*\))/y;
const ASSIGNMENT_REGEXP = /^([A-Za-z_]\w*)(\+?=)/;
const SUBSCRIPT_REGEXP = /[A-Za-z_]\w*\[/y;
const SIMPLE_SUBSCRIPT_REGEXP = /([A-Za-z_]\w*)\[\w+\]\+?=/y;
const BASH_KEYWORDS: readonly string[] = ["[[", "select", "function", "coproc"];
const RESERVED_WORDS: readonly string[] = [
  ..."! { } [[ ]] if then elif else fi while until for select do done case esac in".split(" "),
  "function",
  "coproc",
  "time",
];

/**
 * Reads one command, which has to begin here.
 *
 * @param cursor Where to read.
 */
export function readCommand(cursor: Cursor): ShellCommand {
  const compound = readCompound(cursor);
  if (compound !== null) return compound;
  const name = cursor.look(FUNCTION_NAME_REGEXP);
  if (name === null) return readSimple(cursor);
  cursor.index += name[0].length;
  skipBlanks(cursor);
  cursor.expect("(");
  skipBlanks(cursor);
  cursor.expect(")");
  return readFunctionBody(cursor, name[0]);
}

function readCompound(cursor: Cursor): CompoundCommand | null {
  if (cursor.sees("((")) {
    cursor.requireBash('"(("');
    return withRedirections(cursor, readArithmeticCommand(cursor));
  }
  if (cursor.sees("(\\\n")) cursor.fail("a line is continued in the middle of an operator");
  if (cursor.take("(")) {
    const script = cursor.deeper(() => readUntil(cursor, [")"]));
    return withRedirections(cursor, compound("(", { scripts: [script] }));
  }
  const keyword = cursor.match(KEYWORD_REGEXP)?.[0] as CompoundKeyword | undefined;
  if (keyword === undefined) return null;
  if (BASH_KEYWORDS.includes(keyword)) cursor.requireBash(`"${keyword}"`);
  const command = cursor.deeper(() => readKeyword(cursor, keyword));
  return keyword === "coproc" || keyword === "function"
    ? command
    : withRedirections(cursor, command);
}

function readKeyword(cursor: Cursor, keyword: CompoundKeyword): CompoundCommand {
  switch (keyword) {
    case "{":
      return compound("{", { scripts: [readUntil(cursor, ["}"])] });
    case "if":
      return readIf(cursor);
    case "while":
    case "until":
      return compound(keyword, {
        scripts: [readUntil(cursor, ["do"]), readUntil(cursor, ["done"])],
      });
    case "for":
    case "select":
      return readFor(cursor, keyword);
    case "case":
      return readCase(cursor);
    case "[[":
      return readTest(cursor);
    case "function":
      return readFunction(cursor);
    case "coproc":
      return readCoprocess(cursor);
    case "(":
    case "((":
      return cursor.fail("a parenthesis is not clear");
  }
}

/** Reads commands, then the reserved word or operator that ends them. */
function readUntil(cursor: Cursor, ends: readonly string[]): ShellScript {
  const script = cursor.readScript(cursor, ends);
  if (!ends.some((end) => cursor.take(end))) cursor.fail(`"${ends.join('" or "')}" is missing`);
  return script;
}

function readIf(cursor: Cursor): CompoundCommand {
  const scripts = [readUntil(cursor, ["then"])];
  for (;;) {
    scripts.push(cursor.readScript(cursor, ["elif", "else", "fi"]));
    if (cursor.take("elif")) scripts.push(readUntil(cursor, ["then"]));
    else if (cursor.take("else")) {
      scripts.push(readUntil(cursor, ["fi"]));
      break;
    } else {
      cursor.expect("fi");
      break;
    }
  }
  return compound("if", { scripts });
}

function readFor(cursor: Cursor, keyword: "for" | "select"): CompoundCommand {
  skipBlanks(cursor);
  if (keyword === "for" && cursor.sees("((")) {
    cursor.requireBash('"(("');
    const head = readArithmeticCommand(cursor);
    skipSeparator(cursor);
    return { ...head, keyword: "for", scripts: [...head.scripts, readLoopBody(cursor)] };
  }
  const name = cursor.match(NAME_REGEXP)?.[0];
  if (name === undefined) cursor.fail("a loop has no variable");
  skipLineEnds(cursor);
  const words = takeWord(cursor, "in") ? readWords(cursor) : [];
  skipSeparator(cursor);
  return compound(keyword, { name, words, scripts: [readLoopBody(cursor)] });
}

function readLoopBody(cursor: Cursor): ShellScript {
  if (!takeWord(cursor, "do")) cursor.fail('"do" is missing');
  return readUntil(cursor, ["done"]);
}

function readCase(cursor: Cursor): CompoundCommand {
  skipBlanks(cursor);
  const subject = readWord(cursor);
  if (subject === null) cursor.fail('"case" has no subject');
  skipLineEnds(cursor);
  if (!takeWord(cursor, "in")) cursor.fail('"in" is missing');
  const words = [subject];
  const scripts: ShellScript[] = [];
  for (;;) {
    skipLineEnds(cursor);
    if (takeWord(cursor, "esac")) break;
    words.push(...readCasePatterns(cursor));
    scripts.push(cursor.readScript(cursor, [";;", ";&", "esac"]));
    if (cursor.take(";;&") || cursor.take(";&")) cursor.requireBash('";&"');
    else if (!cursor.take(";;") && !cursor.sees("esac")) cursor.fail('"esac" is missing');
  }
  return compound("case", { words, scripts });
}

function readCasePatterns(cursor: Cursor): readonly ShellWord[] {
  const words: ShellWord[] = [];
  if (cursor.take("(")) skipBlanks(cursor);
  for (;;) {
    const word = readWord(cursor);
    if (word === null) cursor.fail('a pattern of "case" is not clear');
    words.push(word);
    skipBlanks(cursor);
    if (cursor.take(")")) return words;
    cursor.expect("|");
    skipBlanks(cursor);
  }
}

/** `[[ … ]]`: its words are kept, its operators are not. */
function readTest(cursor: Cursor): CompoundCommand {
  const words: ShellWord[] = [];
  let depth = 0;
  let isAfterMatch = false;
  for (;;) {
    skipLineEnds(cursor);
    if (depth === 0 && takeWord(cursor, "]]")) break;
    if (cursor.take("&&") || cursor.take("||")) continue;
    if (!isAfterMatch && cursor.take("(")) depth++;
    else if (!isAfterMatch && depth > 0 && cursor.take(")")) depth--;
    else if (cursor.match(/[<>](?!\()/y) === null) {
      const word: ShellWord | null = isAfterMatch ? readRegexWord(cursor) : readWord(cursor);
      if (word === null) cursor.fail('"[[" is not clear');
      words.push(word);
      isAfterMatch = word.source === "=~";
    }
  }
  return compound("[[", { words });
}

function readFunction(cursor: Cursor): CompoundCommand {
  skipBlanks(cursor);
  const name = cursor.match(/[\w.:+-]+/y)?.[0];
  if (name === undefined) cursor.fail("a function has no name");
  skipBlanks(cursor);
  if (cursor.take("(")) {
    skipBlanks(cursor);
    cursor.expect(")");
  }
  return readFunctionBody(cursor, name);
}

function readFunctionBody(cursor: Cursor, name: string): CompoundCommand {
  skipLineEnds(cursor);
  const body = cursor.deeper(() => readCompound(cursor));
  if (body === null) cursor.fail("a function has no body");
  return compound("function", { name, scripts: [scriptOf(body)] });
}

function readCoprocess(cursor: Cursor): CompoundCommand {
  skipBlanks(cursor);
  const name = cursor.match(/[A-Za-z_]\w*(?=[ \t]+[({])/y)?.[0] ?? null;
  skipBlanks(cursor);
  return compound("coproc", { name, scripts: [scriptOf(readCommand(cursor))] });
}

function readArithmeticCommand(cursor: Cursor): CompoundCommand {
  cursor.index += 2;
  const { text, scripts } = cursor.nested(() => readArithmetic(cursor));
  const word: ShellWord = {
    source: text,
    parts: [{ kind: "arithmetic", text, scripts }],
  };
  return compound("((", { words: [word] });
}

function readSimple(cursor: Cursor): SimpleCommand {
  const assignments: ShellAssignment[] = [];
  const words: ShellWord[] = [];
  const redirections: Redirection[] = [];
  for (;;) {
    skipBlanks(cursor);
    const redirection = readRedirection(cursor);
    if (redirection !== null) {
      redirections.push(redirection);
      continue;
    }
    if (words.length === 0) requireClearSubscript(cursor);
    const word = readWord(cursor);
    if (word === null) break;
    const assignment = words.length === 0 ? toAssignment(cursor, word) : null;
    if (assignment === null) words.push(word);
    else assignments.push(assignment);
  }
  if (assignments.length + words.length + redirections.length === 0) {
    cursor.fail("something stands where a command should begin");
  }
  const [program] = words;
  // Only a reserved word in a place where the grammar has no use for it gets here.
  if (program?.parts.every((part) => part.kind === "text" && part.quoting === "none")) {
    if (RESERVED_WORDS.includes(literalText(program) ?? "")) {
      cursor.fail("a reserved word stands where a program should");
    }
  }
  return { kind: "simple", assignments, words, redirections };
}

/** `name[…` may begin an assignment whose subscript holds blanks, quotes and comments. */
function requireClearSubscript(cursor: Cursor): void {
  if (cursor.look(SUBSCRIPT_REGEXP) === null) return;
  cursor.requireBash("a subscript");
  if (cursor.look(SIMPLE_SUBSCRIPT_REGEXP) === null) cursor.fail("a subscript is not clear");
}

function toAssignment(cursor: Cursor, word: ShellWord): ShellAssignment | null {
  const [first, ...rest] = word.parts;
  if (first?.kind !== "text" || first.quoting !== "none") return null;
  const subscript = /^([A-Za-z_]\w*)\[\w+\]\+?=/.exec(word.source);
  if (subscript !== null) return { name: subscript[1] ?? "", words: [{ ...word, parts: rest }] };
  const found = ASSIGNMENT_REGEXP.exec(first.text);
  if (found === null) return null;
  if (found[2] === "+=") cursor.requireBash('"+="');
  const [array] = rest;
  const value = { ...first, text: first.text.slice(found[0].length) };
  const words = array?.kind === "array"
    ? array.words
    : [{ source: word.source.slice(found[0].length), parts: [value, ...rest] }];
  return { name: found[1] ?? "", words };
}

function readWords(cursor: Cursor): readonly ShellWord[] {
  const words: ShellWord[] = [];
  for (;;) {
    skipBlanks(cursor);
    const word = readWord(cursor);
    if (word === null) return words;
    words.push(word);
  }
}

function withRedirections(cursor: Cursor, command: CompoundCommand): CompoundCommand {
  const redirections: Redirection[] = [];
  for (;;) {
    skipBlanks(cursor);
    const redirection = readRedirection(cursor);
    if (redirection === null) return { ...command, redirections };
    redirections.push(redirection);
  }
}

function skipSeparator(cursor: Cursor): void {
  skipBlanks(cursor);
  if (cursor.next === ";" && !cursor.sees(";;")) cursor.index++;
  skipLineEnds(cursor);
}

function takeWord(cursor: Cursor, word: string): boolean {
  const end = cursor.text.charAt(cursor.index + word.length);
  if (!cursor.sees(word) || !(end === "" || " \t\n;&|<>()".includes(end))) return false;
  return cursor.take(word);
}

function scriptOf(command: ShellCommand): ShellScript {
  return { steps: [{ command, prefixes: [], operator: null }] };
}

function compound(
  keyword: CompoundKeyword,
  rest: Partial<Omit<CompoundCommand, "kind" | "keyword">>,
): CompoundCommand {
  return {
    kind: "compound",
    keyword,
    name: rest.name ?? null,
    words: rest.words ?? [],
    scripts: rest.scripts ?? [],
    redirections: rest.redirections ?? [],
  };
}
