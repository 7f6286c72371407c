import { type Argument, literalArgument, toArguments } from "./_argument.ts";
import { judgeDoubleBracket } from "./_builtin_rules.ts";
import { isDestructiveText } from "./_destructive_text.ts";
import { gradeProgram, isKnownProgram, programName, ruleName } from "./_grade_program.ts";
import {
  gitPathOfArgument,
  isPathLike,
  pathArgument,
  pathFrom,
  pathsOfArgument,
} from "./_path_arguments.ts";
import { literalText } from "./_read_word.ts";
import { type Launched, unwrapLauncher } from "./_unwrap_launcher.ts";
import { HARMLESS, high, medium, ORDINARY, strictest, type Verdict } from "./_verdict.ts";
import { isCodeVariable } from "./code_variable.ts";
import {
  type CommandGrade,
  createGrade,
  type FindingKind,
  type FormFinding,
  higherRisk,
  type PathArgument,
  type PathUse,
  type ProgramRun,
  type Risk,
} from "./command_grade.ts";
import { parseShell } from "./parse_shell.ts";
import type {
  CompoundCommand,
  Redirection,
  ShellAssignment,
  ShellDialect,
  ShellScript,
  ShellStep,
  ShellWord,
  SimpleCommand,
  WordPart,
} from "./shell_syntax.ts";

/** Launchers inside launchers that are followed. */
const MAX_LAUNCHES = 12;
/** Programs, paths and folders that are kept for one command line. */
const MAX_RUNS = 500;
const MAX_PATHS = 5_000;
const MAX_DIRECTORIES = 8;

const SAFE_OUTPUTS = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/zero"];
const SAFE_INPUTS = ["/dev/null", "/dev/zero"];

/** Where a program was found. */
export interface Place {
  /** What starts it, or null for the shell. */
  readonly via: string | null;
  /** Whose grammar is around it. */
  readonly dialect: ShellDialect;
  /** Launchers around it. */
  readonly launches: number;
}

/** Thrown inside the grader only. */
class Unclear extends Error {
  override readonly name = "Unclear";
}

/** Collects what a command line would do. */
export class CommandGrader {
  readonly #command: string;
  readonly #runs: ProgramRun[] = [];
  readonly #findings = new Map<string, FormFinding>();
  readonly #writes = new Set<string>();
  readonly #paths = new Map<string, PathArgument>();
  readonly #variables = new Set<string>();
  readonly #reasons = new Set<string>();
  /** Folders that the text has changed to so far; the first is where it starts. */
  readonly #directories = [""];
  #hasUnknownPath = false;
  #risk: Risk = "low";

  /**
   * Makes a grader for one command line.
   *
   * @param command What is graded, as it is shown.
   */
  constructor(command: string) {
    this.#command = command;
  }

  /**
   * The grade, once everything in it has been graded.
   *
   * @param grade Grades it.
   */
  finish(grade: () => void): CommandGrade {
    try {
      grade();
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return this.notUnderstood(error.message);
    }
    const isEmpty = this.#runs.length === 0 && this.#variables.size === 0 &&
      this.#writes.size === 0 && this.#findings.size === 0;
    return this.#result(isEmpty ? "empty" : "graded", null);
  }

  /**
   * The grade of a command line that is not understood.
   *
   * @param problem Why.
   */
  notUnderstood(problem: string): CommandGrade {
    this.#raise("high", [`the command line is not understood: ${problem}`]);
    return this.#result("not-understood", problem);
  }

