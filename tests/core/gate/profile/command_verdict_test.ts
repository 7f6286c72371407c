import assert from "node:assert/strict";
import {
  type CommandGrade,
  type GradedCommand,
  judgeCommand,
} from "../../../../core/gate/profile/command_verdict.ts";
import { profileFrom } from "./_profiles.ts";

const DEF = {};
const OPEN = { allowedCommands: ["*"], blockHighRiskCommands: false };
const FULL = { level: "full" };
const RO = { level: "readonly", allowedCommands: ["*"], blockHighRiskCommands: false };
const LOOSE = { requireApprovalForMediumRisk: false };

type Row = readonly [
  profile: Record<string, unknown>,
  grade: CommandGrade,
  admitted: GradedCommand["admitted"],
  unapproved: string,
  approved: string,
];

/** The decision of each grade, before and after a yes. */
const ROWS: readonly Row[] = [
  [DEF, "low", "by_name", "run", "run"],
  [DEF, "low", "by_wildcard", "run", "run"],
  [DEF, "low", "no", "block", "block"],
  [DEF, "medium", "by_name", "ask", "run"],
  [DEF, "medium", "no", "block", "block"],
  [DEF, "high", "by_name", "ask", "run"],
  [DEF, "high", "by_wildcard", "block", "block"],
  [DEF, "high", "no", "block", "block"],
  [LOOSE, "medium", "by_name", "run", "run"],
  [LOOSE, "high", "by_name", "ask", "run"],
  [OPEN, "high", "by_wildcard", "ask", "run"],
  [OPEN, "medium", "by_wildcard", "ask", "run"],
  [FULL, "low", "by_name", "run", "run"],
  [FULL, "medium", "by_name", "run", "run"],
  [FULL, "high", "by_name", "run", "run"],
  [FULL, "high", "by_wildcard", "block", "block"],
  [FULL, "low", "no", "block", "block"],
  [{ ...FULL, ...OPEN }, "high", "by_wildcard", "run", "run"],
  [RO, "low", "by_wildcard", "block", "block"],
];

for (const [profile, grade, admitted, unapproved, approved] of ROWS) {
  Deno.test(`judgeCommand() answers ${unapproved}, then ${approved}, to a ${grade} command admitted ${admitted} by ${JSON.stringify(profile)}`, () => {
    const command = { grade, admitted, refusal: null, pathArguments: [], writeTargets: [] };
    const rules = profileFrom(profile);
    assert.equal(judgeCommand(command, rules, false).verdict, unapproved);
    assert.equal(judgeCommand(command, rules, true).verdict, approved);
    const refused = { ...command, refusal: "it holds a substitution" };
    assert.equal(judgeCommand(refused, rules, true).verdict, "block");
  });
}
