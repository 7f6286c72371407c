import { visibleName } from "../../core/process/visible_text.ts";
import { dirname, join, resolve } from "../../core/paths/path.ts";

const MAX_BYTES = 4_096;
const MAX_FOLDERS = 64;
const COMMIT_CHARS = 8;

/**
 * The branch that a folder is on, or the start of the commit where it is on none. Starts no
 * program and never fails.
 *
 * @param folder The folder, or one inside of a repository.
 * @returns Undefined outside of a repository.
 */
export async function gitBranch(folder: string): Promise<string | undefined> {
  let at = folder;
  for (let depth = 0; depth < MAX_FOLDERS; depth++) {
    const head = await readHead(join(at, ".git"));
    if (head !== undefined) return formatHead(head);
    const parent = dirname(at);
    if (parent === at) return undefined;
    at = parent;
  }
  return undefined;
}

/** A worktree has a file in place of the folder, which says where that is. */
async function readHead(path: string): Promise<string | undefined> {
  const direct = await readStart(join(path, "HEAD"));
  if (direct !== undefined) return direct;
  const [, elsewhere] = /^gitdir: (.+)$/m.exec(await readStart(path) ?? "") ?? [];
  return elsewhere === undefined
    ? undefined
    : await readStart(join(resolve(dirname(path), elsewhere.trim()), "HEAD"));
}

function formatHead(head: string): string | undefined {
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
  if (branch !== undefined) return visibleName(branch.trim());
  const [commit] = /^[0-9a-f]{40,64}/.exec(head) ?? [];
  return commit?.slice(0, COMMIT_CHARS);
}

async function readStart(path: string): Promise<string | undefined> {
  try {
    using file = await Deno.open(path);
    const { isFile } = await file.stat();
    if (!isFile) return undefined;
    const bytes = new Uint8Array(MAX_BYTES);
    const count = await file.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, count));
  } catch {
    return undefined;
  }
}