  #result(state: CommandGrade["state"], problem: string | null): CommandGrade {
    return createGrade(this.#command, {
      state,
      problem,
      risk: this.#risk,
      reasons: [...this.#reasons],
      runs: this.#runs,
      findings: [...this.#findings.values()],
      writes: [...this.#writes],
      paths: [...this.#paths.values()],
      hasUnknownPath: this.#hasUnknownPath,
      variables: [...this.#variables],
    });
  }

  /**
   * Grades a command line.
   *
   * @param source Its text.
   * @param script Its commands.
   * @param dialect Whose grammar it has.
   */
  gradeText(source: string, script: ShellScript, dialect: ShellDialect): void {
    this.addDestructiveText(source);
    // Wherever they stand: quotes around them have been a way through before.
    if (source.includes("`")) this.#find("substitution", "a backquote");
    if (/[<>]\(/.test(source)) this.#find("substitution", "process substitution");
    this.#gradeScript(script, { via: null, dialect, launches: 0 });
  }

  /**
   * Grades a text by what is written in it, wherever it stands.
   *
   * @param text The text.
   */
  addDestructiveText(text: string): void {
    if (isDestructiveText(text)) this.#raise("high", ["holds a text that is meant to destroy"]);
  }

  #gradeScript(script: ShellScript, place: Place): void {
    for (const step of script.steps) this.#gradeStep(step, place);
  }

  #gradeStep(step: ShellStep, place: Place): void {
    for (const prefix of step.prefixes) {
      this.#find("compound", `"${prefix}"`);
      if (prefix === "time") this.#run("time", place, HARMLESS);
    }
    if (step.operator === "&") this.#find("background", '"&"');
    if (step.operator === "|&") this.#find("background", '"|&"');
    if (step.command.kind === "compound") this.#gradeCompound(step.command, place);
    else this.#gradeSimple(step.command, place);
  }

  #gradeCompound(command: CompoundCommand, place: Place): void {
    const { keyword } = command;
    this.#find("compound", `"${keyword}"`);
    if (keyword === "coproc") this.#find("background", '"coproc"');
    const setsName = keyword === "for" || keyword === "select" || keyword === "coproc";
    if (setsName && command.name !== null) this.#setVariable(command.name);
    if (keyword === "function" && isKnownProgram(ruleName(programName(command.name ?? "")))) {
      this.#addVerdict(high("gives the name of a program another meaning"), command.name ?? "");
    }
    for (const word of command.words) this.#gradeWord(word, place);
    if (keyword === "[[") {
      const words = command.words.map((word) => toArguments([word], "sh") ?? []).flat();
      this.#addVerdict(judgeDoubleBracket(words), "[[");
    }
    for (const script of command.scripts) this.#gradeScript(script, place);
    for (const redirection of command.redirections) this.#gradeRedirection(redirection, place);
  }

  #gradeSimple(command: SimpleCommand, place: Place): void {
    const args = toArguments(command.words, place.dialect);
    if (args === null) throw new Unclear("braces in it may expand in more than one way");
    const [program] = args;
    for (const assignment of command.assignments) {
      this.#gradeAssignment(assignment, place, program?.value ?? null);
    }
    for (const word of command.words) this.#gradeWord(word, place);
    for (const redirection of command.redirections) this.#gradeRedirection(redirection, place);
    if (args.length > 0) this.gradeArguments(args, place);
  }

