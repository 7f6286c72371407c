import { isInside } from "../paths/is_inside.ts";
import type { RootAccess } from "../gate/profile/risk_profile.ts";
import type { FoundPath } from "./found_path.ts";

/**
 * What programs may do with a subtree.
 *
 * - `private`: an empty folder of their own, gone afterwards
 * - `closed`: nothing of it is there for them
 */
export type SandboxAccess = RootAccess | "private" | "closed";

/** A subtree inside a sandbox. The deepest one that holds a path decides about it. */
export interface SandboxEntry {
  /** Its absolute path. */
  readonly path: string;
  /** What is there outside of the sandbox. */
  readonly kind: FoundPath["kind"];
  /** What programs may do with it. */
  readonly access: SandboxAccess;
}

/** Another name of a folder. */
export interface SandboxLink {
  /** The name. */
  readonly path: string;
  /** Where it leads. */
  readonly real: string;
}

/** What programs see and may change. Plain data that every backend renders in its own language. */
export interface SandboxPlan {
  /** Subtrees, each around all that follow below it. What is in none of them is closed. */
  readonly entries: readonly SandboxEntry[];
  /** Names that lead elsewhere. */
  readonly links: readonly SandboxLink[];
  /** Whether the network is there. */
  readonly network: "open" | "closed";
}

/** A folder that tools may touch. */
export interface SandboxRoot {
  /** Its real path. */
  readonly path: string;
  /** What it is open for. */
  readonly access: RootAccess;
}

/** Everything that a plan is made from. */
export interface SandboxFacts {
  /** The workspace and the folders that were added. */
  readonly roots: readonly SandboxRoot[];
  /** Effects that are permitted, or that a person could still permit. */
  readonly possible: { readonly write: boolean; readonly external: boolean };
  /** Folders of the system. */
  readonly system: readonly FoundPath[];
  /** Folders of tools and files that name the person. */
  readonly tools: readonly FoundPath[];
  /** Folders that are empty and private: the home folder, those of temporary files. */
  readonly privateFolders: readonly string[];
  /** What a profile closes, where it lies in something that is open. */
  readonly forbidden: readonly FoundPath[];
  /** What is closed whatever opens it: Alisio's own homes, files with secrets. */
  readonly secret: readonly FoundPath[];
  /** What may be read and not changed: what configures Alisio, and what Git starts. */
  readonly fixed: readonly FoundPath[];
  /** All names that such things have, whatever is there now. */
  readonly fixedNames: readonly string[];
}

/**
 * Works out what programs see and may change. Pure.
 *
 * What a profile closes is closed where it lies as deep as what opens it, or deeper; only the
 * folders of the system stay open against an equal one. A folder between a root and what is closed
 * or fixed in it is an entry of its own: a backend can then keep it from being renamed, which would
 * leave what is closed without its name.
 *
 * @param facts What is known.
 */
export function planSandbox(facts: SandboxFacts): SandboxPlan {
  const secrets = facts.secret.map(({ real }) => real);
  const isSecret = (path: string): boolean => secrets.some((secret) => isInside(path, secret));
  const entries = new Map<string, SandboxEntry>();
  const put = (path: string, kind: SandboxEntry["kind"], access: SandboxAccess): void => {
    entries.set(path, { path, kind, access });
  };
  const system = facts.system.filter(({ kind }) => kind !== "missing");
  const systemPaths = new Set(facts.system.flatMap(({ path, real }) => [path, real]));
  const tools = facts.tools.filter(({ kind, real }) => kind !== "missing" && !isSecret(real));
  const roots = facts.roots.flatMap(({ path, access }) => {
    const given = accessOf(access, facts.possible.write);
    return given === null || isSecret(path) ? [] : [{ path, access: given }];
  });
  for (const { real, kind } of [...system, ...tools]) put(real, kind, "read-only");
  for (const path of facts.privateFolders) {
    if (!roots.some((root) => isInside(path, root.path))) put(path, "folder", "private");
  }
  for (const { path, access } of roots) put(path, "folder", access);
  const opened = [...entries.values()].filter(({ access }) => access !== "private");
  const around = (path: string): SandboxEntry | undefined => deepestAround(path, opened);
  const isWritable = (path: string): boolean => /write/.test(around(path)?.access ?? "");
  const narrow = ({ real, kind }: FoundPath, access: SandboxAccess): void => {
    const outer = around(real);
    if (outer === undefined || (kind === "missing" && !isWritable(real))) return;
    for (const folder of foldersBetween(outer.path, real)) {
      if (!entries.has(folder) && isWritable(real)) put(folder, "folder", outer.access);
    }
    put(real, kind, access);
  };
  for (const found of facts.fixed) if (isWritable(found.real)) narrow(found, "read-only");
  for (const found of facts.forbidden) {
    if (!systemPaths.has(found.real)) narrow(found, "closed");
  }
  for (const found of facts.secret) narrow(found, "closed");
  const sorted = [...entries.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return {
    entries: sorted.filter((entry) => !isRedundant(entry, sorted)),
    links: linksOf([...system, ...tools], opened),
    network: facts.possible.external ? "open" : "closed",
  };
}

/**
 * The entry that decides about a path.
 *
 * @param path Absolute path.
 * @param entries Entries to look among.
 */
export function deepestAround(
  path: string,
  entries: readonly SandboxEntry[],
): SandboxEntry | undefined {
  let deepest: SandboxEntry | undefined;
  for (const entry of entries) {
    if (!isInside(path, entry.path)) continue;
    if (deepest === undefined || entry.path.length > deepest.path.length) deepest = entry;
  }
  return deepest;
}

/** Whether what is around it says the same already. */
function isRedundant(entry: SandboxEntry, entries: readonly SandboxEntry[]): boolean {
  if (entry.access !== "read-only" || entry.kind === "missing") return false;
  const others = entries.filter((other) => other.path !== entry.path);
  return deepestAround(entry.path, others)?.access === "read-only";
}

/** The other names that lie in nothing that is open, each once. */
function linksOf(
  found: readonly FoundPath[],
  opened: readonly SandboxEntry[],
): readonly SandboxLink[] {
  const links = new Map<string, SandboxLink>();
  for (const { path, real } of found) {
    if (path === real || opened.some((entry) => isInside(path, entry.path))) continue;
    links.set(path, { path, real });
  }
  const all = [...links.values()];
  return all.filter(({ path }) =>
    !all.some((other) => other.path !== path && isInside(path, other.path))
  );
}

/** What is left of the access to a folder where nothing may be changed; `null` if nothing is. */
function accessOf(access: RootAccess, mayWrite: boolean): RootAccess | null {
  if (mayWrite) return access;
  return access === "write-only" ? null : "read-only";
}

function foldersBetween(outer: string, inner: string): readonly string[] {
  const folders: string[] = [];
  for (let at = parentOf(inner); at !== outer && isInside(at, outer); at = parentOf(at)) {
    folders.unshift(at);
  }
  return folders;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}
