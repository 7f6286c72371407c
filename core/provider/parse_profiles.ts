import { checkConfigValue, type ConfigProblem } from "../config/check_config.ts";
import { ConfigError } from "../config/config_error.ts";
import type { RecordKey, SectionKey } from "../config/config_keys.ts";
import { parseConfig } from "../config/parse_config.ts";
import type { ProviderProfiles } from "./profiles.ts";

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
      hosts: {
        type: "list",
        pattern: /^https?:\/\/[^\s/?#@]{1,260}\/?$/,
        expected: "the address of a server alone, such as https://auth.example.com",
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
 * Parses and checks the content of a file of profiles.
 *
 * @param bytes Its content.
 * @param file Where it came from, for the message.
 * @throws {AlisioError} `config_invalid` with every problem.
 */
export function parseProfiles(bytes: Uint8Array, file: string): ProviderProfiles {
  const value = parseConfig(bytes, file);
  const problems = checkProfiles(value);
  if (problems.length > 0) throw new ConfigError(file, problems);
  // The check above is the table of this file.
  const { active, profiles = {} } = value as Partial<ProviderProfiles>;
  return active === undefined ? { profiles } : { active, profiles };
}

/**
 * Checks profiles before they are written or after they were read.
 *
 * @param value What `providers.json` holds.
 * @returns Every problem; empty if there is none.
 */
export function checkProfiles(value: unknown): readonly ConfigProblem[] {
  const problems = checkConfigValue("", value, ROOT);
  if (problems.length > 0) return problems;
  const { active, profiles = {} } = value as Partial<ProviderProfiles>;
  if (active === undefined || Object.hasOwn(profiles, active.profile)) return [];
  return [{ key: "active.profile", message: `names "${active.profile}", which is no profile` }];
}
