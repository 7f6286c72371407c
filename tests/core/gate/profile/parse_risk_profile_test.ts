import assert from "node:assert/strict";
import { formatProblem } from "../../../../core/config/config_error.ts";
import { defaultForbiddenPaths } from "../../../../core/gate/paths_policy/default_forbidden_paths.ts";
import {
  parseRiskProfile,
  parseRiskProfiles,
} from "../../../../core/gate/profile/parse_risk_profile.ts";
import { type RiskProfile, sandboxBackend } from "../../../../core/gate/profile/risk_profile.ts";

const READ_ONLY_TOOLS = [
  "read_file",
  "list_files",
  "search_text",
  "git_status",
  "git_diff",
  "context_explain",
  "skill_load",
  "skill_search",
  "skill_resource",
  "memory_search",
  "webfetch",
  "websearch",
];

const DEFAULTS: RiskProfile = {
  alias: "p",
  level: "supervised",
  workspaceOnly: true,
  allowedCommands: [
    ..."git npm cargo ls cat grep find echo pwd wc head tail date df du uname uptime".split(" "),
    ..."hostname python python3 pip node free".split(" "),
  ],
  forbiddenPaths: defaultForbiddenPaths("linux"),
  allowedRoots: [],
  requireApprovalForMediumRisk: true,
  blockHighRiskCommands: true,
  autoApprove: READ_ONLY_TOOLS,
  alwaysAsk: [],
  allowedTools: [],
  excludedTools: [],
  approvalRoute: null,
  delegation: "forbidden",
  sandbox: { enabled: null, backend: null, firejailArgs: [] },
  shellEnvPassthrough: [],
  maxActionsPerHour: 20,
  maxCostPerDayCents: 500,
  namesCostLimit: false,
  shellTimeoutMs: 60_000,
};

Deno.test("parseRiskProfile() fills in the documented defaults", () => {
  assert.deepEqual(parseRiskProfile("p", {}, "linux"), {
    profile: DEFAULTS,
    problems: [],
    warnings: [],
  });
  const elsewhere = parseRiskProfile("p", {}, "darwin").profile;
  assert.ok(elsewhere !== null && !elsewhere.allowedCommands.includes("free"));
  const windows = parseRiskProfile("p", {}, "windows").profile;
  assert.ok(windows?.forbiddenPaths.includes("C:\\Windows"));
  assert.ok(windows?.forbiddenPaths.includes("~/.ssh") && !windows.forbiddenPaths.includes("/etc"));
});

const SNAKE = {
  level: "full",
  workspace_only: false,
  allowed_commands: ["make", "/usr/bin/tool", "", "*"],
  forbidden_paths: ["/srv/secrets", " "],
  allowed_roots: ["../lib", { path: "~/ref", access: "read-only" }],
  require_approval_for_medium_risk: false,
  block_high_risk_commands: false,
  auto_approve: ["write_file"],
  always_ask: ["webfetch"],
  allowed_tools: ["read_file"],
  excluded_tools: ["git_diff"],
  approval_route: {
    approver_channel: "matrix.ops",
    approver_recipient: "!ops:example.org",
    on_no_approver: "inherit-originator",
    timeout_secs: 30,
  },
  delegation_policy: { mode: "allow" },
  sandbox_enabled: true,
  sandbox_backend: "bubblewrap",
  firejail_args: ["--net=none"],
  shell_env_passthrough: ["MY_VAR", "_x1"],
  max_actions_per_hour: 0,
  max_cost_per_day_cents: 1,
  shell_timeout_secs: 5,
};

const READ: RiskProfile = {
  alias: "p",
  level: "full",
  workspaceOnly: false,
  allowedCommands: ["make", "/usr/bin/tool", "*"],
  forbiddenPaths: ["/srv/secrets"],
  allowedRoots: [{ path: "../lib", access: "read-write" }, { path: "~/ref", access: "read-only" }],
  requireApprovalForMediumRisk: false,
  blockHighRiskCommands: false,
  autoApprove: [...READ_ONLY_TOOLS, "write_file"],
  alwaysAsk: ["webfetch"],
  allowedTools: ["read_file"],
  excludedTools: ["git_diff"],
  approvalRoute: {
    approverChannel: "matrix.ops",
    approverRecipient: "!ops:example.org",
    onNoApprover: "inherit-originator",
    timeoutMs: 30_000,
  },
  delegation: "allow",
  sandbox: { enabled: true, backend: "bubblewrap", firejailArgs: ["--net=none"] },
  shellEnvPassthrough: ["MY_VAR", "_x1"],
  maxActionsPerHour: 0,
  maxCostPerDayCents: 1,
  namesCostLimit: true,
  shellTimeoutMs: 5000,
};

