import { foldersBetween } from "../context/project_root.ts";
import { join } from "../paths/path.ts";
import type { AgentOrigin } from "./agent_definition.ts";

/** Where definitions of agents may come from. */
export interface AgentSources {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The person's home folder, if it is known. */
  readonly home?: string;
  /** The folder of configurations of other programs; absent for `.config` in the home folder. */
  readonly xdgConfigHome?: string;
  /** Real path of the project. */
  readonly root: string;
  /** Real path of the directory that is worked in; it is `root` or below it. */
  readonly cwd: string;
  /** Whether the project's own files may instruct the model. */
  readonly trusted: boolean;
  /** Folders that plugins brought. */
  readonly plugins: readonly { readonly plugin: string; readonly path: string }[];
}

/** A folder that is looked through for definitions. */
export interface AgentFolder {
  /** Absolute path. */
  readonly path: string;
  readonly origin: AgentOrigin;
  readonly plugin?: string;
  /** Real path of what its files may not lead out of. */
  readonly within?: string;
}

/** Folders of a project, the first with precedence. */
const PROJECT_FOLDERS: readonly (readonly string[])[] = [
  [".alisio", "agents"],
  [".agents", "agents"],
  [".claude", "agents"],
  [".opencode", "agent"],
  [".opencode", "agents"],
];

/**
 * The folders that are looked through for definitions, in order: a name belongs to the first that
 * has it. Pure.
 *
 * @param sources Where definitions may come from.
 */
export function agentFolders(sources: AgentSources): readonly AgentFolder[] {
  const { root, cwd, trusted, plugins } = sources;
  const project = trusted ? projectAgentFolders(root, cwd) : [];
  return [
    ...project.map((path) => ({ path, origin: "project" as const, within: root })),
    ...userAgentFolders(sources).map((path) => ({ path, origin: "user" as const })),
    ...plugins.map(({ plugin, path }) => ({ path, plugin, origin: "plugin" as const })),
  ];
}

/**
 * The folders of definitions that a project may have, from the directory that is worked in upward.
 *
 * @param root Real path of the project.
 * @param cwd Real path of the directory that is worked in.
 */
export function projectAgentFolders(root: string, cwd: string): readonly string[] {
  return foldersBetween(root, cwd).toReversed()
    .flatMap((folder) => PROJECT_FOLDERS.map((names) => join(folder, ...names)));
}

/**
 * The folders of definitions that a person may have.
 *
 * @param sources Where definitions may come from.
 */
export function userAgentFolders(
  { configHome, home, xdgConfigHome }: Pick<
    AgentSources,
    "configHome" | "home" | "xdgConfigHome"
  >,
): readonly string[] {
  const own = join(configHome, "agents");
  if (home === undefined) return [own];
  const others = join(xdgConfigHome ?? join(home, ".config"), "opencode");
  return [
    own,
    join(home, ".agents", "agents"),
    join(home, ".claude", "agents"),
    join(others, "agent"),
    join(others, "agents"),
  ];
}
