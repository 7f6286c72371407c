import { realOrPlanned } from "../workspace.ts";
import { join } from "./path.ts";

/** Where the files are that decide what Alisio may do, or that it remembers. Absolute paths. */
export interface OwnPlaces {
  /** Folders whose content is all of that kind. */
  readonly folders: readonly string[];
  /** The folder of the project, below a real path. Only what links lead to counts. */
  readonly project: string;
  /** Files elsewhere. */
  readonly files: readonly string[];
}

/**
 * Finds where Alisio's own files really are. Persons keep their configuration elsewhere and link to
 * it, from the place of a file or of a whole folder: a tool that changed the file under its real
 * name would change the same.
 *
 * @param places Where they are by name; what does not exist counts as well.
 * @returns Real paths, files and folders with all that is in them; each once.
 */
export async function findOwnFiles(places: OwnPlaces): Promise<readonly string[]> {
  const folders = [...places.folders, places.project];
  const linked = await Promise.all(folders.map(linksIn));
  const names = [...folders, ...linked.flat(), ...places.files];
  const found = new Set(await Promise.all(names.map(realOrPlanned)));
  found.delete(places.project);
  return [...found];
}

async function linksIn(folder: string): Promise<readonly string[]> {
  const links: string[] = [];
  try {
    for await (const { name, isSymlink } of Deno.readDir(folder)) {
      if (isSymlink) links.push(join(folder, name));
    }
  } catch {
    // It does not exist, or is not this process's to look into: nothing in it is obeyed then.
  }
  return links;
}
