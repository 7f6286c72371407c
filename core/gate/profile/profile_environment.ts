import { childEnvironment } from "../../process/child_environment.ts";
import type { RiskProfile } from "./risk_profile.ts";

/**
 * The whole environment of a program that a profile lets start: what every program receives, and
 * the variables that the profile names. A name that looks like a secret is passed on only because
 * it is named.
 *
 * `PATH` stays without its relative entries even when it is named, so that a program's name never
 * means a file of the workspace.
 *
 * @param parent The environment to take from.
 * @param profile The profile that is in force.
 * @param platform Whose rules for names of variables apply.
 */
export function profileEnvironment(
  parent: Readonly<Record<string, string>>,
  profile: Pick<RiskProfile, "shellEnvPassthrough">,
  platform: typeof Deno.build.os = Deno.build.os,
): Record<string, string> {
  const child = childEnvironment(parent);
  const fold = platform === "windows" ? (name: string) => name.toUpperCase() : String;
  const named = new Set(profile.shellEnvPassthrough.map(fold));
  named.delete("PATH");
  for (const [name, value] of Object.entries(parent)) {
    if (named.has(fold(name))) child[name] = value;
  }
  return child;
}
