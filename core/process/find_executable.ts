import { isInside } from "../paths/is_inside.ts";
import { delimiter, isAbsolute, join } from "../paths/path.ts";

/** Where to look for a program. */
export interface FindExecutableOptions {
  /** The value of `PATH`. */
  readonly path: string | undefined;
  /** The value of `PATHEXT`, on Windows. */
  readonly pathExt?: string | undefined;
  /** Real paths of folders whose programs are never taken: the workspace above all. */
  readonly exclude: readonly string[];
}

/**
 * Finds a program in `PATH` without running anything.
 *
 * Relative entries of `PATH` are ignored, and so are programs that lie in an excluded folder, also
 * through a symbolic link, and folders that everybody may write to: whoever can write there, the
 * model included, could put a program of that name first.
 *
 * @param name A bare name such as `git`.
 * @param options Where to look.
 * @returns Absolute path of the first match, or null.
 */
export async function findExecutable(
  name: string,
  options: FindExecutableOptions,
): Promise<string | null> {
  if (name === "" || /[/\\\0]/.test(name)) return null;
  for (const folder of (options.path ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const extension of extensions(name, options.pathExt)) {
      const candidate = join(folder, name + extension);
      if (!await isUsable(candidate, options.exclude)) continue;
      // Asked last: most folders do not hold the program at all.
      if (!await isWritableByAll(folder)) return candidate;
    }
  }
  return null;
}

function extensions(name: string, pathExt: string | undefined): readonly string[] {
  if (Deno.build.os !== "windows") return [""];
  const known = (pathExt ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((entry) => entry !== "");
  const hasExtension = known.some((entry) => name.toLowerCase().endsWith(entry.toLowerCase()));
  return hasExtension ? [""] : known;
}

async function isUsable(candidate: string, exclude: readonly string[]): Promise<boolean> {
  try {
    const status = await Deno.stat(candidate);
    if (!status.isFile) return false;
    if (status.mode !== null && (status.mode & 0o111) === 0) return false;
    const real = await Deno.realPath(candidate);
    return !exclude.some((folder) => isInside(candidate, folder) || isInside(real, folder));
  } catch {
    // Missing, unreadable, or outside what this process may look at: not a program to use.
    return false;
  }
}

async function isWritableByAll(folder: string): Promise<boolean> {
  try {
    const { mode } = await Deno.stat(folder);
    return mode !== null && Deno.build.os !== "windows" && (mode & 0o002) !== 0;
  } catch {
    return false;
  }
}
