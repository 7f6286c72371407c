import type { Ceiling } from "./ceiling.ts";

/**
 * What limits this process below its own code.
 *
 * - `flags`: the runtime's permission flags, exactly as the ceiling has them
 * - `revoked`: whole categories were given up, as a compiled binary can
 * - `none`: nothing
 */
export type Wall = "flags" | "revoked" | "none";

/** A category of the runtime's permissions. */
export type PermissionCategory = Deno.PermissionDescriptor["name"];

/**
 * What limits this process. It asks the runtime itself, so that no variable of the environment
 * can make a run without the wall look like one behind it.
 *
 * @param standalone Whether this is a compiled binary.
 */
export function currentWall(standalone: boolean = Deno.build.standalone): Wall {
  // No ceiling ever has these two, and whoever has one of them is beyond every other limit.
  if (isOpen("ffi") || isOpen("import")) return "none";
  return standalone ? "revoked" : "flags";
}

/**
 * Gives up every category of permissions that the ceiling excludes, for good. All that a process
 * can do that was not started under flags.
 *
 * A category of which the ceiling needs a part stays whole: the runtime cannot give up single
 * paths, programs or hosts of a category that it was given whole.
 *
 * @param ceiling The ceiling.
 * @returns What is still wider than the ceiling.
 */
export function revokeBeyond(ceiling: Ceiling): readonly PermissionCategory[] {
  const { excluded, wider } = splitCategories(ceiling);
  for (const name of excluded) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
  return wider.filter(isOpen);
}

/** What becomes of the categories of permissions in a process that takes no flags. */
export interface CategorySplit {
  /** Given up, because the ceiling holds nothing of them. */
  readonly excluded: readonly PermissionCategory[];
  /** Kept whole, although the ceiling holds a part of them only. */
  readonly wider: readonly PermissionCategory[];
}

/**
 * What {@linkcode revokeBeyond} gives up and what it must leave. Pure.
 *
 * @param ceiling The ceiling.
 */
export function splitCategories(ceiling: Ceiling): CategorySplit {
  const { read, write, run, net, sys } = ceiling;
  const excluded: PermissionCategory[] = ["ffi", "import"];
  const wider: PermissionCategory[] = [];
  for (const [name, scope] of Object.entries({ read, write, run, net, sys })) {
    if (scope.length === 0) excluded.push(name as PermissionCategory);
    else if (scope !== "all") wider.push(name as PermissionCategory);
  }
  return { excluded, wider };
}

function isOpen(name: PermissionCategory): boolean {
  return Deno.permissions.querySync({ name } as Deno.PermissionDescriptor).state === "granted";
}
