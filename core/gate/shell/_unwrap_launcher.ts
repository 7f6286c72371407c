import { ownValue } from "./_own_value.ts";
import { type Argument, mayBe, UNKNOWN_ARGUMENT } from "./_argument.ts";
import {
  AS_OTHER_USER,
  type LauncherOptions,
  LAUNCHERS,
  optionValue,
  skipOptions,
} from "./_launcher_options.ts";
import { isOpaqueLauncher } from "./_grade_program.ts";
import { HARMLESS, high, medium, ORDINARY, type Verdict } from "./_verdict.ts";
import type { ShellDialect } from "./shell_syntax.ts";

/** What a launcher starts. */
export type Launched =
  | {
    /** A program with its arguments. */
    readonly kind: "program";
    /** The program and its arguments. */
    readonly args: readonly Argument[];
  }
  | {
    /** Commands for a shell. */
    readonly kind: "script";
    /** The commands. */
    readonly text: string;
    /** The shell that reads them. */
    readonly dialect: ShellDialect;
  }
  | {
    /** Something that is not known before it runs. */
    readonly kind: "unknown";
  };

/** A launcher, and what it starts. */
export interface Unwrapped {
  /** What is to be said of the launcher itself. */
  readonly verdict: Verdict;
  /** What it starts; empty when it starts nothing. */
  readonly launched: readonly Launched[];
  /** Variables that it sets for what it starts. */
  readonly variables: readonly string[];
  /** Folder that it changes to first, or null. */
  readonly directory: string | null;
}

const SHELLS: Readonly<Record<string, ShellDialect>> = {
  bash: "bash",
  rbash: "bash",
  sh: "sh",
  dash: "sh",
  ash: "sh",
};
const SHELL_FLAGS = "abcefhlmnpruvxBCDEPT";
const SHELL_OPTION_NAME_REGEXP = /^(?:pipefail|errexit|nounset|xtrace|noglob|noclobber|verbose)$/;
const SHELL_LONG_FLAG_REGEXP = /^--(?:norc|noprofile|posix|restricted|verbose|noediting|login)$/;

/** More than this is followed for no `find`; each command could hold another `find`. */
const MAX_FIND_COMMANDS = 8;
const MAX_FIND_WORDS = 1_000;

const RUNS_INPUT = high("reads its commands from its input");

/**
 * What a launcher starts, or null when the program is not a launcher.
 *
 * Options that are not known make what it starts unknown, and so does every word that expansion
 * decides where an option could stand.
 *
 * @param name The name of the program, without a version.
 * @param args Its arguments.
 * @param dialect Whose grammar the command line has; `eval` and `trap` go on with it.
 */
export function unwrapLauncher(
  name: string,
  args: readonly Argument[],
  dialect: ShellDialect,
): Unwrapped | null {
  const options = ownValue(LAUNCHERS, name);
  if (options !== undefined) return unwrapPlain(name, args, options);
  const shell = ownValue(SHELLS, name);
  if (shell !== undefined) return unwrapShell(args, shell);
  switch (name) {
    case "xargs":
    case "gxargs":
      return unwrapXargs(args);
    case "watch":
      return unwrapWatch(args);
    case "busybox":
    case "toybox":
      return starts(HARMLESS, args.length === 0 ? [] : [program(args)]);
    case "eval":
      return starts(HARMLESS, scriptOfWords(args, dialect));
    case "trap":
      return unwrapTrap(args, dialect);
    case "su":
      return unwrapSu(args);
    case "find":
    case "gfind":
      return unwrapFind(args);
    case "poetry":
    case "pipenv":
    case "uv":
    case "bundle":
    case "hatch":
    case "rye":
    case "pdm":
      return unwrapEnvironmentRunner(args);
    default:
      return isOpaqueLauncher(name)
        ? starts(high("starts another program in a way that is not followed"), [UNKNOWN])
        : null;
  }
}

const UNKNOWN: Launched = { kind: "unknown" };

function starts(
  verdict: Verdict,
  launched: readonly Launched[],
  rest: Partial<Unwrapped> = {},
): Unwrapped {
  return { verdict, launched, variables: [], directory: null, ...rest };
}

function program(args: readonly Argument[]): Launched {
  return { kind: "program", args };
}

