import { isInside } from "../paths/is_inside.ts";
import { basename, join } from "../paths/path.ts";
import { foldersAbove, isFile, isFolder, type PackageJson } from "./package_json.ts";
import { type Conditions, packageTarget } from "./package_targets.ts";

/**
 * The module that a package is entered by: `exports` first, then `main`, then `index.js`.
 *
 * @param description Its `package.json`.
 * @param conditions The conditions of `exports` that hold.
 * @returns The path of the module, or null if `exports` has nothing for these conditions.
 */
export function packageMain(description: PackageJson, conditions: Conditions): string | null {
  const { folder, exports, main } = description;
  if (hasExports(description)) {
    const target = packageTarget(exports, ".", conditions);
    return target === null ? null : inPackage(folder, target);
  }
  const named = main === undefined ? [] : [main, `${main}.js`, `${main}/index.js`];
  const path = named.map((name) => join(folder, name)).find(isFile);
  return path ?? join(folder, "index.js");
}

/**
 * Finds the folder of a package in every `node_modules` above a file.
 *
 * @param name Its name, with its scope.
 * @param file The file that wants it.
 */
export function findInstalledPackage(name: string, file: string): string | null {
  for (const folder of foldersAbove(file)) {
    if (basename(folder) === "node_modules") continue;
    const candidate = join(folder, "node_modules", name);
    if (isFolder(candidate)) return candidate;
  }
  return null;
}

/**
 * Whether a package says what may be imported from it.
 *
 * @param description Its `package.json`.
 */
export function hasExports({ exports }: PackageJson): boolean {
  return exports !== undefined && exports !== null;
}

/**
 * The file that a target of `exports` or `imports` names: it must begin with `./` and stay in the
 * package.
 *
 * @param folder The package.
 * @param target The target.
 * @returns Null if it does not.
 */
export function inPackage(folder: string, target: string): string | null {
  const path = join(folder, target);
  return target.startsWith("./") && isInside(path, folder) ? path : null;
}
