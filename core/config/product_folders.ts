import { AlisioError, errorMessage } from "../errors.ts";
import { isInside } from "../paths/is_inside.ts";
import { dirname, join } from "../paths/path.ts";
import { configHome, type Environment, stateHome, userHome } from "./directories.ts";
import { isMissing } from "./small_file.ts";
import { quoted } from "./quoted.ts";

/** Set on folders that everybody shares, such as the one for temporary files. */
const STICKY = 0o1000;

/**
 * Makes sure that the folders of configuration and state are folders, where they exist, and that
 * nobody else looks into what is remembered. A state folder of this user that others may enter is
 * closed to them.
 *
 * @param env Environment variables.
 * @returns What the person should know, one sentence each.
 * @throws {AlisioError} `config_invalid` if something else is in the place of a folder.
 */
export function checkProductFolders(env: Environment): readonly string[] {
  const config = homeOrNothing(() => configHome(env));
  if (config !== undefined) assertFolder(config, "configuration", "ALISIO_CONFIG_HOME");
  const state = homeOrNothing(() => stateHome(env));
  if (state === undefined) return [];
  const info = assertFolder(state, "state", "ALISIO_STATE_HOME");
  return info === undefined ? [] : closeToOthers(state, info, userHome(env));
}

/** Whoever needs a folder that no variable names says so. */
function homeOrNothing(find: () => string): string | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof AlisioError) return undefined;
    throw error;
  }
}

function assertFolder(path: string, what: string, variable: string): Deno.FileInfo | undefined {
  let reason: string;
  try {
    const info = Deno.statSync(path);
    if (info.isDirectory) return info;
    reason = "it is not a folder";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && !isLink(path)) return undefined;
    // What may not be looked at may be one; using it tells.
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    if (error instanceof Deno.errors.NotCapable) return undefined;
    reason = error instanceof Deno.errors.NotFound
      ? "it is a link to something that does not exist"
      : isMissing(error)
      ? "a part of the path is not a folder"
      : errorMessage(error);
  }
  throw new AlisioError(
    "config_invalid",
    `Cannot use the ${what} folder ${quoted(path, 1000)}: ${reason}; move it away, or set ` +
      `"${variable}" to a folder`,
  );
}

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

function closeToOthers(
  path: string,
  { mode, uid }: Deno.FileInfo,
  home: string | undefined,
): readonly string[] {
  if (Deno.build.os === "windows" || mode === null || (mode & 0o077) === 0) return [];
  // A folder that has another purpose too keeps its mode.
  if ((mode & STICKY) !== 0 || isShared(path, home) || uid !== ownerOfNewFiles(path)) return [];
  try {
    Deno.chmodSync(path, 0o700);
  } catch {
    // A file system without modes, or one that cannot be changed.
    return [];
  }
  return [`Other users could look into ${quoted(path, 1000)}; its mode is now 0700`];
}

/** Whether it is the home folder or one around it, or one that the whole system knows. */
function isShared(path: string, home: string | undefined): boolean {
  try {
    const real = Deno.realPathSync(path);
    if (dirname(dirname(real)) === dirname(real)) return true;
    return home !== undefined && isInside(Deno.realPathSync(home), real);
  } catch {
    return false;
  }
}

/** Who this process is, found out without a permission to ask the system. */
function ownerOfNewFiles(folder: string): number | null | undefined {
  const probe = join(folder, `.alisio-${crypto.randomUUID()}`);
  try {
    Deno.openSync(probe, { createNew: true, write: true, mode: 0o600 }).close();
  } catch {
    return undefined;
  }
  try {
    return Deno.statSync(probe).uid;
  } finally {
    Deno.removeSync(probe);
  }
}
