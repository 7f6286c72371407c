import { isObject } from "../../../core/config/is_object.ts";
import { readPrivateFile, writePrivateFile } from "../../../core/config/private_file.ts";
import { join } from "../../../core/paths/path.ts";

const MAX_BYTES = 524_288;

/** A sign-in at a server, as it is stored. */
export interface ServerSignIn {
  /** Address of the server that it is for; no other is sent the token. */
  readonly server: string;
  /** The service that the token comes from; no other is sent what renews it. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** What the token is for. */
  readonly resource: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** How the client says who it is. */
  readonly clientAuth: "none" | "client_secret_basic" | "client_secret_post";
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** When it was handed out. */
  readonly issuedAt: number;
  /** Rights that were granted. */
  readonly scopes: readonly string[];
  /** Rights that a request was refused for; asked for at the next sign-in. */
  readonly wantedScopes?: readonly string[];
  /** When the service refused to renew it for good. */
  readonly endedAt?: number;
}

/**
 * Path of the file that a sign-in is stored in. Only the address of the server says which.
 *
 * @param folder Folder of sign-ins.
 * @param server Address of the server.
 */
export async function signInPath(folder: string, server: URL): Promise<string> {
  const bytes = new TextEncoder().encode(server.href);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return join(folder, `mcp-${digest.toHex().slice(0, 32)}.json`);
}

/**
 * Reads the sign-in at a server.
 *
 * @param folder Folder of sign-ins.
 * @param server Address of the server.
 * @returns Null if there is none, or none that can be read.
 */
export async function readSignIn(folder: string, server: URL): Promise<ServerSignIn | null> {
  const { file } = await readPrivateFile(await signInPath(folder, server), MAX_BYTES);
  if (file.status !== "read") return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(file.bytes));
    if (!isObject(value) || value["schemaVersion"] !== 1) return null;
    const { signIn } = value;
    return isSignIn(signIn) && signIn.server === server.href ? signIn : null;
  } catch {
    return null;
  }
}

/**
 * Stores a sign-in, mode 0600.
 *
 * @param folder Folder of sign-ins.
 * @param signIn The sign-in.
 */
export async function writeSignIn(folder: string, signIn: ServerSignIn): Promise<void> {
  const content = { schemaVersion: 1, signIn };
  const path = await signInPath(folder, new URL(signIn.server));
  await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Forgets the sign-in at a server.
 *
 * @param folder Folder of sign-ins.
 * @param server Address of the server.
 * @returns Whether there was one.
 */
export async function removeSignIn(folder: string, server: URL): Promise<boolean> {
  try {
    await Deno.remove(await signInPath(folder, server));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * What of a sign-in must not be seen.
 *
 * @param signIn The sign-in.
 */
export function secretsOfSignIn(
  { accessToken, refreshToken, clientSecret }: ServerSignIn,
): readonly string[] {
  return [accessToken, refreshToken, clientSecret].filter((each) => each !== undefined);
}

const TEXTS = ["server", "issuer", "tokenEndpoint", "resource", "clientId", "accessToken"] as const;
const OPTIONAL_TEXTS = ["revocationEndpoint", "clientSecret", "refreshToken"] as const;

function isSignIn(value: unknown): value is ServerSignIn {
  if (!isObject(value)) return false;
  const isText = (name: string) => typeof value[name] === "string" && value[name] !== "";
  const isMissing = (name: string) => value[name] === undefined;
  const isTime = (name: string) => Number.isFinite(value[name]);
  return TEXTS.every(isText) &&
    OPTIONAL_TEXTS.every((name) => isMissing(name) || isText(name)) &&
    ["none", "client_secret_basic", "client_secret_post"].includes(String(value["clientAuth"])) &&
    ["expiresAt", "endedAt"].every((name) => isMissing(name) || isTime(name)) &&
    isTime("issuedAt") && isTexts(value["scopes"]) &&
    (isMissing("wantedScopes") || isTexts(value["wantedScopes"]));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
