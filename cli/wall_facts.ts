import { agentFolders } from "../core/agents/agent_folders.ts";
import { configHome, stateHome, userHome } from "../core/config/directories.ts";
import { DEFAULT_BASE_URL } from "../core/config/provider_defaults.ts";
import { findProjectRoot, foldersBetween } from "../core/context/project_root.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "../core/paths/path.ts";
import { pluginFolders } from "../core/plugins/plugin_folders.ts";
import { findExecutable } from "../core/process/find_executable.ts";
import { skillRoots } from "../core/skills/skill_roots.ts";
import { type CeilingFacts, hostAndPort } from "../core/wall/ceiling.ts";
import { entriesAround } from "../core/wall/entries_around.ts";
import { realOrPlanned, resolveRoots, resolveWorkspace } from "../core/workspace.ts";
import type { GlobalFlags } from "./flags.ts";
import { herdrUse } from "./herdr.ts";
import type { WallConfiguration } from "./wall_config.ts";

/** What the ceiling of a run is worked out from. */
export interface WallRequest {
  readonly flags: GlobalFlags;
  /** The directory that the command works in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Whether a person is there who could still permit more.
   *
   * @default false
   */
  readonly canAsk?: boolean;
  /** Names of the session to go on with, if there is one. */
  readonly session?: string;
}

/** Names that instruction files have, and what marks the root of a project. */
const NAMES_ABOVE = [".git", "AGENTS.override.md", "AGENTS.md", "AGENT.md", "CLAUDE.md"] as const;

/** What in `.alisio` configures, instructs or runs, whether it is there already or not. */
const PROJECT_FILES = ["config.json", "plugins", "agents", "skills", "prompts"] as const;

/** What Alisio makes in the folder of a session database. */
const BESIDE_DATABASE: readonly string[] = [
  "locks",
  "outputs",
  "blobs",
  "tasks",
  "artifacts",
  "tui-state.json",
];

/** Where model servers of this machine usually listen, for the hint when none is configured. */
const LOCAL_SERVERS = [
  "127.0.0.1:11434",
  "127.0.0.1:1234",
  "127.0.0.1:8080",
  "127.0.0.1:8000",
] as const;

const PROXY_REGEXP = /^(?:https?|all)_proxy$/i;

/**
 * Gathers what the ceiling of a run is worked out from: what flags permit, or a person could still
 * permit. It reads what the run itself will read first, with the same rules: trust before a
 * project's configuration, and nothing else of it.
 *
 * @param request The run.
 * @throws {AlisioError} If the workspace or the configuration is not usable.
 */
