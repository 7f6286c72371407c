import { isInside } from "./is_inside.ts";

/**
 * Whether the deepest folder of two lists that holds a path, or is it, is a closed one. A folder in
 * both is closed.
 *
 * @param real Real path.
 * @param closed Real paths of what is closed.
 * @param open Real paths of what is open.
 */
export function isClosed(
  real: string,
  closed: readonly string[],
  open: readonly string[],
): boolean {
  const depth = (folders: readonly string[]): number =>
    Math.max(-1, ...folders.filter((it) => isInside(real, it)).map(({ length }) => length));
  const closedDepth = depth(closed);
  return closedDepth >= 0 && closedDepth >= depth(open);
}
