import { configHome, type Environment, stateHome } from "../core/config/directories.ts";
import { isSession, secretsOfSession } from "../core/provider/auth/check_session.ts";
import { credentialsPath, renewedSessionsPath } from "../core/provider/credentials_path.ts";
import { isObject } from "../core/config/is_object.ts";
import { secretEnvironmentValues } from "../core/secret_names.ts";

/**
 * Values that must not leave the machine: those of variables that are named like secrets, and
 * those of the files of stored keys and sessions.
 *
 * @param env Environment variables.
 */
export function secretValues(env: Environment): readonly string[] {
  return [
    ...new Set([
      ...secretEnvironmentValues(env),
      ...storedValues(() => credentialsPath(configHome(env))),
      ...storedValues(() => renewedSessionsPath(stateHome(env))),
    ]),
  ];
}

/** A file that is missing, or cannot be found or read, holds nothing that could have been used. */
function storedValues(pathOf: () => string): readonly string[] {
  try {
    const { sessions = {}, ...rest } = JSON.parse(Deno.readTextFileSync(pathOf()));
    return [...stringsOf(rest), ...Object.values(sessions).flatMap(tokensOf)];
  } catch {
    return [];
  }
}

/** What else is stored of a session are names and times. */
function tokensOf(session: unknown): readonly string[] {
  const credential = isObject(session) ? session["credential"] : undefined;
  return isSession(credential) ? secretsOfSession(credential) : stringsOf(credential);
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
