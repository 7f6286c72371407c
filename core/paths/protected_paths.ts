import { isInside } from "./is_inside.ts";

/** The folders that define what Alisio may do. */
export interface ProtectedPathOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real path of the configuration home: configuration, credentials, trust, plugins. */
  readonly configHome: string;
  /** Real path of the state home: the session database and what belongs to it. */
  readonly stateHome: string;
  /**
   * Whose path rules apply.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
}

// HFS+ skips these when it compares names, so that a name that holds one is still the same name.
const IGNORED_CHARACTERS_REGEXP = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a path belongs to what defines Alisio's own permissions: `.alisio` of the workspace
 * except `.alisio/cache`, the configuration home and the state home. A change there is never
 * allowed by a mode or flag alone.
 *
 * Names are compared without regard to case, and to how accents are composed, where the usual
 * file systems of the platform do the same.
 *
 * @param real Real path of the file that would change.
 * @param options The folders that are protected.
 */
export function isProtectedPath(real: string, options: ProtectedPathOptions): boolean {
  const platform = options.platform ?? Deno.build.os;
  const fold = platform === "windows" || platform === "darwin" ? foldName : identity;
  const path = fold(real);
  const isBelow = (root: string): boolean => isInside(path, fold(root), { platform });
  if (isBelow(options.configHome) || isBelow(options.stateHome)) return true;
  const project = joinPath(options.workspace, ".alisio");
  return isBelow(project) && !isBelow(joinPath(project, "cache"));
}

function joinPath(folder: string, name: string): string {
  return folder.endsWith("/") || folder.endsWith("\\") ? folder + name : `${folder}/${name}`;
}

function foldName(path: string): string {
  // Upper case first: it also folds letters that have no lower case of their own, like "ſ".
  return path.replace(IGNORED_CHARACTERS_REGEXP, "").normalize("NFC").toUpperCase().toLowerCase();
}

function identity(path: string): string {
  return path;
}