export async function gatherWallFacts(request: WallRequest): Promise<CeilingFacts> {
  const { flags, cwd, env, canAsk = false } = request;
  const workspace = resolveWorkspace(cwd);
  const homes = { config: configHome(env), state: stateHome(env) };
  const [settings, config, state, root, programs] = await Promise.all([
    readSettings(request, workspace, homes.config),
    realOrPlanned(homes.config),
    realOrPlanned(homes.state),
    findProjectRoot(workspace),
    findPrograms(env, workspace),
  ]);
  const executables = [...programs, ...await programOfHerdr(request, settings)];
  const directories = flags.readOnly ? [] : [
    ...settings.additionalDirectories,
    ...flags.addDir.map((directory) => resolve(cwd, directory)),
  ];
  const roots = resolveRoots(workspace, directories);
  const project = join(workspace, ".alisio");
  const cache = join(project, "cache");
  const opened = [workspace, ...roots];
  const needed = [
    ...[...opened, config, state, ...executables],
    ...settings.links.map(({ path }) => path),
  ];
  const plugins = await foldersOfPlugins(request, workspace, homes.config, settings);
  const skills = await foldersOfSkills(request, { root, workspace, home: homes.config }, settings);
  const possible = {
    write: (flags.allowWrite || canAsk) && !settings.onlyReads,
    process: (flags.allowProcess || canAsk) && !settings.onlyReads,
    external: (flags.allowExternal || canAsk) && !settings.onlyReads,
  };
  const servers = await serversOf(request, workspace, settings);
  const scripts = await scriptsOf(request, homes.state);
  const database = flags.db === undefined ? null : await realOrPlanned(resolve(cwd, flags.db));
  return {
    readOnly: flags.readOnly,
    possible,
    canApproveDirectories: canAsk,
    workspace,
    roots,
    readOnlyRoots: settings.readOnlyRoots.filter((root) => root !== workspace),
    configHome: config,
    stateHome: state,
    ...(database === null ? {} : { database, ...folderOfDatabase(database) }),
    memoryFiles: settings.memoryFiles,
    worktreeFolders: settings.worktreeFolders,
    aliases: [homes.state, ...flags.db === undefined ? [] : [resolve(cwd, flags.db)]]
      .filter((name) => name !== state),
    ...([project, cache].every(isNoLink) ? { cache } : {}),
    pluginFolders: plugins,
    readable: [
      ...foldersBetween(root, workspace).flatMap((folder) =>
        folder === workspace ? [] : NAMES_ABOVE.map((name) => join(folder, name))
      ),
      ...(flags.config === undefined ? [] : [resolve(cwd, flags.config)]),
      // The spelling that the person started with may be a link.
      ...(resolve(cwd) === workspace ? [] : [resolve(cwd)]),
      // What a profile opens by another name must be found behind that name. Where that is
      // readable anyway, the name opens nothing more.
      ...settings.links.filter(({ real }) => roots.some((root) => isInside(real, root)))
        .map(({ path }) => path),
      ...skills.filter((path) => ![workspace, config].some((folder) => isInside(path, folder))),
      ...scripts,
      // What is imported later is read then, and by this process.
      ...ownSources(),
      ...servers.executables,
      // Where programs are looked for.
      ...(possible.process || servers.executables.length > 0
        ? (env.PATH ?? "").split(delimiter).filter(isAbsolute)
        : []),
    ],
    runtime: Deno.execPath(),
    executables,
    providers: [
      ...settings.addresses.flatMap(hostOf),
      ...(settings.namesModel || flags.model !== undefined ? [] : LOCAL_SERVERS),
    ],
    proxies: Object.entries(env).flatMap(([name, value]) =>
      PROXY_REGEXP.test(name) ? hostOf(value) : []
    ),
    mcpHosts: servers.hosts,
    mcpExecutables: servers.executables,
    protectedPaths: withRealPaths([
      ...PROJECT_FILES.map((name) => join(project, name)),
      ...entriesAround(project, [cache, ...settings.memoryFiles]),
      ...(settings.memoryFiles.some((file) => isInside(file, config))
        ? [
          ...entriesAround(config, settings.memoryFiles),
          ...["config.json", "providers.json"].map((name) => join(config, name)),
        ]
        : [config]),
      join(state, "trust.json"),
      // A file of Git's own in a folder makes it a repository whose configuration names programs.
      ...[...new Set(opened)].flatMap((root) => [".git", "HEAD"].map((name) => join(root, name))),
    ]),
    closedPaths: settings.closedPaths.map((closed) => ({
      ...closed,
      within: [closed.path, closed.real].flatMap((path) =>
        opened.some((folder) => isInside(path, folder)) &&
          needed.some((each) => each !== path && isInside(each, path))
          ? entriesAround(path, needed)
          : []
      ),
    })),
    sys: [],
    sandboxesPrograms: settings.sandboxesPrograms,
  };
}

/** Folders of the program itself, where it lies in files. */
function ownSources(): readonly string[] {
  const { dirname: folder } = import.meta;
  return folder === undefined
    ? []
    : ["cli", "core", "plugins", "sdk", "tools", "tui"].map((name) => join(folder, "..", name));
}

/** Paths under both of their names: as given, and where links on the way lead. */
function withRealPaths(paths: readonly string[]): readonly string[] {
  return [...new Set([...paths, ...paths.map(realOrSame)])];
}

