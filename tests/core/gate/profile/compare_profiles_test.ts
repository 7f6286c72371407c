import assert from "node:assert/strict";
import { join } from "node:path";
import { compareProfiles } from "../../../../core/gate/profile/compare_profiles.ts";
import { withTempDir } from "../../../support/temp.ts";
import { placedFrom } from "./_profiles.ts";

type Row = readonly [
  name: string,
  parent: Record<string, unknown>,
  child: Record<string, unknown>,
  violations: readonly string[],
];

const OPTIONS = { isHighRiskProgram: (program: string) => program === "rm" };
const RO = { level: "readonly" };
const FREE = { level: "full", forbiddenPaths: [] };
const ROUTE = { approverChannel: "matrix.ops", approverRecipient: "!ops" };

/** Each violation stands before a near pair that has none. */
const ROWS: readonly Row[] = [
  ["equal profiles", {}, {}, []],
  ["equal free profiles", { preset: "yolo" }, { preset: "yolo" }, []],
  ["full under supervised (R35)", {}, { level: "full" }, ["level", "workspaceOnly"]],
  ["supervised under readonly", { level: "readonly" }, {}, ["level"]],
  ["readonly under supervised", {}, { level: "readonly" }, []],
  ["supervised under full", { level: "full" }, {}, []],
  ["a star under a list (R35)", {}, { allowedCommands: ["*"] }, ["allowedCommands"]],
  ["a command that is not listed", {}, { allowedCommands: ["ls", "make"] }, ["allowedCommands"]],
  ["a command that is listed in another case", {}, { allowedCommands: ["LS", "Git"] }, []],
  [
    "a path in another case",
    { allowedCommands: ["/opt/Tool"] },
    { allowedCommands: ["/opt/tool"] },
    ["allowedCommands"],
  ],
  ["the same path", { allowedCommands: ["/opt/Tool"] }, { allowedCommands: ["/opt/Tool"] }, []],
  [
    "a path under its name",
    { allowedCommands: ["tool"] },
    { allowedCommands: ["/opt/tool"] },
    ["allowedCommands"],
  ],
  ["a name under a star", { allowedCommands: ["*"] }, { allowedCommands: ["make"] }, []],
  ["a star under a star", { allowedCommands: ["*"] }, { allowedCommands: ["*"] }, []],
  [
    "a path under a star",
    { allowedCommands: ["*"] },
    { allowedCommands: ["/opt/tool"] },
    ["allowedCommands"],
  ],
  [
    "a dangerous name that a star does not start",
    { allowedCommands: ["*"] },
    { allowedCommands: ["rm"] },
    ["allowedCommands"],
  ],
  [
    "the same where nothing is blocked",
    { allowedCommands: ["*"], blockHighRiskCommands: false },
    { allowedCommands: ["rm"] },
    [],
  ],
  ["the workspace left", {}, { workspaceOnly: false }, ["workspaceOnly"]],
  ["the workspace kept under full", { level: "full" }, { workspaceOnly: true }, []],
  ["a folder more", {}, { allowedRoots: ["/data"] }, ["allowedRoots"]],
  ["a folder of the workspace", {}, { allowedRoots: ["shared"] }, []],
  ["a folder below one", { allowedRoots: ["/data"] }, { allowedRoots: ["/data/x"] }, []],
  [
    "a folder above one",
    { allowedRoots: ["/data/x"] },
    { allowedRoots: ["/data"] },
    ["allowedRoots"],
  ],
  ["a folder beside one", { allowedRoots: ["/data"] }, { allowedRoots: ["/data2"] }, [
    "allowedRoots",
  ]],
  [
    "reading where everything is permitted",
    { allowedRoots: ["/data"] },
    { allowedRoots: [{ path: "/data", access: "read-only" }] },
    [],
  ],
  [
    "writing where reading is permitted",
    { allowedRoots: [{ path: "/data", access: "read-only" }] },
    { allowedRoots: [{ path: "/data", access: "read-write" }] },
    // By the child's own folder and by the parent's, which stays closed for writing no more.
    ["allowedRoots", "allowedRoots"],
  ],
  [
    "writing only where reading is permitted",
    { allowedRoots: [{ path: "/data", access: "read-only" }] },
    { allowedRoots: [{ path: "/data/x", access: "write-only" }] },
    ["allowedRoots"],
  ],
  [
    "a read-only folder of the workspace that is forgotten",
    { allowedRoots: [{ path: "vendor", access: "read-only" }] },
    {},
    ["allowedRoots"],
  ],
  ["a folder that a free parent reaches", FREE, { allowedRoots: ["/data"] }, []],
  [
    "a folder that a parent may only read",
    { workspaceOnly: false },
    { allowedRoots: ["/data"] },
    ["allowedRoots"],
  ],
  [
    "a folder for reading that no parent opened",
    { level: "readonly", workspaceOnly: false },
    { level: "readonly", allowedRoots: [{ path: "/data", access: "read-only" }] },
    ["allowedRoots"],
  ],
  [
    "a folder in what the parent closes",
    { level: "full", forbiddenPaths: ["/data"] },
    { allowedRoots: ["/data/x"], forbiddenPaths: ["/data"] },
    ["allowedRoots"],
  ],
  [
    "a folder that the parent opens in what it closes",
    { allowedRoots: ["/home/me/p"] },
    { allowedRoots: ["/home/me/p/q"] },
    [],
  ],
  ["a closed path dropped", { forbiddenPaths: ["secrets"] }, { forbiddenPaths: [] }, [
    "forbiddenPaths",
  ]],
  [
    "a closed path dropped that is out of reach anyway",
    { forbiddenPaths: ["/data"] },
    { forbiddenPaths: [] },
    ["forbiddenPaths"],
  ],
  ["a folder above it closed", { forbiddenPaths: ["/data/x"] }, { forbiddenPaths: ["/data"] }, []],
  [
    "a folder above it closed, but the workspace is between",
    { forbiddenPaths: ["/srv/ws/a"] },
    { forbiddenPaths: ["/srv"] },
    ["forbiddenPaths"],
  ],
  ["more closed", {}, { forbiddenPaths: ["/", "/srv"] }, []],
  ["a closed device", { forbiddenPaths: ["/dev/null"] }, { forbiddenPaths: ["/dev/null"] }, []],
  ["a variable passed on", {}, { shellEnvPassthrough: ["A"] }, ["shellEnvPassthrough"]],
  [
    "a variable that the parent passes on",
    { shellEnvPassthrough: ["A", "B"] },
    { shellEnvPassthrough: ["B"] },
    [],
  ],
  ["more actions", {}, { maxActionsPerHour: 21 }, ["maxActionsPerHour"]],
  ["fewer actions", {}, { maxActionsPerHour: 19 }, []],
  ["more money", {}, { maxCostPerDayCents: 501 }, ["maxCostPerDayCents"]],
  ["more time", {}, { shellTimeoutSecs: 61 }, ["shellTimeoutSecs"]],
  ["less money and time", {}, { maxCostPerDayCents: 0, shellTimeoutSecs: 1 }, []],
  ["the block switched off", {}, { blockHighRiskCommands: false }, ["blockHighRiskCommands"]],
  ["the block switched on", { blockHighRiskCommands: false }, {}, []],
  ["approval switched off", {}, { requireApprovalForMediumRisk: false }, [
    "requireApprovalForMediumRisk",
  ]],
  [
    "approval switched off where nothing asks",
    { level: "full" },
    { requireApprovalForMediumRisk: false },
    [],
  ],
  ["a tool approved in advance", {}, { autoApprove: ["shell"] }, ["autoApprove"]],
  ["every tool approved in advance", {}, { autoApprove: ["*"] }, ["autoApprove"]],
  ["a tool of a star", { autoApprove: ["*"] }, { autoApprove: ["shell"] }, []],
  [
    "a question dropped",
    { level: "full", alwaysAsk: ["shell"] },
    { level: "full", alwaysAsk: [] },
    ["alwaysAsk", "alwaysAsk", "alwaysAsk"],
  ],
  ["every question kept", { alwaysAsk: ["shell"] }, { alwaysAsk: ["*"] }, []],
  ["every question narrowed", { alwaysAsk: ["*"] }, { alwaysAsk: ["shell"] }, ["alwaysAsk"]],
  ["an exclusion dropped", { excludedTools: ["webfetch"] }, {}, ["excludedTools"]],
  ["an exclusion more", {}, { excludedTools: ["webfetch"] }, []],
  ["every tool back", { allowedTools: ["read_file"] }, {}, ["allowedTools"]],
  [
    "a tool more",
    { allowedTools: ["read_file"] },
    { allowedTools: ["read_file", "shell"] },
    ["allowedTools"],
  ],
  ["a tool fewer", { allowedTools: ["read_file", "shell"] }, { allowedTools: ["shell"] }, []],
  ["delegation", {}, { delegationPolicy: { mode: "allow" } }, ["delegationPolicy"]],
  ["no delegation", { delegationPolicy: { mode: "allow" } }, {}, []],
  ["the sandbox switched off", {}, { sandboxEnabled: false }, ["sandboxEnabled"]],
  [
    "another sandbox",
    { sandboxBackend: "bubblewrap" },
    { sandboxBackend: "landlock" },
    ["sandboxBackend"],
  ],
  ["a chosen sandbox", {}, { sandboxBackend: "landlock" }, []],
  ["a sandbox where there was none", { sandboxEnabled: false }, {}, []],
  ["another approver", { approvalRoute: ROUTE }, {}, ["approvalRoute"]],
  [
    "an approver that may be passed over",
    { approvalRoute: ROUTE },
    { approvalRoute: { ...ROUTE, onNoApprover: "inherit-originator" } },
    ["approvalRoute"],
  ],
  ["the same approver", { approvalRoute: ROUTE }, { approvalRoute: ROUTE }, []],
  ["an approver where there was none", {}, { approvalRoute: ROUTE }, []],
  [
    "a profile that only looks, but the path that it opens",
    {
      allowedCommands: ["git"],
      forbiddenPaths: ["secrets"],
      alwaysAsk: ["shell", "write_file"],
      excludedTools: ["run_process", "edit_file"],
      maxActionsPerHour: 2,
    },
    {
      ...RO,
      allowedCommands: ["*"],
      forbiddenPaths: [],
      autoApprove: ["*"],
      requireApprovalForMediumRisk: false,
      blockHighRiskCommands: false,
    },
    ["forbiddenPaths"],
  ],
  ["a command tool more that only looks", { allowedTools: ["read_file"] }, {
    ...RO,
    allowedTools: ["read_file", "shell"],
  }, []],
  ["every tool back that only looks", { allowedTools: ["read_file"] }, RO, ["allowedTools"]],
  ["a question about what looks dropped", { alwaysAsk: ["webfetch"] }, RO, ["alwaysAsk"]],
  [
    "a question about what looks that is never asked",
    { alwaysAsk: ["webfetch"] },
    { ...RO, alwaysAsk: ["webfetch"] },
    ["alwaysAsk"],
  ],
  [
    "a tool taken out instead of asked about",
    { alwaysAsk: ["read_file"] },
    { ...RO, excludedTools: ["read_file"] },
    [],
  ],
  ["a question that the parent never asks", { ...RO, alwaysAsk: ["read_file"] }, RO, []],
  ["other limits of what looks", {}, {
    ...RO,
    maxCostPerDayCents: 501,
    shellTimeoutSecs: 61,
    shellEnvPassthrough: ["A"],
  }, ["shellEnvPassthrough", "maxCostPerDayCents", "shellTimeoutSecs"]],
];

