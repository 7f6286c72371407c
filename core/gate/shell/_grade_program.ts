import type { Argument } from "./_argument.ts";
import { BUILTIN_RULES } from "./_builtin_rules.ts";
import { FILE_RULES } from "./_file_rules.ts";
import { judgeGit } from "./_git_rule.ts";
import { INTERPRETER_RULES } from "./_interpreter_rules.ts";
import { PACKAGE_RULES } from "./_package_rules.ts";
import {
  HARMLESS_PROGRAMS,
  HIGH_PROGRAMS,
  MEDIUM_PROGRAMS,
  OPAQUE_LAUNCHERS,
} from "./_program_names.ts";
import { TEXT_RULES } from "./_text_rules.ts";
import { HARMLESS, high, medium, ORDINARY, type ProgramRule, type Verdict } from "./_verdict.ts";

const RULES: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({
    git: judgeGit,
    ...BUILTIN_RULES,
    ...FILE_RULES,
    ...INTERPRETER_RULES,
    ...PACKAGE_RULES,
    ...TEXT_RULES,
  }),
);

/** Programs whose name carries a version: `python3.12`, `pip3`, `lua5.4`. */
const VERSIONED_REGEXP =
  /^(python|pip|perl|ruby|lua|php|node|nodejs|pypy|tclsh|guile|gawk)[-\d.]*$/;
const ALIASES: Readonly<Record<string, string>> = { nodejs: "node", pypy: "python" };
const MKFS_REGEXP = /^mkfs(?:\.|$)/;
const WINDOWS_SUFFIX_REGEXP = /\.(?:exe|com|cmd|bat)$/;

/**
 * The last part of a program's path, in lower case.
 *
 * @param program The program as written.
 */
export function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).toLowerCase();
}

/**
 * The name that rules know a program by: without a folder of Windows, a suffix of Windows, and a
 * version at its end.
 *
 * @param name A name from {@linkcode programName}.
 */
export function ruleName(name: string): string {
  const base = name.slice(name.lastIndexOf("\\") + 1).replace(WINDOWS_SUFFIX_REGEXP, "");
  const found = VERSIONED_REGEXP.exec(base)?.[1];
  return found === undefined ? base : ALIASES[found] ?? found;
}

/**
 * Judges a program that is not a launcher.
 *
 * @param name A name from {@linkcode ruleName}.
 * @param args The arguments.
 */
export function gradeProgram(name: string, args: readonly Argument[]): Verdict {
  if (HIGH_PROGRAMS.has(name) || MKFS_REGEXP.test(name)) {
    return high("can do lasting harm or reaches other computers");
  }
  const rule = RULES.get(name);
  if (rule !== undefined) return rule(args);
  if (MEDIUM_PROGRAMS.has(name)) return medium("changes something");
  return HARMLESS_PROGRAMS.has(name) ? HARMLESS : ORDINARY;
}

/**
 * Whether there is a rule or a grade of its own for a program.
 *
 * @param name A name from {@linkcode ruleName}.
 */
export function isKnownProgram(name: string): boolean {
  return [HIGH_PROGRAMS, MEDIUM_PROGRAMS, HARMLESS_PROGRAMS, RULES].some((names) =>
    names.has(name)
  );
}

/**
 * Whether a program starts another one in a way that is not followed.
 *
 * @param name A name from {@linkcode ruleName}.
 */
export function isOpaqueLauncher(name: string): boolean {
  return OPAQUE_LAUNCHERS.has(name);
}
