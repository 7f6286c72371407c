import assert from "node:assert/strict";
import { join } from "node:path";
import { loadConfiguration } from "../../../../core/config/load_config.ts";
import type { ConfigLayer } from "../../../../core/config/merge_config.ts";
import { AlisioError } from "../../../../core/errors.ts";
import { selectRiskProfile } from "../../../../core/gate/profile/select_risk_profile.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

const PROFILES = {
  strict: { level: "readonly" },
  usual: {},
  free: { preset: "yolo" },
};

interface Case {
  readonly global?: Record<string, unknown>;
  readonly project?: Record<string, unknown>;
  readonly explicit?: Record<string, unknown>;
  readonly flag?: string;
  readonly agent?: string;
  readonly globalAgent?: string;
  readonly agents?: readonly string[];
}

type Row = readonly [name: string, from: Case, alias: string | null, source: string | null];

const BOUND = { riskProfiles: PROFILES, agents: { build: { riskProfile: "usual" } } };

const ROWS: readonly Row[] = [
  ["no configuration", {}, null, null],
  ["profiles that nothing selects", { global: { riskProfiles: PROFILES } }, null, null],
  ["the global binding", { global: BOUND }, "usual", "global"],
  ["the binding of another agent", { global: BOUND, agent: "plan" }, null, null],
  [
    "the other spelling",
    { global: { ...BOUND, agents: { build: { risk_profile: "strict" } } } },
    "strict",
    "global",
  ],
  ["the flag over the binding", { global: BOUND, flag: "free" }, "free", "flag"],
  ["the flag alone", { global: { riskProfiles: PROFILES }, flag: "strict" }, "strict", "flag"],
  [
    "a project's stricter choice",
    { global: BOUND, project: { agents: { build: { riskProfile: "strict" } } } },
    "strict",
    "project",
  ],
  [
    "an explicit file's stricter choice",
    { global: BOUND, explicit: { agents: { build: { riskProfile: "strict" } } } },
    "strict",
    "project",
  ],
  [
    "a project's looser choice",
    { global: BOUND, project: { agents: { build: { riskProfile: "free" } } } },
    "usual",
    "global",
  ],
  [
    "a project's choice over the flag",
    { global: BOUND, flag: "free", project: { agents: { build: { riskProfile: "strict" } } } },
    "strict",
    "project",
  ],
  [
    "a project's choice that the flag is stricter than",
    { global: BOUND, flag: "strict", project: { agents: { build: { riskProfile: "usual" } } } },
    "strict",
    "flag",
  ],
  [
    "a project's choice where nothing else is chosen",
    {
      global: { riskProfiles: PROFILES },
      project: { agents: { build: { riskProfile: "free" } } },
    },
    "free",
    "project",
  ],
  [
    "a project's agents without a choice",
    { global: BOUND, project: { agents: { active: "plan", build: {} } } },
    "usual",
    "global",
  ],
  [
    "an agent without a profile that a project activates",
    { global: BOUND, agent: "plan", globalAgent: "build", project: { agents: { active: "plan" } } },
    "usual",
    "global",
  ],
  [
    "an agent with a looser profile that a project activates",
    {
      global: { ...BOUND, agents: { ...BOUND.agents, plan: { riskProfile: "free" } } },
      agent: "plan",
      globalAgent: "build",
      project: { agents: { active: "plan" } },
    },
    "usual",
    "global",
  ],
  [
    "an agent with a stricter profile that a project activates",
    {
      global: { ...BOUND, agents: { ...BOUND.agents, plan: { riskProfile: "strict" } } },
      agent: "plan",
      globalAgent: "build",
      project: { agents: { active: "plan" } },
    },
    "strict",
    "project",
  ],
  [
    "a project's own profile of a known name",
    {
      global: BOUND,
      project: {
        riskProfiles: { strict: { preset: "yolo" } },
        agents: { build: { riskProfile: "strict" } },
      },
    },
    "strict",
    "project",
  ],
];

for (const [name, from, alias, source] of ROWS) {
  Deno.test(`selectRiskProfile() takes ${alias} for ${name}`, async () => {
    const selected = await select(from);
    assert.deepEqual([selected.placed?.profile.alias ?? null, selected.source], [alias, source]);
    assert.equal(selected.placed === null || selected.placed.paths.entries.length > 0, true);
    // A profile of the project itself never counts.
    if (alias === "strict") assert.equal(selected.placed?.profile.level, "readonly");
  });
}

Deno.test("selectRiskProfile() says which choice it ignored, and what it would have permitted", async () => {
  const { notices } = await select({
    global: BOUND,
    project: { agents: { build: { riskProfile: "free" } } },
  });
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /^Ignored risk profile "free" of "\/ws\/config\.json"/);
  assert.match(notices[0] ?? "", /level "full" is above "supervised"/);
  assert.match(notices[0] ?? "", /command "\*" is not covered; and \d+ more$/);
  assert.equal((notices[0] ?? "").split("; ").length, 6);
});

