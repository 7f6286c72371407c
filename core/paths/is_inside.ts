/** Options of {@linkcode isInside}. */
export interface IsInsideOptions {
  /**
   * Whose path rules apply.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
}

/**
 * Whether an absolute path equals a folder or lies below it, compared by whole components: a
 * sibling that shares the prefix of the name is outside, and everything is inside the root folder.
 *
 * Both should be real paths. Anything that is not absolute and normalised counts as outside.
 *
 * @param path Absolute path.
 * @param root Absolute path of the folder.
 * @param options Whose path rules apply.
 */
export function isInside(path: string, root: string, options: IsInsideOptions = {}): boolean {
  const windows = (options.platform ?? Deno.build.os) === "windows";
  const inner = windows ? splitWindows(path) : splitPosix(path);
  const outer = windows ? splitWindows(root) : splitPosix(root);
  if (inner === null || outer === null) return false;
  return outer.every((component, index) => inner[index] === component);
}

function splitPosix(path: string): readonly string[] | null {
  return path.startsWith("/") ? splitComponents(path.split("/")) : null;
}

function splitWindows(path: string): readonly string[] | null {
  const slashes = path.replaceAll("/", "\\");
  const drive = /^([a-z]):\\/i.exec(slashes)?.[1];
  if (drive !== undefined) {
    const rest = splitComponents(slashes.slice(3).split("\\"));
    return rest === null ? null : [`${drive.toLowerCase()}:`, ...rest];
  }
  if (!slashes.startsWith("\\\\")) return null;
  const rest = splitComponents(slashes.slice(2).split("\\"));
  return rest === null ? null : ["\\\\", ...rest];
}

function splitComponents(parts: readonly string[]): readonly string[] | null {
  if (parts.includes("..") || parts.includes(".")) return null;
  return parts.filter((part) => part !== "");
}