function scriptOfWords(args: readonly Argument[], dialect: ShellDialect): readonly Launched[] {
  if (args.length === 0) return [];
  const texts = args.map(({ value }) => value);
  if (texts.some((text) => text === null)) return [UNKNOWN];
  return [{ kind: "script", text: texts.join(" "), dialect }];
}

function unwrapPlain(
  name: string,
  args: readonly Argument[],
  options: LauncherOptions,
): Unwrapped {
  const verdict = options.verdict ?? HARMLESS;
  // These forms of `command` only tell what a name means.
  if (name === "command" && /^-[vV]/.test(args[0]?.value ?? "")) return starts(verdict, []);
  let index = skipOptions(args, options);
  if (index === null) return starts(verdict, [UNKNOWN]);
  const variables: string[] = [];
  while (options.takesAssignments) {
    const found = /^([A-Za-z_]\w*)=/.exec(args[index]?.prefix ?? "");
    if (found === null) break;
    variables.push(found[1] ?? "");
    index++;
  }
  const rest = args.slice(index + (options.operands ?? 0));
  const isClear = args.slice(index, index + (options.operands ?? 0)).every((arg) =>
    arg.value !== null
  );
  const launched = rest.length === 0 ? [] : [isClear ? program(rest) : UNKNOWN];
  const directory = name === "env" ? optionValue(args.slice(0, index), "-C", "--chdir") : null;
  return starts(verdict, launched, { variables, directory });
}

function unwrapShell(args: readonly Argument[], dialect: ShellDialect): Unwrapped {
  let index = 0;
  let takesText = false;
  while (index < args.length) {
    const value = args[index]?.value ?? null;
    if (value === null) return starts(ORDINARY, [UNKNOWN]);
    if (value === "--" || value === "-") {
      index++;
      break;
    }
    if (!/^[-+]./.test(value)) break;
    if (value === "--version" || value === "--help") return starts(HARMLESS, []);
    index++;
    if (SHELL_LONG_FLAG_REGEXP.test(value)) continue;
    takesText ||= value.startsWith("-") && value.includes("c");
    for (const letter of value.slice(1)) {
      // `-o` takes the name of an option from the next word, and not every option is harmless.
      const isKnown = letter === "o"
        ? SHELL_OPTION_NAME_REGEXP.test(args[index++]?.value ?? "")
        : SHELL_FLAGS.includes(letter);
      if (!isKnown) return starts(RUNS_INPUT, [UNKNOWN]);
    }
  }
  const first = args[index];
  if (first === undefined) return starts(RUNS_INPUT, [UNKNOWN]);
  if (takesText) return starts(HARMLESS, scriptOfWords([first], dialect));
  return starts(medium("runs a script"), []);
}

function unwrapXargs(args: readonly Argument[]): Unwrapped {
  const options: LauncherOptions = {
    flags: "0rtxpo",
    valued: "nLIPsdaE",
    glued: "ile",
    longFlags: [
      "--null",
      "--no-run-if-empty",
      "--verbose",
      "--interactive",
      "--exit",
      "--open-tty",
      "--replace",
    ],
    longValued: [
      "--max-args",
      "--max-lines",
      "--max-procs",
      "--max-chars",
      "--delimiter",
      "--arg-file",
    ],
  };
  const index = skipOptions(args, options);
  if (index === null) return starts(HARMLESS, [UNKNOWN]);
  const command = args.slice(index);
  // Without a command, xargs runs echo.
  if (command.length === 0) return starts(HARMLESS, []);
  const replaced = replacedText(args.slice(0, index));
  const filled = command.map((arg) => replaced === null ? arg : fillIn(arg, replaced));
  return starts(HARMLESS, [program([...filled, UNKNOWN_ARGUMENT])]);
}

/** The text that xargs replaces inside the arguments, or null. */
function replacedText(options: readonly Argument[]): string | null {
  for (const [index, { value }] of options.entries()) {
    const text = value ?? "";
    if (/^-[0rtxpo]*I$/.test(text)) return options[index + 1]?.value ?? "";
    const found = /^(?:-[0rtxpo]*I(.+)|-[0rtxpo]*i(.*)|--replace(?:=(.*))?)$/s.exec(text);
    if (found !== null) return (found[1] ?? found[2] ?? found[3] ?? "") || "{}";
  }
  return null;
}

