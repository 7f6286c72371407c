import assert from "node:assert/strict";
import type { Risk } from "../../../../core/gate/shell/command_grade.ts";
import {
  type CommandFacts,
  type CommandProfile,
  decideCommand,
} from "../../../../core/gate/shell/decide_command.ts";
import { type CommandDialect, gradeCommand } from "../../../../core/gate/shell/grade_command.ts";
import { DEFAULT_ALLOWED_COMMANDS } from "../../../../core/gate/shell/match_allowed_commands.ts";

/** A profile of the tables, its list not read yet. */
export interface TableProfile extends CommandProfile {
  readonly allowedCommands: readonly string[];
}

export const DEF: TableProfile = {
  level: "supervised",
  allowedCommands: DEFAULT_ALLOWED_COMMANDS,
  blockHighRiskCommands: true,
  requireApprovalForMediumRisk: true,
};
export const WILD: TableProfile = { ...DEF, allowedCommands: ["*"] };
export const OPEN: TableProfile = { ...WILD, blockHighRiskCommands: false };
export const FULL: TableProfile = { ...DEF, level: "full" };
export const RO: TableProfile = { ...DEF, level: "readonly" };

/** A profile with more programs listed by name. */
export function plus(profile: TableProfile, ...names: readonly string[]): TableProfile {
  return { ...profile, allowedCommands: [...profile.allowedCommands, ...names] };
}

/**
 * What has to come out: `run` without a question, `ask` and run after a yes, or the check that
 * blocks, before and after a yes.
 */
export type Outcome =
  | "run"
  | "ask"
  | "block:list"
  | "block:form"
  | "block:level"
  | "block:empty"
  | "block:not-understood"
  | "block:denied"
  | "block:risk:high";

/** One row of a table. */
export interface Row {
  readonly profile: CommandProfile;
  readonly command: string;
  /** The grade, or null where the row has none. */
  readonly risk: Risk | null;
  readonly outcome: Outcome;
  readonly dialect?: CommandDialect;
  readonly facts?: CommandFacts;
}

/** Holds every row of a table against the grader and the decision. */
export function checkRows(rows: readonly Row[]): void {
  for (const row of rows) {
    const { risk, outcome } = row;
    const expected = { risk: risk ?? "any", outcome };
    const actual = outcomeOf(row);
    const shown = { ...actual, risk: risk === null ? "any" : actual.risk };
    assert.deepEqual(shown, expected, JSON.stringify(row.command));
  }
}

function outcomeOf(row: Row): { readonly risk: Risk; readonly outcome: string } {
  const grade = gradeCommand(row.command, { dialect: row.dialect ?? "bash" });
  const { unapproved, approved, rule } = decideCommand(grade, row.profile, row.facts);
  assert.equal(approved, unapproved === "block" ? "block" : "run");
  return { risk: grade.risk, outcome: unapproved === "block" ? `block:${rule}` : unapproved };
}

/** Rows that differ in the command only. */
export function rows(
  profile: CommandProfile,
  risk: Risk | null,
  outcome: Outcome,
  ...commands: readonly string[]
): readonly Row[] {
  return commands.map((command) => ({ profile, command, risk, outcome }));
}
