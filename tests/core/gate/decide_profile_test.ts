import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import { type CallFacts, decide, type Grants } from "../../../core/gate/decide.ts";
import { type PermissionFlags, policiesFromFlags, type Policy } from "../../../core/gate/policy.ts";
import { profilePolicy } from "../../../core/gate/profile/profile_policy.ts";
import { placedFrom } from "./profile/_profiles.ts";

const HEADLESS: PermissionFlags = {
  readOnly: false,
  allowWrite: false,
  allowProcess: false,
  allowExternal: false,
  interactive: false,
};
const TERMINAL: PermissionFlags = { ...HEADLESS, interactive: true };
const FULL = { level: "full" };
const NONE: Grants = { effects: [], directories: [], protectedPaths: [] };
const CALL: Grants = { ...NONE, call: true };
const TOOL: Grants = { ...NONE, tools: ["write_file"] };

type Row = readonly [
  name: string,
  flags: PermissionFlags,
  profile: Record<string, unknown>,
  call: readonly [tool: string, effect: Effect],
  grants: Grants,
  expected: string,
];

const WRITE = ["write_file", "write"] as const;
const READ = ["read_file", "read"] as const;

const ROWS: readonly Row[] = [
  ["no question where both permit", TERMINAL, {}, READ, NONE, "allow risk-profile:low"],
  ["one question where both ask", TERMINAL, {}, WRITE, NONE, "ask risk-profile:medium"],
  ["one answer for both", TERMINAL, {}, WRITE, CALL, "allow risk-profile:approved"],
  ["the session's answer for both", TERMINAL, {}, WRITE, TOOL, "allow risk-profile:session"],
  [
    "no answer for another tool",
    TERMINAL,
    {},
    ["edit_file", "write"],
    TOOL,
    "ask risk-profile:medium",
  ],
  ["the flags' question where the profile permits", TERMINAL, FULL, WRITE, NONE, "ask flags:write"],
  ["its answer", TERMINAL, FULL, WRITE, CALL, "allow risk-profile:level"],
  ["its answer for the session", TERMINAL, FULL, WRITE, TOOL, "allow risk-profile:level"],
  [
    "the profile's question where the flags permit",
    { ...TERMINAL, allowWrite: true },
    {},
    WRITE,
    NONE,
    "ask risk-profile:medium",
  ],
  ["the flags' denial where the profile permits", HEADLESS, FULL, WRITE, NONE, "deny flags:write"],
  [
    "--read-only over the freest profile",
    { ...TERMINAL, readOnly: true, allowWrite: true },
    { preset: "yolo" },
    WRITE,
    CALL,
    "deny read-only:write",
  ],
  [
    "the profile's denial over every flag",
    { ...TERMINAL, allowWrite: true },
    { level: "readonly" },
    WRITE,
    CALL,
    "deny risk-profile:level",
  ],
  [
    "what is always asked about, over flags and the session",
    { ...TERMINAL, allowWrite: true },
    { ...FULL, alwaysAsk: ["write_file"] },
    WRITE,
    TOOL,
    "ask risk-profile:alwaysAsk",
  ],
  [
    "an excluded tool",
    TERMINAL,
    { excludedTools: ["read_file"] },
    READ,
    CALL,
    "deny risk-profile:excludedTools",
  ],
];

for (const [name, flags, profile, [tool, effect], grants, expected] of ROWS) {
  Deno.test(`decide() gives ${expected}: ${name}`, async () => {
    const facts: CallFacts = {
      tool,
      effect,
      paths: [],
      grants,
      profileInput: { command: null, paths: [], actionsLeft: 1 },
    };
    const decision = decide(facts, await policies(flags, profile));
    assert.equal(`${decision.decision} ${decision.matched}`, expected);
    if (decision.decision === "ask") assert.deepEqual(decision.subject, { kind: "tool", tool });
    const onceOnly = expected.startsWith("ask") && expected.endsWith("alwaysAsk");
    assert.equal(decision.onceOnly ?? false, onceOnly);
  });
}

Deno.test("decide() denies a call whose input a profile was not told about", async () => {
  const facts: CallFacts = { tool: "read_file", effect: "read", paths: [], grants: CALL };
  const decision = decide(facts, await policies(TERMINAL, FULL));
  assert.deepEqual([decision.decision, decision.matched], ["deny", "risk-profile:unknown-input"]);
  const general = decide({ ...facts, profileInput: null }, await policies(TERMINAL, FULL));
  assert.equal(general.decision, "allow");
});

Deno.test("decide() asks about an outside directory before a profile asks about the tool", async () => {
  const path = {
    requested: "/data/x",
    absolute: "/data/x",
    real: "/data/x",
    exists: true,
    root: null,
    isProtected: false,
    isSecret: false,
    directory: "/data",
  };
  const facts: CallFacts = {
    tool: "write_file",
    effect: "write",
    paths: [path],
    grants: CALL,
    profileInput: { command: null, paths: [], actionsLeft: 1 },
  };
  const rules = await policies(TERMINAL, { allowedRoots: ["/data"] });
  assert.deepEqual(decide(facts, rules).subject, { kind: "directory", path: "/data" });
  const granted = { ...facts, grants: { ...CALL, directories: ["/data"] } };
  assert.equal(decide(granted, rules).decision, "allow");
});

async function policies(
  flags: PermissionFlags,
  profile: Record<string, unknown>,
): Promise<readonly Policy[]> {
  const { profile: parsed, paths } = await placedFrom(profile);
  return [
    ...policiesFromFlags(flags),
    profilePolicy(parsed, { paths, canAsk: flags.interactive }),
  ];
}
