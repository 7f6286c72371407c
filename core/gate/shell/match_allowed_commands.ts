import type { CommandGrade, FormFinding, ProgramRun } from "./command_grade.ts";

/** What `allowedCommands` is where a profile does not set it. */
export const DEFAULT_ALLOWED_COMMANDS: readonly string[] = [
  ..."git npm cargo ls cat grep find echo pwd wc head tail date df du uname uptime hostname".split(
    " ",
  ),
  ..."python python3 pip node".split(" "),
];

/**
 * The default list for a system: `free` is there only on Linux.
 *
 * @param os The system.
 */
export function defaultAllowedCommands(os: typeof Deno.build.os): readonly string[] {
  return os === "linux" ? [...DEFAULT_ALLOWED_COMMANDS, "free"] : DEFAULT_ALLOWED_COMMANDS;
}

/** A list of commands, read once so that matching does not read it again. */
export interface CommandList {
  /** Tells it from a list of entries. */
  readonly kind: "commands";
  /** Bare names, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Paths, the home folder expanded. */
  readonly paths: ReadonlySet<string>;
  /** Whether `*` is in it. */
  readonly hasWildcard: boolean;
  /** The home folder, for programs that begin with `~/`. */
  readonly home: string | null;
}

/** How a list is applied. */
export interface MatchOptions {
  /** Entries of the same form that no program of the command line may match. */
  readonly deniedCommands?: readonly string[] | CommandList;
  /**
   * Whether the form of the command line is looked over, as it is where everything is allowed and
   * nothing is blocked.
   *
   * @default false
   */
  readonly skipsForm?: boolean;
  /** The home folder, for entries and programs that begin with `~/`; a list that was read has its own. */
  readonly home?: string;
}

/** Whether every program of a command line is allowed, and by what kind of entry. */
export type CommandMatch =
  | {
    /** Every program is in the list. */
    readonly isAllowed: true;
    /** Whether each of them is listed by name or path, and not only by `*`. */
    readonly isByName: boolean;
    /** Whether the list holds `*`. */
    readonly isOpen: boolean;
    /** Programs that only `*` admits. */
    readonly byWildcard: readonly ProgramRun[];
    /** Programs that the command line names by a path, and the list by a bare name. */
    readonly byBareName: readonly ProgramRun[];
  }
  | {
    /** Something is not allowed. */
    readonly isAllowed: false;
    /** Which check refused it. */
    readonly check: "empty" | "not-understood" | "denied" | "form" | "list";
    /** Why, for the person and the model. */
    readonly reason: string;
  };

/**
 * Reads the entries of a list. A list that is held against many command lines is read once.
 *
 * @param commands The entries, or a list that was read before.
 * @param home The home folder, for entries that begin with `~/`.
 */
export function toCommandList(
  commands: readonly string[] | CommandList,
  home?: string,
): CommandList {
  if (isCommandList(commands)) return commands;
  const entries = commands.map((entry) => entry.trim()).filter((entry) => entry !== "");
  const paths = entries.filter(isPathEntry);
  const names = entries.filter((entry) => !isPathEntry(entry) && entry !== "*");
  return {
    kind: "commands",
    names: new Set(names.map((name) => name.toLowerCase())),
    paths: new Set(paths.map((path) => expandHome(path, home ?? null))),
    hasWildcard: entries.includes("*"),
    home: home ?? null,
  };
}

/**
 * Holds a command line against a list of allowed commands.
 *
 * An entry with `/` or `~` is a path and has to be the program exactly; a bare name is compared with
 * the last part of the program, ignoring case; `*` admits anything, but lists nothing by name; a
 * blank entry admits nothing, and so does an empty list. Every program counts, those that launchers
 * start included. A denied program refuses the whole command line, and so does one that is not
 * known before it runs where anything is denied.
 *
 * @param grade What the command line would do.
 * @param allowedCommands The list.
 * @param options How it is applied.
 */
export function matchAllowedCommands(
  grade: CommandGrade,
  allowedCommands: readonly string[] | CommandList,
  options: MatchOptions = {},
): CommandMatch {
  if (grade.state === "empty") return refuse("empty", "there is no command to run");
  if (grade.state === "not-understood") {
    return refuse("not-understood", `the command line is not understood: ${grade.problem ?? ""}`);
  }
  const allowed = toCommandList(allowedCommands, options.home);
  const denied = toCommandList(options.deniedCommands ?? [], options.home);
  const refusal = findDenied(grade.runs, denied) ?? findUnlisted(grade.runs, allowed) ??
    (options.skipsForm === true ? null : findForm(grade.findings, allowed));
  if (refusal !== null) return refusal;
  const matches = grade.runs.map((run) => ({ run, entry: findEntry(run, allowed) }));
  const byWildcard = matches.filter(({ entry }) => entry === "*").map(({ run }) => run);
  return {
    isAllowed: true,
    isByName: byWildcard.length === 0,
    isOpen: allowed.hasWildcard,
    byWildcard,
    byBareName: matches.filter(({ run, entry }) => entry === "name" && run.isPath)
      .map(({ run }) => run),
  };
}

function isCommandList(commands: readonly string[] | CommandList): commands is CommandList {
  return "kind" in commands;
}

function isPathEntry(entry: string): boolean {
  return /[/~]/.test(entry);
}

function expandHome(path: string, home: string | null): string {
  return home !== null && path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
}

function findEntry(run: ProgramRun, entries: CommandList): "path" | "name" | "*" | null {
  if (run.program !== null) {
    if (run.isPath && entries.paths.has(expandHome(run.program, entries.home))) return "path";
    if (run.name !== null && entries.names.has(run.name)) return "name";
  }
  return entries.hasWildcard ? "*" : null;
}

function findDenied(runs: readonly ProgramRun[], denied: CommandList): CommandMatch | null {
  if (denied.names.size + denied.paths.size === 0 && !denied.hasWildcard) return null;
  for (const run of runs) {
    if (run.program === null) {
      return refuse("denied", "a program that is not known before it runs may be a denied one");
    }
    if (findEntry(run, denied) !== null) return refuse("denied", `${quoteRun(run)} is denied`);
  }
  return null;
}

function findUnlisted(runs: readonly ProgramRun[], allowed: CommandList): CommandMatch | null {
  const run = runs.find((candidate) => findEntry(candidate, allowed) === null);
  if (run === undefined) return null;
  return refuse(
    "list",
    run.program === null
      ? "it starts a program that is not known before it runs"
      : `${quoteRun(run)} is not an allowed command`,
  );
}

/** Compounds are words that no name in a list can match; only `*` admits them. */
function findForm(findings: readonly FormFinding[], allowed: CommandList): CommandMatch | null {
  const finding = findings.find(({ kind }) => kind !== "compound" || !allowed.hasWildcard);
  if (finding === undefined) return null;
  return refuse("form", `${finding.detail} is not allowed in a command`);
}

function quoteRun(run: ProgramRun): string {
  const program = run.program ?? "";
  const shown = JSON.stringify(program.length > 80 ? `${program.slice(0, 80)}…` : program);
  return run.via === null ? shown : `${shown}, started by "${run.via}",`;
}

function refuse(
  check: Extract<CommandMatch, { isAllowed: false }>["check"],
  reason: string,
): CommandMatch {
  return { isAllowed: false, check, reason };
}
