import { isObject } from "../config/is_object.ts";
import { readPrivateFile, whileLocked, writePrivateFile } from "../config/private_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { isStoredSession, type StoredSession } from "./auth/stored_session.ts";
import { credentialsPath } from "./credentials_path.ts";

/** Secrets by field name; the API key is `apiKey`. */
export type Credential = Readonly<Record<string, string>>;

/** The content of `credentials.json`. */
export interface StoredCredentials {
  /** By profile id. */
  readonly credentials: Readonly<Record<string, Credential>>;
  /** What sign-ins brought, by profile id. */
  readonly sessions: Readonly<Record<string, StoredSession>>;
  /** What the person should know. */
  readonly notices: readonly string[];
}

const MAX_BYTES = 1_048_576;

/**
 * Reads the stored secrets. A file that others may read is made private, with a notice.
 *
 * @param configHome The folder of the person's configuration.
 * @returns No secrets if there is no file.
 * @throws {AlisioError} `credentials_unreadable`; the message quotes nothing of the file.
 */
export async function readCredentials(configHome: string): Promise<StoredCredentials> {
  const { credentials, sessions, notices } = await readContent(configHome);
  return { credentials, sessions, notices };
}

/**
 * Stores the secrets of one profile and keeps everything else.
 *
 * @param configHome The folder of the person's configuration.
 * @param profile Id of the profile.
 * @param credential Its secrets; an empty object forgets them.
 * @throws {AlisioError} `credentials_unreadable` if the present file cannot be read: it is not
 * overwritten.
 */
export async function writeCredential(
  configHome: string,
  profile: string,
  credential: Credential,
): Promise<void> {
  await change(configHome, ({ credentials }) => {
    if (Object.keys(credential).length === 0) credentials.delete(profile);
    else credentials.set(profile, credential);
  });
}

/**
 * Stores what a sign-in brought and keeps everything else.
 *
 * @param configHome The folder of the person's configuration.
 * @param profile Id of the profile.
 * @param session The session; null forgets it.
 * @throws {AlisioError} `credentials_unreadable` if the present file cannot be read: it is not
 * overwritten.
 */
export async function writeSession(
  configHome: string,
  profile: string,
  session: StoredSession | null,
): Promise<void> {
  await change(configHome, ({ sessions }) => {
    if (session === null) sessions.delete(profile);
    else sessions.set(profile, session);
  });
}

interface Content extends StoredCredentials {
  /** What a later version may have added. */
  readonly rest: Readonly<Record<string, unknown>>;
}

async function readContent(configHome: string): Promise<Content> {
  const path = credentialsPath(configHome);
  const { file, notices } = await readPrivateFile(path, MAX_BYTES);
  if (file.status === "missing") return { credentials: {}, sessions: {}, rest: {}, notices };
  if (file.status === "unreadable") throw unreadable(path, file.reason);
  const content = parseContent(file.bytes);
  if (content === undefined) {
    throw unreadable(path, "it is damaged; restore it, or remove it and enter the keys again");
  }
  return { ...content, notices };
}

async function change(
  configHome: string,
  edit: (stored: {
    readonly credentials: Map<string, Credential>;
    readonly sessions: Map<string, StoredSession>;
  }) => void,
): Promise<void> {
  const path = credentialsPath(configHome);
  await whileLocked(path, async () => {
    const { credentials, sessions, rest } = await readContent(configHome);
    const stored = {
      credentials: new Map(Object.entries(credentials)),
      sessions: new Map(Object.entries(sessions)),
    };
    edit(stored);
    const content = {
      ...rest,
      schemaVersion: 1,
      credentials: Object.fromEntries(stored.credentials),
      ...(stored.sessions.size === 0 ? {} : { sessions: Object.fromEntries(stored.sessions) }),
    };
    await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  });
}

function parseContent(bytes: Uint8Array<ArrayBuffer>): Omit<Content, "notices"> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["schemaVersion"] !== 1) return undefined;
  const { credentials, sessions = {}, ...rest } = value;
  const isUsable = isObject(credentials) && Object.values(credentials).every(isCredential) &&
    isObject(sessions) && Object.values(sessions).every(isStoredSession);
  // Every entry was just checked.
  return isUsable ? { credentials, sessions, rest } as Omit<Content, "notices"> : undefined;
}

function isCredential(value: unknown): value is Credential {
  return isObject(value) && Object.values(value).every((secret) => typeof secret === "string");
}

function unreadable(path: string, reason: string): AlisioError {
  return new AlisioError(
    "credentials_unreadable",
    `Cannot read credentials ${quoted(path, 1000)}: ${reason}`,
  );
}
