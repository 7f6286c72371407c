/**
 * `deno run -A tests/bench/decide_bench.ts`: what one decision costs under a risk profile of 100
 * rules, and under one of 100 closed paths and 100 programs beside an agent with 100 tools. Prints a
 * table and fails nothing. The goal is 20 microseconds on average; grading a command, which comes
 * before, has a line of its own.
 *
 * @module
 */
import type { Effect } from "@alisio/sdk";
import { type CallFacts, decide } from "../../core/gate/decide.ts";
import type { PolicyPathFacts } from "../../core/gate/paths_policy/path_policy.ts";
import { resolvePathPolicy } from "../../core/gate/paths_policy/resolve_path_policy.ts";
import { policiesFromFlags, type Policy } from "../../core/gate/policy.ts";
import { decideCommand } from "../../core/gate/shell/decide_command.ts";
import { gradeCommand } from "../../core/gate/shell/grade_command.ts";
import { toCommandList } from "../../core/gate/shell/match_allowed_commands.ts";
import { parseRiskProfile } from "../../core/gate/profile/parse_risk_profile.ts";
import { declaredAccess } from "../../core/gate/profile/profile_facts.ts";
import { profilePolicy } from "../../core/gate/profile/profile_policy.ts";

const ROUNDS = 20_000;
const WORKSPACE = "/srv/code/project";

/** 100 rules: 30 closed paths, 20 open folders, 20 programs and 30 tools in four lists. */
const PROFILE = {
  forbiddenPaths: numbered(30, (index) => `/srv/code/project/packages/p${index}/secrets`),
  allowedRoots: numbered(20, (index) => `/srv/code/shared/library${index}/src`),
  allowedCommands: numbered(20, (index) => `program${index}`),
  autoApprove: numbered(10, (index) => `plugin__auto${index}`),
  alwaysAsk: numbered(10, (index) => `plugin__ask${index}`),
  excludedTools: numbered(10, (index) => `plugin__hidden${index}`),
};

/** 100 closed paths and 100 programs. */
const LARGE_PROFILE = {
  ...PROFILE,
  forbiddenPaths: numbered(100, (index) => `/srv/code/project/packages/p${index}/secrets`),
  allowedCommands: ["git", ...numbered(99, (index) => `program${index}`)],
};

/** An agent that may use 100 tools. */
const AGENT: Policy = {
  kind: "agent",
  name: "agent",
  agent: "bench",
  without: new Set(),
  onlyReads: false,
  tools: new Set([
    "read_file",
    "write_file",
    "shell",
    ...numbered(97, (index) => `plugin__tool${index}`),
  ]),
};

const CALLS: readonly (readonly [name: string, facts: CallFacts])[] = [
  ["read one file", call("read_file", "read", ["src/deep/down/module.ts"])],
  ["write one file", call("write_file", "write", ["/srv/code/shared/library19/src/a/b/c.ts"])],
  ["a path that is closed", call("read_file", "read", ["packages/p29/secrets/key"])],
  ["a path that no entry matches", call("read_file", "read", ["/data/elsewhere/file"])],
  ["a command with 8 paths", command(numbered(8, (index) => `packages/p${index}/src/main.ts`))],
  ["a tool that is hidden", call("plugin__hidden9", "external", [])],
];

const TABLES = [
  ["100 rules", await profilePolicies(PROFILE)],
  ["100 closed paths, 100 programs", [AGENT, ...await profilePolicies(LARGE_PROFILE)]],
] as const;
for (const [, policies] of TABLES) for (const [, facts] of CALLS) measureDecision(facts, policies);
for (const [title, policies] of TABLES) {
  print(title);
  const rows = CALLS.map(([name, facts]) => [name, measureDecision(facts, policies)] as const);
  for (const [name, micros] of rows) print(`  ${name}`, micros);
  print("  average", rows.reduce((sum, [, micros]) => sum + micros, 0) / rows.length);
}
print("before the decision");
print("  grading a command", measureGrade());

function measureDecision(facts: CallFacts, rules: readonly Policy[]): number {
  return measure(() => decide(facts, rules));
}

function measureGrade(): number {
  const profile = {
    level: "supervised",
    allowedCommands: toCommandList(LARGE_PROFILE.allowedCommands),
    blockHighRiskCommands: true,
    requireApprovalForMediumRisk: true,
  } as const;
  const line = "git status && program98 --all src/a.ts | program1 > /dev/null";
  const grade = () => decideCommand(gradeCommand(line, { dialect: "bash" }), profile);
  measure(grade);
  return measure(grade);
}

function measure(action: () => unknown): number {
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round++) action();
  return (performance.now() - startedAt) * 1000 / ROUNDS;
}

function print(name: string, micros?: number): void {
  const figure = micros === undefined ? "" : `${micros.toFixed(2).padStart(8)} µs`;
  Deno.stdout.writeSync(new TextEncoder().encode(`${name.padEnd(34)} ${figure}\n`));
}

async function profilePolicies(written: typeof PROFILE): Promise<readonly Policy[]> {
  const { profile } = parseRiskProfile("bench", written);
  if (profile === null) throw new TypeError("The profile of the bench is wrong");
  const paths = await resolvePathPolicy(profile, { workspace: WORKSPACE, home: "/home/me" });
  const flags = {
    readOnly: false,
    allowWrite: false,
    allowProcess: false,
    allowExternal: false,
    interactive: true,
  };
  return [...policiesFromFlags(flags), profilePolicy(profile, { paths, canAsk: true })];
}

function call(tool: string, effect: Effect, paths: readonly string[]): CallFacts {
  const access = declaredAccess(tool, effect);
  return {
    tool,
    effect,
    paths: [],
    grants: { effects: [], directories: [], protectedPaths: [] },
    profileInput: {
      command: null,
      paths: paths.map((path) => ({ facts: pathFacts(path), access })),
      actionsLeft: 10,
    },
  };
}

function command(paths: readonly string[]): CallFacts {
  const facts = call("shell", "process", paths);
  const input = facts.profileInput;
  const verdict = {
    unapproved: "run",
    approved: "run",
    risk: "low",
    rule: "risk:low",
    reason: "it does no harm",
  } as const;
  return input ? { ...facts, profileInput: { ...input, command: verdict } } : facts;
}

function pathFacts(requested: string): PolicyPathFacts {
  const absolute = requested.startsWith("/") ? requested : `${WORKSPACE}/${requested}`;
  const parts = absolute.split("/").slice(1);
  return {
    requested,
    // As behind a symbolic link: both spellings are judged.
    spellings: [absolute.replace("/srv/code", "/srv/code/shared/library0/src")],
    real: absolute,
    ancestors: parts.map((_, index) => ({
      path: `/${parts.slice(0, index + 1).join("/")}`,
      identity: `1:${index}`,
    })),
    trouble: null,
    isOwnFile: false,
  };
}

function numbered(count: number, name: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => name(index));
}
