import { configHome, type Environment } from "../core/config/directories.ts";
import { join } from "../core/paths/path.ts";
import { secretEnvironmentValues } from "../core/secret_names.ts";

/**
 * Values that must not leave the machine: those of variables that are named like secrets, and
 * those of the credential file.
 *
 * @param env Environment variables.
 */
export function secretValues(env: Environment): readonly string[] {
  return [...new Set([...secretEnvironmentValues(env), ...storedValues(env)])];
}

/** A file that is missing or cannot be read holds nothing that could have been used. */
function storedValues(env: Environment): readonly string[] {
  try {
    return stringsOf(JSON.parse(Deno.readTextFileSync(join(configHome(env), "credentials.json"))));
  } catch {
    return [];
  }
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