/** An argument in which a text is replaced by something that is not known. */
function fillIn(arg: Argument, replaced: string): Argument {
  const text = arg.value ?? arg.prefix;
  const at = text.indexOf(replaced);
  if (at === -1 && arg.value !== null) return arg;
  return {
    ...arg,
    value: null,
    prefix: at === -1 ? text : text.slice(0, at),
    suffix: "",
    pattern: null,
  };
}

function unwrapWatch(args: readonly Argument[]): Unwrapped {
  const options: LauncherOptions = {
    flags: "bcdegptwx",
    valued: "nq",
    longFlags: ["--beep", "--color", "--errexit", "--chgexit", "--no-title", "--precise", "--exec"],
    longValued: ["--interval"],
    glued: "",
  };
  const index = skipOptions(args, options);
  if (index === null) return starts(HARMLESS, [UNKNOWN]);
  const command = args.slice(index);
  const runsDirectly = args.slice(0, index).some(({ value }) =>
    value === "--exec" || /^-[a-z]*x/.test(value ?? "")
  );
  if (command.length === 0) return starts(HARMLESS, []);
  return starts(HARMLESS, runsDirectly ? [program(command)] : scriptOfWords(command, "sh"));
}

function unwrapTrap(args: readonly Argument[], dialect: ShellDialect): Unwrapped {
  const [first] = args;
  if (first === undefined || /^-[lp]$|^-$|^$/.test(first.value ?? "?")) return starts(HARMLESS, []);
  const action = first.value === "--" ? args[1] : first;
  return starts(HARMLESS, action === undefined ? [] : scriptOfWords([action], dialect));
}

function unwrapSu(args: readonly Argument[]): Unwrapped {
  const index = args.findIndex((arg) =>
    arg.value === null || /^(?:-[lmp]*c|--command|--session-command)/.test(arg.value)
  );
  const option = args[index];
  if (option === undefined) return starts(AS_OTHER_USER, [UNKNOWN]);
  const isPlain = option.value === "-c" || option.value === "--command";
  const text = isPlain ? args[index + 1] : undefined;
  if (text === undefined) return starts(AS_OTHER_USER, [UNKNOWN]);
  return starts(AS_OTHER_USER, scriptOfWords([text], "sh"));
}

function unwrapFind(args: readonly Argument[]): Unwrapped | null {
  const launched: Launched[] = [];
  for (const [index, arg] of args.entries()) {
    if (!["-exec", "-execdir", "-ok", "-okdir"].some((option) => mayBe(arg, option))) continue;
    const isClear = arg.value !== null && launched.length < MAX_FIND_COMMANDS &&
      args.length <= MAX_FIND_WORDS;
    launched.push(isClear ? findCommand(args.slice(index + 1)) : UNKNOWN);
    if (!isClear) break;
  }
  // The verdict of `find` itself comes from its rule.
  return launched.length === 0 ? null : starts(HARMLESS, launched);
}

function findCommand(rest: readonly Argument[]): Launched {
  const end = rest.findIndex(({ value }, at) =>
    value === ";" || (value === "+" && rest[at - 1]?.value === "{}")
  );
  const command = rest.slice(0, end === -1 ? rest.length : end).map((word) => fillIn(word, "{}"));
  return command.length === 0 ? UNKNOWN : program(command);
}

function unwrapEnvironmentRunner(args: readonly Argument[]): Unwrapped | null {
  const verb = args.find((arg) => arg.value === null || !arg.value.startsWith("-"));
  if (verb === undefined) return null;
  if (verb.value === "pip" || verb.value === "install") return null;
  if (verb.value === "tool" || verb.value === "x") {
    return starts(high("fetches a package and runs it"), [UNKNOWN]);
  }
  if (verb.value !== "run" && verb.value !== "exec" && verb.value !== null) return null;
  const rest = args.slice(args.indexOf(verb) + 1);
  const command = rest[0]?.value === "--" ? rest.slice(1) : rest;
  const isClear = verb.value !== null && command[0] !== undefined &&
    command[0].value?.startsWith("-") === false;
  return starts(ORDINARY, [isClear ? program(command) : UNKNOWN]);
}
