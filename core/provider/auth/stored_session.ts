import type { OAuthCredential } from "@alisio/sdk";
import { isObject } from "../../config/is_object.ts";
import { isSession } from "./check_session.ts";

/** A session of `credentials.json`: what a sign-in brought. */
export interface StoredSession {
  /** Unique for each sign-in, so that a renewal is known to belong to it. */
  readonly id: string;
  /** Id of the registration that it is for; no other is given it. */
  readonly provider: string;
  /** Id of the method that it came from, which renews it. */
  readonly method: string;
  /** When the person signed in, in milliseconds since 1970. */
  readonly signedInAt: number;
  /** The session itself. */
  readonly credential: OAuthCredential;
}

/**
 * Whether a value of `credentials.json` is a session.
 *
 * @param value The value.
 */
export function isStoredSession(value: unknown): value is StoredSession {
  if (!isObject(value)) return false;
  const { id, provider, method, signedInAt, credential } = value;
  return [id, provider, method].every((each) => typeof each === "string" && each !== "") &&
    typeof signedInAt === "number" && isSession(credential);
}
