import { isObject } from "../../config/is_object.ts";
import { makePrivateFolder, whileLocked, writePrivateFile } from "../../config/private_file.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { AlisioError, errorMessage } from "../../errors.ts";
import { dirname, join } from "../../paths/path.ts";
import { quotePath } from "../../paths/quote_path.ts";
import { killMarkedProcesses } from "../../process/find_marked_processes.ts";
import { copyTree, isThere, removeTree } from "./copy_tree.ts";
import { CHANGED_ENTRIES, type InstallFolder, readDependencies } from "./install_folder.ts";
import { refreshStamps } from "./install_record.ts";
import { hasPluginEntry, removePluginEntry } from "./plugin_entries.ts";

/** Environment variable that marks the processes of a change. */
export const INSTALL_VARIABLE = "ALISIO_INSTALL";

/** What is needed to take a change back. */
interface Journal {
  /** Marks the processes of the change. */
  readonly mark: string;
  /** Plugins that the configuration did not name before. */
  readonly unnamed: readonly string[];
  /** Which entries of the folder were there before. */
  readonly entries: readonly string[];
}

const MAX_BYTES = 1024 * 1024;
/** A variable with something else in it would be found in processes of others. */
const MARK_REGEXP = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RECORD_COPY = "installed.json";

/**
 * Changes the installed packages, all or nothing: where `change` fails, and where this process is
 * killed, everything is put back as it was, by this call or by the next one. Nothing else changes
 * them meanwhile.
 *
 * @param folder The folder of plugins.
 * @param names The plugins that it is about; their place in the configuration is put back too.
 * @param change Makes the change. Every process that it starts has the mark that it is given in the
 * variable {@linkcode INSTALL_VARIABLE}, so that one which outlives this process can be ended.
 * @param notify Receives what the person should be told of an earlier change.
 * @throws {AlisioError} `install_failed` if another process changes them, or what was there cannot
 * be kept or put back; whatever `change` throws.
 */
export async function changePackages<T>(
  folder: InstallFolder,
  names: readonly string[],
  change: (mark: string) => Promise<T>,
  notify: (notice: string) => void,
): Promise<T> {
  return await locked(folder, async () => {
    await recover(folder, notify);
    const journal = await keep(folder, names);
    try {
      const result = await change(journal.mark);
      await forget(folder);
      return result;
    } catch (error) {
      await putBack(folder, journal, error);
      throw error;
    }
  });
}

/**
 * Puts back what a change that was cut short had begun, if there was one.
 *
 * @param folder The folder of plugins.
 * @param notify Is told of it.
 * @throws {AlisioError} `install_failed` if that fails, or another process changes the packages.
 */
export async function recoverPackages(
  folder: InstallFolder,
  notify: (notice: string) => void,
): Promise<void> {
  if (!await isThere(folder.journal)) return;
  await locked(folder, () => recover(folder, notify));
}

async function locked<T>(folder: InstallFolder, run: () => Promise<T>): Promise<T> {
  try {
    await makePrivateFolder(dirname(folder.lock));
  } catch (error) {
    throw new AlisioError(
      "install_failed",
      `Cannot use the folder of plugins ${quotePath(folder.root)}: ` +
        `${
          errorMessage(error).slice(0, 300)
        }; nothing was changed; make it a folder that you may ` +
        "write",
      { cause: error },
    );
  }
  try {
    return await whileLocked(folder.lock, run);
  } catch (error) {
    if (!(error instanceof Deno.errors.Busy)) throw error;
    throw new AlisioError(
      "install_failed",
      "Cannot change the installed plugins: another process of Alisio changes them; wait until it " +
        "has ended, then try again",
      { cause: error },
    );
  }
}

async function recover(folder: InstallFolder, notify: (notice: string) => void): Promise<void> {
  const journal = await readJournal(folder);
  if (journal === null) return;
  killMarkedProcesses({ variable: `${INSTALL_VARIABLE}=${journal.mark}`, fileLocks: null });
  await putBack(folder, journal);
  notify(
    "An earlier change of the installed plugins was cut short; everything was put back as it was " +
      "before it",
  );
}

