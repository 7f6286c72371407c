import type { JsonValue, OAuthCredential } from "@alisio/sdk";
import { whileLocked } from "../config/private_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { writeRenewed } from "./auth/renewed_sessions.ts";
import { type Credential, readCredentials, writeCredential, writeSession } from "./credentials.ts";
import {
  type ActiveProfile,
  profilesPath,
  type ProviderProfile,
  type ProviderProfiles,
  readProfiles,
  writeProfiles,
} from "./profiles.ts";

/** Where profiles and what belongs to them are kept. */
export interface ProfileHomes {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
}

/** A session that was just begun. */
export interface NewSession {
  /** Id of the method that it came from. */
  readonly method: string;
  /** The session. */
  readonly credential: OAuthCredential;
}

/** What a profile is saved with. */
export interface SavedProfile {
  /** Its id. */
  readonly id: string;
  /** Itself, without secrets. */
  readonly profile: ProviderProfile;
  /** The model that new sessions use. */
  readonly model: string;
  /** Its secrets; undefined keeps those that are stored. */
  readonly credential?: Credential;
  /** What a sign-in brought; undefined keeps what is stored, null forgets it. */
  readonly session?: NewSession | null;
}

const PROFILE_ID_REGEXP = /^(?!scripted$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * What is wrong with the name of a profile.
 *
 * @param id The name.
 * @returns Continues a sentence; null if nothing is wrong.
 */
export function flawOfProfileId(id: string): string | null {
  return PROFILE_ID_REGEXP.test(id)
    ? null
    : 'must have 1 to 64 letters, digits, dots, hyphens and underscores, and not be "scripted"';
}

/**
 * Saves a profile and makes it the active one. Its secrets are stored first: a profile without them
 * would be of no use, and they are of none without it.
 *
 * @param homes Where.
 * @param saved The profile.
 * @throws {AlisioError} If a file cannot be read or written.
 */
export async function saveProfile(homes: ProfileHomes, saved: SavedProfile): Promise<void> {
  const { configHome, stateHome } = homes;
  const { id, profile, model, credential, session } = saved;
  await writing(configHome, async () => {
    if (credential !== undefined) await writeCredential(configHome, id, credential);
    if (session !== undefined) {
      await writeSession(
        configHome,
        id,
        session === null ? null : {
          ...session,
          id: crypto.randomUUID(),
          provider: profile.provider,
          signedInAt: Date.now(),
        },
      );
      await writeRenewed(stateHome, id, null);
    }
    await changeProfiles(configHome, ({ profiles }) => ({
      active: { profile: id, model },
      profiles: { ...profiles, [id]: profile },
    }));
  });
}

/**
 * Makes a pair of profile and model the one that new sessions use. A context window that was
 * recorded for another model is forgotten.
 *
 * @param configHome The folder of the person's configuration.
 * @param pair The pair.
 * @param contextWindow Tokens that the person states for the model.
 * @throws {AlisioError} If there is no such profile, or the file cannot be written.
 */
export async function activateProfile(
  configHome: string,
  pair: ActiveProfile,
  contextWindow?: number,
): Promise<void> {
  await writing(configHome, () =>
    changeProfiles(configHome, ({ active, profiles }) => {
      const profile = existing(profiles, pair.profile);
      const isSame = active?.profile === pair.profile && active.model === pair.model;
      if (isSame && contextWindow === undefined) return { active: pair, profiles };
      const { contextWindow: _, ...values } = profile.values;
      const window: Record<string, JsonValue> = contextWindow === undefined
        ? {}
        : { contextWindow };
      return {
        active: pair,
        profiles: {
          ...profiles,
          [pair.profile]: { ...profile, values: { ...values, ...window } },
        },
      };
    }));
}

/**
 * Removes a profile, its secrets and its session.
 *
 * @param homes Where.
 * @param id Its id.
 * @returns Whether it was the active one.
 * @throws {AlisioError} If there is none of that name, or a file cannot be written.
 */
export async function removeProfile(homes: ProfileHomes, id: string): Promise<boolean> {
  const { configHome, stateHome } = homes;
  let wasActive = false;
  await writing(configHome, async () => {
    await changeProfiles(configHome, ({ active, profiles }) => {
      existing(profiles, id);
      const { [id]: _, ...rest } = profiles;
      wasActive = active?.profile === id;
      return { ...(active === undefined || wasActive ? {} : { active }), profiles: rest };
    });
    const { credentials, sessions } = await readCredentials(configHome);
    if (Object.hasOwn(credentials, id)) await writeCredential(configHome, id, {});
    if (Object.hasOwn(sessions, id)) await writeSession(configHome, id, null);
    await writeRenewed(stateHome, id, null);
  });
  return wasActive;
}

function existing(
  profiles: ProviderProfiles["profiles"],
  id: string,
): ProviderProfile {
  const profile = Object.hasOwn(profiles, id) ? profiles[id] : undefined;
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles).slice(0, 10).map((name) => quoted(name)).join(", ");
  throw new AlisioError(
    "usage",
    `There is no profile ${quoted(id)}: ${names === "" ? "none is saved" : `there are ${names}`}`,
  );
}

async function changeProfiles(
  configHome: string,
  change: (profiles: ProviderProfiles) => ProviderProfiles,
): Promise<void> {
  await whileLocked(profilesPath(configHome), async () => {
    await writeProfiles(configHome, change(await readProfiles(configHome)));
  });
}

/** A run that changes nothing may not write here, whatever the person wants. */
async function writing(configHome: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof AlisioError || error instanceof TypeError) throw error;
    const isWall = error instanceof Deno.errors.NotCapable;
    throw new AlisioError(
      "config_unreadable",
      `Cannot write to ${quoted(configHome, 1000)}: ${
        isWall ? "this run may not; use alisio connect in a shell" : errorMessage(error)
      }`,
      { cause: error },
    );
  }
}
