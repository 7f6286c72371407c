import { dirname, join } from "../paths/path.ts";
import { runQuietly } from "./run_quietly.ts";
import type { SandboxFacts } from "./sandbox_plan.ts";

/** Empty folders that Bubblewrap makes where something closed is not there yet. */
export class Placeholders {
  readonly #users = new Map<string, number>();

  /**
   * Notes paths that a command is about to need.
   *
   * @param paths Absolute paths.
   * @returns Removes what no other command needs.
   */
  hold(paths: readonly string[]): () => Promise<void> {
    for (const path of paths) this.#users.set(path, (this.#users.get(path) ?? 0) + 1);
    return async () => {
      const unused = paths.filter((path) => this.#isLast(path));
      const left = await Promise.all(unused.map(removeEmptyFolder));
      const refused = unused.filter((_, index) => left[index] === "refused");
      if (refused.length > 0) await runQuietly("rmdir", ["--", ...refused]);
    };
  }

  #isLast(path: string): boolean {
    const left = (this.#users.get(path) ?? 1) - 1;
    if (left > 0) this.#users.set(path, left);
    else this.#users.delete(path);
    return left <= 0;
  }
}

/** Files that make Git read another configuration, and that cannot be held before they are there. */
const REDIRECTIONS: readonly string[] = ["commondir", "config.worktree"];

/**
 * Removes files of Git that a command has made and that nothing but an attack makes in a
 * repository of its own: they name a configuration, and with it programs that Git starts.
 *
 * @param before What was there before the command.
 */
export async function removeRedirections(
  before: Pick<SandboxFacts, "fixed" | "fixedNames">,
): Promise<void> {
  const known = new Set(before.fixed.flatMap(({ path, real }) => [path, real]));
  const repositories = before.fixedNames.filter((path) => path.endsWith("/.git/hooks"))
    .map(dirname);
  const possible = repositories.flatMap((path) => REDIRECTIONS.map((name) => join(path, name)))
    .filter((path) => !known.has(path));
  const found = await Promise.all(possible.map(isThere));
  const made = possible.filter((_, index) => found[index]);
  if (made.length > 0) await runQuietly("rm", ["-rf", "--", ...made]);
}

async function removeEmptyFolder(path: string): Promise<"done" | "refused"> {
  try {
    // Without "recursive" only an empty folder goes.
    if ((await Deno.lstat(path)).isDirectory) await Deno.remove(path);
    return "done";
  } catch (error) {
    // It was never made, or holds something by now; or the runtime may not touch what is closed.
    return error instanceof Deno.errors.NotCapable ? "refused" : "done";
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable;
  }
}
