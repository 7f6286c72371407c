import { AlisioError } from "../errors.ts";
import { checkConfig } from "./check_config.ts";
import { ConfigError } from "./config_error.ts";
import { locateJsonError } from "./json_error.ts";
import { quoted } from "./quoted.ts";
import { findRepeatedKey } from "./repeated_key.ts";
import { withOwnSpelling } from "./receipt_spelling.ts";

/**
 * Parses and checks the content of a configuration file.
 *
 * @param bytes Its content.
 * @param file Where it came from, for the message.
 * @throws {AlisioError} `config_invalid` with every problem.
 */
export function parseConfigFile(
  bytes: Uint8Array,
  file: string,
): Readonly<Record<string, unknown>> {
  const value = withOwnSpelling(parseConfig(bytes, file));
  const problems = checkConfig(value);
  if (problems.length > 0) throw new ConfigError(file, problems);
  // `checkConfig` accepts nothing but an object.
  return value as Readonly<Record<string, unknown>>;
}

/**
 * Parses a JSON file of the configuration folder.
 *
 * @param bytes Its content; a byte order mark is tolerated.
 * @param file Where it came from, for the message.
 * @throws {AlisioError} `config_invalid` with line and column, also for a name that stands twice in
 * one object. The message quotes nothing of the content but that name.
 */
export function parseConfig(bytes: Uint8Array, file: string): unknown {
  const text = decode(bytes, file);
  const value = parseJson(text, file);
  const repeated = findRepeatedKey(text);
  if (repeated === null) return value;
  const { key, line } = repeated;
  throw new ConfigError(file, [{
    key,
    message: `is there again in line ${line}; keep one of them`,
  }]);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The runtime's own message quotes the text, which may hold a secret.
    throw new AlisioError("config_invalid", `${whereBroken(text, file)}; correct the file`);
  }
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AlisioError(
      "config_invalid",
      `Cannot use configuration ${quoted(file, 1000)}: it is not UTF-8 text; save it as UTF-8`,
    );
  }
}

function whereBroken(text: string, file: string): string {
  const start = `Cannot use configuration ${quoted(file, 1000)}`;
  if (text.trim() === "") return `${start}: it is empty; write {} or remove it`;
  const { line, column, reason } = locateJsonError(text);
  return `${start}: it is not valid JSON at line ${line}, column ${column}: ${reason}`;
}
