import { isInside } from "./is_inside.ts";
import { liesInGitDirectory } from "./lies_in_git_directory.ts";

/** The folders that define what Alisio may do. */
export interface ProtectedPathOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /**
   * Real paths of what is Alisio's own outside of that, files and whole folders: the configuration
   * home with plugins and credentials, the state home with the trust store and the sessions, and
   * what links in them lead to.
   */
  readonly own: readonly string[];
  /**
   * Whose path rules apply.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
  /**
   * Looks at the disk: whether a path lies in the data of a repository with another name than
   * `.git`.
   *
   * @default liesInGitDirectory
   */
  readonly liesInGitDirectory?: (real: string) => boolean;
}

// HFS+ skips these when it compares names, so that a name that holds one is still the same name.
const IGNORED_CHARACTERS_REGEXP = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The short names that Windows may give to `.git`. */
const SHORT_GIT_REGEXP = /^git~\d+$/;

/** What Windows leaves out at the end of a name: dots, spaces, and the name of a data stream. */
const WINDOWS_END_REGEXP = /[. ]*(?::.*)?$/s;

/**
 * Whether a path belongs to what defines Alisio's own permissions: `.alisio` of the workspace
 * except `.alisio/cache`, the configuration home, the state home and whatever else holds
 * configuration or sessions of the run; or to the data of a Git
 * repository, whose configuration and hooks name programs that Git starts at the next `git status`
 * of anybody. A change there is never allowed by a mode or flag alone.
 *
 * Names are compared without regard to case, and to how accents are composed, on every platform: a
 * file system that does the same may be mounted anywhere. Only the name `HEAD` is compared as the
 * usual file systems of the platform do, because `head` is an ordinary name.
 *
 * @param real Real path of the file that would change.
 * @param options The folders that are protected.
 */
export function isProtectedPath(real: string, options: ProtectedPathOptions): boolean {
  const platform = options.platform ?? Deno.build.os;
  const path = foldName(real);
  const isBelow = (root: string): boolean => isInside(path, foldName(root), { platform });
  if (options.own.some(isBelow)) return true;
  const project = joinPath(options.workspace, ".alisio");
  if (isBelow(project) && !isBelow(joinPath(project, "cache"))) return true;
  return isGitData(real, options);
}

function isGitData(real: string, options: ProtectedPathOptions): boolean {
  const isWindows = (options.platform ?? Deno.build.os) === "windows";
  const names = real.split(isWindows ? /[/\\]/ : "/");
  // The workspace may lie in such a folder, too: what is in it stays what it is.
  if (names.some((name) => isGitName(name, isWindows))) return true;
  // Written last, it makes a repository of a folder that looked like any other.
  if (isGitHeadName(names.at(-1) ?? "", options)) return true;
  return (options.liesInGitDirectory ?? liesInGitDirectory)(real);
}

function isGitName(name: string, isWindows: boolean): boolean {
  const folded = foldName(name);
  if (!isWindows) return folded === ".git";
  const end = folded.replace(WINDOWS_END_REGEXP, "");
  return end === ".git" || SHORT_GIT_REGEXP.test(end);
}

function isGitHeadName(name: string, { platform = Deno.build.os }: ProtectedPathOptions): boolean {
  if (platform === "windows") return foldName(name).replace(WINDOWS_END_REGEXP, "") === "head";
  return platform === "darwin" ? foldName(name) === "head" : name === "HEAD";
}

function joinPath(folder: string, name: string): string {
  return folder.endsWith("/") || folder.endsWith("\\") ? folder + name : `${folder}/${name}`;
}

function foldName(path: string): string {
  // Upper case first: it also folds letters that have no lower case of their own, like "ſ".
  return path.replace(IGNORED_CHARACTERS_REGEXP, "").normalize("NFC").toUpperCase().toLowerCase();
}
