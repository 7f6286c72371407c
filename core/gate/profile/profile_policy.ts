import {
  decideByProfile,
  profileRules,
  type ProfileRulesOptions,
  type ProfileVerdict,
} from "./decide_by_profile.ts";
import type { ProfileFacts } from "./profile_facts.ts";
import type { RiskProfile } from "./risk_profile.ts";

/** A risk profile as one policy among others; the strictest verdict of all of them wins. */
export interface ProfilePolicy {
  /** Which policy this is. */
  readonly kind: "profile";
  /** Names the policy in decisions. */
  readonly name: "risk-profile";
  /** The profile, for listings and `doctor`. */
  readonly profile: RiskProfile;
  /** What the profile says of a call. Pure. Bound here, so that runs without a profile load none. */
  readonly judge: (facts: ProfileFacts) => ProfileVerdict;
}

/**
 * Makes a policy of a profile.
 *
 * @param profile The profile that is in force.
 * @param options What surrounds it.
 */
export function profilePolicy(profile: RiskProfile, options: ProfileRulesOptions): ProfilePolicy {
  const rules = profileRules(profile, options);
  return {
    kind: "profile",
    name: "risk-profile",
    profile,
    judge: (facts) => decideByProfile(facts, rules),
  };
}
