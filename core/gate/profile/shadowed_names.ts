import { isInside } from "../../paths/is_inside.ts";
import { delimiter, isAbsolute, join } from "../../paths/path.ts";

/** Where programs are looked for, and where tools can write. */
export interface ShadowedNamesOptions {
  /** The value of `PATH` that the command starts with. */
  readonly path: string | undefined;
  /** The value of `PATHEXT`, on Windows. */
  readonly pathExt?: string | undefined;
  /** Real paths of folders that tools can write. */
  readonly folders: readonly string[];
  /**
   * Whose rules for finding programs apply.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
}

/** More names than a command needs; those beyond count as shadowed. */
const MAX_NAMES = 64;

/**
 * Finds the names of programs that the search path resolves into a folder that tools, or everybody,
 * can write to: such a name says nothing about what runs.
 *
 * @param names Bare names of programs.
 * @param options Where they are looked for.
 */
export async function shadowedNames(
  names: readonly string[],
  options: ShadowedNamesOptions,
): Promise<readonly string[]> {
  const distinct = [...new Set(names)];
  const looked = await Promise.all(
    distinct.slice(0, MAX_NAMES).map(async (name) => {
      const located = await locateProgram(name, options);
      return located?.isShadowed === true ? [name] : [];
    }),
  );
  return [...looked.flat(), ...distinct.slice(MAX_NAMES)];
}

/** A program that the search path finds. */
export interface LocatedProgram {
  /** Its absolute path, links not resolved. */
  readonly path: string;
  /** Whether it lies where tools, or everybody, can write. */
  readonly isShadowed: boolean;
}

/**
 * Finds the program that a name means.
 *
 * @param name Its bare name.
 * @param options Where it is looked for.
 * @returns `null` if there is none.
 */
export async function locateProgram(
  name: string,
  options: ShadowedNamesOptions,
): Promise<LocatedProgram | null> {
  const { folders, pathExt = ".COM;.EXE;.BAT;.CMD", platform = Deno.build.os } = options;
  const isWindows = platform === "windows";
  const extensions = isWindows ? ["", ...pathExt.split(";")] : [""];
  // There, the folder that a command starts in is looked at first.
  const own = isWindows ? folders : [];
  for (const folder of [...own, ...(options.path ?? "").split(delimiter).filter(isAbsolute)]) {
    for (const extension of extensions) {
      const candidate = join(folder, name + extension);
      if (!await isProgram(candidate, isWindows)) continue;
      const isShadowed = await isOpenToAll(folder) || await liesInside(candidate, folders);
      return { path: candidate, isShadowed };
    }
  }
  return null;
}

async function isProgram(candidate: string, isWindows: boolean): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(candidate);
    return isFile && (isWindows || mode === null || (mode & 0o111) !== 0);
  } catch {
    // Missing, or nothing that could be started.
    return false;
  }
}

/** Whether everybody can write to a folder, or nobody can find that out. */
async function isOpenToAll(folder: string): Promise<boolean> {
  try {
    const { mode } = await Deno.stat(folder);
    return mode !== null && (mode & 0o002) !== 0 && Deno.build.os !== "windows";
  } catch (error) {
    // Behind the second wall, a run that starts no program may not look at its folder.
    return !(error instanceof Deno.errors.NotCapable);
  }
}

async function liesInside(candidate: string, folders: readonly string[]): Promise<boolean> {
  let real = candidate;
  try {
    real = await Deno.realPath(candidate);
  } catch {
    // Where it leads may not be looked at: nothing below the folders of tools is like that.
  }
  return folders.some((folder) => isInside(candidate, folder) || isInside(real, folder));
}
