import { isAbsolute } from "../paths/path.ts";

/** An npm package, as a person names it. */
export interface PackageName {
  /** With its scope, if it has one. */
  readonly name: string;
  /** The version or range that is asked for. */
  readonly version?: string;
}

const PACKAGE_REGEXP =
  /^(?:npm:)?((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([\w.^~<>=*+-]+))?$/;

/** What a module of a plugin may end in. */
const MODULE_REGEXP = /\.[cm]?[jt]s$/;

/** Two letters or more: the one of `C:` is a drive. */
const SCHEME_REGEXP = /^[A-Za-z][A-Za-z0-9+.-]+:/;

/**
 * Whether an entry of `plugins` or `--plugin` is a path: it starts with a dot, is absolute, holds a
 * backslash, ends like JavaScript or TypeScript, or holds a slash without being a scoped package. An
 * address, such as one that begins with `file:` or `npm:`, is none.
 *
 * @param entry The entry.
 */
export function isPluginPath(entry: string): boolean {
  if (SCHEME_REGEXP.test(entry)) return false;
  return entry.startsWith(".") || isAbsolute(entry) || entry.includes("\\") ||
    isModuleFile(entry) || (entry.includes("/") && !entry.startsWith("@"));
}

/**
 * The scheme of an entry that is an address which nothing is loaded from, such as `https:`.
 *
 * @param entry The entry.
 * @returns Null if it is no address, or one of npm.
 */
export function foreignScheme(entry: string): string | null {
  const [scheme] = SCHEME_REGEXP.exec(entry) ?? [];
  return scheme === undefined || scheme === "npm:" ? null : scheme;
}

/**
 * Whether a file name is one of a module.
 *
 * @param name The name, or a path.
 */
export function isModuleFile(name: string): boolean {
  return MODULE_REGEXP.test(name) && !/\.d\.[cm]?ts$/.test(name);
}

/**
 * Reads the name of an npm package.
 *
 * @param entry An entry that is no path.
 * @returns Null if it is not a package's name either.
 */
export function parsePackageName(entry: string): PackageName | null {
  const [, name, version] = PACKAGE_REGEXP.exec(entry) ?? [];
  if (name === undefined) return null;
  return version === undefined ? { name } : { name, version };
}
