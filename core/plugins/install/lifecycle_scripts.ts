import { join } from "../../paths/path.ts";
import { isFile } from "../package_json.ts";
import type { InstalledPackage } from "./package_closure.ts";

/** A package that would run something when it is installed. */
export interface ScriptedPackage {
  readonly name: string;
  readonly version: string;
  /** Its scripts, by name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** What npm runs while it installs a package. */
const NAMES: readonly string[] = ["preinstall", "install", "postinstall"];

/**
 * The scripts that run while a package is installed.
 *
 * @param scripts The scripts of its `package.json`.
 */
export function lifecycleScripts(
  scripts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      return typeof script === "string" && script !== "" ? [[name, script]] : [];
    }),
  );
}

/**
 * The packages among these that would run something when they are installed. npm builds those that
 * hold a `binding.gyp` without being asked to.
 *
 * @param packages The packages.
 */
export function findScriptedPackages(
  packages: readonly InstalledPackage[],
): readonly ScriptedPackage[] {
  return packages.flatMap(({ name, version, scripts, folder }) => {
    const own = lifecycleScripts(scripts);
    const builds = own.install === undefined && own.preinstall === undefined &&
      isFile(join(folder, "binding.gyp"));
    const all = builds ? { ...own, install: "node-gyp rebuild" } : own;
    return Object.keys(all).length === 0 ? [] : [{ name, version, scripts: all }];
  });
}
