import { AlisioError, errorMessage } from "./errors.ts";
import { judgePath } from "./paths/judge_path.ts";
import { join, resolve } from "./paths/path.ts";

/**
 * The real path of the workspace: the directory that Alisio works in.
 *
 * @param directory As the person gave it, or the current directory.
 * @param how How another one is given, as the end of a sentence.
 * @returns An absolute path without symbolic links.
 * @throws {AlisioError} `workspace_invalid` if it is missing, not a directory, or not readable.
 */
export function resolveWorkspace(directory: string, how = " with --cwd"): string {
  const absolute = resolve(directory);
  let real: string;
  let isDirectory: boolean;
  try {
    // Nothing else can begin before this is known, so there is nothing to do while waiting.
    real = Deno.realPathSync(absolute);
    isDirectory = Deno.statSync(real).isDirectory;
    if (isDirectory) assertReadable(real);
  } catch (error) {
    throw new AlisioError(
      "workspace_invalid",
      `Cannot work in "${absolute}": ${reasonOf(error)}; pass an existing directory${how}`,
      { cause: error },
    );
  }
  if (!isDirectory) {
    throw new AlisioError(
      "workspace_invalid",
      `Cannot work in "${absolute}": it is not a directory; pass one${how}`,
    );
  }
  return real;
}

/**
 * The real paths that tools may touch, the workspace first, each once.
 *
 * @param workspace Real path of the workspace.
 * @param directories Further directories, absolute.
 * @throws {AlisioError} `workspace_invalid` if one of them does not exist or is no directory.
 */
export function resolveRoots(
  workspace: string,
  directories: readonly string[],
): readonly string[] {
  const roots = [workspace];
  for (const directory of directories) {
    let real: string;
    try {
      real = Deno.realPathSync(directory);
      if (!Deno.statSync(real).isDirectory) throw new Error("it is not a directory");
    } catch (error) {
      throw new AlisioError(
        "workspace_invalid",
        `Cannot use directory "${directory}": ${reasonOf(error)}; correct --add-dir or ` +
          '"additionalDirectories"',
        { cause: error },
      );
    }
    if (!roots.includes(real)) roots.push(real);
  }
  return roots;
}

/**
 * The real path of a directory, or the path that it will have once it is created.
 *
 * @param directory Absolute path.
 */
export async function realOrPlanned(directory: string): Promise<string> {
  try {
    return (await judgePath(directory, { workspace: "/", roots: [] })).real;
  } catch {
    // What cannot be followed cannot be written through either.
    return directory;
  }
}

/** Both what is in a directory and what is below it must be open to this user. */
function assertReadable(real: string): void {
  // Windows opens no directory; there, the first use tells.
  if (Deno.build.os !== "windows") Deno.openSync(real).close();
  try {
    Deno.lstatSync(join(real, ".alisio"));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return "it may not be read";
  }
  return errorMessage(error);
}
