import { childEnvironment } from "../../process/child_environment.ts";
import { secretEnvironmentValues } from "../../secret_names.ts";
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
  const passed = Object.fromEntries(passedOn(parent, profile, platform));
  return { ...childEnvironment(parent), ...passed };
}

/**
 * The values that programs receive only because the profile names their variables, and whose names
 * say that they are secrets. Programs may print them; the model and the record get none of them.
 *
 * @param parent The environment to take from.
 * @param profile The profile that is in force.
 * @param platform Whose rules for names of variables apply.
 */
export function passedSecrets(
  parent: Readonly<Record<string, string>>,
  profile: Pick<RiskProfile, "shellEnvPassthrough">,
  platform: typeof Deno.build.os = Deno.build.os,
): readonly string[] {
  return secretEnvironmentValues(Object.fromEntries(passedOn(parent, profile, platform)));
}

function passedOn(
  parent: Readonly<Record<string, string>>,
  { shellEnvPassthrough }: Pick<RiskProfile, "shellEnvPassthrough">,
  platform: typeof Deno.build.os,
): readonly (readonly [string, string])[] {
  const fold = platform === "windows" ? (name: string) => name.toUpperCase() : String;
  const named = new Set(shellEnvPassthrough.map(fold));
  named.delete("PATH");
  return Object.entries(parent).filter(([name]) => named.has(fold(name)));
}
