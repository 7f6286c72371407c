import { judgePath } from "../../paths/judge_path.ts";
import { join, resolve } from "../../paths/path.ts";
import type { ClosedPath } from "../../wall/closed_paths.ts";
import type { RiskProfile } from "../profile/risk_profile.ts";
import { createPathPolicy } from "./create_path_policy.ts";
import { fileIdentity } from "./file_identity.ts";
import type { PathEntry, PathPolicy } from "./path_policy.ts";

/** The folders that relative entries and `~` stand for. */
export interface PolicyPlaces {
  /** Absolute path of the workspace; it may lead through symbolic links. */
  readonly workspace: string;
  /** Absolute path of the person's home folder; `null` if it is not known. */
  readonly home: string | null;
  /**
   * Whose path rules apply.
   *
   * @default Deno.build.os
   */
  readonly platform?: typeof Deno.build.os;
  /**
   * What is known already of closed paths that this process may not look at.
   *
   * @default []
   */
  readonly closed?: readonly ClosedPath[];
}

/**
 * Finds out what the path rules of a profile mean on this machine: expands every entry and follows
 * its symbolic links.
 *
 * An entry that cannot be followed stands for the path that was written. One below `~` has no
 * meaning where the home folder is unknown, and is left out.
 *
 * @param profile The profile.
 * @param places What relative entries and `~` stand for.
 */
export async function resolvePathPolicy(
  profile: Pick<RiskProfile, "workspaceOnly" | "allowedRoots" | "forbiddenPaths">,
  places: PolicyPlaces,
): Promise<PathPolicy> {
  const platform = places.platform ?? Deno.build.os;
  const planned = planEntries(profile, places);
  const entries = await Promise.all(planned.map(async (entry) => {
    const written = entry.aliases[0] ?? places.workspace;
    const known = entry.kind === "forbidden"
      ? places.closed?.find(({ path }) => path === written)
      : undefined;
    const real = await realOrSame(written, places.workspace);
    const aliases = [...new Set([written, real, known?.real ?? real])];
    return { ...entry, aliases, identity: await fileIdentity(real) ?? known?.identity ?? null };
  }));
  return createPathPolicy({ workspaceOnly: profile.workspaceOnly, entries, platform });
}

/**
 * The absolute path that an entry stands for, symbolic links not followed.
 *
 * @param written The entry.
 * @param places What relative entries and `~` stand for.
 * @returns `null` for an entry below `~` where the home folder is not known.
 */
export function expandPath(written: string, places: PolicyPlaces): string | null {
  if (!/^~(?:[/\\]|$)/.test(written)) return resolve(places.workspace, written);
  return places.home === null ? null : join(places.home, written.slice(1));
}

function planEntries(
  profile: Pick<RiskProfile, "allowedRoots" | "forbiddenPaths">,
  places: PolicyPlaces,
): readonly PathEntry[] {
  const entries: PathEntry[] = [{
    kind: "workspace",
    written: places.workspace,
    access: "read-write",
    aliases: [places.workspace],
    identity: null,
  }];
  for (const { path, access } of profile.allowedRoots) {
    const absolute = expandPath(path, places);
    if (absolute === null) continue;
    entries.push({ kind: "root", written: path, access, aliases: [absolute], identity: null });
  }
  for (const written of profile.forbiddenPaths) {
    const absolute = expandPath(written, places);
    if (absolute === null) continue;
    entries.push({ kind: "forbidden", written, access: null, aliases: [absolute], identity: null });
  }
  return entries;
}

async function realOrSame(path: string, workspace: string): Promise<string> {
  try {
    return (await judgePath(path, { workspace, roots: [] })).real;
  } catch {
    // A cycle, or a folder that may not be looked into: there is nothing behind it to compare.
    return path;
  }
}
