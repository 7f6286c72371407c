import { basename, dirname, join } from "node:path";

/** A project that memory is kept of. */
export interface Project {
  /** The name of its folder and a hash of its path, such as `shop-1a2b3c4d`. */
  readonly id: string;
  /** Real path of its folder. */
  readonly directory: string;
}

/**
 * The project that a workspace belongs to: the Git repository around it, or the workspace itself.
 * Work trees of one repository are projects of their own.
 *
 * @param workspace Real path of the workspace.
 */
export async function projectOf(workspace: string): Promise<Project> {
  const directory = await rootOf(workspace);
  const bytes = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(directory)),
  );
  const hash = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const name = basename(directory).replaceAll(/[^\w.-]/g, "-");
  return { id: `${name === "" ? "root" : name}-${hash}`, directory };
}

async function rootOf(workspace: string): Promise<string> {
  for (let folder = workspace;; folder = dirname(folder)) {
    try {
      await Deno.lstat(join(folder, ".git"));
      return folder;
    } catch {
      // None here, or none that may be looked at.
    }
    if (dirname(folder) === folder) return workspace;
  }
}
