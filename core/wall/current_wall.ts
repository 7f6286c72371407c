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
  const excluded: PermissionCategory[] = ["ffi", "import"];
  const scopes = { read: ceiling.read, write: ceiling.write, run: ceiling.run, net: ceiling.net };
  for (const [name, scope] of Object.entries({ ...scopes, sys: ceiling.sys })) {
    if (scope.length === 0) excluded.push(name as PermissionCategory);
  }
  for (const name of excluded) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
  return (["read", "write", "run", "net"] as const)
    .filter((name) => scopes[name] !== "all" && isOpen(name));
}

function isOpen(name: PermissionCategory): boolean {
  return Deno.permissions.querySync({ name } as Deno.PermissionDescriptor).state === "granted";
}
