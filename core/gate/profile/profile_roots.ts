import type { PathPolicy } from "../paths_policy/path_policy.ts";

/**
 * Real paths of the folders that a profile opens beside the workspace, as far as they exist.
 *
 * @param paths The path rules of the profile.
 */
export function profileRoots(paths: PathPolicy): readonly string[] {
  const roots = paths.entries.filter(({ kind }) => kind === "root")
    // The last alias is where the folder really leads.
    .flatMap(({ aliases }) => aliases.slice(-1));
  return roots.filter(isFolder);
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    // A folder that is not there opens nothing.
    return false;
  }
}
