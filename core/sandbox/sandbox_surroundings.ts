import { isInside } from "../paths/is_inside.ts";
import { delimiter, isAbsolute, join } from "../paths/path.ts";
import { findPaths, type FoundPath, lookAtPaths } from "./found_path.ts";
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
  /** Alisio's own homes, by every name. */
  readonly homes: readonly string[];
  /** Other files of Alisio, and files with secrets. */
  readonly secret: readonly string[];
  /** `PATH` of the programs. */
  readonly path: string;
  /** The home folder, if it is known. */
  readonly home: string | null;
}

/** What names programs that Git starts, or another repository whose configuration does. */
const GIT_FILES: readonly string[] = [
  ".git",
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
];

/** As a folder `.git` has to be written to; of what is not there, only a folder can be held. */
function isFixedInGit({ path, kind }: FoundPath): boolean {
  if (path.endsWith("/.git")) return kind === "file";
  return kind === "file" || path.endsWith("/hooks");
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
  const { workspace, roots, possible, forbidden, homes, secret } = surroundings;
  const isForbidden = ({ path }: FoundPath): boolean => forbidden.includes(path);
  const inside = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => roots.some((root) => isInside(path, root.path)));
  const git = roots.flatMap(({ path }) => GIT_FILES.map((name) => join(path, name)));
  const asked = {
    forbidden: inside(forbidden),
    homes: inside(homes),
    secret: inside(secret),
    own: [join(workspace, ".alisio")],
    git,
  };
  return async () => {
    const all = await findPaths(Object.values(asked).flat());
    // What leads out of the open folders is closed already.
    const found = all.filter(({ real }) => roots.some((root) => isInside(real, root.path)));
    const list = (paths: readonly string[]): readonly FoundPath[] =>
      found.filter(({ path }) => paths.includes(path));
    return {
      roots,
      possible,
      system: standing.system,
      tools: standing.tools,
      privateFolders: standing.privateFolders,
      forbidden: [...standing.closed.filter(isForbidden), ...list(asked.forbidden)],
      secret: [
        ...standing.closed.filter((each) => !isForbidden(each)),
        ...list(asked.homes),
        // Nothing may stand where Alisio is about to make a file.
        ...list(asked.secret).filter(({ kind }) => kind !== "missing"),
      ],
      fixed: [...list(asked.own), ...list(asked.git).filter(isFixedInGit)],
      fixedNames: [...asked.own, ...asked.git],
    };
  };
}

async function lookAround(surroundings: SandboxSurroundings): Promise<StandingFacts> {
  const { path, home, forbidden, homes, secret, roots, possible } = surroundings;
  const names = path.split(delimiter).filter(isAbsolute);
  const ownNames = (list: readonly string[]): readonly string[] =>
    home === null ? [] : list.map((name) => join(home, name));
  const system = systemFolders(Deno.build.os);
  // A snippet of the model is run by the runtime, which may lie anywhere.
  const tools = [...toolFolders(names, home), Deno.execPath(), ...ownNames(IDENTITY_FILES)];
  // Names of hosts are looked up by what this says, wherever it really is.
  const network = possible.external ? ["/etc/resolv.conf"] : [];
  const closed = [...SYSTEM_SECRETS, ...ownNames(TOOL_SECRETS), ...forbidden, ...homes, ...secret]
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
