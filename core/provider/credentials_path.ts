import { join } from "../paths/path.ts";

/**
 * Path of the file of secrets.
 *
 * @param configHome The folder of the person's configuration.
 */
export function credentialsPath(configHome: string): string {
  return join(configHome, "credentials.json");
}

/**
 * Path of the file of renewed sessions. It lies in the state home, because a run may always write
 * there and never to the person's configuration.
 *
 * @param stateHome The folder of what Alisio remembers.
 */
export function renewedSessionsPath(stateHome: string): string {
  return join(stateHome, "sign-in", "renewed.json");
}
