/**
 * Feeds random and mutated command lines to the shell policy, and runs the ones that it lets run.
 *
 * Nothing may throw. A command line that runs without a question is really run, by bash and by
 * `/bin/sh`, in a throw-away folder in which every dangerous program is a stub that leaves a trace;
 * none of them may be started, and no file may appear, change or vanish. Before it begins, the trap
 * itself is tried with command lines that have to be caught.
 *
 * @module
 */
import { type CommandProfile, decideCommand } from "../../core/gate/shell/decide_command.ts";
import { gradeCommand, gradeProgramCall } from "../../core/gate/shell/grade_command.ts";
import type { ShellDialect } from "../../core/gate/shell/shell_syntax.ts";
import { visibleCommand } from "../../core/gate/shell/visible_command.ts";
import { openCommandTrap } from "./_command_trap.ts";
import { createRandom, mutateCommand, randomCommand } from "./_random_command.ts";

/** How much is tried. */
export interface FuzzOptions {
  /** Command lines to try. */
  readonly count: number;
  /** Where the random numbers start; the same seed tries the same command lines. */
  readonly seed: number;
}

/** What was tried, and what went wrong. */
export interface FuzzReport {
  /** Command lines that were tried. */
  readonly tried: number;
  /** Those of them that were understood. */
  readonly understood: number;
  /** Those that were let run, and so were run. */
  readonly run: number;
  /** Command lines for which the policy is wrong, each with what happened. */
  readonly failures: readonly string[];
}

const LISTED =
  "ls cat grep find echo pwd wc head env xargs timeout nohup nice setsid stdbuf sh bash dash eval command exec " +
  "test [ printf read export declare cd git sed awk sort true python3 watch busybox time trap set builtin";

const BASE: CommandProfile = {
  level: "supervised",
  allowedCommands: LISTED.split(" "),
  blockHighRiskCommands: true,
  requireApprovalForMediumRisk: true,
};
const PROFILES: Readonly<Record<string, CommandProfile>> = {
  list: BASE,
  wildcard: { ...BASE, allowedCommands: ["*"] },
  open: { ...BASE, allowedCommands: ["*"], blockHighRiskCommands: false },
  full: { ...BASE, level: "full", requireApprovalForMediumRisk: false },
};
const DIALECTS: readonly ShellDialect[] = ["bash", "sh"];

/** What the trap has to catch, or it proves nothing. */
const CAUGHT = [
  "rm x",
  "env rm x",
  "ls | xargs rm",
  "sh -c 'rm x'",
  "env -i rm x",
  "command -p rm x",
  "echo $(curl x)",
  "find . -delete",
  "find . -exec ls {} \\;",
  "sed -n '1e rm x' x",
  "awk 'BEGIN { system(\"rm x\") }'",
  "ls > out",
  "PATH=. ls",
  "LD_PRELOAD=./y ls",
  "./evil",
  "python3 -c x",
  "git -c a.b=c status",
];

/**
 * Tries command lines against the policy.
 *
 * @param options How many, and which.
 */
export async function fuzzShellPolicy(options: FuzzOptions): Promise<FuzzReport> {
  const random = createRandom(options.seed);
  await using trap = await openCommandTrap();
  const failures: string[] = [];
  for (const command of CAUGHT) {
    if (await trap.run(command, "sh") === null) failures.push(`not caught: ${command}`);
  }
  let understood = 0;
  let run = 0;
  let previous = "ls";
  for (let index = 0; index < options.count; index++) {
    const fresh = randomCommand(random);
    const command = random() < 0.4 ? mutateCommand(fresh, previous, random) : fresh;
    previous = fresh;
    let isUnderstood = false;
    for (const dialect of DIALECTS) {
      const problem = await tryCommand(command, dialect);
      if (problem === "not-understood") continue;
      isUnderstood = true;
      if (problem === "refused") continue;
      run++;
      const caught = await trap.run(command, dialect);
      if (caught !== null) {
        failures.push(`${problem}, ${dialect}: ${JSON.stringify(command)} ${caught}`);
      }
    }
    if (isUnderstood) understood++;
  }
  return { tried: options.count, understood, run, failures };
}

/** The name of a profile that lets the command line run without a question, or why none does. */
function tryCommand(command: string, dialect: ShellDialect): string {
  const grade = gradeCommand(command, { dialect });
  for (const other of ["cmd", "powershell", "none"] as const) {
    decideCommand(gradeCommand(command, { dialect: other }), BASE);
  }
  gradeProgramCall("env", command.split(" "));
  visibleCommand(command);
  if (grade.state === "not-understood") return "not-understood";
  const allowing = Object.entries(PROFILES).find(([name, profile]) => {
    const { unapproved, risk } = decideCommand(grade, profile);
    // Where nobody is asked, only what is low is meant to be without danger.
    return unapproved === "run" && (name !== "full" || risk === "low");
  });
  return allowing?.[0] ?? "refused";
}
