import { comparePrefix } from "./compare_form.ts";
import type { PathEntry, PathIndex, PathPolicy } from "./path_policy.ts";

/**
 * Makes a policy of entries, so that a verdict looks a path up instead of trying every entry.
 *
 * @param parts The entries, and what is said of the paths that none of them matches.
 */
export function createPathPolicy(parts: Omit<PathPolicy, "index">): PathPolicy {
  return {
    ...parts,
    index: { read: createIndex(parts, "read"), write: createIndex(parts, "write") },
  };
}

function createIndex(
  { entries, platform }: Omit<PathPolicy, "index">,
  access: "read" | "write",
): PathIndex {
  const opened = new Map<string, PathEntry>();
  const closed = new Map<string, PathEntry>();
  const closedFolders = new Map<string, PathEntry>();
  for (const entry of entries) {
    const opens = isOpenFor(entry, access);
    for (const alias of entry.aliases) {
      if (opens) opened.set(comparePrefix(alias, "exact", platform), entry);
      else closed.set(comparePrefix(alias, "folded", platform), entry);
    }
    if (!opens && entry.identity !== null) closedFolders.set(entry.identity, entry);
  }
  return { opened, closed, closedFolders };
}

function isOpenFor({ access }: PathEntry, wanted: "read" | "write"): boolean {
  if (access === null) return false;
  return access === "read-write" || access === (wanted === "read" ? "read-only" : "write-only");
}
