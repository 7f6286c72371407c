import type { OAuthCredential } from "@alisio/sdk";
import { isObject } from "../../config/is_object.ts";

const MAX_TOKEN_CHARS = 65_536;
const MAX_METADATA_CHARS = 65_536;

/** The year 2001 in milliseconds: a smaller number is seconds that were meant to be milliseconds. */
const MIN_EXPIRES = 1_000_000_000_000;

/**
 * What is wrong with a session that a provider returned, or that was stored.
 *
 * @param value The session.
 * @returns Continues a sentence, and quotes nothing of it; null if nothing is wrong.
 */
export function flawOfSession(value: unknown): string | null {
  if (!isObject(value)) return "it is no object";
  const { type, access, refresh, expires, metadata } = value;
  if (type !== "oauth") return '"type" is not "oauth"';
  if (!isToken(access)) return `"access" is no text of 1 to ${MAX_TOKEN_CHARS} characters`;
  if (refresh !== undefined && !isToken(refresh)) {
    return `"refresh" is no text of 1 to ${MAX_TOKEN_CHARS} characters`;
  }
  if (expires !== undefined) {
    if (typeof expires !== "number" || !Number.isFinite(expires)) return '"expires" is no number';
    if (expires < MIN_EXPIRES) return '"expires" is not in milliseconds since 1970';
  }
  return metadata === undefined || isSmallObject(metadata)
    ? null
    : `"metadata" is no JSON object of at most ${MAX_METADATA_CHARS} characters`;
}

/**
 * Whether a value is a session.
 *
 * @param value Anything.
 */
export function isSession(value: unknown): value is OAuthCredential {
  return flawOfSession(value) === null;
}

/**
 * A session as it is stored: what belongs to it and nothing else.
 *
 * @param session One that {@linkcode flawOfSession} finds nothing wrong with.
 */
export function storableSession(session: OAuthCredential): OAuthCredential {
  const { access, refresh, expires, metadata } = session;
  return {
    type: "oauth",
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(expires === undefined ? {} : { expires: Math.floor(expires) }),
    ...(metadata === undefined ? {} : { metadata: JSON.parse(JSON.stringify(metadata)) }),
  };
}

/**
 * A session after its renewal. What the renewal says nothing of stays, except when it ends.
 *
 * @param before The session that was renewed.
 * @param renewed What the renewal returned.
 */
export function mergeRenewal(before: OAuthCredential, renewed: OAuthCredential): OAuthCredential {
  const refresh = renewed.refresh ?? before.refresh;
  const metadata = { ...before.metadata, ...renewed.metadata };
  return storableSession({
    type: "oauth",
    access: renewed.access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(renewed.expires === undefined ? {} : { expires: renewed.expires }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
}

/**
 * What of a session must not be seen. Metadata is no place for secrets, but what looks like one in
 * it is taken for one.
 *
 * @param session The session.
 */
export function secretsOfSession(session: OAuthCredential): readonly string[] {
  const { access, refresh, metadata } = session;
  return [access, ...refresh === undefined ? [] : [refresh], ...stringsOf(metadata)];
}

/** Values that are no names, addresses or sentences. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") {
    return /^[^\s@]{20,}$/.test(value) && /\d/.test(value) && !URL.canParse(value) ? [value] : [];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function isToken(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= MAX_TOKEN_CHARS;
}

function isSmallObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  try {
    return JSON.stringify(value).length <= MAX_METADATA_CHARS;
  } catch {
    // A value that holds itself, or a number that JSON has none of.
    return false;
  }
}
