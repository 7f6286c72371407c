import { dirname } from "./path.ts";

/**
 * Where an open file lies, seen from a path.
 *
 * - `here`: the path leads to it, through folders alone
 * - `moved`: a folder of the path has become a symbolic link, or is gone
 * - `replaced`: the path names another file, or none
 */
export type FilePlace = "here" | "moved" | "replaced";

/** Looks at a path, until chance can no longer have made the answer. */
const LOOKS = 20;

/** Looks at a path that is asked about links alone. */
const REAL_LOOKS = 8;

/**
 * Finds out whether a path still leads to the file that was opened by it. Between the decision
 * about a path and its use, and between any two looks at it, a program may exchange a folder for a
 * link and back.
 *
 * No call of the runtime tells where an open file lies, and none opens a name within a folder that
 * is open. A path can be asked whether links are in it, and which file it leads to, but not both at
 * once; and what was opened through a link passes the first question only while the link is away,
 * the second only while it is there. So both are asked again and again, in an order that nobody can
 * know: whoever exchanges the two blindly, or guesses, is found out all but once in a million times.
 *
 * @param path The real path that was judged.
 * @param file What was opened by it, a file or a folder.
 */
export function leadsTo(path: string, file: Deno.FsFile): FilePlace {
  const opened = file.statSync();
  return lookAgain(path, () => isNamed(path, opened));
}

/**
 * Whether something has a name in a folder that is reached through folders alone: what a folder was
 * read to hold may have come from elsewhere.
 *
 * @param path The real path of the folder, and the name.
 */
export function isInPlace(path: string): boolean {
  return lookAgain(path, () => attempt(() => Deno.lstatSync(path)) !== null) === "here";
}

/**
 * Whether a path exists and no part of it is a symbolic link, its last one included. A link that is
 * exchanged for a folder passes one look only if that happens in the midst of it.
 *
 * @param path An absolute path.
 */
export function isReal(path: string): boolean {
  for (let look = 0; look < REAL_LOOKS; look++) if (!looksReal(path)) return false;
  return true;
}

/**
 * Whether a path leads to a file, be it through links.
 *
 * @param path An absolute path.
 * @param opened What is known of the file, from itself.
 */
export function isNamed(path: string, opened: Deno.FileInfo): boolean {
  const named = attempt(() => Deno.lstatSync(path));
  return named !== null && named.ino === opened.ino && named.dev === opened.dev &&
    named.birthtime?.getTime() === opened.birthtime?.getTime();
}

function lookAgain(path: string, isThere: () => boolean): FilePlace {
  if (!isReached(path)) return "moved";
  if (!isThere()) return "replaced";
  for (const chance of crypto.getRandomValues(new Uint8Array(LOOKS))) {
    if (chance % 2 === 0 ? isReached(path) : isThere()) continue;
    return isReached(path) ? "replaced" : "moved";
  }
  return "here";
}

/** Whether no folder of a path is a link at this moment. */
function isReached(path: string): boolean {
  const folder = dirname(path);
  try {
    return Deno.realPathSync(folder) === folder;
  } catch (error) {
    // Of the folders above a workspace a process may know single files alone.
    return error instanceof Deno.errors.NotCapable && looksReal(path);
  }
}

function looksReal(path: string): boolean {
  return attempt(() => Deno.realPathSync(path)) === path;
}

/** Null for what is not there, or may not be looked up. */
function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
