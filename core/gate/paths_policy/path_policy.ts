import type { PathErrorCode } from "../../paths/path_error.ts";
import type { RootAccess } from "../profile/risk_profile.ts";

/**
 * What a call does with a path.
 *
 * - `read_write`: both, so both must be permitted
 * - `either`: nobody can tell which, so one of them must be permitted
 */
export type PathAccess = "read" | "write" | "read_write" | "either";

/** One rule: a subtree that is open or closed. */
export interface PathEntry {
  /** What put it there. */
  readonly kind: "workspace" | "root" | "forbidden";
  /** As the profile has it, for the operator. */
  readonly written: string;
  /** What an open subtree is open for; `null` where it is closed. */
  readonly access: RootAccess | null;
  /** Absolute paths of the subtree: as written, and where that really leads. */
  readonly aliases: readonly string[];
  /** Device and number of the folder, where it exists: the same under every spelling. */
  readonly identity: string | null;
}

/** Entries by what they are found by. */
export interface PathIndex {
  /** Open subtrees, by their prefix. */
  readonly opened: ReadonlyMap<string, PathEntry>;
  /** Closed subtrees, by their prefix without what some file systems do not tell apart. */
  readonly closed: ReadonlyMap<string, PathEntry>;
  /** Closed subtrees, by device and number. */
  readonly closedFolders: ReadonlyMap<string, PathEntry>;
}

/** The path rules of a profile on one machine; made by `createPathPolicy`. */
export interface PathPolicy {
  /** Whether what no entry matches is refused. */
  readonly workspaceOnly: boolean;
  /** The workspace, what the profile opens, and what it closes. */
  readonly entries: readonly PathEntry[];
  /** Whose path rules apply. */
  readonly platform: typeof Deno.build.os;
  /** The entries as each access sees them. */
  readonly index: Readonly<Record<"read" | "write", PathIndex>>;
}

/** A folder on the way to a path. */
export interface PathAncestor {
  /** Its real path. */
  readonly path: string;
  /** Its device and number. */
  readonly identity: string;
}

/** A path of a call, with everything that a verdict rests on. */
export interface PolicyPathFacts {
  /** As the call has it. */
  readonly requested: string;
  /** Absolute paths that it is read as, symbolic links not followed; each of them must be allowed. */
  readonly spellings: readonly string[];
  /** Where it really leads, which must be allowed too; `null` if it cannot be followed. */
  readonly real: string | null;
  /** Folders on the way to `real` that are there, itself included. */
  readonly ancestors: readonly PathAncestor[];
  /** Why it cannot be followed; `null` if it can. */
  readonly trouble: PathErrorCode | "home_unknown" | "too_many_matches" | null;
  /** Whether it is one of the files that decide what Alisio may do. */
  readonly isOwnFile: boolean;
}

/** Which rule decided about a path. */
export type PathRule =
  | "invalid"
  | "parentFolder"
  | "otherHome"
  | "unresolved"
  | "pattern"
  | "ownFiles"
  | "device"
  | "forbiddenPaths"
  | "allowedRoots"
  | "workspaceOnly"
  | "workspace"
  | "unrestricted";

/** What is said of a path. */
export interface PathVerdict {
  /** Whether the call may use it so. */
  readonly allowed: boolean;
  /** The rule that decided. */
  readonly rule: PathRule;
  /** The entry that decided, as the profile has it, for the operator. */
  readonly entry?: string;
}
