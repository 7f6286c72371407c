import { isBuiltin } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { basename, dirname, join } from "../paths/path.ts";
import { findInstalledPackage, hasExports, inPackage, packageMain } from "./installed_package.ts";
import { isFile, type PackageJson, packageJsonOf, readPackageJson } from "./package_json.ts";
import { type Conditions, packageTarget } from "./package_targets.ts";

/** Why a module of a plugin cannot be found. */
export class ModuleNotFoundError extends Error {
  /** Always `ModuleNotFoundError`. */
  override readonly name = "ModuleNotFoundError";
}

const BARE_REGEXP = /^((?:@[^/\\%]+\/)?[^./\\%@][^/\\%]*)(\/.*)?$/;

/**
 * Resolves what a module of a plugin imports, by the rules of Node: built-in modules, files beside
 * it, and packages of every `node_modules` from its own folder upward.
 *
 * @param specifier As the source has it.
 * @param parent Address of the importing module, a `file:` URL.
 * @param conditions The conditions of `exports` and `imports` that hold.
 * @returns The address of the module, with all symbolic links resolved, or null for one that is not
 * a file and none of ours.
 * @throws {ModuleNotFoundError} If it cannot be found; the message names both.
 */
export function resolveModule(
  specifier: string,
  parent: string,
  conditions: Conditions,
): string | null {
  if (isBuiltin(specifier)) {
    return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  }
  const importer = fileURLToPath(parent);
  if (/^(?:\.{1,2}(?:\/|$)|\/|file:)/.test(specifier)) {
    return realModule(writtenModule(new URL(specifier, parent), importer), specifier, importer);
  }
  if (/^[A-Za-z][A-Za-z\d+.-]+:/.test(specifier)) return null;
  const path = specifier.startsWith("#")
    ? internalModule(specifier, importer, conditions)
    : packageModule(specifier, importer, conditions);
  return path.startsWith("node:") ? path : realModule(pathToFileURL(path), specifier, importer);
}

/**
 * Finds the package that a CommonJS module requires, and leaves the rest to the runtime.
 *
 * @param specifier As the source has it.
 * @param parent Address of the requiring module, a `file:` URL.
 * @param conditions The conditions of `exports` and `imports` that hold.
 * @returns A path to require instead, or null if no package is meant.
 * @throws {ModuleNotFoundError} If there is no such package, or it does not offer that.
 */
export function findRequired(
  specifier: string,
  parent: string,
  conditions: Conditions,
): string | null {
  if (isBuiltin(specifier) || /^(?:[./]|[A-Za-z][A-Za-z\d+.-]*:)/.test(specifier)) return null;
  const importer = fileURLToPath(parent);
  return specifier.startsWith("#")
    ? internalModule(specifier, importer, conditions)
    : requiredPackage(specifier, importer, conditions);
}

function packageModule(specifier: string, importer: string, conditions: Conditions): string {
  const { description, rest } = packageOf(specifier, importer);
  if (hasExports(description)) {
    return offeredModule(description, `.${rest}`, specifier, importer, conditions);
  }
  if (rest !== "") return join(description.folder, rest);
  return packageMain(description, conditions) ?? join(description.folder, "index.js");
}

function requiredPackage(specifier: string, importer: string, conditions: Conditions): string {
  const { description, rest } = packageOf(specifier, importer);
  return hasExports(description)
    ? offeredModule(description, `.${rest}`, specifier, importer, conditions)
    : join(description.folder, rest);
}

/** The package that a specifier names, and what of it. */
function packageOf(
  specifier: string,
  importer: string,
): { readonly description: PackageJson; readonly rest: string } {
  const [, name, rest = ""] = BARE_REGEXP.exec(specifier) ?? [];
  if (name === undefined) throw notFound(specifier, importer, "it is no name of a package");
  const own = packageJsonOf(importer);
  if (own?.name === name && hasExports(own)) return { description: own, rest };
  const folder = findInstalledPackage(name, importer);
  if (folder === null) {
    throw notFound(
      specifier,
      importer,
      `package "${name}" is in no node_modules above it; install it beside the plugin`,
    );
  }
  return { description: readPackageJson(folder) ?? { folder, keywords: [] }, rest };
}

function internalModule(specifier: string, importer: string, conditions: Conditions): string {
  const own = packageJsonOf(importer);
  const target = own === null ? null : packageTarget(own.imports, specifier, conditions);
  if (own === null || target === null) {
    throw notFound(specifier, importer, 'no "imports" of its package has that name');
  }
  if (isBuiltin(target)) return target.startsWith("node:") ? target : `node:${target}`;
  if (!target.startsWith("./")) return packageModule(target, importer, conditions);
  return inPackage(own.folder, target) ?? fail(specifier, importer);
}

function offeredModule(
  description: PackageJson,
  name: string,
  specifier: string,
  importer: string,
  conditions: Conditions,
): string {
  const target = packageTarget(description.exports, name, conditions);
  if (target === null) {
    throw notFound(
      specifier,
      importer,
      `"exports" of its package offers no "${name}" for the conditions ${conditions.join(", ")}`,
    );
  }
  return inPackage(description.folder, target) ?? fail(specifier, importer);
}

/**
 * TypeScript may import a module beside it by the name that it has once it is compiled, as compilers
 * for Node demand it.
 */
function writtenModule(url: URL, importer: string): URL {
  if (!/\.[mc]?ts$/.test(importer) || !/\.[mc]?js$/.test(url.pathname)) return url;
  const written = new URL(url);
  written.pathname = url.pathname.replace(/js$/, "ts");
  const isWritten = !isFile(fileURLToPath(url)) && isFile(fileURLToPath(written));
  return isWritten ? written : url;
}

function realModule(url: URL, specifier: string, importer: string): string {
  try {
    const real = Deno.realPathSync(fileURLToPath(url));
    // Reading a named pipe would wait for ever.
    if (!isFile(real)) throw notFound(specifier, importer, "it is no file; name one in it");
    return pathToFileURL(real).href + url.search + url.hash;
  } catch (error) {
    if (error instanceof ModuleNotFoundError) throw error;
    const reason = error instanceof Deno.errors.NotCapable
      ? "this run may not read it; keep what a plugin needs in its own folder"
      : "there is no such file";
    throw notFound(specifier, importer, reason);
  }
}

function fail(specifier: string, importer: string): never {
  throw notFound(specifier, importer, "its package leads out of its own folder");
}

function notFound(specifier: string, importer: string, reason: string): ModuleNotFoundError {
  return new ModuleNotFoundError(
    `Cannot find "${specifier}", which "${basename(dirname(importer))}/${basename(importer)}" ` +
      `imports: ${reason}`,
  );
}
