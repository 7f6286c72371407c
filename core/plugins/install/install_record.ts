import { isObject } from "../../config/is_object.ts";
import { writePrivateFile } from "../../config/private_file.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { AlisioError } from "../../errors.ts";
import { join } from "../../paths/path.ts";
import { quotePath } from "../../paths/quote_path.ts";
import type { InstallFolder } from "./install_folder.ts";
import { type InstalledPackage, packageClosure } from "./package_closure.ts";
import { packageMarks, packageStamp } from "./package_digest.ts";

/** What is noted about a package when it is installed. */
export interface PackageNote {
  readonly name: string;
  readonly version: string;
  /** What the lock file of npm says of its archive, such as `sha512-…`; absent without npm. */
  readonly integrity?: string;
  /** SHA-256 of its files. */
  readonly digest: string;
  /** What its files looked like from outside. */
  readonly stamp: string;
}

/** Notes by the place of the package below the folder of plugins. */
export type InstallRecord = Readonly<Record<string, PackageNote>>;

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads what was noted about the installed packages.
 *
 * @param folder The folder of plugins.
 * @returns Nothing where nothing was installed by Alisio.
 * @throws {AlisioError} `install_failed` if the notes cannot be understood.
 */
export async function readRecord(folder: InstallFolder): Promise<InstallRecord> {
  const file = await readSmallFile(folder.record, MAX_BYTES);
  if (file.status === "missing") return {};
  const record = file.status === "read" ? parseRecord(file.bytes) : null;
  if (record !== null) return record;
  throw new AlisioError(
    "install_failed",
    `Cannot read ${quotePath(folder.record)}, the notes about installed plugins; remove the file ` +
      "and run alisio install --update",
  );
}

/**
 * The packages of a plugin whose files are not those that were installed.
 *
 * @param packages The plugin and what it stands on.
 * @param record What was noted.
 */
export async function changedPackages(
  packages: readonly InstalledPackage[],
  record: InstallRecord,
): Promise<readonly InstalledPackage[]> {
  const changed: InstalledPackage[] = [];
  for (const each of packages) {
    const note = record[each.key];
    if (note === undefined || !await isUnchanged(each, note)) changed.push(each);
  }
  return changed;
}

/**
 * Notes what the installed plugins consist of now. What somebody had changed before keeps its old
 * note, so that a change of one plugin does not make another one good.
 *
 * @param folder The folder of plugins.
 * @param names Names of the plugins' packages.
 * @param before What was changed before the package manager ran: digests by place.
 */
export async function writeRecord(
  folder: InstallFolder,
  names: readonly string[],
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const known = await readRecord(folder);
  const integrities = await lockedIntegrities(folder);
  const record: Record<string, PackageNote> = {};
  for (const name of names) {
    for (const { key, folder: path, name: own, version } of await packageClosure(folder, name)) {
      if (Object.hasOwn(record, key)) continue;
      const marks = await packageMarks(path);
      const old = known[key];
      if (old !== undefined && before.get(key) === marks.digest) {
        record[key] = old;
        continue;
      }
      const integrity = integrities[key];
      record[key] = {
        name: own,
        version,
        ...(integrity === undefined ? {} : { integrity }),
        ...marks,
      };
    }
  }
  await storeRecord(folder, record);
}

/**
 * Digests of all packages that are not as they were noted, by place.
 *
 * @param folder The folder of plugins.
 * @param names Names of the plugins' packages.
 */
export async function changedDigests(
  folder: InstallFolder,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const record = await readRecord(folder);
  const found = new Map<string, string>();
  for (const name of names) {
    const noted = (await packageClosure(folder, name)).filter(({ key }) =>
      Object.hasOwn(record, key)
    );
    for (const { key, folder: path } of await changedPackages(noted, record)) {
      found.set(key, (await packageMarks(path)).digest);
    }
  }
  return found;
}

/**
 * Notes anew what unchanged packages look like from outside, after they were copied: otherwise every
 * start would read all of their files.
 *
 * @param folder The folder of plugins.
 * @param names Names of the plugins' packages.
 */
export async function refreshStamps(
  folder: InstallFolder,
  names: readonly string[],
): Promise<void> {
  const record: Record<string, PackageNote> = { ...await readRecord(folder) };
  if (Object.keys(record).length === 0) return;
  for (const name of names) {
    for (const { key, folder: path } of await packageClosure(folder, name)) {
      const note = record[key];
      if (note === undefined) continue;
      const { digest, stamp } = await packageMarks(path);
      if (digest === note.digest) record[key] = { ...note, stamp };
    }
  }
  await storeRecord(folder, record);
}

async function storeRecord(folder: InstallFolder, record: InstallRecord): Promise<void> {
  await writePrivateFile(
    folder.record,
    `${JSON.stringify({ schemaVersion: 1, packages: record }, null, 2)}\n`,
  );
}

async function isUnchanged({ folder }: InstalledPackage, note: PackageNote): Promise<boolean> {
  // As a rule nobody touched a file, and none has to be read.
  if (await packageStamp(folder) === note.stamp) return true;
  return (await packageMarks(folder)).digest === note.digest;
}

/** npm keeps what it knows of each archive beside the packages. */
async function lockedIntegrities(
  folder: InstallFolder,
): Promise<Readonly<Record<string, string>>> {
  const file = await readSmallFile(join(folder.root, "package-lock.json"), MAX_BYTES);
  if (file.status !== "read") return {};
  const content = parse(file.bytes);
  const packages = isObject(content) && isObject(content.packages) ? content.packages : {};
  return Object.fromEntries(
    Object.entries(packages).flatMap(([key, value]) =>
      isObject(value) && typeof value.integrity === "string" ? [[key, value.integrity]] : []
    ),
  );
}

function parseRecord(bytes: Uint8Array): InstallRecord | null {
  const content = parse(bytes);
  if (!isObject(content) || content.schemaVersion !== 1 || !isObject(content.packages)) return null;
  const notes = Object.entries(content.packages);
  return notes.every(([, note]) => isNote(note))
    ? Object.fromEntries(notes) as InstallRecord
    : null;
}

function isNote(value: unknown): boolean {
  return isObject(value) &&
    [value.name, value.version, value.digest, value.stamp].every((each) =>
      typeof each === "string"
    );
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
