import { isInside } from "../core/paths/is_inside.ts";
import { dirname, isAbsolute, join } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";

/** More than the data of any real repository has outside its folders of objects. */
const MAX_ENTRIES = 200_000;
/** Longest file that names a folder. */
const MAX_POINTER_BYTES = 65_536;

/** What to look at in a folder of a repository's data. */
interface Depth {
  /** How to look into a folder in it; null to leave it alone. */
  readonly into: (name: string) => Depth | null;
  /** Whether a folder that is left alone may be a link to anywhere. */
  readonly isLoose: boolean;
}

const EVERYTHING: Depth = { into: () => EVERYTHING, isLoose: false };

// The name of an object is its hash, so that a link to one gives nothing away that was not known.
const OBJECTS: Depth = {
  into: (name) => /^[0-9a-f]{2}$/.test(name) ? null : EVERYTHING,
  isLoose: false,
};

const READ_FOLDERS: Readonly<Record<string, Depth>> = {
  objects: OBJECTS,
  info: EVERYTHING,
  refs: EVERYTHING,
  reftable: EVERYTHING,
  sequencer: EVERYTHING,
  "rebase-apply": EVERYTHING,
  "rebase-merge": EVERYTHING,
};

/** Hooks, logs and what other programs keep are not read by a Git that only looks. */
const GIT_DIRECTORY: Depth = {
  into: (name) => READ_FOLDERS[name.toLowerCase()] ?? null,
  isLoose: true,
};

/**
 * Looks through folders of Git data that lie in the allowed roots, without Git: whether Git would
 * read anything from outside them, or anything without an end, such as a pipe.
 */
export class GitDirectoryInspection {
  readonly #roots: readonly string[];
  readonly #seen = new Set<string>();
  #entriesLeft = MAX_ENTRIES;

  /**
   * Begins with nothing seen.
   *
   * @param roots Real paths of the allowed roots.
   */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /**
   * Whether a path lies in one of the roots.
   *
   * @param real A real path.
   */
  isAllowed(real: string): boolean {
    return this.#roots.some((root) => isInside(real, root));
  }

  /**
   * Looks through the data of a repository, or of one of its working trees.
   *
   * @param real Real path of the folder, in one of the roots.
   * @returns What is wrong with it, or null.
   */
  async gitDirectory(real: string): Promise<string | null> {
    return await this.#folder(real, GIT_DIRECTORY);
  }

  /**
   * Looks through a folder of objects.
   *
   * @param real Real path of the folder, in one of the roots.
   * @returns What is wrong with it, or null.
   */
  async objects(real: string): Promise<string | null> {
    return await this.#folder(real, OBJECTS);
  }

  async #folder(real: string, depth: Depth): Promise<string | null> {
    if (this.#seen.has(real)) return null;
    this.#seen.add(real);
    try {
      for await (const entry of Deno.readDir(real)) {
        if (this.#entriesLeft-- <= 0) return `it holds more than ${MAX_ENTRIES} files to look at`;
        const problem = await this.#entry(join(real, entry.name), entry, depth);
        if (problem !== null) return problem;
      }
      return null;
    } catch (error) {
      // A loose object may be packed meanwhile, and a branch deleted.
      if (error instanceof Deno.errors.NotFound) return null;
      return `its folder ${quotePath(real)} cannot be looked at`;
    }
  }

  async #entry(path: string, entry: Deno.DirEntry, depth: Depth): Promise<string | null> {
    const into = depth.into(entry.name);
    if (entry.isDirectory) return into === null ? null : await this.#folder(path, into);
    if (entry.isFile) return null;
    if (!entry.isSymlink) return await isEndless(path) ? endless(path) : null;
    const target = await followLink(path);
    if (target === "nowhere") return null;
    if (target !== "hidden") {
      if (target.isDirectory && into === null && depth.isLoose) return null;
      if (this.isAllowed(target.real)) {
        if (target.isDirectory) return into === null ? null : await this.#folder(target.real, into);
        return target.isFile ? null : endless(path);
      }
    }
    return `${
      quotePath(path)
    } leads outside the workspace and every directory that this run may use`;
  }
}

function endless(path: string): string {
  return `${quotePath(path)} is neither a file nor a folder`;
}

/** Sockets cannot be opened, and Git keeps one of its own there. */
async function isEndless(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSocket !== true;
  } catch {
    return false;
  }
}

interface LinkTarget {
  readonly real: string;
  readonly isDirectory: boolean;
  readonly isFile: boolean;
}

async function followLink(path: string): Promise<LinkTarget | "nowhere" | "hidden"> {
  try {
    const real = await Deno.realPath(path);
    const { isDirectory, isFile } = await Deno.stat(real);
    return { real, isDirectory, isFile };
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "nowhere" : "hidden";
  }
}

/**
 * Reads where a `.git` leads, as Git does: itself if it is a folder, or what the file names.
 *
 * @param path Path of the `.git`.
 * @returns Real path of a folder, or null where there is none or it cannot be told.
 */
export async function readGitPointer(path: string): Promise<string | null> {
  try {
    if ((await Deno.stat(path)).isDirectory) return await Deno.realPath(path);
    const target = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(await readPointer(path))?.[1];
    return target === undefined ? null : await follow(dirname(path), target);
  } catch {
    return null;
  }
}

/**
 * Reads which folder the data of a working tree shares with others.
 *
 * @param gitDirectory Real path of the data of the working tree.
 * @returns Real path of the shared folder; the given one if it shares nothing; null where that
 * cannot be told.
 */
export async function readCommonDirectory(gitDirectory: string): Promise<string | null> {
  try {
    const target = (await readPointer(join(gitDirectory, "commondir"))).replace(/[\r\n]+$/, "");
    return await follow(gitDirectory, target);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? gitDirectory : null;
  }
}

/** Not normalised: what ".." means behind a link is for the file system to say. */
async function follow(from: string, target: string): Promise<string> {
  return await Deno.realPath(isAbsolute(target) ? target : `${from}/${target}`);
}

async function readPointer(path: string): Promise<string> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile || size > MAX_POINTER_BYTES) throw new TypeError(`Not a pointer: ${path}`);
  return await Deno.readTextFile(path);
}
