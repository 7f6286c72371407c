import type { Effect } from "@alisio/sdk";
import type { Grants } from "./decide.ts";

/** Nothing is granted. */
export const NO_GRANTS: Grants = { effects: [], directories: [], protectedPaths: [] };

/** One thing that a person granted for the rest of a session. */
export type SessionGrant =
  | { readonly kind: "effect"; readonly effect: Effect }
  | { readonly kind: "tool"; readonly tool: string }
  /** A real directory, with everything below it. */
  | { readonly kind: "directory"; readonly path: string };

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

/**
 * What grants say about the calls of a session, each once. Pure.
 *
 * @param grants Some grants.
 */
export function listGrants({ effects, directories, tools = [] }: Grants): readonly SessionGrant[] {
  return [
    ...[...new Set(effects)].map((effect) => ({ kind: "effect", effect }) as const),
    ...[...new Set(tools)].map((tool) => ({ kind: "tool", tool }) as const),
    ...[...new Set(directories)].map((path) => ({ kind: "directory", path }) as const),
  ];
}

/**
 * Grants without one of them. Pure.
 *
 * @param grants Some grants.
 * @param taken The one.
 */
export function withoutGrant(grants: Grants, taken: SessionGrant): Grants {
  switch (taken.kind) {
    case "effect":
      return { ...grants, effects: grants.effects.filter((each) => each !== taken.effect) };
    case "tool":
      return { ...grants, tools: grants.tools?.filter((each) => each !== taken.tool) ?? [] };
    case "directory":
      return { ...grants, directories: grants.directories.filter((each) => each !== taken.path) };
  }
}
