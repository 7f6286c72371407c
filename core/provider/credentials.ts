import { isObject } from "../config/is_object.ts";
import { readPrivateFile, whileLocked, writePrivateFile } from "../config/private_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { credentialsPath } from "./credentials_path.ts";

/** Secrets by field name; the API key is `apiKey`. */
export type Credential = Readonly<Record<string, string>>;

/** The content of `credentials.json`. */
export interface StoredCredentials {
  /** By profile id. */
  readonly credentials: Readonly<Record<string, Credential>>;
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
  const path = credentialsPath(configHome);
  const { file, notices } = await readPrivateFile(path, MAX_BYTES);
  if (file.status === "missing") return { credentials: {}, notices };
  if (file.status === "unreadable") throw unreadable(path, file.reason);
  const credentials = parseCredentials(file.bytes);
  if (credentials === undefined) {
    throw unreadable(path, "it is damaged; restore it, or remove it and enter the keys again");
  }
  return { credentials, notices };
}

/**
 * Stores the secrets of one profile and keeps those of the others.
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
  const path = credentialsPath(configHome);
  await whileLocked(path, async () => {
    const stored = new Map(Object.entries((await readCredentials(configHome)).credentials));
    if (Object.keys(credential).length === 0) stored.delete(profile);
    else stored.set(profile, credential);
    const content = { schemaVersion: 1, credentials: Object.fromEntries(stored) };
    await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
  });
}

function parseCredentials(
  bytes: Uint8Array<ArrayBuffer>,
): Readonly<Record<string, Credential>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["schemaVersion"] !== 1) return undefined;
  const { credentials } = value;
  return isObject(credentials) && Object.values(credentials).every(isCredential)
    // Every entry was just checked.
    ? credentials as Readonly<Record<string, Credential>>
    : undefined;
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
