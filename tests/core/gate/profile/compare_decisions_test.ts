import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import {
  compareProfiles,
  type PlacedProfile,
} from "../../../../core/gate/profile/compare_profiles.ts";
import { decideByProfile, profileRules } from "../../../../core/gate/profile/decide_by_profile.ts";
import { parseRiskProfile } from "../../../../core/gate/profile/parse_risk_profile.ts";
import type { ProfileFacts } from "../../../../core/gate/profile/profile_facts.ts";
import { resolvePathPolicy } from "../../../../core/gate/paths_policy/resolve_path_policy.ts";

const PLACES = { workspace: "/ws", home: "/home/me" };
const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const EFFECTS: Readonly<Record<string, Effect>> = {
  read_file: "read",
  write_file: "write",
  edit_file: "write",
  shell: "process",
  run_process: "process",
  webfetch: "external",
  docs__search: "external",
  task: "internal",
};
const TOOLS = Object.keys(EFFECTS);
const PATHS = ["/ws/a", "/ws/s/x", "/ws/s/t/x", "/data/x", "/other/x"];
const COMMAND = {
  unapproved: "run",
  approved: "run",
  risk: "low",
  rule: "risk:low",
  reason: "",
} as const;

/** Numbers that are the same in every run. */
class Chance {
  #state = 20_261;

  /** Below a limit. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(this.#state / 2 ** 32 * limit);
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new TypeError("There is nothing to choose from");
    return item;
  }

  some<T>(items: readonly T[]): readonly T[] {
    return items.filter(() => this.below(5) < 2);
  }

  profile(): Readonly<Record<string, unknown>> {
    const tools = () => this.oneOf([[], ["*"], this.some(TOOLS)]);
    return {
      level: this.oneOf(["readonly", "supervised", "full"]),
      workspaceOnly: this.oneOf([true, false]),
      requireApprovalForMediumRisk: this.oneOf([true, false]),
      autoApprove: tools(),
      alwaysAsk: tools(),
      allowedTools: tools(),
      excludedTools: tools(),
      delegationPolicy: { mode: this.oneOf(["allow", "forbidden"]) },
      forbiddenPaths: this.oneOf([[], ["s"], ["s/t"], ["s", "s/t"]]),
      allowedRoots: this.oneOf([
        [],
        ["s"],
        ["s/t"],
        ["/data"],
        [{ path: "s/t", access: "read-only" }],
        [{ path: "/data", access: "read-only" }],
        [{ path: "/data", access: "write-only" }],
      ]),
    };
  }

  facts(): ProfileFacts {
    const tool = this.oneOf(TOOLS);
    const runsCommand = tool === "shell" || tool === "run_process";
    const path = this.oneOf(PATHS);
    const facts = {
      requested: path,
      spellings: [],
      real: path,
      ancestors: [],
      trouble: null,
      isOwnFile: false,
    };
    const access = this.oneOf(["read", "write", "read_write", "either"] as const);
    return {
      tool,
      effect: EFFECTS[tool] ?? "external",
      callApproved: this.oneOf([true, false]),
      sessionApproved: this.oneOf([true, false]),
      input: this.below(10) === 0 ? null : {
        command: runsCommand ? COMMAND : null,
        paths: [{ facts, access }],
        actionsLeft: 5,
      },
    };
  }
}

async function placed(alias: string, value: unknown): Promise<PlacedProfile> {
  const { profile } = parseRiskProfile(alias, value);
  assert.ok(profile !== null);
  return { profile, paths: await resolvePathPolicy(profile, PLACES) };
}

Deno.test("compareProfiles() accepts no profile that decides less strictly about any call", async () => {
  const chance = new Chance();
  let accepted = 0;
  for (let pair = 0; pair < 4_000; pair++) {
    const written = chance.profile();
    const changed = chance.some(Object.entries(chance.profile()));
    const other = chance.below(3) === 0
      ? chance.profile()
      : { ...written, ...Object.fromEntries(changed) };
    const [parent, child] = await Promise.all([placed("parent", written), placed("child", other)]);
    if (compareProfiles(parent, child, { isHighRiskProgram: () => false }).length > 0) continue;
    accepted += 1;
    const canAsk = chance.oneOf([true, false]);
    const preGranted = canAsk ? [] : chance.some(["write", "process", "external"] as const);
    const rules = [parent, child].map(({ profile, paths }) =>
      profileRules(profile, { paths, canAsk, preGranted })
    );
    for (let call = 0; call < 30; call++) {
      const facts = chance.facts();
      const [above, below] = rules.map((each) => decideByProfile(facts, each));
      assert.ok(above !== undefined && below !== undefined);
      const isLooser = STRICTNESS[below.decision] < STRICTNESS[above.decision] ||
        (below.decision === "ask" && above.onceOnly === true && below.onceOnly !== true);
      assert.equal(isLooser, false, JSON.stringify({ written, other, facts, above, below }));
    }
  }
  assert.ok(accepted > 300, `only ${accepted} were accepted`);
});
