import { ownValue } from "./_own_value.ts";
import { literalArgument } from "./_argument.ts";
import { gradeProgram, isKnownProgram, ruleName } from "./_grade_program.ts";
import { HARMLESS, high, medium, strictest, type Verdict } from "./_verdict.ts";
import {
  type CommandGrade,
  createGrade,
  type PathArgument,
  type ProgramRun,
} from "./command_grade.ts";

/** Refused wherever they stand, single quotes apart. */
const UNCLEAR_REGEXP = /[`\0\n\r]/;
/** Refused outside quotes. */
const UNCLEAR_BARE_REGEXP = /[;&(){}[\]<>@]/;
/** PowerShell takes typographic quotes and dashes for plain ones. */
const TYPOGRAPHIC_REGEXP = /[\u2010-\u2015\u2018-\u201f]/;
const PROVIDER_REGEXP = /^(?:env|alias|cert|function|hkcu|hklm|variable|wsman|registry):|::/i;
const VARIABLE_REGEXP = /^\$[A-Za-z_]\w*$/;
const TOKEN_REGEXP = /^(?:'([^']*)'|"([^"]*)"|([^\s|'"]+))(?=[\s|]|$)/;

const ALIASES: Readonly<Record<string, string>> = {
  gci: "get-childitem",
  ls: "get-childitem",
  dir: "get-childitem",
  gc: "get-content",
  cat: "get-content",
  type: "get-content",
  pwd: "get-location",
  gl: "get-location",
  gi: "get-item",
  sls: "select-string",
  select: "select-object",
  sort: "sort-object",
  measure: "measure-object",
  group: "group-object",
  ft: "format-table",
  fl: "format-list",
  gps: "get-process",
  ps: "get-process",
  gcm: "get-command",
  gm: "get-member",
  echo: "write-output",
  write: "write-output",
  compare: "compare-object",
  diff: "compare-object",
  ni: "new-item",
  mkdir: "new-item",
  md: "new-item",
  cpi: "copy-item",
  copy: "copy-item",
  cp: "copy-item",
  mi: "move-item",
  move: "move-item",
  mv: "move-item",
  rni: "rename-item",
  ren: "rename-item",
  ri: "remove-item",
  rm: "remove-item",
  del: "remove-item",
  erase: "remove-item",
  rd: "remove-item",
  rmdir: "remove-item",
  iex: "invoke-expression",
  iwr: "invoke-webrequest",
  irm: "invoke-restmethod",
  curl: "invoke-webrequest",
  wget: "invoke-webrequest",
  saps: "start-process",
  start: "start-process",
  kill: "stop-process",
  spps: "stop-process",
  sc: "set-content",
  ac: "add-content",
  clc: "clear-content",
  cd: "set-location",
  sl: "set-location",
  where: "where-object",
  foreach: "foreach-object",
  tee: "tee-object",
};
const READERS = new Set(
  ("get-childitem get-content get-location get-item get-date get-process get-command get-help get-member " +
    "get-filehash get-alias get-service get-culture get-host select-string select-object sort-object " +
    "measure-object group-object format-table format-list format-wide test-path resolve-path split-path " +
    "join-path write-output write-host out-string out-host out-null convertto-json convertfrom-json " +
    "convertfrom-csv convertto-csv compare-object")
    .split(" "),
);
const MEDIUM_REGEXP = /^(?:new|copy|move|rename)-/;
const CMDLET_REGEXP = /^[a-z]+-[a-z]+$/;
const OUTPUTS = ["write-output", "write-host"];

/**
 * Grades a command line for PowerShell. Its grammar is far larger than what is understood here:
 * plain words joined by pipes. Anything else is a finding, and high.
 *
 * @param command The command line.
 */
export function gradePowerShellCommand(command: string): CommandGrade {
  const segments = readSegments(command);
  if (segments === null) return refused(command);
  if (segments.length === 0) return createGrade(command, { state: "empty" });
  const programs = segments.map(([program = ""]) => canonicalName(program));
  const usesVariables = segments.some((segment) => segment.some((word) => word.startsWith("$")));
  const isLoneOutput = segments.length === 1 && OUTPUTS.includes(programs[0] ?? "");
  const runsBatch = segments.some(([program = ""]) => /\.(?:bat|cmd)$/i.test(program));
  if ((usesVariables && !isLoneOutput) || runsBatch) return refused(command);
  const verdicts = segments.map(judgeSegment);
  const verdict = strictest(HARMLESS, ...verdicts);
  return createGrade(command, {
    state: "graded",
    risk: verdict.risk,
    reasons: verdict.reasons,
    runs: segments.map((segment, index) => toRun(segment[0] ?? "", verdicts[index] ?? HARMLESS)),
    findings: verdict.refusals.map((detail) => ({ kind: "argument", detail })),
    writes: verdict.writes,
    paths: segments.flatMap(toPaths),
    variables: verdict.variables,
  });
}

/** Words by command, or null when the form is not one of those that are understood. */
function readSegments(command: string): readonly (readonly string[])[] | null {
  if (TYPOGRAPHIC_REGEXP.test(command) || UNCLEAR_REGEXP.test(command)) return null;
  if (command.includes("--%") || command.includes("||")) return null;
  const segments: string[][] = [[]];
  let rest = command.trim();
  while (rest !== "") {
    if (rest.startsWith("|")) {
      segments.push([]);
      rest = rest.slice(1).trimStart();
      continue;
    }
    const found = TOKEN_REGEXP.exec(rest);
    if (found === null) return null;
    const [source, single, double, bare] = found;
    const isFirst = segments.at(-1)?.length === 0;
    // A quoted word in the place of a command is a value, not a command.
    if (isFirst && bare === undefined) return null;
    if (bare !== undefined && UNCLEAR_BARE_REGEXP.test(bare)) return null;
    const text = single ?? double ?? bare ?? "";
    if (single === undefined && text.includes("$") && !VARIABLE_REGEXP.test(text)) return null;
    segments.at(-1)?.push(text);
    rest = rest.slice(source.length).trimStart();
  }
  const isComplete = segments.every((segment) => segment.length > 0);
  return isComplete ? segments : command.trim() === "" ? [] : null;
}

function judgeSegment(segment: readonly string[]): Verdict {
  const [program = "", ...args] = segment;
  if (segment.some((word) => PROVIDER_REGEXP.test(word.replace(/^-\w+:/, "")))) {
    return high("reaches what is not a file through a path");
  }
  const name = canonicalName(program);
  if (READERS.has(name)) return HARMLESS;
  if (MEDIUM_REGEXP.test(name)) return medium("changes files");
  const isProgram = !CMDLET_REGEXP.test(name) && !/[\\/]|\.ps1$/i.test(program) &&
    ownValue(ALIASES, program.toLowerCase()) === undefined && isKnownProgram(name);
  return isProgram
    ? gradeProgram(name, args.map(literalArgument))
    : high("is not known to do no harm");
}

function canonicalName(program: string): string {
  const lower = program.toLowerCase();
  return ownValue(ALIASES, lower) ?? ruleName(lower);
}

function toRun(program: string, verdict: Verdict): ProgramRun {
  return {
    program,
    name: ruleName(program.toLowerCase()),
    isPath: /[\\/]/.test(program),
    via: null,
    risk: verdict.risk,
    isHarmless: verdict.isHarmless,
    startsOther: verdict.startsOther,
    reasons: verdict.reasons,
  };
}

function toPaths(segment: readonly string[]): readonly PathArgument[] {
  return segment.flatMap((word, index) =>
    /[\\/]|^[A-Za-z]:|^\.{1,2}$|^~/.test(word) && !word.includes("://")
      ? [{ path: word, use: "any" as const, isProgram: index === 0, isPattern: /[*?]/.test(word) }]
      : []
  );
}

function refused(command: string): CommandGrade {
  const reason = "the form is not one that is understood for PowerShell";
  return createGrade(command, {
    state: "graded",
    risk: "high",
    reasons: [reason],
    runs: [{
      program: null,
      name: null,
      isPath: false,
      via: null,
      risk: "high",
      isHarmless: false,
      startsOther: false,
      reasons: [reason],
    }],
    findings: [{ kind: "syntax", detail: reason }],
  });
}
