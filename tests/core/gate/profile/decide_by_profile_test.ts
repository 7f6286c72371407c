import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import type { PolicyPathFacts } from "../../../../core/gate/paths_policy/path_policy.ts";
import { resolvePathPolicy } from "../../../../core/gate/paths_policy/resolve_path_policy.ts";
import type { CommandVerdict } from "../../../../core/gate/profile/command_facts.ts";
import {
  decideByProfile,
  profileRules,
  type ProfileRulesOptions,
  type ProfileVerdict,
} from "../../../../core/gate/profile/decide_by_profile.ts";
import {
  declaredAccess,
  type ProfileFacts,
  type UsedPath,
} from "../../../../core/gate/profile/profile_facts.ts";
import { profileFrom } from "./_profiles.ts";

/** A call in a few words. */
interface Call {
  readonly tool: string;
  readonly effect?: Effect;
  readonly paths?: readonly string[];
  readonly command?: CommandVerdict;
  readonly writes?: readonly string[];
  readonly left?: number;
  readonly approved?: true;
  readonly session?: true;
  /** About the tool in general. */
  readonly general?: true;
}

interface Surface {
  readonly headless?: true;
  readonly preGranted?: readonly Effect[];
}

type Row = readonly [
  name: string,
  profile: Record<string, unknown>,
  call: Call,
  expected: string,
  surface?: Surface,
];

const EFFECTS: Readonly<Record<string, Effect>> = {
  read_file: "read",
  write_file: "write",
  edit_file: "write",
  shell: "process",
  run_process: "process",
  bg_list: "process",
  webfetch: "external",
  websearch: "external",
  docs__search: "external",
  notes__save: "write",
  memory_search: "internal",
  task: "internal",
  execute: "process",
};

const READ: Call = { tool: "read_file", paths: ["a.ts"] };
const WRITE: Call = { tool: "write_file", paths: ["a.ts"] };
const LOW = shell("run", "low");
const MEDIUM = shell("ask", "medium");
/** Of medium risk, which the profile does not ask about. */
const UNASKED = shell("run", "medium");
const HIGH = shell("ask", "high");
/** Of low risk, but perhaps another command than it seems. */
const DOUBTFUL = shell("ask", "low", "concern");
const HIDDEN = shell("ask", "low", "doubt");
const BLOCKED = shell("block", "high", "risk:high");
const UNLISTED = shell("block", "low", "list");
const FORM = shell("block", "low", "form");
const EMPTY = shell("block", "low", "empty");
const FULL = { level: "full" };
const RO = { level: "readonly" };
const LOOSE = { requireApprovalForMediumRisk: false };

