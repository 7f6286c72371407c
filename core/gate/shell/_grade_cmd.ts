import { literalArgument } from "./_argument.ts";
import { isDestructiveText } from "./_destructive_text.ts";
import { gradeProgram, ruleName } from "./_grade_program.ts";
import { HARMLESS, high, medium, ORDINARY, strictest, type Verdict } from "./_verdict.ts";
import { isCodeVariable } from "./code_variable.ts";
import {
  type CommandGrade,
  createGrade,
  type FormFinding,
  higherRisk,
  type PathArgument,
  type ProgramRun,
} from "./command_grade.ts";

/** Text that `cmd.exe` gives a meaning of its own, wherever it stands. */
const UNCLEAR_REGEXP = /[%^!\n\r\0]/;
/** The same outside quotes. */
const UNCLEAR_BARE_REGEXP = /[();,=@]/;
const SAFE_REDIRECTION_REGEXP = /^(?:[12]?>{1,2}\s*nul|[12]?>&\s*[12]|<\s*nul)(?=[\s|&]|$)/i;
const REDIRECTION_REGEXP = /^\d?(?:>>|>|<)\s*("[^"]*"|[^\s|&<>"]*)/;
const OPERATOR_REGEXP = /^(?:&&|\|\||\||&)/;
const WORD_REGEXP = /^(?:"[^"]*"|[^\s|&<>"])+/;
/** Commands that run what is behind them, or read commands from elsewhere. */
const RUNNERS = [
  "call",
  "start",
  "for",
  "forfiles",
  "if",
  "cmd",
  "wsl",
  "assoc",
  "ftype",
  "doskey",
];

/**
 * Grades a command line for `cmd.exe`. Only plain words, pipes and conditions are understood.
 *
 * @param command The command line.
 */
export function gradeCmdCommand(command: string): CommandGrade {
  const findings: FormFinding[] = [];
  const words: string[][] = [[]];
  const writes: string[] = [];
  let rest = command;
  while (rest !== "") {
    const found = readToken(rest);
    if (found === null) return notUnderstood(command);
    const { kind, text, width } = found;
    rest = rest.slice(width);
    if (kind === "operator") words.push([]);
    if (text === "&") findings.push({ kind: "background", detail: '"&"' });
    if (kind === "word") words.at(-1)?.push(text);
    if (kind === "redirection") {
      const reads = rest.startsWith("<") || found.isInput;
      findings.push({ kind: reads ? "input-redirection" : "output-redirection", detail: '">"' });
      if (!reads) writes.push(text);
    }
  }
  if (command.includes("`")) findings.push({ kind: "substitution", detail: "a backquote" });
  return toGrade(command, words.filter((segment) => segment.length > 0), findings, writes);
}

interface CmdToken {
  readonly kind: "blank" | "operator" | "word" | "redirection";
  readonly text: string;
  readonly width: number;
  readonly isInput: boolean;
}

