import { dirname, join } from "./path.ts";

/** What Git writes into `HEAD`: the name of a branch, or a commit. */
const HEAD_REGEXP = /^(?:ref:\s*refs\/|[0-9a-f]{40})/i;
const HEAD_START_BYTES = 64;

/**
 * Whether a path lies in the data of a Git repository that is not called `.git`: a bare
 * repository, or one that a `.git` file elsewhere points to. Such a folder is known by its file
 * `HEAD`.
 *
 * The search ends at a folder that holds `.git`, because the files there are a working tree: bare
 * repositories often have theirs inside themselves.
 *
 * @param real Real path; it need not exist.
 */
export function liesInGitDirectory(real: string): boolean {
  for (let folder = dirname(real);; folder = dirname(folder)) {
    if (exists(join(folder, ".git"))) return false;
    if (isGitHead(join(folder, "HEAD"))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function exists(path: string): boolean {
  return attempt(() => Deno.lstatSync(path)) !== null;
}

function isGitHead(path: string): boolean {
  if (!exists(path)) return false;
  // Old repositories have a link here, to a branch that need not exist.
  if (attempt(() => Deno.readLinkSync(path))?.startsWith("refs/") === true) return true;
  if (attempt(() => Deno.statSync(path))?.isFile !== true) return false;
  return HEAD_REGEXP.test(attempt(() => startOf(path)) ?? "");
}

function startOf(path: string): string {
  using file = Deno.openSync(path, { read: true });
  const bytes = new Uint8Array(HEAD_START_BYTES);
  return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
}

/** Null for what is missing, or what this run may not look at: it may not write there either. */
function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