  #gradeAssignment(assignment: ShellAssignment, place: Place, program: string | null): void {
    const { name, words } = assignment;
    // `IFS= read` changes how one line is split, and nothing else.
    const isReading = name === "IFS" && (program === "read" || program === "mapfile");
    if (!isReading) this.#setVariable(name);
    for (const word of words) {
      this.#gradeWord(word, place);
      const text = literalText(word);
      if (text === null) this.#hasUnknownPath = true;
      else this.#addArgumentPaths(literalArgument(text), "any");
    }
  }

  /**
   * Grades a program with its arguments, and whatever it starts.
   *
   * @param args The program and its arguments.
   * @param place Where it was found.
   */
  gradeArguments(args: readonly Argument[], place: Place): void {
    const [first, ...rest] = args;
    if (first === undefined) return;
    if (this.#runs.length >= MAX_RUNS) throw new Unclear("it starts too many programs");
    for (const arg of args) {
      if (arg.value === "tee" || arg.value?.endsWith("/tee")) this.#find("tee", '"tee"');
    }
    const program = first.value;
    if (program === null || program === "") {
      this.#run(null, place, high("which program runs is not known before it runs"));
      this.#addPaths(first, rest, "any");
      return;
    }
    const name = programName(program);
    const canonical = ruleName(name);
    const unwrapped = unwrapLauncher(canonical, rest, place.dialect);
    const isFind = canonical === "find" || canonical === "gfind";
    const known = unwrapped === null || isFind ? gradeProgram(canonical, rest) : unwrapped.verdict;
    // A name says what a program does only where the search path decides what it means.
    const verdict = isPathName(program) ? strictest(known, ORDINARY) : known;
    this.#run(program, place, verdict);
    this.#addPaths(first, rest, verdict.isHarmless ? "read" : "any");
    if (canonical === "git") this.#addGitPaths(rest, verdict.isHarmless ? "read" : "any");
    this.#changeDirectory(canonical, rest);
    for (const variable of unwrapped?.variables ?? []) this.#setVariable(variable);
    if (unwrapped?.directory) this.#enterDirectory(unwrapped.directory);
    for (const launched of unwrapped?.launched ?? []) {
      this.#gradeLaunched(launched, { ...place, via: name, launches: place.launches + 1 });
    }
  }

  #gradeLaunched(launched: Launched, place: Place): void {
    if (place.launches > MAX_LAUNCHES) throw new Unclear("it is nested too deeply");
    switch (launched.kind) {
      case "program":
        return this.gradeArguments(launched.args, place);
      case "unknown":
        return this.#run(null, place, high("which program runs is not known before it runs"));
      case "script": {
        const parsed = parseShell(launched.text, { dialect: launched.dialect });
        if (!parsed.ok) throw new Unclear(`of the commands inside it, ${parsed.reason}`);
        this.addDestructiveText(launched.text);
        return this.#gradeScript(parsed.script, { ...place, dialect: launched.dialect });
      }
    }
  }

  #run(program: string | null, place: Place, verdict: Verdict): void {
    this.#runs.push({
      program,
      name: program === null ? null : programName(program),
      isPath: program !== null && isPathName(program),
      via: place.via,
      risk: verdict.risk,
      isHarmless: verdict.isHarmless,
      startsOther: verdict.startsOther,
      reasons: verdict.reasons,
    });
    this.#addVerdict(verdict, program ?? "a program");
  }

  #addVerdict(verdict: Verdict, program: string): void {
    const name = program.length > 40 ? `${program.slice(0, 40)}…` : program;
    this.#raise(verdict.risk, verdict.reasons.map((reason) => `"${name}": ${reason}`));
    for (const refusal of verdict.refusals) this.#find("argument", refusal);
    for (const variable of verdict.variables) this.#setVariable(variable);
    for (const path of verdict.writes) this.#addWrite(path);
  }

  #gradeWord(word: ShellWord, place: Place): void {
    for (const part of word.parts) this.#gradePart(part, place);
  }

  #gradePart(part: WordPart, place: Place): void {
    switch (part.kind) {
      case "text":
        if (part.quoting === "ansi") this.#find("substitution", '"$\'"');
        return;
      case "pattern":
        return;
      case "parameter": {
        this.#find("substitution", '"$"');
        const assigned = /^\$\{([A-Za-z_]\w*)(?:\[[^\]]*\])?:?=/.exec(part.text)?.[1];
        if (assigned !== undefined) this.#setVariable(assigned);
        // A subscript and an offset are computed, and computing a variable can run commands.
        if (/^\$\{[!#]?\w+(?:\[(?![@*]\])|:[^-=?+])/.test(part.text)) {
          this.#addVerdict(medium("computes with variables"), "${");
        }
        return part.scripts.forEach((script) => this.#gradeSubstitution(script, place));
      }
      case "arithmetic":
        this.#find("substitution", '"$(("');
        if (/[A-Za-z_$`]/.test(part.text)) {
          this.#addVerdict(medium("computes with variables"), "((");
        }
        return part.scripts.forEach((script) => this.#gradeSubstitution(script, place));
      case "command":
        this.#find("substitution", '"$("');
        return this.#gradeSubstitution(part.script, place);
      case "process":
        this.#find("substitution", "process substitution");
        return this.#gradeSubstitution(part.script, place);
      case "array":
        return part.words.forEach((word) => this.#gradeWord(word, place));
    }
  }

  #gradeSubstitution(script: ShellScript, place: Place): void {
    this.#gradeScript(script, { ...place, via: "substitution" });
  }

  #gradeRedirection(redirection: Redirection, place: Place): void {
    const { operator, descriptor, target } = redirection;
    if (descriptor?.startsWith("{")) this.#setVariable(descriptor.slice(1, -1));
    this.#gradeWord(target, place);
    for (const part of redirection.body) this.#gradePart(part, place);
    if (operator === "<<" || operator === "<<-" || operator === "<<<") return;
    const text = literalText(target);
    const merges = (operator === ">&" || operator === "<&") && /^\d+$|^-$/.test(text ?? "");
    if (merges) {
      if (operator === "<&" && text !== "0") this.#find("input-redirection", '"<&"');
      return;
    }
    if (operator === "<") {
      if (!SAFE_INPUTS.includes(text ?? "")) this.#find("input-redirection", '"<"');
      return this.#addRedirected(target, "read");
    }
    const isPlain = operator === ">" && (descriptor === null || /^[12]$/.test(descriptor));
    if (!isPlain || !SAFE_OUTPUTS.includes(text ?? "")) {
      this.#find("output-redirection", `"${operator}"`);
    }
    this.#addRedirected(target, operator === "<>" ? "any" : "write");
  }

  #addRedirected(target: ShellWord, use: PathUse): void {
    const [arg] = toArguments([target], "sh") ?? [];
    const path = arg?.value ?? arg?.pattern ?? null;
    if (path === null) {
      this.#hasUnknownPath = true;
      if (use !== "read") this.#raise("medium", ["writes a file that is not known before it runs"]);
      return;
    }
    if (use !== "read" && !SAFE_OUTPUTS.includes(path)) this.#addWrite(path);
    else this.#addPath(pathArgument(path, use, { isPattern: arg?.value === null }));
  }

  #addPaths(first: Argument, rest: readonly Argument[], use: PathUse): void {
    const program = first.value;
    if (program !== null && isPathLike(program)) {
      this.#addPath(pathArgument(program, "any", { isProgram: true }));
    } else if (program === null) this.#addArgumentPaths(first, "any");
    for (const arg of rest) this.#addArgumentPaths(arg, use);
  }

  #addGitPaths(args: readonly Argument[], use: PathUse): void {
    for (const arg of args) {
      const path = gitPathOfArgument(arg);
      if (path !== null) this.#addPath(pathArgument(path, use));
    }
  }

  #addArgumentPaths(arg: Argument, use: PathUse): void {
    if (arg.value === null && arg.pattern === null) this.#hasUnknownPath = true;
    for (const path of pathsOfArgument(arg)) {
      this.#addPath(pathArgument(path, use, { isPattern: arg.value === null }));
    }
  }

  #addPath(path: PathArgument): void {
    for (const directory of this.#directories) {
      const seen = pathFrom(path.path, directory);
      if (this.#paths.size >= MAX_PATHS) throw new Unclear("it names too many paths");
      const key = `${path.use} ${path.isProgram} ${seen}`;
      this.#paths.set(key, { ...path, path: seen });
    }
  }

  #addWrite(path: string): void {
    for (const directory of this.#directories) this.#writes.add(pathFrom(path, directory));
    this.#addPath(pathArgument(path, "write"));
    this.#raise("medium", ["writes a file"]);
  }

  #changeDirectory(name: string, args: readonly Argument[]): void {
    if (name !== "cd" && name !== "pushd") return;
    const target = args.find(({ prefix }) => !/^[-+]./.test(prefix));
    // Without a folder, `cd` leaves the workspace for the home folder.
    if (target === undefined) {
      if (name === "cd") this.#enterDirectory("~");
      return;
    }
    if (target.value === null) this.#hasUnknownPath = true;
    else if (target.value === "-") this.#hasUnknownPath = true;
    else this.#enterDirectory(target.value);
  }

  #enterDirectory(directory: string): void {
    this.#addPath(pathArgument(directory, "read"));
    const entered = this.#directories.map((from) => pathFrom(directory, from));
    for (const one of entered) {
      if (!this.#directories.includes(one)) this.#directories.push(one);
    }
    if (this.#directories.length > MAX_DIRECTORIES) {
      throw new Unclear("it changes the folder too often");
    }
  }

  #setVariable(name: string): void {
    if (!isCodeVariable(name)) return;
    this.#variables.add(name);
    this.#raise("high", [`sets "${name}", which can change what runs`]);
  }

  #find(kind: FindingKind, detail: string): void {
    this.#findings.set(`${kind} ${detail}`, { kind, detail });
  }

  #raise(risk: Risk, reasons: readonly string[]): void {
    this.#risk = higherRisk(this.#risk, risk);
    if (risk !== "low") { for (const reason of reasons) this.#reasons.add(reason); }
  }
}

function isPathName(program: string): boolean {
  return /[/\\]|^~/.test(program);
}
