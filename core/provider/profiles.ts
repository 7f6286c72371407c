import type { JsonValue } from "@alisio/sdk";
import { quoted } from "../config/quoted.ts";
import { readSmallFile } from "../config/small_file.ts";
import { AlisioError } from "../errors.ts";
import { join } from "../paths/path.ts";

/** A provider that the person has set up. It holds no secret. */
export interface ProviderProfile {
  /** Id of the registration, for example `openai-compatible`. */
  readonly provider: string;
  /** Values of the registration's fields, and `apiKeyEnv` and `contextWindow`. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /**
   * Addresses of servers that it reaches beside those in its values, as its provider named them when
   * it was connected.
   */
  readonly hosts?: readonly string[];
}

/** The pair that new sessions use. */
export interface ActiveProfile {
  /** Id of the profile. */
  readonly profile: string;
  /** Model id. */
  readonly model: string;
}

/** The content of `providers.json`. */
export interface ProviderProfiles {
  /** Absent until the person has chosen. */
  readonly active?: ActiveProfile;
  /** By profile id. */
  readonly profiles: Readonly<Record<string, ProviderProfile>>;
}

const MAX_BYTES = 1_048_576;

/**
 * Every address that a run of a profile may connect to.
 *
 * @param profile The profile.
 */
export function addressesOf({ values, hosts = [] }: ProviderProfile): readonly string[] {
  const named = Object.values(values).filter((value) =>
    typeof value === "string" && /^https?:\/\//i.test(value)
  );
  return [...named.map(String), ...hosts];
}

/**
 * Path of the file of profiles.
 *
 * @param configHome The folder of the person's configuration.
 */
export function profilesPath(configHome: string): string {
  return join(configHome, "providers.json");
}

/**
 * Reads the profiles.
 *
 * @param configHome The folder of the person's configuration.
 * @returns No profiles if there is no file.
 * @throws {AlisioError} `config_unreadable` or `config_invalid`; the message names the file.
 */
export async function readProfiles(configHome: string): Promise<ProviderProfiles> {
  const path = profilesPath(configHome);
  const file = await readSmallFile(path, MAX_BYTES);
  if (file.status === "missing") return { profiles: {} };
  if (file.status === "unreadable") {
    throw new AlisioError(
      "config_unreadable",
      `Cannot read provider profiles ${quoted(path, 1000)}: ${file.reason}`,
      { cause: file.cause },
    );
  }
  // Most runs have no profiles; they do not pay for what checks them.
  const { parseProfiles } = await import("./parse_profiles.ts");
  return parseProfiles(file.bytes, path);
}

/**
 * Writes the profiles, atomically.
 *
 * @param configHome The folder of the person's configuration.
 * @param profiles All of them.
 * @throws {TypeError} If they would not be accepted when they are read again.
 */
export async function writeProfiles(configHome: string, profiles: ProviderProfiles): Promise<void> {
  const content = { schemaVersion: 1, ...profiles };
  const [{ checkProfiles }, { writePrivateFile }] = await Promise.all([
    import("./parse_profiles.ts"),
    import("../config/private_file.ts"),
  ]);
  const problem = checkProfiles(content)[0];
  if (problem !== undefined) {
    throw new TypeError(`Cannot write provider profiles: "${problem.key}" ${problem.message}`);
  }
  await writePrivateFile(profilesPath(configHome), `${JSON.stringify(content, null, 2)}\n`);
}
