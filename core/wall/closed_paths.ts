/** A path that is closed to the whole process, with what the process can no longer find out. */
export interface ClosedPath {
  /** Absolute path as it is named, symbolic links not followed. */
  readonly path: string;
  /** Where it really leads. */
  readonly real: string;
  /** Device and number of what is there, whatever it is called; null if nothing is. */
  readonly identity: string | null;
  /**
   * What is closed in its place where something in it must stay open.
   *
   * @default []
   */
  readonly within?: readonly string[];
}

/**
 * Environment variable in which the launcher tells the agent what lies behind the paths that the
 * agent may not look at. It can close more and open nothing.
 */
export const CLOSED_PATHS_VARIABLE = "ALISIO_CLOSED_PATHS";

/**
 * Closed paths as the variable holds them.
 *
 * @param paths The paths.
 */
export function formatClosedPaths(paths: readonly ClosedPath[]): string {
  return JSON.stringify(paths.map(({ path, real, identity }) => [path, real, identity]));
}

/**
 * Reads the variable. What is not understood of it is left out: it was made up, and closes nothing.
 *
 * @param text Its value.
 */
export function parseClosedPaths(text: string | undefined): readonly ClosedPath[] {
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return [];
    const [path, real, identity]: readonly unknown[] = entry;
    if (typeof path !== "string" || typeof real !== "string") return [];
    return [{ path, real, identity: typeof identity === "string" ? identity : null }];
  });
}