const REFUSED: readonly (readonly [string, Case, string, RegExp])[] = [
  [
    "a wrong profile that nothing selects",
    { global: { riskProfiles: { ...PROFILES, bad: { level: "read_only" } } } },
    "config_invalid",
    /"riskProfiles\.bad\.level" must be "readonly", "supervised" or "full"/,
  ],
  [
    "an unknown profile",
    { global: { ...BOUND, agents: { build: { riskProfile: "usaul" } } } },
    "config_invalid",
    /"agents\.build\.riskProfile" names no risk profile, found "usaul"; did you mean "usual"\?/,
  ],
  [
    "an unknown profile of another agent",
    { global: { ...BOUND, agents: { plan: { riskProfile: "nothing" } } } },
    "config_invalid",
    /"agents\.plan\.riskProfile" names no risk profile, found "nothing"; there are "strict"/,
  ],
  [
    "an unknown profile of the project",
    { global: BOUND, project: { agents: { build: { riskProfile: "own" } } } },
    "config_invalid",
    /"agents\.build\.riskProfile" names no risk profile, found "own"/,
  ],
  [
    "a profile that the project defines itself",
    { project: { riskProfiles: PROFILES, agents: { build: { riskProfile: "free" } } } },
    "config_invalid",
    /the global configuration defines none/,
  ],
  [
    "a binding in both spellings",
    { global: { ...BOUND, agents: { build: { riskProfile: "usual", risk_profile: "free" } } } },
    "config_invalid",
    /is there in both spellings/,
  ],
  [
    "an unknown profile of the flag",
    { global: BOUND, flag: "strikt" },
    "usage",
    /^Cannot use "--risk-profile": it names no risk profile, found "strikt"; did you mean "strict"\?$/,
  ],
];

for (const [name, from, code, message] of REFUSED) {
  Deno.test(`selectRiskProfile() refuses ${name}`, async () => {
    await assert.rejects(select(from), (error: unknown) => {
      assert.ok(error instanceof AlisioError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  });
}

const OPENING = { allowedRoots: ["/data"], shellEnvPassthrough: ["DEPLOY_TOKEN"] };

Deno.test("selectRiskProfile() lets a project open nothing where nothing else selects a profile", async () => {
  const global = { riskProfiles: { opening: OPENING } };
  const binding = { agents: { build: { riskProfile: "opening" } } };
  const { placed, notices } = await select({ global, project: binding });
  assert.deepEqual(placed?.profile.allowedRoots, []);
  assert.deepEqual(placed?.profile.shellEnvPassthrough, []);
  assert.deepEqual(placed?.paths.entries.filter(({ kind }) => kind === "root"), []);
  assert.match(notices.join("\n"), /"\/ws\/config\.json" selects, opens no folder and passes on/);

  const own = await select({ global: { ...global, ...binding }, project: binding });
  assert.deepEqual(own.placed?.profile.shellEnvPassthrough, ["DEPLOY_TOKEN"]);
  assert.equal(own.placed?.profile.allowedRoots.length, 1);
  assert.deepEqual(own.notices, []);
});

Deno.test("selectRiskProfile() lets a project open nothing that a profile without limits does not open", async () => {
  const path = "/data";
  const { placed, above, notices } = await select({
    global: {
      riskProfiles: {
        free: { preset: "yolo", allowedRoots: ["/open"] },
        narrow: { forbiddenPaths: [], allowedCommands: [], allowedRoots: [path, "/open/a"] },
      },
      agents: { build: { riskProfile: "free" } },
    },
    project: { agents: { build: { riskProfile: "narrow" } } },
  });
  assert.equal(placed?.profile.alias, "narrow");
  assert.deepEqual(placed?.profile.allowedRoots.map((root) => root.path), ["/open/a"]);
  assert.equal(above?.alias, "free");
  assert.match(notices.join("\n"), /selects, does not open "\/data" here: your own does not$/);
});

Deno.test("selectRiskProfile() says which bindings are of no agent", async () => {
  const agents = { Build: { riskProfile: "usual" }, plan: { riskProfile: "usual" } };
  const { placed, notices } = await select({
    global: { riskProfiles: PROFILES, agents },
    agents: ["build", "plan"],
  });
  assert.equal(placed, null);
  assert.equal(notices.length, 1);
  assert.match(
    notices[0] ?? "",
    /^Ignored "agents\.Build" in "\/home\/config\.json": there is no agent "Build"; did you mean "build"\?$/,
  );
});

Deno.test("selectRiskProfile() reads the layers of real files", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "home/config.json": JSON.stringify({ risk_profiles: PROFILES, agents: BOUND.agents }),
      "ws/.alisio/config.json": JSON.stringify({ agents: { build: { risk_profile: "strict" } } }),
    });
    const workspace = join(dir, "ws");
    const { layers } = await loadConfiguration({
      configHome: join(dir, "home"),
      workspace,
      trusted: true,
      env: {},
    });
    const { placed } = await selectRiskProfile({
      layers,
      agent: "build",
      places: { workspace, home: null },
      isHighRiskProgram: () => false,
    });
    assert.equal(placed?.profile.alias, "strict");
  });
});

function select(from: Case) {
  const { global, project, explicit, flag, agent = "build", globalAgent = agent, agents } = from;
  const layers: ConfigLayer[] = [];
  if (global !== undefined) {
    layers.push({ source: { layer: "global", file: "/home/config.json" }, values: global });
  }
  if (project !== undefined) {
    layers.push({ source: { layer: "project", file: "/ws/config.json" }, values: project });
  }
  if (explicit !== undefined) {
    layers.push({ source: { layer: "explicit", file: "/my.json" }, values: explicit });
  }
  return selectRiskProfile({
    ...(agents === undefined ? {} : { agents }),
    layers,
    agent,
    globalAgent,
    ...(flag === undefined ? {} : { flag }),
    places: { workspace: "/srv/ws", home: "/home/me" },
    isHighRiskProgram: () => false,
  });
}