const ROWS: readonly Row[] = [
  // The table of levels and classes.
  ["low, readonly", RO, READ, "allow level"],
  ["low", {}, READ, "allow low"],
  ["low, full", FULL, READ, "allow level"],
  ["own state, readonly", RO, { tool: "memory_search" }, "allow level"],
  ["a page, readonly", RO, { tool: "webfetch" }, "allow level"],
  ["a page", {}, { tool: "webfetch" }, "allow low"],
  ["another system, readonly", RO, { tool: "docs__search" }, "deny level"],
  ["another system", {}, { tool: "docs__search" }, "ask medium"],
  ["another system, full", FULL, { tool: "docs__search" }, "allow level"],
  [
    "an unknown network tool is not a page",
    {},
    { tool: "webpost", effect: "external" },
    "ask medium",
  ],
  ["a write, readonly", RO, WRITE, "deny level"],
  ["a write", {}, WRITE, "ask medium"],
  ["a write, full", FULL, WRITE, "allow level"],
  ["a write without approval of medium risk", LOOSE, WRITE, "allow medium"],
  ["a tool that starts programs by itself", {}, { tool: "execute" }, "ask medium"],
  ["the same, readonly", RO, { tool: "execute" }, "deny level"],
  ["the same, full", FULL, { tool: "execute" }, "allow level"],

  // Paths.
  ["reading outside", {}, { tool: "read_file", paths: ["/data/x"] }, "deny workspaceOnly"],
  [
    "reading outside, readonly",
    RO,
    { tool: "read_file", paths: ["/data/x"] },
    "deny workspaceOnly",
  ],
  ["reading outside, full", FULL, { tool: "read_file", paths: ["/data/x"] }, "allow level"],
  ["writing outside", {}, { tool: "write_file", paths: ["/data/x"] }, "deny workspaceOnly"],
  ["writing outside, full", FULL, { tool: "write_file", paths: ["/data/x"] }, "allow level"],
  ["one path of two", {}, { tool: "read_file", paths: ["a", "/data/x"] }, "deny workspaceOnly"],
  [
    "reading where the workspace is no limit",
    { workspaceOnly: false },
    { tool: "read_file", paths: ["/data/x"] },
    "allow low",
  ],
  [
    "writing there is of high risk",
    { workspaceOnly: false, ...LOOSE, autoApprove: ["*"] },
    { tool: "write_file", paths: ["/data/x"] },
    "deny high",
  ],
  [
    "writing in an open folder",
    { allowedRoots: ["/data"] },
    { tool: "write_file", paths: ["/data/x"] },
    "ask medium",
  ],
  ["a closed path, full", FULL, { tool: "read_file", paths: ["/etc/x"] }, "deny forbiddenPaths"],
  [
    "a closed path, approved",
    { autoApprove: ["*"] },
    { tool: "read_file", paths: ["/etc/x"], approved: true },
    "deny forbiddenPaths",
  ],
  [
    "editing in a write-only folder",
    { allowedRoots: [{ path: "/data", access: "write-only" }] },
    { tool: "edit_file", paths: ["/data/x"] },
    "deny allowedRoots",
  ],
  [
    "writing in a write-only folder",
    { allowedRoots: [{ path: "/data", access: "write-only" }] },
    { tool: "write_file", paths: ["/data/x"] },
    "ask medium",
  ],
  ["a path of a command", {}, { ...LOW, paths: ["/etc/passwd"] }, "deny forbiddenPaths"],
  [
    "a command that reads a read-only folder",
    { allowedRoots: [{ path: "/ref", access: "read-only" }] },
    { ...LOW, paths: ["/ref/x"] },
    "allow low",
  ],
  [
    "a command that writes there",
    { allowedRoots: [{ path: "/ref", access: "read-only" }] },
    { ...LOW, writes: ["/ref/x"] },
    "deny allowedRoots",
  ],
  ["a command that writes the null device", {}, { ...LOW, writes: ["/dev/null"] }, "allow low"],

  // Commands.
  ["a command of low risk", {}, LOW, "allow low"],
  ["a command of low risk, headless", {}, LOW, "allow low", { headless: true }],
  ["a command of low risk, readonly", RO, LOW, "deny level"],
  ["a command of medium risk", {}, MEDIUM, "ask medium"],
  ["a command of medium risk, headless", {}, MEDIUM, "deny medium", { headless: true }],
  ["a command of medium risk, unasked, headless", LOOSE, UNASKED, "allow medium", {
    headless: true,
  }],
  ["a command that is asked about whatever its risk", LOOSE, shell("ask", "low"), "ask low"],
  ["a command of medium risk, full", FULL, MEDIUM, "allow level"],
  ["a command of high risk", {}, HIGH, "ask high"],
  ["a command of high risk, headless", {}, HIGH, "deny high", { headless: true }],
  ["a command of high risk, no approval of medium risk", LOOSE, HIGH, "ask high"],
  ["a command of high risk, full", FULL, HIGH, "allow level"],
  ["a blocked command", {}, BLOCKED, "deny command:risk:high"],
  ["a blocked command, full", FULL, BLOCKED, "deny command:risk:high"],
  [
    "a blocked command, approved in every way",
    { autoApprove: ["*"] },
    { ...BLOCKED, approved: true, session: true },
    "deny command:risk:high",
    { preGranted: ["process"] },
  ],
  ["an unlisted command", {}, UNLISTED, "deny command:list"],
  ["an unlisted command, full", FULL, UNLISTED, "deny command:list"],
  ["an unlisted command, approved", {}, { ...UNLISTED, approved: true }, "deny command:list"],
  ["a refused form, full", FULL, FORM, "deny command:form"],
  ["an ungraded command, full", FULL, { tool: "run_process" }, "deny ungraded"],
  ["watching what runs", {}, { tool: "bg_list" }, "ask medium"],

  // Approvals.
  ["R1", { alwaysAsk: ["write_file"], autoApprove: ["write_file"] }, WRITE, "ask alwaysAsk"],
  ["R1 neighbour", { autoApprove: ["write_file"] }, WRITE, "allow autoApprove"],
  ["R1 with a star", { alwaysAsk: ["*"], autoApprove: ["*"] }, READ, "ask alwaysAsk"],
  ["R2", { ...FULL, alwaysAsk: ["shell"] }, LOW, "ask alwaysAsk"],
  [
    "R2 by another tool",
    { ...FULL, alwaysAsk: ["shell"] },
    { ...LOW, tool: "run_process" },
    "ask alwaysAsk",
  ],
  ["R2 neighbour", { ...FULL, alwaysAsk: ["shell"] }, WRITE, "allow level"],
  ["R2 answered", { ...FULL, alwaysAsk: ["shell"] }, { ...LOW, approved: true }, "allow alwaysAsk"],
  ["R3", { ...FULL, alwaysAsk: ["*"] }, READ, "deny alwaysAsk", { headless: true }],
  ["R3 neighbour", FULL, WRITE, "allow level", { headless: true }],
  ["R4", { alwaysAsk: ["write_file"] }, { ...WRITE, session: true }, "ask alwaysAsk"],
  ["R4 before the next load", {}, { ...WRITE, session: true }, "allow session"],
  ["R5", { ...RO, alwaysAsk: ["write_file"] }, WRITE, "deny level"],
  ["R5 for a tool that looks", { ...RO, alwaysAsk: ["*"] }, READ, "allow level"],
  ["R6", {}, { ...MEDIUM, session: true }, "allow session"],
  ["R6 high and listed", {}, { ...HIGH, session: true }, "allow session"],
  ["no command", { allowedCommands: ["*"] }, EMPTY, "deny command:empty"],
  ["R6 in doubt", {}, { ...DOUBTFUL, session: true }, "ask doubt"],
  ["R6 in doubt, answered", {}, { ...DOUBTFUL, approved: true }, "allow approved"],
  ["in doubt, approved in advance", { autoApprove: ["shell"] }, DOUBTFUL, "ask doubt"],
  ["in doubt, granted beforehand", {}, DOUBTFUL, "deny doubt", {
    headless: true,
    preGranted: ["process"],
  }],
  ["not all shown", {}, { ...HIDDEN, session: true }, "ask doubt"],
  ["not all shown, approved in advance", { autoApprove: ["shell"] }, HIDDEN, "allow autoApprove"],
  ["not all shown, granted beforehand", {}, HIDDEN, "allow preGranted", {
    headless: true,
    preGranted: ["process"],
  }],
  ["in doubt, headless", {}, { ...DOUBTFUL, session: true }, "deny doubt", { headless: true }],
  ["R6 blocked", {}, { ...BLOCKED, session: true }, "deny command:risk:high"],
  ["R7 and R8: without a grant of its own", {}, MEDIUM, "ask medium"],
  [
    "a star approves everything that is not blocked",
    { autoApprove: ["*"] },
    HIGH,
    "allow autoApprove",
  ],
  ["granted beforehand, headless", {}, WRITE, "allow preGranted", {
    headless: true,
    preGranted: ["write"],
  }],
  ["another effect granted beforehand", {}, WRITE, "deny medium", {
    headless: true,
    preGranted: ["process"],
  }],
  ["granted beforehand, always asked", { alwaysAsk: ["write_file"] }, WRITE, "deny alwaysAsk", {
    headless: true,
    preGranted: ["write"],
  }],
  ["granted beforehand, readonly", RO, WRITE, "deny level", { preGranted: ["write"] }],

  // Tools.
  [
    "R32",
    { excludedTools: ["read_file"], allowedTools: ["read_file"] },
    READ,
    "deny excludedTools",
  ],
  ["excluded, full", { ...FULL, excludedTools: ["read_file"] }, READ, "deny excludedTools"],
  [
    "excluded, approved",
    { excludedTools: ["read_file"] },
    { ...READ, approved: true },
    "deny excludedTools",
  ],
  ["everything excluded", { excludedTools: ["*"] }, READ, "deny excludedTools"],
  ["in the list of tools", { allowedTools: ["read_file"] }, READ, "allow low"],
  ["not in the list of tools", { allowedTools: ["write_file"] }, READ, "deny allowedTools"],
  ["every tool in the list", { allowedTools: ["*"] }, READ, "allow low"],
  ["a bridged tool", { allowedTools: ["read_file"] }, { tool: "docs__search" }, "ask medium"],
  [
    "a tool that is named like one",
    { allowedTools: ["read_file"] },
    { tool: "notes__save" },
    "deny allowedTools",
  ],
  [
    "a bridged tool that is excluded",
    { excludedTools: ["docs__search"] },
    { tool: "docs__search" },
    "deny excludedTools",
  ],
  ["delegation", {}, { tool: "task" }, "deny delegationPolicy"],
  ["delegation, full", FULL, { tool: "task" }, "deny delegationPolicy"],
  [
    "delegation that is allowed",
    { delegationPolicy: { mode: "allow" } },
    { tool: "task" },
    "allow low",
  ],

  // The budget, before anybody is asked.
  ["R37", { maxActionsPerHour: 0 }, { ...WRITE, left: 0 }, "deny maxActionsPerHour"],
  ["R37, full", { ...FULL, maxActionsPerHour: 0 }, { ...LOW, left: 0 }, "deny maxActionsPerHour"],
  ["R37 for a tool that looks", { maxActionsPerHour: 0 }, { ...READ, left: 0 }, "allow low"],
  ["nothing left, a page", {}, { tool: "webfetch", left: 0 }, "allow low"],
  ["nothing left, another system", {}, { tool: "docs__search", left: 0 }, "deny maxActionsPerHour"],
  ["nothing left, watching", FULL, { tool: "bg_list", left: 0 }, "allow level"],
  ["nothing left, approved", {}, { ...WRITE, left: 0, approved: true }, "deny maxActionsPerHour"],
  ["nothing left, blocked anyway", {}, { ...UNLISTED, left: 0 }, "deny command:list"],

  // About tools in general, as menus ask.
  ["the shell in general", {}, { tool: "shell", general: true }, "ask medium"],
  ["the shell in general, headless", {}, { tool: "shell", general: true }, "allow low", {
    headless: true,
  }],
  ["the shell in general, readonly", RO, { tool: "shell", general: true }, "deny level"],
  ["writing in general, headless", {}, { tool: "write_file", general: true }, "deny medium", {
    headless: true,
  }],
  [
    "an excluded tool in general",
    { excludedTools: ["shell"] },
    { tool: "shell", general: true },
    "deny excludedTools",
  ],
  [
    "always asked in general, headless",
    { alwaysAsk: ["shell"] },
    { tool: "shell", general: true },
    "deny alwaysAsk",
    { headless: true },
  ],
];

