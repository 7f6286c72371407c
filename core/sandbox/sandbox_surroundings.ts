import { isInside } from "../paths/is_inside.ts";
import { delimiter, dirname, isAbsolute, join } from "../paths/path.ts";
import { realOrPlanned } from "../workspace.ts";
import { type FoundPath, lookAtPaths } from "./found_path.ts";
import {
  IDENTITY_FILES,
  SYSTEM_SECRETS,
  systemFolders,
  TOOL_SECRETS,
  toolFolders,
} from "./sandbox_folders.ts";
import type { SandboxFacts, SandboxRoot } from "./sandbox_plan.ts";

/** What a run says of its programs. Paths are absolute. */
export interface SandboxSurroundings {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths of all folders that tools may touch, the workspace among them. */
  readonly roots: readonly SandboxRoot[];
  /** Effects that are permitted, or that a person could still permit. */
  readonly possible: SandboxFacts["possible"];
  /** What a profile closes, by every name that it is known under. */
  readonly forbidden: readonly string[];
  /** Alisio's own homes and files with secrets, by every name. */
  readonly secret: readonly string[];
  /** `PATH` of the programs. */
  readonly path: string;
  /** The home folder, if it is known. */
  readonly home: string | null;
}

/** What stays as it is while Alisio runs. */
type StandingFacts = Pick<SandboxFacts, "system" | "tools" | "privateFolders"> & {
  readonly closed: readonly FoundPath[];
};

/**
 * Looks at what a sandbox is made from: at once for the folders of the system and of tools, which
 * no program of the model changes, and before each command for what lies in the open folders.
 *
 * @param surroundings What the run says.
 * @returns Gathers the facts of this moment.
 */
export async function watchSurroundings(
  surroundings: SandboxSurroundings,
): Promise<() => Promise<SandboxFacts>> {
  const standing = await lookAround(surroundings);
  const { roots, possible, forbidden, secret } = surroundings;
  return async () => {
    const [closed, own, fixed] = await Promise.all([
      findAll(forbidden, roots),
      findAll(secret, roots),
      findFixed(surroundings),
    ]);
    const isForbidden = ({ path }: FoundPath): boolean => forbidden.includes(path);
    return {
      roots,
      possible,
      system: standing.system,
      tools: standing.tools,
      privateFolders: standing.privateFolders,
      forbidden: [...standing.closed.filter(isForbidden), ...closed],
      secret: [...standing.closed.filter((found) => !isForbidden(found)), ...own],
      fixed,
    };
  };
}

async function lookAround(surroundings: SandboxSurroundings): Promise<StandingFacts> {
  const { path, home, forbidden, secret, roots, possible } = surroundings;
  const names = path.split(delimiter).filter(isAbsolute);
  const ownNames = (list: readonly string[]): readonly string[] =>
    home === null ? [] : list.map((name) => join(home, name));
  const system = systemFolders(Deno.build.os);
  const tools = [...toolFolders(names, home), ...ownNames(IDENTITY_FILES)];
  // Names of hosts are looked up by what this says, wherever it really is.
  const network = possible.external ? ["/etc/resolv.conf"] : [];
  const closed = [...SYSTEM_SECRETS, ...ownNames(TOOL_SECRETS), ...forbidden, ...secret]
    .filter((name) => !roots.some((root) => isInside(name, root.path)));
  const asked = [...system, ...tools, ...network, ...closed, ...(home === null ? [] : [home])];
  const found = new Map((await lookAtPaths(asked)).map((each) => [each.path, each]));
  const list = (paths: readonly string[]): readonly FoundPath[] =>
    paths.flatMap((each) => found.get(each) ?? []);
  return {
    system: list(system),
    tools: list([...tools, ...network]),
    closed: list(closed).filter(({ kind }) => kind !== "missing"),
    privateFolders: [
      "/tmp",
      ...(home === null || home === "/" || found.get(home)?.kind !== "folder" ? [] : [home]),
    ],
  };
}

/** What configures Alisio, and what Git starts by itself. */
async function findFixed(
  { workspace, roots }: SandboxSurroundings,
): Promise<readonly FoundPath[]> {
  const places = await Promise.all(roots.map(async ({ path }) => {
    const git = await find(join(path, ".git"), roots);
    if (git?.kind !== "folder") return git?.kind === "file" ? [git] : [];
    const inside = ["hooks", "config", "config.worktree", "commondir"].map((name) =>
      join(git.real, name)
    );
    const [hooks, ...files] = await Promise.all(inside.map((each) => find(each, roots)));
    return [hooks, ...files.filter((each) => each?.kind === "file")];
  }));
  const own = await find(join(workspace, ".alisio"), roots);
  return [own, ...places.flat()].filter((found) => found !== null && found !== undefined);
}

async function findAll(
  paths: readonly string[],
  roots: readonly SandboxRoot[],
): Promise<readonly FoundPath[]> {
  const inside = paths.filter((path) => roots.some((root) => isInside(path, root.path)));
  const found = await Promise.all(inside.map((path) => find(path, roots)));
  return found.filter((each) => each !== null);
}

/** Null for what leads out of the open folders, and for what is not there nor the folder of it. */
async function find(path: string, roots: readonly SandboxRoot[]): Promise<FoundPath | null> {
  const real = await realOrPlanned(path);
  if (!roots.some((root) => isInside(real, root.path))) return null;
  const kind = await kindOf(real);
  if (kind !== "missing") return { path, real, kind };
  return await kindOf(dirname(real)) === "folder" ? { path, real, kind } : null;
}

async function kindOf(path: string): Promise<FoundPath["kind"]> {
  try {
    return (await Deno.stat(path)).isDirectory ? "folder" : "file";
  } catch {
    return "missing";
  }
}
