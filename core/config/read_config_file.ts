import { AlisioError } from "../errors.ts";
import { quoted } from "./quoted.ts";
import { readSmallFile } from "./small_file.ts";

/** Largest configuration file that is read. */
export const MAX_CONFIG_BYTES = 1_048_576;

/**
 * Reads and checks one configuration file.
 *
 * @param file Absolute path.
 * @returns Its content, or `undefined` if nothing is there.
 * @throws {AlisioError} `config_unreadable` if it cannot be read, `config_invalid` with every
 * problem if its content is not a configuration.
 */
export async function readConfigFile(
  file: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = await readConfigBytes(file);
  if (bytes === undefined) return undefined;
  // Most runs have no file; they do not pay for what checks it.
  const { parseConfigFile } = await import("./parse_config.ts");
  return parseConfigFile(bytes, file);
}

/**
 * Reads the bytes of one configuration file.
 *
 * @param file Absolute path.
 * @returns Its bytes, or `undefined` if nothing is there.
 * @throws {AlisioError} `config_unreadable` if it cannot be read, or is larger than 1 MiB.
 */
export async function readConfigBytes(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await readSmallFile(file, MAX_CONFIG_BYTES);
  if (found.status === "missing") return undefined;
  if (found.status === "read") return found.bytes;
  throw new AlisioError(
    "config_unreadable",
    `Cannot read configuration ${quoted(file, 1000)}: ${found.reason}`,
    { cause: found.cause },
  );
}