function readToken(rest: string): CmdToken | null {
  const blank = /^\s+/.exec(rest);
  if (blank !== null) return token("blank", "", blank[0]);
  const safe = SAFE_REDIRECTION_REGEXP.exec(rest);
  if (safe !== null) return token("blank", "", safe[0]);
  const redirection = REDIRECTION_REGEXP.exec(rest);
  if (redirection !== null) {
    const target = (redirection[1] ?? "").replaceAll('"', "");
    return token("redirection", target, redirection[0]);
  }
  const operator = OPERATOR_REGEXP.exec(rest);
  if (operator !== null) return token("operator", operator[0], operator[0]);
  const word = WORD_REGEXP.exec(rest);
  if (word === null || UNCLEAR_REGEXP.test(word[0])) return null;
  if (UNCLEAR_BARE_REGEXP.test(word[0].replace(/"[^"]*"/g, ""))) return null;
  return token("word", word[0].replaceAll('"', ""), word[0]);
}

function token(kind: CmdToken["kind"], text: string, source: string): CmdToken {
  return { kind, text, width: source.length, isInput: source.includes("<") };
}

function toGrade(
  command: string,
  segments: readonly (readonly string[])[],
  findings: readonly FormFinding[],
  writes: readonly string[],
): CommandGrade {
  if (segments.length === 0 && findings.length === 0) {
    return createGrade(command, { state: "empty" });
  }
  const verdicts = segments.map(judgeSegment);
  const destructive = isDestructiveText(command)
    ? [high("holds a text that is meant to destroy")]
    : [];
  const written = writes.map((path) => medium("writes a file", [path]));
  const verdict = strictest(HARMLESS, ...verdicts, ...destructive, ...written);
  const variables = verdict.variables.filter((name) => isCodeVariable(name.toUpperCase()));
  return createGrade(command, {
    state: "graded",
    risk: variables.length > 0 ? "high" : higherRisk(verdict.risk, "low"),
    reasons: verdict.reasons,
    runs: segments.map((segment, index) => toRun(segment, verdicts[index] ?? ORDINARY)),
    findings: [
      ...findings,
      ...verdict.refusals.map((detail) => ({ kind: "argument" as const, detail })),
    ],
    writes: verdict.writes,
    paths: segments.flatMap(toPaths),
    variables,
  });
}

function judgeSegment(segment: readonly string[]): Verdict {
  const [program = "", ...rest] = segment;
  const { name, glued } = splitProgram(program);
  const args = glued === "" ? rest : [glued, ...rest];
  if (RUNNERS.includes(name)) return high("starts another program or reads commands");
  if (/\.(?:bat|cmd|ps1|vbs|js)$/i.test(program)) return medium("runs a script");
  switch (name) {
    case "set":
    case "setx":
    case "path": {
      const variable = name === "path" ? "PATH" : /^\w+/.exec(args[0] ?? "")?.[0] ?? "";
      return { ...medium("sets a variable"), variables: [variable] };
    }
    case "date":
    case "time":
      return args.every((arg) => /^\/t$/i.test(arg)) && args.length > 0
        ? HARMLESS
        : medium("may set the clock");
    case "sort":
      return args.some((arg) => /^\/o/i.test(arg)) ? medium("may write a file") : HARMLESS;
    default: {
      const verdict = gradeProgram(name, args.map(literalArgument));
      return isPathName(program) ? strictest(verdict, ORDINARY) : verdict;
    }
  }
}

/** `del/q` and `cd..` name a program and glue its first argument to it. */
function splitProgram(program: string): { readonly name: string; readonly glued: string } {
  if (isPathName(program)) return { name: ruleName(baseName(program)), glued: "" };
  const [, name = program, glued = ""] = /^([\w-]+)([/.:].*)$/.exec(program) ?? [];
  const isSuffix = /^\.(?:exe|com|bat|cmd)$/i.test(glued);
  return {
    name: ruleName((isSuffix ? program : name).toLowerCase()),
    glued: isSuffix ? "" : glued,
  };
}

function toRun(segment: readonly string[], verdict: Verdict): ProgramRun {
  const [program = ""] = segment;
  return {
    program,
    name: splitProgram(program).name,
    isPath: isPathName(program),
    via: null,
    risk: verdict.risk,
    isHarmless: verdict.isHarmless,
    startsOther: verdict.startsOther,
    reasons: verdict.reasons,
  };
}

function toPaths(segment: readonly string[]): readonly PathArgument[] {
  return segment.flatMap((word, index) => {
    const isSwitch = /^\/[\w?-]{1,12}(?::.*)?$/.test(word);
    if (isSwitch || !/[\\/]|^[A-Za-z]:|^\.{1,2}$/.test(word) || word.includes("://")) return [];
    return [{
      path: word,
      use: "any" as const,
      isProgram: index === 0,
      isPattern: /[*?]/.test(word),
    }];
  });
}

function isPathName(program: string): boolean {
  return /\\|^[A-Za-z]:|^\.{1,2}\//.test(program);
}

function baseName(program: string): string {
  return program.slice(Math.max(program.lastIndexOf("\\"), program.lastIndexOf("/")) + 1)
    .toLowerCase();
}

function notUnderstood(command: string): CommandGrade {
  return createGrade(command, {
    state: "not-understood",
    problem: "it holds characters that cmd.exe gives a meaning of its own",
    reasons: ["the command line is not understood"],
  });
}
