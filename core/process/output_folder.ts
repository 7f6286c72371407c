import { isNamed, leadsTo } from "../paths/leads_to.ts";
import { join } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";

/** Most logs that are kept, the newest among them. */
const MAX_LOGS = 50;
/** Most bytes that all logs together take. */
const MAX_LOGS_BYTES = 200 * 1024 * 1024;
/** How long it is tried to remove a file whose folder is exchanged all the time. */
const REMOVAL_LIMIT_MS = 1_000;
/** Ends the name of every log. Nothing else is ever removed. */
const LOG_NAME_REGEXP = /^[A-Za-z0-9_-]+-[0-9a-f]{8}\.log$/;

/** Where the full output of one command goes. */
export interface OutputLog {
  /** The workspace. Logs go to its folder `.alisio/cache/output`. */
  readonly workspace: string;
  /** Name of the log, as {@linkcode outputLogName} makes it. */
  readonly name: string;
}

/**
 * A name for the log of a call that nothing else has.
 *
 * @param callId The call. A server chooses it, so only plain characters of it are taken.
 */
export function outputLogName(callId: string): string {
  const plain = callId.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 60);
  return `${plain === "" ? "call" : plain}-${crypto.randomUUID().slice(0, 8)}.log`;
}

/**
 * The path of a log.
 *
 * @param log The log.
 */
export function outputLogPath({ workspace, name }: OutputLog): string {
  return join(workspace, ".alisio", "cache", "output", name);
}

/**
 * Creates a log. Its folder is created with a file that makes Git ignore it, and loses its oldest
 * logs so that it stays bounded.
 *
 * @param log The log. It must not exist.
 * @param maxBytes Most that will be written to it.
 * @throws If it cannot be created, or a symbolic link leads it out of the workspace, or did so for
 * an instant.
 */
export function createOutputLog(log: OutputLog, maxBytes: number): Deno.FsFile {
  const folder = openCacheFolder(log.workspace, "output");
  removeOldLogs(folder, maxBytes);
  return createInPlace(join(folder, log.name), 0o600);
}

/**
 * Makes sure that a folder of the workspace's cache is there, with a file that makes Git ignore the
 * cache.
 *
 * @param workspace The workspace.
 * @param name Name of the folder in `.alisio/cache`.
 * @returns Its path.
 * @throws If it cannot be created, or a symbolic link stands in its place or in that of a folder
 * around it.
 */
export function openCacheFolder(workspace: string, name: string): string {
  const home = join(workspace, ".alisio");
  const cache = join(home, "cache");
  const folder = join(cache, name);
  const missing = [home, cache, folder].filter((path) => !isRealFolder(path));
  // Created together with those above: what this process may write begins with the cache.
  if (missing.length > 0) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  ignoreInGit(cache);
  return folder;
}

/**
 * Creates a file and makes sure that it lies where its path says: whatever runs at the same time may
 * exchange a folder for a link.
 *
 * @param path Where it is created. Nothing must be there.
 * @param mode Its permission bits before the umask.
 * @throws If it cannot be created, or was created elsewhere, from where it is removed again.
 */
export function createInPlace(path: string, mode: number): Deno.FsFile {
  const file = Deno.openSync(path, { write: true, createNew: true, mode });
  if (leadsTo(path, file) === "here") return file;
  const deadline = performance.now() + REMOVAL_LIMIT_MS;
  do {
    if (isNamed(path, file.statSync())) attempt(() => Deno.removeSync(path));
  } while ((file.statSync().nlink ?? 0) > 0 && performance.now() < deadline);
  file.close();
  throw new Deno.errors.NotADirectory(`A part of the path became a link: ${quotePath(path)}`);
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // It is gone, or elsewhere at this moment.
  }
}

/** False where there is nothing. A repository may bring a link to anywhere, which is an error. */
function isRealFolder(path: string): boolean {
  try {
    if (Deno.lstatSync(path).isDirectory) return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  throw new Deno.errors.NotADirectory(`Not a folder of its own: ${JSON.stringify(path)}`);
}

function ignoreInGit(folder: string): void {
  try {
    using file = createInPlace(join(folder, ".gitignore"), 0o666);
    file.writeSync(new TextEncoder().encode("*\n"));
  } catch {
    // One that is there is the person's; without any, the log still serves.
  }
}

interface LogFile {
  readonly path: string;
  readonly size: number;
  readonly changedAt: number;
}

/** Keeps what leaves room for one more log. */
function removeOldLogs(folder: string, maxBytes: number): void {
  const logs = [...logFiles(folder)].sort((a, b) => b.changedAt - a.changedAt);
  let bytes = maxBytes;
  for (const [index, { path, size }] of logs.entries()) {
    bytes += size;
    if (index < MAX_LOGS - 1 && bytes <= MAX_LOGS_BYTES) continue;
    // Another process may be quicker, and the next log finds it again.
    attempt(() => Deno.removeSync(path));
  }
}

function* logFiles(folder: string): Generator<LogFile> {
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    if (!isFile || !LOG_NAME_REGEXP.test(name)) continue;
    const path = join(folder, name);
    try {
      const { size, mtime } = Deno.lstatSync(path);
      yield { path, size, changedAt: mtime?.getTime() ?? 0 };
    } catch {
      // It has just been removed.
    }
  }
}
