import { isObject } from "../../config/is_object.ts";
import { parseConfig, parseConfigFile } from "../../config/parse_config.ts";
import { readConfigBytes } from "../../config/read_config_file.ts";
import { AlisioError, errorMessage } from "../../errors.ts";
import { replaceFile } from "../../files/atomic_write.ts";
import { sha256Hex } from "../../files/sha256.ts";
import { createTempFile, removeOwn } from "../../files/temp_file.ts";
import { dirname, join } from "../../paths/path.ts";
import { quotePath } from "../../paths/quote_path.ts";
import { isPluginPath, parsePackageName } from "../plugin_entry.ts";

const encoder = new TextEncoder();

/**
 * Makes sure that the person's configuration can be changed, before anything else is.
 *
 * @param path `config.json` of the person.
 * @throws {AlisioError} `config_unreadable` or `config_invalid` if it is not usable as it is,
 * `install_failed` if it cannot be written.
 */
export async function assertEntriesWritable(path: string): Promise<void> {
  const bytes = await readConfigBytes(path);
  if (bytes !== undefined) parseConfigFile(bytes, path);
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const real = await realFile(path);
    const { mode } = bytes === undefined ? { mode: null } : await Deno.stat(real);
    if (mode !== null && (mode & 0o222) === 0) throw new Deno.errors.PermissionDenied("read-only");
    const probe = await createTempFile(real, 0o600);
    await removeOwn(probe.path, probe.file);
    probe.file.close();
  } catch (error) {
    throw notWritable(path, error);
  }
}

/**
 * Whether the person's configuration names a package as a plugin.
 *
 * @param path `config.json` of the person.
 * @param name Name of the package.
 */
export async function hasPluginEntry(path: string, name: string): Promise<boolean> {
  return (await readEntries(path)).entries.some((entry) => isEntryOf(entry, name));
}

/**
 * Names packages as plugins in the person's configuration, each once. Everything else in the file
 * stays; it is replaced in one step.
 *
 * @param path `config.json` of the person.
 * @param names Names of packages.
 * @throws {AlisioError} If the file is not usable, or cannot be written.
 */
export async function addPluginEntries(path: string, names: readonly string[]): Promise<void> {
  await changeEntries(path, (entries) => {
    const kept = entries.filter((entry, index) => {
      const name = names.find((each) => isEntryOf(entry, each));
      // The first one keeps its place.
      return name === undefined ||
        entries.findIndex((each) => isEntryOf(each, name)) === index;
    }).map((entry) => names.find((name) => isEntryOf(entry, name)) ?? entry);
    return [...kept, ...names.filter((name) => !kept.includes(name))];
  });
}

/**
 * Takes a package out of the plugins of the person's configuration.
 *
 * @param path `config.json` of the person.
 * @param name Name of the package.
 * @throws {AlisioError} If the file is not usable, or cannot be written.
 */
export async function removePluginEntry(path: string, name: string): Promise<void> {
  await changeEntries(path, (entries) => entries.filter((entry) => !isEntryOf(entry, name)));
}

interface ReadEntries {
  /** The bytes that were read; null where there is no file. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly content: Readonly<Record<string, unknown>>;
  readonly entries: readonly unknown[];
}

async function readEntries(path: string): Promise<ReadEntries> {
  const bytes = await readConfigBytes(path);
  if (bytes === undefined) return { bytes: null, content: {}, entries: [] };
  const content = parseConfig(bytes, path);
  if (!isObject(content)) {
    throw new AlisioError(
      "config_invalid",
      `Cannot use configuration ${quotePath(path)}: it is not a JSON object; correct the file`,
    );
  }
  const { plugins } = content;
  return { bytes, content, entries: Array.isArray(plugins) ? plugins : [] };
}

async function changeEntries(
  path: string,
  change: (entries: readonly unknown[]) => readonly unknown[],
): Promise<void> {
  const { bytes, content, entries } = await readEntries(path);
  const changed = change(entries);
  const isSame = changed.length === entries.length &&
    changed.every((entry, index) => entry === entries[index]);
  if (isSame) return;
  const text = bytes === null ? "" : new TextDecoder().decode(bytes);
  const [, indent = "  "] = /^\{\r?\n([ \t]+)"/.exec(text.trimStart()) ?? [];
  const next = `${JSON.stringify({ ...content, plugins: changed }, null, indent)}\n`;
  try {
    await replaceFile(await realFile(path), encoder.encode(next), {
      expectedHash: bytes === null ? null : await sha256Hex(bytes),
      signal: new AbortController().signal,
    });
  } catch (error) {
    throw notWritable(path, error);
  }
}

function isEntryOf(entry: unknown, name: string): boolean {
  if (typeof entry !== "string" || isPluginPath(entry)) return false;
  return parsePackageName(entry)?.name === name;
}

/** A link to the file stays one. */
async function realFile(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    return join(await Deno.realPath(dirname(path)), "config.json");
  }
}

function notWritable(path: string, error: unknown): AlisioError {
  return new AlisioError(
    "install_failed",
    `Cannot change configuration ${quotePath(path)}: ${
      reasonOf(error)
    }; nothing was installed or ` +
      "removed; make the file and its folder writable, then try again",
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not write it";
  return errorMessage(error).slice(0, 300);
}
