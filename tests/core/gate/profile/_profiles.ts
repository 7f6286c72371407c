import assert from "node:assert/strict";
import { resolvePathPolicy } from "../../../../core/gate/paths_policy/resolve_path_policy.ts";
import type { PlacedProfile } from "../../../../core/gate/profile/compare_profiles.ts";
import { parseRiskProfile } from "../../../../core/gate/profile/parse_risk_profile.ts";
import type { RiskProfile } from "../../../../core/gate/profile/risk_profile.ts";

/** The profile that a configuration file would give. */
export function profileFrom(value: unknown, alias = "p"): RiskProfile {
  const { profile, problems } = parseRiskProfile(alias, value, "linux");
  assert.deepEqual(problems, []);
  assert.ok(profile !== null);
  return profile;
}

/** The same, with its path rules on a machine where none of the folders need exist. */
export async function placedFrom(
  value: unknown,
  workspace = "/srv/ws",
  alias = "p",
): Promise<PlacedProfile> {
  const profile = profileFrom(value, alias);
  return { profile, paths: await resolvePathPolicy(profile, { workspace, home: "/home/me" }) };
}
