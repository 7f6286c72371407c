import type { PathAccess } from "../paths_policy/path_policy.ts";

/** What the rules about commands say of one command line under a profile. */
export interface CommandVerdict {
  /** What happens where nobody has approved it. */
  readonly unapproved: "run" | "ask" | "block";
  /** What happens once it is approved. An approval never rescues a blocked command. */
  readonly approved: "run" | "block";
  /** How much harm it can do. */
  readonly risk: "low" | "medium" | "high";
  /** The rule that decided. */
  readonly rule: string;
  /** Why, for the person and the model; names no setting. */
  readonly reason: string;
}

/** A path that a command uses. */
export interface CommandPath {
  /** The path, a leading `~` as written. */
  readonly path: string;
  /** What the command does with it. */
  readonly access: PathAccess;
  /** Whether it holds wildcards, so that it stands for every file that they match. */
  readonly isPattern: boolean;
}

/** What a profile has to know of a command before it starts. */
export interface CommandFacts extends CommandVerdict {
  /** The paths that it uses. */
  readonly paths: readonly CommandPath[];
}

/** What of a graded command line says which paths it uses. */
export interface CommandPaths {
  /** Words that may name files. */
  readonly paths: readonly {
    readonly path: string;
    readonly use: "read" | "write" | "any";
    readonly isProgram: boolean;
    readonly isPattern: boolean;
  }[];
  /** Files that are written for certain. */
  readonly writes: readonly string[];
  /** Whether some path is only known when the command runs. */
  readonly hasUnknownPath: boolean;
}

/** Which programs a list names by their paths. */
export interface ListedPrograms {
  /** The entries of the list. */
  readonly allowedCommands: readonly string[];
  /** The home folder; `null` if it is not known. */
  readonly home: string | null;
}

/** Where a program may write what it says; a profile that closes devices does not mean these. */
const OUTPUT_DEVICES: ReadonlySet<string> = new Set(["/dev/stdout", "/dev/stderr", "/dev/zero"]);

/**
 * Brings the two halves together that are known of a command: what it is allowed, and which paths
 * it uses. Pure.
 *
 * A program that the list names by its path is not looked at as a path. A command with a path that
 * is only known when it runs is not of low risk: nobody can tell whether the path is closed.
 *
 * @param command The paths of the command.
 * @param verdict What the rules about commands say of it.
 * @param listed Which programs the list names by their paths.
 */
export function commandFacts(
  command: CommandPaths,
  verdict: CommandVerdict,
  listed: ListedPrograms,
): CommandFacts {
  const programs = new Set(listed.allowedCommands.map((entry) => expandHome(entry, listed.home)));
  const used = command.paths
    .filter(({ path, isProgram }) => !isProgram || !programs.has(expandHome(path, listed.home)))
    .filter(({ path, use }) => use !== "write" || !OUTPUT_DEVICES.has(path))
    .map(({ path, use, isPattern }): CommandPath => ({
      path,
      access: use === "any" ? "either" : use,
      isPattern,
    }));
  const written = command.writes.map((path): CommandPath => ({
    path,
    access: "write",
    isPattern: false,
  }));
  const paths = [...used, ...written];
  if (!command.hasUnknownPath || verdict.unapproved !== "run" || verdict.risk !== "low") {
    return { ...verdict, paths };
  }
  return {
    ...verdict,
    unapproved: "ask",
    risk: "medium",
    rule: "unknown-path",
    reason: "it uses a path that is only known when it runs",
    paths,
  };
}

function expandHome(path: string, home: string | null): string {
  const trimmed = path.trim();
  return home !== null && trimmed.startsWith("~/") ? home + trimmed.slice(1) : trimmed;
}
