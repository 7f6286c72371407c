import { isMissing, readSmallFile } from "../config/small_file.ts";
import { quoted } from "../config/quoted.ts";
import { sha256Hex } from "../files/sha256.ts";
import { isAbsolute, join } from "../paths/path.ts";

/** What of a project configures, instructs or runs, and so needs trust. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  ".alisio": ["config.json", "plugins", "agents", "skills", "prompts"],
  ".agents": ["agents", "skills"],
  ".claude": ["agents", "skills"],
  ".opencode": ["agent", "agents"],
};

/** The resource that configures. */
export const PROJECT_CONFIG = ".alisio/config.json";

/** A file or folder outside the usual places that the project's configuration uses. */
export interface ReferencedPath {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** Whether everything below it counts, or only the file itself. */
  readonly kind: "tree" | "file";
}

/** The state of all resources: by path a hash, or a word for what has none. */
export type ResourceDigests = Readonly<Record<string, string>>;

/** The outcome of hashing. */
export type DigestResult =
  | { readonly status: "complete"; readonly digests: ResourceDigests }
  /** It cannot be checked at every start; the reason continues a sentence. */
  | { readonly status: "uncheckable"; readonly reason: string };

/** Bounds of what is hashed at every start. */
export interface DigestLimits {
  /** Files, folders and links together. */
  readonly maxEntries: number;
  /** Of all files together. */
  readonly maxBytes: number;
}

const DEFAULT_LIMITS: DigestLimits = { maxEntries: 2_000, maxBytes: 67_108_864 };
const MAX_DEPTH = 32;
const PARALLEL_READS = 16;

/**
 * Finds which resources a project has. Looks only: nothing is opened.
 *
 * @param workspace Real path of the workspace.
 * @returns Paths relative to the workspace; of a folder that may not be looked into, the folder.
 */
export async function findTrustResources(workspace: string): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(RESOURCES).map(async ([folder, names]) => {
      if (await look(join(workspace, folder)) === "missing") return [];
      const found = await Promise.all(names.map((name) => look(join(workspace, folder, name))));
      // What cannot be looked at may still be there: it needs trust rather than being overlooked.
      if (found.includes("unreadable")) return [folder];
      return names.filter((_, index) => found[index] === "there").map((name) =>
        `${folder}/${name}`
      );
    }),
  );
  return found.flat();
}

/**
 * Whether what {@linkcode findTrustResources} found is a folder that may not be looked into.
 *
 * @param resource One of the paths.
 */
export function isClosedFolder(resource: string): boolean {
  return !resource.includes("/");
}

/**
 * Hashes everything in a project that needs trust.
 *
 * Links are followed, and where they lead is part of the outcome. What is neither file nor folder
 * is not opened, and has no content that could be trusted.
 *
 * @param workspace Real path of the workspace.
 * @param referenced Further files and folders that the configuration uses.
 * @param limits Bounds.
 */
export async function digestTrustResources(
  workspace: string,
  referenced: readonly ReferencedPath[],
  limits: DigestLimits = DEFAULT_LIMITS,
): Promise<DigestResult> {
  const usual = (await findTrustResources(workspace)).map((path) =>
    ({ path, kind: "tree" }) as const
  );
  const walk: Walk = {
    workspace,
    limits,
    entries: new Map(),
    files: [],
    bytes: 0,
    visited: new Set(),
  };
  try {
    for (const root of [...usual, ...referenced]) await visit(root.path, root.kind, 0, walk);
    await hashFiles(walk);
  } catch (error) {
    if (error instanceof UncheckableError) return { status: "uncheckable", reason: error.message };
    throw error;
  }
  const sorted = [...walk.entries].sort(([a], [b]) => a < b ? -1 : 1);
  return { status: "complete", digests: Object.fromEntries(sorted) };
}

/**
 * Compares two states of the resources.
 *
 * @param before The state that was decided on.
 * @param after The present state.
 * @returns One line for each difference, such as `changed .alisio/config.json`; empty if none.
 */