for (const [name, parent, child, violations] of ROWS) {
  Deno.test(`compareProfiles() finds ${violations.join(" and ") || "nothing"} in ${name}`, async () => {
    const found = compareProfiles(await placedFrom(parent), await placedFrom(child), OPTIONS);
    assert.deepEqual(found.map(({ rule }) => rule), violations);
  });
}

Deno.test("compareProfiles() names what exceeds", async () => {
  const parent = await placedFrom({ forbiddenPaths: ["~/keys"] });
  const child = await placedFrom({
    level: "full",
    allowedCommands: ["*"],
    forbiddenPaths: [],
    allowedRoots: [{ path: "/data", access: "write-only" }],
    maxActionsPerHour: 100,
  });
  assert.deepEqual(compareProfiles(parent, child, OPTIONS).map(({ message }) => message), [
    'level "full" is above "supervised"',
    "the limit to the workspace is switched off",
    'write-only folder "/data" is not covered',
    'forbidden path "~/keys" is dropped',
    'command "*" is not covered',
    "100 actions per hour are more than 20",
  ]);
});

Deno.test("compareProfiles() follows the links of a folder before it counts as covered", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "ws"));
    await Deno.mkdir(join(dir, "out"));
    await Deno.symlink(join(dir, "out"), join(dir, "ws/link"));
    await Deno.mkdir(join(dir, "ws/plain"));
    const parent = await placedFrom({ forbiddenPaths: [] }, join(dir, "ws"));
    for (const [folder, violations] of [["link", 1], ["plain", 0]] as const) {
      const child = await placedFrom(
        { forbiddenPaths: [], allowedRoots: [folder] },
        join(dir, "ws"),
      );
      assert.equal(compareProfiles(parent, child, OPTIONS).length, violations, folder);
    }
  });
});