const IMPERATIVE = /^(?:add|edit|give|leave|list|open|raise|run|set|start|take|use) /;

for (const [name, profile, call, expected, surface] of ROWS) {
  Deno.test(`decideByProfile() answers ${expected} to ${name}`, async () => {
    const verdict = await decide(profile, call, surface);
    assert.equal(`${verdict.decision} ${verdict.rule}`, expected);
    assert.equal(verdict.onceOnly, /^ask (alwaysAsk|doubt)$/.test(expected) ? true : undefined);
    const canHelp = verdict.decision === "deny" && verdict.rule !== "command:empty";
    assert.equal(verdict.remedy !== undefined, canHelp);
    // It follows "to permit it, ".
    if (verdict.remedy !== undefined) assert.match(verdict.remedy, IMPERATIVE);
  });
}

Deno.test("decideByProfile() tells the model no setting (R30)", async () => {
  const settings = Object.keys(profileFrom({}));
  for (const [name, profile, call, , surface] of ROWS) {
    const { reason } = await decide(profile, call, surface);
    for (const setting of [...settings, "riskProfiles", "delegationPolicy"]) {
      // A level is also a word.
      if (setting === "level" || setting === "sandbox" || setting === "delegation") continue;
      assert.ok(!reason.includes(setting), `${name}: ${reason}`);
    }
  }
});