/** The journal is written last: without it, nothing was changed. */
async function keep(folder: InstallFolder, names: readonly string[]): Promise<Journal> {
  try {
    await removeTree(folder.backup);
    await Deno.mkdir(folder.backup, { mode: 0o700 });
    const entries: string[] = [];
    for (const [entry, path] of keptPaths(folder)) {
      if (!await isThere(path)) continue;
      await copyTree(path, join(folder.backup, entry));
      entries.push(entry);
    }
    const unnamed: string[] = [];
    for (const name of names) {
      if (!await hasPluginEntry(folder.config, name)) unnamed.push(name);
    }
    const journal = { mark: crypto.randomUUID(), unnamed, entries };
    await writePrivateFile(folder.journal, `${JSON.stringify(journal)}\n`);
    return journal;
  } catch (error) {
    if (error instanceof AlisioError) throw error;
    throw new AlisioError(
      "install_failed",
      `Cannot keep what is in ${quotePath(folder.root)} while it is changed: ` +
        `${
          errorMessage(error).slice(0, 300)
        }; nothing was changed; make room, or make the folder ` +
        "writable, then try again",
      { cause: error },
    );
  }
}

async function putBack(folder: InstallFolder, journal: Journal, cause?: unknown): Promise<void> {
  try {
    for (const [entry, path] of keptPaths(folder)) {
      const kept = join(folder.backup, entry);
      const wasThere = journal.entries.includes(entry);
      // What is no longer kept was put back before.
      if (wasThere && !await isThere(kept)) continue;
      await removeTree(path);
      if (wasThere) await Deno.rename(kept, path);
    }
    for (const name of journal.unnamed) await removePluginEntry(folder.config, name);
    await forget(folder);
    await noteLooks(folder);
  } catch (error) {
    throw new AlisioError(
      "install_failed",
      `Cannot put the installed plugins back as they were: ${errorMessage(error).slice(0, 300)}; ` +
        `what was there is in ${quotePath(folder.backup)}, and the next alisio install or alisio ` +
        `uninstall tries again${
          cause === undefined ? "" : `. Before that: ${errorMessage(cause)}`
        }`,
      { cause: error },
    );
  }
}

async function noteLooks(folder: InstallFolder): Promise<void> {
  try {
    await refreshStamps(folder, Object.keys(await readDependencies(folder)));
  } catch {
    // Everything is in its place. Without this, a start reads the files to know them.
  }
}

/** What a change may touch: its name in the backup, and where it is. */
function keptPaths(folder: InstallFolder): readonly (readonly [string, string])[] {
  return [
    ...CHANGED_ENTRIES.map((entry) => [entry, join(folder.root, entry)] as const),
    [RECORD_COPY, folder.record],
  ];
}

/** Once the journal is gone, the change has happened. */
async function forget(folder: InstallFolder): Promise<void> {
  await removeTree(folder.journal);
  await removeTree(folder.backup);
}

async function readJournal(folder: InstallFolder): Promise<Journal | null> {
  const file = await readSmallFile(folder.journal, MAX_BYTES);
  if (file.status === "missing") return null;
  const journal = file.status === "read" ? parseJournal(file.bytes) : null;
  if (journal !== null) return journal;
  throw new AlisioError(
    "install_failed",
    `Cannot read ${quotePath(folder.journal)}, which an earlier change of the installed plugins ` +
      `left; what was there before it is in ${
        quotePath(folder.backup)
      }; put it back, then remove ` +
      "the file",
  );
}

function parseJournal(bytes: Uint8Array): Journal | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isObject(value)) return null;
    const { mark, unnamed, entries } = value;
    const isWhole = typeof mark === "string" && MARK_REGEXP.test(mark) && isTexts(unnamed) &&
      isTexts(entries);
    return isWhole ? { mark, unnamed, entries } : null;
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
