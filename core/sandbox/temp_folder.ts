import { join } from "../paths/path.ts";
import { runQuietly } from "./run_quietly.ts";

/** How old a folder has to be to belong to nobody any more: longer than any command runs. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1_000;

/**
 * An environment whose programs put temporary files into a folder.
 *
 * @param env The environment.
 * @param folder Absolute path of the folder, as the programs see it.
 */
export function withTempVariables(
  env: Readonly<Record<string, string>>,
  folder: string,
): Readonly<Record<string, string>> {
  const others = ["TEMP", "TMP"].filter((name) => env[name] !== undefined);
  return {
    ...env,
    TMPDIR: folder,
    ...Object.fromEntries(others.map((name) => [name, folder])),
  };
}

/** Folders for temporary files, each for one command. */
export class TempFolders {
  readonly #parent: string;

  /**
   * Removes what commands of long ago left.
   *
   * @param stateHome The state home.
   */
  static async open(stateHome: string): Promise<TempFolders> {
    const folders = new TempFolders(join(stateHome, "tmp"));
    await Deno.mkdir(folders.#parent, { recursive: true, mode: 0o700 });
    await folders.#removeLeftovers();
    return folders;
  }

  private constructor(parent: string) {
    this.#parent = parent;
  }

  /**
   * Calls `use` with a new folder and removes it afterwards.
   *
   * @param use Receives the absolute path of the folder.
   */
  async with<T>(use: (folder: string) => Promise<T>): Promise<T> {
    const folder = join(this.#parent, crypto.randomUUID());
    await Deno.mkdir(folder, { mode: 0o700 });
    try {
      return await use(folder);
    } finally {
      await removeTree(folder);
    }
  }

  async #removeLeftovers(): Promise<void> {
    const oldest = Date.now() - LEFTOVER_AGE_MS;
    for await (const { name } of Deno.readDir(this.#parent)) {
      const folder = join(this.#parent, name);
      const changedAt = await Deno.lstat(folder).then(({ mtime }) => mtime?.getTime(), () => null);
      if (changedAt !== null && changedAt !== undefined && changedAt < oldest) {
        await removeTree(folder);
      }
    }
  }
}

/** A program may have taken its own rights on folders away. */
async function removeTree(folder: string): Promise<void> {
  try {
    await Deno.remove(folder, { recursive: true });
    return;
  } catch {
    // Tried again below, with the rights given back.
  }
  await runQuietly("chmod", ["-R", "u+rwX", "--", folder]);
  try {
    await Deno.remove(folder, { recursive: true });
  } catch {
    // The next opening tries again.
  }
}