Deno.test("parseRiskProfile() reads every key, with underscores and in camel case", () => {
  assert.deepEqual(parseRiskProfile("p", SNAKE), { profile: READ, problems: [], warnings: [] });
  const camel = JSON.parse(
    JSON.stringify(SNAKE).replace(
      /"([a-z]+(?:_[a-z]+)+)":/g,
      (_, name: string) => `"${name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}":`,
    ),
  );
  assert.ok("requireApprovalForMediumRisk" in camel && "approverChannel" in camel.approvalRoute);
  assert.deepEqual(parseRiskProfile("p", camel), { profile: READ, problems: [], warnings: [] });
});

/** Values that stop the configuration from loading, and what is said about them. */
const PROBLEMS: readonly (readonly [string, unknown, RegExp])[] = [
  [
    "read_only as a level",
    { level: "read_only" },
    /^"riskProfiles\.p\.level" must be "readonly", "supervised" or "full", found "read_only"; did you mean "readonly"\?$/,
  ],
  ["ReadOnly as a level", { level: "ReadOnly" }, /must be "readonly", "supervised" or "full"/],
  ["an empty level", { level: "" }, /must be "readonly", "supervised" or "full"/],
  ["a level that is no text", { level: null }, /must be "readonly", "supervised" or "full"/],
  [
    "a route without a channel",
    { approval_route: { approver_recipient: "x" } },
    /^"riskProfiles\.p\.approvalRoute\.approverChannel" is missing$/,
  ],
  [
    "a route with a blank channel",
    { approvalRoute: { approverChannel: " " } },
    /must be the key of a channel/,
  ],
  [
    "a route that allows",
    { approvalRoute: { approverChannel: "matrix.ops", on_no_approver: "allow" } },
    /onNoApprover" must be "deny" or "inherit-originator", found "allow"/,
  ],
  [
    "a route with a negative wait",
    { approvalRoute: { approverChannel: "matrix.ops", timeoutSecs: -1 } },
    /timeoutSecs" must be a number from 0/,
  ],
  [
    "an unknown key of a route",
    { approvalRoute: { approverChannel: "matrix.ops", approverRecipent: "x" } },
    /did you mean "riskProfiles\.p\.approvalRoute\.approverRecipient"\?/,
  ],
  [
    "a variable name with a hyphen",
    { shell_env_passthrough: ["GOOD", "A-B"] },
    /^"riskProfiles\.p\.shellEnvPassthrough\[1\]" must be the name of an environment variable$/,
  ],
  ["a variable with a value", { shellEnvPassthrough: ["A=b"] }, /must be the name/],
  ["an empty variable name", { shellEnvPassthrough: [""] }, /must be the name/],
  [
    "an unknown key",
    { workspce_only: true },
    /^"riskProfiles\.p\.workspce_only" is not a known key; did you mean "riskProfiles\.p\.workspaceOnly"\?$/,
  ],
  ["an unknown key that resembles none", { wobble: 1 }, /is not a known key; .*"allowedCommands"/],
  ["a key of the prototype", JSON.parse('{"__proto__": 1}'), /is not a known key/],
  [
    "a key in both spellings",
    { always_ask: ["a"], alwaysAsk: [] },
    /^"riskProfiles\.p\.alwaysAsk" is there in both spellings; keep one of them$/,
  ],
  ["a table for a flat list", { autoApprove: { shell: true } }, /must be a list of texts/],
  ["a blank tool name", { excludedTools: [" "] }, /must be the name of a tool/],
  ["a tool name with space around it", { alwaysAsk: [" shell "] }, /must be the name of a tool/],
  ["a pattern of tool names", { excludedTools: ["shell*"] }, /must be the name of a tool/],
  ["a tool in other case", { excludedTools: ["Shell"] }, /names no tool; did you mean "shell"\?$/],
  ["a tool in camel case", { alwaysAsk: ["writeFile"] }, /did you mean "write_file"\?$/],
  ["a tool with a hyphen", { allowed_tools: ["read-file"] }, /did you mean "read_file"\?$/],
  ["a command line", { allowedCommands: ["git push"] }, /must be a program: its name or path/],
  ["a pattern of programs", { allowedCommands: ["git*"] }, /must be a program: its name or path/],
  ["a folder of programs", { allowedCommands: ["/usr/bin/*"] }, /must be a program: its name or/],
  ["a closed path with a variable", { forbiddenPaths: ["$HOME/x"] }, /without variables/],
  ["a variable of Windows", { forbiddenPaths: ["%APPDATA%\\x"] }, /without variables/],
  ["a closed address", { forbiddenPaths: ["file:///etc"] }, /must be a path that is/],
  ["space before a closed path", { forbiddenPaths: [" secrets"] }, /without space around it/],
  ["space after a closed path", { forbiddenPaths: ["secrets "] }, /without space around it/],
  ["an open path with a variable", { allowedRoots: ["$HOME/x"] }, /without variables/],
  ["an unknown preset", { preset: "lockeddown" }, /did you mean "locked_down"\?/],
  ["an unknown delegation mode", { delegationPolicy: { mode: "ask" } }, /"forbidden" or "allow"/],
  ["an unknown access", { allowedRoots: [{ path: "/a", access: "read" }] }, /"read-only"/],
  ["a root without a path", { allowedRoots: [{ access: "read-only" }] }, /path" is missing/],
  ["a root that is no path", { allowedRoots: [5] }, /allowedRoots\[0\]/],
  ["roots that are no list", { allowedRoots: "/a" }, /must be a list of texts/],
  ["a root in another home", { allowedRoots: ["~you/a"] }, /must be a path that is absolute/],
  ["a closed path in another home", { forbiddenPaths: ["~you"] }, /must be a path that is/],
  ["a path with NUL", { forbiddenPaths: ["a\0"] }, /must be a path that is/],
  ["a negative budget", { maxActionsPerHour: -1 }, /must be an integer of at least 0/],
  ["half an action", { maxActionsPerHour: 0.5 }, /must be an integer of at least 0/],
  ["no time for a command", { shellTimeoutSecs: 0 }, /must be an integer from 1/],
  ["a switch as a text", { workspaceOnly: "yes" }, /must be true or false/],
  ["a profile that is a list", [], /^"riskProfiles\.p" must be an object, found a list$/],
];

for (const [name, value, expected] of PROBLEMS) {
  Deno.test(`parseRiskProfile() refuses ${name}`, () => {
    const { profile, problems } = parseRiskProfile("p", value);
    assert.equal(profile, null);
    assert.equal(problems.length, 1);
    assert.match(problems.map(formatProblem).join("\n"), expected);
  });
}

/** Neighbours of the refused ones. */
const ACCEPTED: readonly (readonly [string, unknown, Partial<RiskProfile>, RegExp | null])[] = [
  [
    "programs with spaces in their paths, and blank entries",
    { allowedCommands: ["/opt/My Tools/x", "~/my tools/y", "C:\\Program Files\\z.exe", " ", "*"] },
    { allowedCommands: ["/opt/My Tools/x", "~/my tools/y", "C:\\Program Files\\z.exe", "*"] },
    null,
  ],
  [
    "closed paths with spaces and signs inside",
    { forbiddenPaths: ["my secrets", "a$b", "100%", "c:d"] },
    { forbiddenPaths: ["my secrets", "a$b", "100%", "c:d"] },
    null,
  ],
  [
    "tools of plugins, whatever their case",
    { excludedTools: ["myTool", "docs__Search", "*"] },
    { excludedTools: ["myTool", "docs__Search", "*"] },
    null,
  ],
  ["readonly", { level: "readonly" }, { level: "readonly" }, null],
  [
    "a route without a recipient",
    { approvalRoute: { approverChannel: "matrix.ops" } },
    {
      approvalRoute: {
        approverChannel: "matrix.ops",
        approverRecipient: null,
        onNoApprover: "deny",
        timeoutMs: 120_000,
      },
    },
    /names no recipient/,
  ],
  [
    "a route with a blank recipient and no wait",
    { approvalRoute: { approverChannel: "matrix", approverRecipient: "  ", timeoutSecs: 0 } },
    {
      approvalRoute: {
        approverChannel: "matrix",
        approverRecipient: null,
        onNoApprover: "deny",
        timeoutMs: 1000,
      },
    },
    /names no recipient/,
  ],
  [
    "an unknown sandbox, as auto",
    { sandboxBackend: "whatever" },
    { sandbox: { enabled: null, backend: "auto", firejailArgs: [] } },
    /not a known sandbox, found "whatever"/,
  ],
  [
    "a misspelt sandbox, as auto",
    { sandboxBackend: "bubblewarp" },
    { sandbox: { enabled: null, backend: "auto", firejailArgs: [] } },
    /did you mean "bubblewrap"\?/,
  ],
  [
    "another name of a sandbox",
    { sandboxBackend: "SeatBelt" },
    { sandbox: { enabled: null, backend: "sandbox-exec", firejailArgs: [] } },
    null,
  ],
  ["an empty list of commands", { allowedCommands: [] }, { allowedCommands: [] }, null],
  ["an empty list of approved tools", { autoApprove: [] }, { autoApprove: READ_ONLY_TOOLS }, null],
  [
    "every tool approved",
    { autoApprove: ["*"] },
    { autoApprove: [...READ_ONLY_TOOLS, "*"] },
    null,
  ],
  [
    "a root of a star and a blank one (P25)",
    { allowedRoots: ["*", " ", "/a"] },
    { allowedRoots: [{ path: "/a", access: "read-write" }] },
    /allowedRoots\[0\]" is ignored/,
  ],
  [
    "a pattern, literally (P27)",
    { forbiddenPaths: ["**/secrets"] },
    { forbiddenPaths: ["**/secrets"] },
    /taken literally/,
  ],
  [
    "full, which is never limited to the workspace",
    { level: "full", workspaceOnly: true },
    { level: "full", workspaceOnly: false },
    /has no effect/,
  ],
  [
    "tool names of other documents",
    { alwaysAsk: ["file_write"], excludedTools: ["http"], autoApprove: ["web_search"] },
    {
      alwaysAsk: ["file_write", "write_file", "edit_file"],
      excludedTools: ["http", "webfetch"],
      autoApprove: [...READ_ONLY_TOOLS, "web_search"],
    },
    null,
  ],
  [
    "the shell as what is always asked about, in all its forms",
    { alwaysAsk: ["shell"], excludedTools: ["shell"] },
    { alwaysAsk: ["shell", "run_process", "bg_run"], excludedTools: ["shell"] },
    null,
  ],
];

for (const [name, value, expected, warning] of ACCEPTED) {
  Deno.test(`parseRiskProfile() accepts ${name}`, () => {
    const { profile, problems, warnings } = parseRiskProfile("p", value, "linux");
    assert.deepEqual(problems, []);
    assert.deepEqual(profile, { ...DEFAULTS, ...expected });
    if (warning === null) assert.deepEqual(warnings, []);
    else assert.match(warnings.join("\n"), warning);
  });
}

Deno.test("parseRiskProfile() starts from a preset, and the keys of the profile win", () => {
  const on = { enabled: true, backend: null, firejailArgs: [] };
  const rows: readonly (readonly [unknown, Partial<RiskProfile>])[] = [
    [{ preset: "locked_down" }, { sandbox: on }],
    [
      { preset: "balanced" },
      {
        allowedCommands: ["*"],
        requireApprovalForMediumRisk: false,
        sandbox: on,
        delegation: "allow",
      },
    ],
    [
      { preset: "yolo" },
      {
        level: "full",
        workspaceOnly: false,
        allowedCommands: ["*"],
        forbiddenPaths: [],
        requireApprovalForMediumRisk: false,
        blockHighRiskCommands: false,
        autoApprove: [...READ_ONLY_TOOLS, "*"],
        sandbox: { ...on, enabled: false },
        delegation: "allow",
      },
    ],
    [
      { preset: "balanced", allowed_commands: ["ls"], delegation_policy: { mode: "forbidden" } },
      { allowedCommands: ["ls"], requireApprovalForMediumRisk: false, sandbox: on },
    ],
    [
      { preset: "balanced", sandboxEnabled: false, sandboxBackend: "landlock" },
      {
        allowedCommands: ["*"],
        requireApprovalForMediumRisk: false,
        sandbox: { enabled: false, backend: "landlock", firejailArgs: [] },
        delegation: "allow",
      },
    ],
  ];
  for (const [value, expected] of rows) {
    const { profile } = parseRiskProfile("p", value, "linux");
    assert.deepEqual(profile, { ...DEFAULTS, ...expected }, JSON.stringify(value));
  }
});

Deno.test("parseRiskProfiles() answers every profile and every problem", () => {
  const { profiles, problems, warnings } = parseRiskProfiles({
    good: { level: "readonly" },
    bad: { level: "read_only", wobble: 1 },
    odd: { sandboxBackend: "whatever" },
  });
  assert.deepEqual([...profiles.keys()], ["good", "odd"]);
  assert.deepEqual(problems.map(({ key }) => key), [
    "riskProfiles.bad.level",
    "riskProfiles.bad.wobble",
  ]);
  assert.equal(warnings.length, 1);
});

Deno.test("sandboxBackend() lets a switched-off sandbox win, and takes the best one otherwise", () => {
  const rows = [
    [null, null, "auto"],
    [true, null, "auto"],
    [null, "landlock", "landlock"],
    [true, "none", "none"],
    [false, null, "none"],
    [false, "landlock", "none"],
  ] as const;
  for (const [enabled, backend, expected] of rows) {
    assert.equal(sandboxBackend({ enabled, backend, firejailArgs: [] }), expected);
  }
});