/** What is not there yet is looked for in its folder alone. */
function realOrSame(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    try {
      return join(Deno.realPathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

/**
 * Configuration, where there is any. Most runs have none, and do not pay for what reads it; the
 * module is named in a computed way, because the runtime reads what is named in plain text.
 */
async function readSettings(
  request: WallRequest,
  workspace: string,
  home: string,
): Promise<WallConfiguration> {
  const { flags, env } = request;
  const files = [
    join(home, "config.json"),
    join(home, "providers.json"),
    join(workspace, ".alisio", "config.json"),
  ];
  if (flags.config !== undefined || flags.riskProfile !== undefined || files.some(isThere)) {
    const module: typeof import("./wall_config.ts") = await import(
      new URL("./wall_config.ts", import.meta.url).href
    );
    return await module.readWallConfiguration(request, workspace);
  }
  return {
    additionalDirectories: [],
    addresses: [flags.baseUrl ?? env.OPENAI_BASE_URL ?? DEFAULT_BASE_URL],
    namesModel: (env.ALISIO_MODEL ?? "") !== "",
    plugins: null,
    skills: [],
    mcp: { allow: false, servers: {}, maxToolChars: 0, startupWaitMs: 0 },
    disabledPlugins: [],
    memoryFiles: [],
    worktreeFolders: [],
    onlyReads: false,
    sandboxesPrograms: false,
    links: [],
    closedPaths: [],
    readOnlyRoots: [],
  };
}

/**
 * What MCP servers are started and reached by. Most runs use none, and do not pay for what finds
 * them.
 */
async function serversOf(
  request: WallRequest,
  workspace: string,
  { mcp, onlyReads }: WallConfiguration,
): Promise<{ readonly hosts: readonly string[]; readonly executables: readonly string[] }> {
  const { flags, canAsk = false } = request;
  const isUsed = !flags.readOnly && !onlyReads && Object.keys(mcp.servers).length > 0 &&
    (flags.allowMcp || mcp.allow || canAsk);
  if (!isUsed) return { hosts: [], executables: [] };
  const module: typeof import("./wall_mcp.ts") = await import(
    new URL("./wall_mcp.ts", import.meta.url).href
  );
  return await module.readForServers(request, workspace, mcp);
}

/**
 * What external plugins are loaded from. Most runs have none, and do not pay for what finds them.
 */
async function foldersOfPlugins(
  request: WallRequest,
  workspace: string,
  home: string,
  { plugins }: WallConfiguration,
): Promise<readonly string[]> {
  const { flags } = request;
  if (flags.readOnly) return [];
  const folders = pluginFolders(home, workspace);
  const mayHavePlugins = flags.plugin.length > 0 || plugins !== null ||
    isThere(folders.global) || isThere(folders.project);
  if (!mayHavePlugins) return [];
  const module: typeof import("./wall_plugins.ts") = await import(
    new URL("./wall_plugins.ts", import.meta.url).href
  );
  return await module.readForPlugins(request, workspace, plugins);
}

/**
 * What skills are read from, beside the workspace and the configuration. Most runs have none, and do
 * not pay for what follows links.
 */
async function foldersOfSkills(
  { env }: WallRequest,
  { root, workspace, home }: {
    readonly root: string;
    readonly workspace: string;
    readonly home: string;
  },
  { skills }: WallConfiguration,
): Promise<readonly string[]> {
  const person = userHome(env);
  const xdg = env.XDG_CONFIG_HOME ?? "";
  const sources = {
    configHome: home,
    ...(person === undefined ? {} : { home: person }),
    root,
    cwd: workspace,
    // What may be read is not what is used: the run itself asks whether the project is trusted.
    trusted: true,
    plugins: [],
  };
  const roots = [
    ...skillRoots({ ...sources, configured: skills }),
    ...agentFolders({ ...sources, ...(xdg === "" ? {} : { xdgConfigHome: xdg }) }),
  ].filter(({ path }) => isThere(path));
  if (roots.length === 0) return [];
  const module: typeof import("./wall_skills.ts") = await import(
    new URL("./wall_skills.ts", import.meta.url).href
  );
  return await module.readForSkills(roots);
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}

/** The folder of a database, if it holds nothing else: whatever is in it may be changed. */
function folderOfDatabase(database: string): Pick<CeilingFacts, "databaseFolder"> {
  const folder = dirname(database);
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (!name.startsWith(basename(database)) && !BESIDE_DATABASE.includes(name)) return {};
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return {};
  }
  return { databaseFolder: folder };
}

/** Whether a folder of its own is there, or nothing yet. */
function isNoLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

async function findPrograms(
  env: WallRequest["env"],
  workspace: string,
): Promise<readonly string[]> {
  const options = { path: env.PATH, pathExt: env.PATHEXT, exclude: [workspace] };
  const found = await Promise.all(["rg", "git"].map((name) => findExecutable(name, options)));
  return found.filter((path) => path !== null);
}

/** Herdr's program under both of its names, where it is used and there. */
async function programOfHerdr(
  { flags, env }: WallRequest,
  { disabledPlugins }: WallConfiguration,
): Promise<readonly string[]> {
  const disablePlugin = [...flags.disablePlugin, ...disabledPlugins];
  const program = herdrUse({ ...flags, disablePlugin }, env)?.pane.program;
  if (program === undefined) return [];
  try {
    return [...new Set([program, await Deno.realPath(program)])];
  } catch {
    return [];
  }
}

/** Scripts of the scripted model, which may lie anywhere. */
async function scriptsOf(
  { flags, cwd, session }: WallRequest,
  state: string,
): Promise<readonly string[]> {
  const prefix = "scripted/";
  const model = flags.model ??
    (session === undefined ? "" : await modelOf(
      session,
      flags.db === undefined ? join(state, "sessions.sqlite") : resolve(cwd, flags.db),
    ));
  return model.startsWith(prefix) ? [resolve(cwd, model.slice(prefix.length))] : [];
}

async function modelOf(session: string, database: string): Promise<string> {
  const module: typeof import("./wall_session.ts") = await import(
    new URL("./wall_session.ts", import.meta.url).href
  );
  return module.modelOfSession(session, database);
}

function hostOf(url: string): readonly string[] {
  try {
    return [hostAndPort(url)];
  } catch {
    // No address, or none that a connection can be made to: nothing to permit.
    return [];
  }
}