export function compareDigests(before: ResourceDigests, after: ResourceDigests): readonly string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path) => {
    const was = Object.hasOwn(before, path) ? before[path] : undefined;
    const is = Object.hasOwn(after, path) ? after[path] : undefined;
    if (was === is) return [];
    return [`${was === undefined ? "added" : is === undefined ? "removed" : "changed"} ${path}`];
  });
}

interface Walk {
  readonly workspace: string;
  readonly limits: DigestLimits;
  readonly entries: Map<string, string>;
  readonly files: string[];
  /** Of the files that were found so far. */
  bytes: number;
  /** Real paths of folders, so that links in a circle end. */
  readonly visited: Set<string>;
}

class UncheckableError extends Error {}

async function visit(
  path: string,
  kind: ReferencedPath["kind"],
  depth: number,
  walk: Walk,
): Promise<void> {
  if (walk.entries.has(path)) return;
  if (walk.entries.size >= walk.limits.maxEntries) {
    throw new UncheckableError(`it has more than ${walk.limits.maxEntries} files to check`);
  }
  if (depth > MAX_DEPTH) throw new UncheckableError(`it is more than ${MAX_DEPTH} folders deep`);
  const absolute = absolutePath(path, walk);
  const link = await Deno.readLink(absolute).catch(() => undefined);
  const info = await statOrWord(absolute);
  const prefix = link === undefined ? "" : `link to ${link}: `;
  if (typeof info === "string") walk.entries.set(path, prefix + info);
  else if (info.isFile) {
    walk.bytes += info.size;
    if (walk.bytes > walk.limits.maxBytes) {
      throw new UncheckableError(`it has more than ${walk.limits.maxBytes} bytes to check`);
    }
    walk.entries.set(path, prefix);
    walk.files.push(path);
  } else if (info.isDirectory) {
    walk.entries.set(path, `${prefix}folder`);
    if (kind === "tree") await visitFolder(path, absolute, depth, walk);
  } else throw new UncheckableError(`${quoted(path, 300)} in it is neither a file nor a folder`);
}

async function visitFolder(
  path: string,
  absolute: string,
  depth: number,
  walk: Walk,
): Promise<void> {
  const real = await Deno.realPath(absolute);
  if (walk.visited.has(real)) return;
  walk.visited.add(real);
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(absolute)) {
      names.push(name);
      if (names.length + walk.entries.size > walk.limits.maxEntries) {
        throw new UncheckableError(`it has more than ${walk.limits.maxEntries} files to check`);
      }
    }
  } catch (error) {
    if (error instanceof UncheckableError) throw error;
    walk.entries.set(path, "unreadable folder");
    return;
  }
  for (const name of names.sort()) await visit(`${path}/${name}`, "tree", depth + 1, walk);
}

async function hashFiles(walk: Walk): Promise<void> {
  for (let start = 0; start < walk.files.length; start += PARALLEL_READS) {
    const batch = walk.files.slice(start, start + PARALLEL_READS);
    await Promise.all(batch.map(async (path) => {
      const file = await readSmallFile(absolutePath(path, walk), walk.limits.maxBytes);
      const digest = file.status === "read" ? await sha256Hex(file.bytes) : file.status;
      walk.entries.set(path, (walk.entries.get(path) ?? "") + digest);
    }));
  }
}

async function statOrWord(absolute: string): Promise<Deno.FileInfo | "missing" | "unreadable"> {
  try {
    return await Deno.stat(absolute);
  } catch (error) {
    return isMissing(error) ? "missing" : "unreadable";
  }
}

async function look(path: string): Promise<"there" | "missing" | "unreadable"> {
  try {
    await Deno.lstat(path);
    return "there";
  } catch (error) {
    return isMissing(error) ? "missing" : "unreadable";
  }
}

function absolutePath(path: string, { workspace }: Walk): string {
  return isAbsolute(path) ? path : join(workspace, path);
}
