import type { Grants } from "./decide.ts";

/** Nothing is granted. */
export const NO_GRANTS: Grants = { effects: [], directories: [], protectedPaths: [] };

/**
 * Everything that one or the other grants.
 *
 * @param first Some grants.
 * @param second More of them.
 */
export function mergeGrants(first: Grants, second: Grants): Grants {
  return {
    effects: [...first.effects, ...second.effects],
    directories: [...first.directories, ...second.directories],
    protectedPaths: [...first.protectedPaths, ...second.protectedPaths],
    tools: [...first.tools ?? [], ...second.tools ?? []],
    call: first.call === true || second.call === true,
  };
}
