import type { JsonValue } from "@alisio/sdk";
import { AlisioError, errorMessage } from "../errors.ts";
import { replaceFile } from "../files/atomic_write.ts";
import { FileError } from "../files/file_error.ts";
import { sha256Hex } from "../files/sha256.ts";
import { basename, dirname, join } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";
import { setJsonValue } from "./edit_json.ts";
import { parseConfigFile } from "./parse_config.ts";
import { readConfigBytes } from "./read_config_file.ts";

/** One value that is to be changed. */
export interface ConfigChange {
  /** Names from the outside in, such as `["limits", "maxTurns"]`. */
  readonly path: readonly string[];
  /** The value; undefined takes it out, so that the one of another layer or the default counts. */
  readonly value: JsonValue | undefined;
}

/** How {@linkcode changeConfig} goes about it. */
export interface ChangeConfigOptions {
  /** Gives up. */
  readonly signal: AbortSignal;
  /**
   * Permission bits of the folder, if it has to be made.
   *
   * @default 0o777, less what the process masks
   */
  readonly folderMode?: number;
}

/** How often a file that somebody else changes meanwhile is read anew. */
const MAX_ATTEMPTS = 3;

const encoder = new TextEncoder();

/**
 * Changes values in one configuration file, in one step: whoever looks sees the old file or the new
 * one. Everything else in it stays as it is written, with its mode; a link to it stays a link. A
 * file that is missing is made.
 *
 * @param file Absolute path.
 * @param changes What is changed.
 * @param options What ends it.
 * @returns SHA-256 of the file, before and after; null before where there was none.
 * @throws {AlisioError} `config_invalid` if the file is not valid as it is, or would not be then;
 * `config_unreadable` if it cannot be read, `config_unwritable` if it cannot be written. It is not
 * changed then.
 */
export async function changeConfig(
  file: string,
  changes: readonly ConfigChange[],
  { signal, folderMode: mode = 0o777 }: ChangeConfigOptions,
): Promise<{ readonly before: string | null; readonly after: string }> {
  for (let attempt = 1;; attempt++) {
    const bytes = await readConfigBytes(file);
    if (bytes !== undefined) parseConfigFile(bytes, file);
    const text = bytes === undefined ? "{}\n" : decode(bytes);
    const next = encoder.encode(
      changes.reduce((written, { path, value }) => setJsonValue(written, path, value), text),
    );
    parseConfigFile(next, file);
    const before = bytes === undefined ? null : await sha256Hex(bytes);
    try {
      await Deno.mkdir(dirname(file), { recursive: true, mode });
      const real = await realFile(file);
      const { sha256 } = await replaceFile(real, next, { expectedHash: before, signal });
      return { before, after: sha256 };
    } catch (error) {
      const isOvertaken = error instanceof FileError &&
        (error.code === "changed" || error.code === "already_exists" || error.code === "not_found");
      if (!isOvertaken || attempt === MAX_ATTEMPTS) throw notWritable(file, error);
    }
  }
}

/** A byte order mark stays where it is. */
function decode(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function realFile(file: string): Promise<string> {
  try {
    return await Deno.realPath(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return join(await Deno.realPath(dirname(file)), basename(file));
  }
}

function notWritable(file: string, error: unknown): AlisioError {
  const reason = error instanceof Deno.errors.NotCapable
    ? "this run may not write it"
    : error instanceof Deno.errors.PermissionDenied
    ? "this user may not write it"
    : errorMessage(error).slice(0, 300);
  return new AlisioError(
    "config_unwritable",
    `Cannot change configuration ${quotePath(file)}: ${reason}; nothing was changed`,
    { cause: error },
  );
}
