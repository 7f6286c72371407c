import type { OAuthCredential } from "@alisio/sdk";
import { isObject } from "../../config/is_object.ts";
import { readPrivateFile, whileLocked, writePrivateFile } from "../../config/private_file.ts";
import { join } from "../../paths/path.ts";
import { renewedSessionsPath } from "../credentials_path.ts";
import { isSession } from "./check_session.ts";

/** What became of a session after the sign-in. */
export type RenewedSession =
  & {
    /** Id of the sign-in that it belongs to; with another one, it means nothing. */
    readonly id: string;
  }
  & (
    | {
      /** The session as it was renewed. */
      readonly credential: OAuthCredential;
      /** When, in milliseconds since 1970. */
      readonly renewedAt: number;
    }
    | {
      /** When the service refused it for good. */
      readonly endedAt: number;
    }
  );

const MAX_BYTES = 4_194_304;

/**
 * Path of the lock that whoever renews the session of a profile holds.
 *
 * @param stateHome The folder of what Alisio remembers.
 * @param profile Id of the profile.
 */
export function renewalLockPath(stateHome: string, profile: string): string {
  return join(stateHome, "sign-in", `renewal-${profile}.lock`);
}

/**
 * What is known of renewals, by profile. A file that cannot be read says nothing: the sign-in that
 * it belongs to still counts.
 *
 * @param stateHome The folder of what Alisio remembers.
 */
export async function readRenewed(
  stateHome: string,
): Promise<Readonly<Record<string, RenewedSession>>> {
  const { file } = await readPrivateFile(renewedSessionsPath(stateHome), MAX_BYTES);
  if (file.status !== "read") return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(file.bytes));
    if (!isObject(value) || value["schemaVersion"] !== 1) return {};
    const { sessions } = value;
    if (!isObject(sessions)) return {};
    return Object.fromEntries(Object.entries(sessions).filter(isEntry));
  } catch {
    return {};
  }
}

/**
 * Stores what became of the session of a profile and keeps what is known of others.
 *
 * @param stateHome The folder of what Alisio remembers.
 * @param profile Id of the profile.
 * @param renewed What became of it; null forgets it.
 * @throws {Error} If the file cannot be written.
 */
export async function writeRenewed(
  stateHome: string,
  profile: string,
  renewed: RenewedSession | null,
): Promise<void> {
  const path = renewedSessionsPath(stateHome);
  await whileLocked(path, async () => {
    const stored = new Map(Object.entries(await readRenewed(stateHome)));
    if (renewed === null && !stored.delete(profile)) return;
    if (renewed !== null) stored.set(profile, renewed);
    const content = { schemaVersion: 1, sessions: Object.fromEntries(stored) };
    await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  });
}

function isEntry(entry: [string, unknown]): entry is [string, RenewedSession] {
  const [, value] = entry;
  if (!isObject(value) || typeof value["id"] !== "string") return false;
  return typeof value["endedAt"] === "number" ||
    (typeof value["renewedAt"] === "number" && isSession(value["credential"]));
}
