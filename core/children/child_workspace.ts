import { AlisioError } from "../errors.ts";
import { isInside } from "../paths/is_inside.ts";
import { join, resolve } from "../paths/path.ts";
import { quotePath } from "../paths/quote_path.ts";

/**
 * The workspace of a child: a folder that its parent may touch, or a worktree of the parent's own Git
 * repository, wherever that lies.
 *
 * @param requested A folder.
 * @param parent Real paths that the parent may touch; the first one is its workspace.
 * @param fixed Why no folder outside those can be one, if none can.
 * @returns Its real path.
 * @throws {AlisioError} `usage` if it is no such folder.
 */
export function childWorkspace(
  requested: string,
  parent: readonly string[],
  fixed?: string,
): string {
  const [workspace = ""] = parent;
  let real: string;
  try {
    real = Deno.realPathSync(resolve(workspace, requested));
    if (!Deno.statSync(real).isDirectory) throw new TypeError("it is no folder");
  } catch (error) {
    throw refused(requested, "it is no folder that can be opened", error);
  }
  if (parent.some((root) => isInside(real, root))) return real;
  if (fixed !== undefined) throw refused(requested, fixed);
  const repository = repositoryOfWorktree(real);
  if (repository !== null && parent.some((root) => isRepositoryOf(repository, root))) return real;
  throw refused(requested, "its parent may not touch that folder");
}

/**
 * The data folder of the repository that a folder is a worktree of. Both sides must name each other:
 * a file that only says so is not enough.
 *
 * @param real Real path of the folder.
 * @returns Null if it is no linked worktree.
 */
export function repositoryOfWorktree(real: string): string | null {
  const link = firstLine(join(real, ".git"));
  if (link === null || !link.startsWith("gitdir: ")) return null;
  try {
    const own = Deno.realPathSync(resolve(real, link.slice("gitdir: ".length)));
    const back = firstLine(join(own, "gitdir"));
    if (back === null || Deno.realPathSync(resolve(own, back)) !== join(real, ".git")) return null;
    const common = firstLine(join(own, "commondir"));
    return common === null ? null : Deno.realPathSync(resolve(own, common));
  } catch {
    return null;
  }
}

function isRepositoryOf(repository: string, root: string): boolean {
  for (let folder = root;;) {
    try {
      const git = join(folder, ".git");
      if (Deno.statSync(git).isDirectory && Deno.realPathSync(git) === repository) return true;
      if (repositoryOfWorktree(folder) === repository) return true;
    } catch {
      // Nothing here; perhaps above.
    }
    const above = resolve(folder, "..");
    if (above === folder) return false;
    folder = above;
  }
}

/** Files of Git's are a line long; nothing more is read. */
function firstLine(path: string): string | null {
  try {
    if (!Deno.lstatSync(path).isFile) return null;
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(4_096);
    const length = file.readSync(bytes) ?? 0;
    const [line = ""] = new TextDecoder().decode(bytes.subarray(0, length)).split("\n");
    return line.trim();
  } catch {
    return null;
  }
}

function refused(requested: string, reason: string, cause?: unknown): AlisioError {
  return new AlisioError(
    "usage",
    `Cannot make a child session in ${quotePath(requested)}: ${reason}`,
    { cause },
  );
}
