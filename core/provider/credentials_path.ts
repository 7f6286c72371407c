import { join } from "../paths/path.ts";

/**
 * Path of the file of secrets.
 *
 * @param configHome The folder of the person's configuration.
 */
export function credentialsPath(configHome: string): string {
  return join(configHome, "credentials.json");
}
