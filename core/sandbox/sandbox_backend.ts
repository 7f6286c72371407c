import type { SandboxBackend } from "../gate/profile/risk_profile.ts";

/** A sandbox that this release can put programs into. */
export type UsableBackend = "bubblewrap" | "landlock" | "sandbox-exec";

/** What of {@linkcode SandboxBackend} asks for a sandbox. */
export type WantedBackend = Exclude<SandboxBackend, "none">;

/** From the mildest to the strictest, as far as they can be compared. */
const STRICTNESS: readonly SandboxBackend[] = ["none", "auto", "landlock", "bubblewrap"];

/**
 * The stricter of what a risk profile and the configuration ask for. Of two that cannot be
 * compared the profile's counts.
 *
 * @param profile What the profile in force asks for; `null` if there is none.
 * @param configured What the key `sandbox` of the configuration asks for.
 */
export function strictestBackend(
  profile: SandboxBackend | null,
  configured: SandboxBackend,
): SandboxBackend {
  if (profile === null || profile === configured) return configured;
  const wanted = STRICTNESS.indexOf(profile);
  const known = STRICTNESS.indexOf(configured);
  // What is not in the list belongs to another system, and is asked for by name.
  if (wanted === -1) return profile;
  if (known === -1) return wanted > STRICTNESS.indexOf("auto") ? profile : configured;
  return wanted > known ? profile : configured;
}
