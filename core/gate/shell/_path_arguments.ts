import type { Argument } from "./_argument.ts";
import type { PathArgument, PathUse } from "./command_grade.ts";

const PATH_LIKE_REGEXP = /^(?:\.{1,2}|~)$|\//;
const URL_REGEXP = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const ASSIGNED_REGEXP = /^(?:--?)?[A-Za-z_][\w.-]*\+?=(.+)$/s;
/** A component that a pattern may turn into `..`, because a dot that is written matches a dot. */
const DOT_PATTERN_REGEXP = /(^|\/)\.[*?[][^/]*(?=\/|$)/g;

/**
 * The paths that an argument may name: itself, the value of an option, and what is glued to one.
 * URLs are left out, except those of files.
 *
 * @param arg The argument.
 */
export function pathsOfArgument(arg: Argument): readonly string[] {
  const text = arg.value ?? arg.pattern ?? "";
  if (text === "") return [];
  const fileUrl = /^(?:[^=]*=)?file:\/\/(?:localhost)?(\/.*)$/is.exec(text)?.[1];
  if (fileUrl !== undefined) return [fileUrl];
  const candidates = [text.replace(/^@/, "")];
  const value = ASSIGNED_REGEXP.exec(text)?.[1];
  if (value !== undefined) candidates.push(value.replace(/^@/, ""));
  if (text.startsWith("-")) {
    candidates.shift();
    if (!text.startsWith("--") && text.length > 2) {
      // The letter of the option may take two units of UTF-16.
      const value = text.slice(1).replace(/^./su, "").replace(/^@/, "");
      candidates.push(value, gluedPath(text));
    }
  }
  return [...new Set(candidates.filter(isPathLike).flatMap(withDotPatterns))];
}

/** `HEAD:a/b`, `:a/b`, `:0:a/b`, `:(top)a/b`, `:!a/b`, `:/a/b`. */
const GIT_PATH_REGEXP = /^[^:]*:(?:[0-3]:|\([^)]*\))?[!^/]*(.+)$/s;

/**
 * The path that an argument of Git names in a revision, in the index, or as a pattern of paths.
 *
 * @param arg The argument.
 */
export function gitPathOfArgument({ value }: Argument): string | null {
  if (value === null || URL_REGEXP.test(value)) return null;
  return GIT_PATH_REGEXP.exec(value)?.[1] ?? null;
}

/**
 * Whether a text looks like a path: absolute, relative with a slash, or a folder by its short name.
 * A bare `~name` does not.
 *
 * @param text The text.
 */
export function isPathLike(text: string): boolean {
  return PATH_LIKE_REGEXP.test(text) && !URL_REGEXP.test(text);
}

/**
 * A path with what is known about its use.
 *
 * @param path The path.
 * @param use What is done with it.
 * @param rest What else is known.
 */
export function pathArgument(
  path: string,
  use: PathUse,
  rest: { readonly isProgram?: boolean; readonly isPattern?: boolean } = {},
): PathArgument {
  return { path, use, isProgram: rest.isProgram ?? false, isPattern: rest.isPattern ?? false };
}

/**
 * A path as it is seen from a folder that the command line changes to.
 *
 * @param path The path.
 * @param directory The folder; empty for the one that the command starts in.
 */
export function pathFrom(path: string, directory: string): string {
  return directory === "" || /^[/~]/.test(path) ? path : `${directory.replace(/\/+$/, "")}/${path}`;
}

/**
 * The path behind a short cluster of options: `-rf/etc/x`, `-vC../x`. In a longer one, letters in
 * front of a slash are more likely the name of a folder: `-Iinclude/x`.
 */
function gluedPath(text: string): string {
  return /^-[A-Za-z]{2,3}((?:\.{1,2}|~)?\/.*|\.\.)$/s.exec(text)?.[1] ?? "";
}

function withDotPatterns(path: string): readonly string[] {
  const parent = path.replace(DOT_PATTERN_REGEXP, "$1..");
  return parent === path ? [path] : [path, parent];
}
