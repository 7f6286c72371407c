import { isObject } from "../../config/is_object.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { isInside } from "../../paths/is_inside.ts";
import { join, relative, sep } from "../../paths/path.ts";
import { findInstalledPackage } from "../installed_package.ts";
import type { InstallFolder } from "./install_folder.ts";

/** A package in the folder of installed plugins. */
export interface InstalledPackage {
  /** Real path of its folder. */
  readonly folder: string;
  /** The same, relative to the folder of plugins, with slashes. */
  readonly key: string;
  /** Its name, as it says itself. */
  readonly name: string;
  /** Its version, as it says itself. */
  readonly version: string;
  /** Its scripts, by name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** What it expects beside it: ranges by package. */
  readonly peers: Readonly<Record<string, string>>;
}

/** Always the one of the program, whatever lies beside a plugin. */
const HOST_PACKAGE = "@alisio/sdk";

const MAX_BYTES = 1024 * 1024;

/** More than a plugin could sensibly stand on. */
const MAX_PACKAGES = 10_000;

/** Fields of `package.json` that name other packages. */
const DEPENDENCY_FIELDS = ["dependencies", "optionalDependencies", "peerDependencies"] as const;

/**
 * An installed plugin and every package in the folder of plugins that it stands on, found as the
 * loader finds them, the plugin first.
 *
 * @param folder The folder of plugins.
 * @param name Name of the plugin's package.
 * @returns Nothing where it is not installed.
 */
export async function packageClosure(
  folder: InstallFolder,
  name: string,
): Promise<readonly InstalledPackage[]> {
  const root = realOrNull(folder.root);
  const start = realOrNull(join(folder.modules, name));
  if (root === null || start === null) return [];
  const found = new Map<string, InstalledPackage>();
  const waiting = [start];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (found.has(next) || found.size >= MAX_PACKAGES || !isInside(next, root)) continue;
    const content = await readPackage(next);
    if (content === null) continue;
    found.set(next, describe(next, root, content));
    for (const dependency of DEPENDENCY_FIELDS.flatMap((field) => namesOf(content[field]))) {
      if (dependency === HOST_PACKAGE) continue;
      const place = findInstalledPackage(dependency, join(next, "package.json"));
      const real = place === null ? null : realOrNull(place);
      if (real !== null) waiting.push(real);
    }
  }
  return [...found.values()];
}

function describe(
  folder: string,
  root: string,
  { name, version, scripts, peerDependencies }: Readonly<Record<string, unknown>>,
): InstalledPackage {
  return {
    folder,
    key: relative(root, folder).split(sep).join("/"),
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    scripts: textsOf(scripts),
    peers: textsOf(peerDependencies),
  };
}

async function readPackage(folder: string): Promise<Readonly<Record<string, unknown>> | null> {
  const file = await readSmallFile(join(folder, "package.json"), MAX_BYTES);
  if (file.status !== "read") return null;
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
    return isObject(content) ? content : null;
  } catch {
    return null;
  }
}

function namesOf(dependencies: unknown): readonly string[] {
  return isObject(dependencies) ? Object.keys(dependencies) : [];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => typeof text === "string" ? [[key, text]] : []),
  );
}

function realOrNull(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}
