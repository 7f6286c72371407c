import type { JsonValue } from "@alisio/sdk";
import { join } from "node:path";
import { checkConfigValue, type ConfigProblem } from "../config/check_config.ts";
import { ConfigError } from "../config/config_error.ts";
import type { RecordKey, SectionKey } from "../config/config_keys.ts";
import { writePrivateFile } from "../config/private_file.ts";
import { quoted } from "../config/quoted.ts";
import { parseConfig } from "../config/read_config_file.ts";
import { readSmallFile } from "../config/small_file.ts";
import { AlisioError } from "../errors.ts";

/** A provider that the person has set up. It holds no secret. */
export interface ProviderProfile {
  /** Id of the registration, for example `openai-compatible`. */
  readonly provider: string;
  /** Values of the registration's fields, and `apiKeyEnv` and `contextWindow`. */
  readonly values: Readonly<Record<string, JsonValue>>;
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

/** A profile id is the first part of a model reference, so it holds no slash. */
const PROFILE_ID = {
  pattern: /^(?!scripted$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: 'a profile id of letters, digits, dots, hyphens and underscores, other than "scripted"',
};

const PROFILES: RecordKey = {
  type: "record",
  name: PROFILE_ID.pattern,
  expected: PROFILE_ID.expected,
  entry: {
    type: "section",
    keys: {
      provider: {
        type: "text",
        required: true,
        pattern: /^[a-z0-9][a-z0-9.-]{0,63}$/,
        expected: "the id of a provider",
      },
      values: {
        type: "section",
        required: true,
        open: true,
        keys: {
          baseURL: { type: "url" },
          apiKeyEnv: {
            type: "text",
            pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
            expected: "the name of an environment variable",
          },
        },
      },
    },
  },
};

const ROOT: SectionKey = {
  type: "section",
  keys: {
    schemaVersion: { type: "integer", minimum: 1, maximum: 1 },
    active: {
      type: "section",
      keys: {
        profile: { type: "text", required: true, ...PROFILE_ID },
        model: { type: "text", required: true },
      },
    },
    profiles: PROFILES,
  },
};

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
  const value = parseConfig(file.bytes, path);
  const problems = checkProfiles(value);
  if (problems.length > 0) throw new ConfigError(path, problems);
  // The check above is the table of this file.
  const { active, profiles = {} } = value as Partial<ProviderProfiles>;
  return active === undefined ? { profiles } : { active, profiles };
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
  const problem = checkProfiles(content)[0];
  if (problem !== undefined) {
    throw new TypeError(`Cannot write provider profiles: "${problem.key}" ${problem.message}`);
  }
  await writePrivateFile(profilesPath(configHome), `${JSON.stringify(content, null, 2)}\n`);
}

function checkProfiles(value: unknown): readonly ConfigProblem[] {
  const problems = checkConfigValue("", value, ROOT);
  if (problems.length > 0) return problems;
  const { active, profiles = {} } = value as Partial<ProviderProfiles>;
  if (active === undefined || Object.hasOwn(profiles, active.profile)) return [];
  return [{ key: "active.profile", message: `names "${active.profile}", which is no profile` }];
}