Deno.test("decideByProfile() says that a missing approver is no person's decision", async () => {
  const headless = await decide({}, WRITE, { headless: true });
  assert.match(headless.reason, /nobody was there.*not a person's decision/);
  const { reason } = await decide({}, { ...BLOCKED, approved: true });
  assert.doesNotMatch(reason, /nobody/);
});

Deno.test("decideByProfile() tells the person which key permits it", async () => {
  const rows: readonly (readonly [Record<string, unknown>, Call, RegExp])[] = [
    [{ excludedTools: ["shell"] }, LOW, /out of "riskProfiles\.p\.excludedTools"/],
    [{ allowedTools: ["x"] }, LOW, /add "shell" to "riskProfiles\.p\.allowedTools"/],
    [{}, { tool: "task" }, /"riskProfiles\.p\.delegationPolicy\.mode" to "allow"/],
    [RO, WRITE, /^use a profile of another level: "riskProfiles\.p\.level" is "readonly"$/],
    [
      {},
      UNLISTED,
      /^add the program to "riskProfiles\.p\.allowedCommands": it does something$/,
    ],
    [{}, BLOCKED, /by name in "riskProfiles\.p\.allowedCommands"/],
    [{}, { ...WRITE, left: 0 }, /raise "riskProfiles\.p\.maxActionsPerHour"/],
    [{}, { tool: "read_file", paths: ["/data/x"] }, /"riskProfiles\.p\.allowedRoots"/],
  ];
  for (const [profile, call, remedy] of rows) {
    assert.match((await decide(profile, call)).remedy ?? "", remedy);
  }
});

Deno.test("decideByProfile() names the flag of an effect, where there is one", async () => {
  const rows = [
    [WRITE, "run where a person can answer, or again with --allow-write"],
    [{ tool: "edit_file", effect: "internal" }, "run where a person can answer"],
  ] as const;
  for (const [call, remedy] of rows) {
    assert.equal((await decide({}, call, { headless: true })).remedy, remedy);
  }
});

Deno.test("decideByProfile() changes nothing at level readonly, whatever a tool declares", async () => {
  for (const tool of ["shell", "run_process", "bg_run", "write_file", "edit_file"]) {
    for (const effect of ["read", "internal"] as const) {
      assert.equal((await decide(RO, { tool, effect })).decision, "deny", `${tool} ${effect}`);
    }
  }
});

Deno.test("declaredAccess() reads an edit as reading and writing", () => {
  assert.equal(declaredAccess("edit_file", "write"), "read_write");
  assert.equal(declaredAccess("write_file", "write"), "write");
  assert.equal(declaredAccess("read_file", "read"), "read");
  assert.equal(declaredAccess("run_process", "process"), "either");
  assert.equal(declaredAccess("docs__open", "external"), "read_write");
});

async function decide(
  value: Record<string, unknown>,
  call: Call,
  surface: Surface = {},
): Promise<ProfileVerdict> {
  const profile = profileFrom(value);
  const paths = await resolvePathPolicy(profile, { workspace: "/srv/ws", home: "/home/me" });
  const options: ProfileRulesOptions = {
    paths,
    canAsk: surface.headless !== true,
    preGranted: surface.preGranted ?? [],
  };
  return decideByProfile(factsOf(call), profileRules(profile, options));
}

function factsOf(call: Call): ProfileFacts {
  const effect = call.effect ?? EFFECTS[call.tool] ?? "external";
  const access = declaredAccess(call.tool, effect);
  const paths: readonly UsedPath[] = [
    ...(call.paths ?? []).map((path) => ({ facts: pathFacts(path), access })),
    ...(call.writes ?? []).map((path) => ({ facts: pathFacts(path), access: "write" as const })),
  ];
  return {
    tool: call.tool,
    effect,
    input: call.general
      ? null
      : { command: call.command ?? null, paths, actionsLeft: call.left ?? 1 },
    callApproved: call.approved ?? false,
    sessionApproved: call.session ?? false,
  };
}

function shell(
  unapproved: CommandVerdict["unapproved"],
  risk: CommandVerdict["risk"],
  rule = "risk",
): Call {
  const approved = unapproved === "block" ? "block" : "run";
  const command = { unapproved, approved, risk, rule, reason: "it does something" } as const;
  return { tool: "shell", command };
}

function pathFacts(requested: string): PolicyPathFacts {
  const absolute = requested.startsWith("/") ? requested : `/srv/ws/${requested}`;
  return {
    requested,
    spellings: [absolute],
    real: absolute,
    ancestors: [],
    trouble: null,
    isOwnFile: false,
  };
}

Deno.test("decideByProfile() offers no remedy for a call without a command", async () => {
  const verdict = await decide({}, EMPTY);
  assert.equal(verdict.remedy, undefined);
  assert.match(verdict.reason, /^no command was given, so nothing was run; give one/);
});
