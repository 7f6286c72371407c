import { configHome, stateHome } from "../core/config/directories.ts";
import type { McpSettings } from "../core/config/configuration.ts";
import { loadConfiguration, type LoadedConfiguration } from "../core/config/load_config.ts";
import { namesAgent, namesProfile } from "../core/gate/profile/names_profile.ts";
import type { SandboxBackend } from "../core/gate/profile/risk_profile.ts";
import { resolve } from "../core/paths/path.ts";
import type { ProfileOfRunOptions } from "../core/gate/profile/profile_of_run.ts";
import { addressesOf, readProfiles } from "../core/provider/profiles.ts";
import { projectTrust } from "../core/trust/project_trust.ts";
import type { ClosedPath } from "../core/wall/closed_paths.ts";
import { realOrPlanned } from "../core/workspace.ts";
import type { WallRequest } from "./wall_facts.ts";

/** A path that leads elsewhere. */
export interface WallLink {
  /** The path as named, absolute. */
  readonly path: string;
  /** Where it really leads. */
  readonly real: string;
}

/** What configuration adds to the facts of the wall. */
export interface WallConfiguration {
  /** Directories that tools may touch beside the workspace. */
  readonly additionalDirectories: readonly string[];
  /** Addresses that models may be asked at. */
  readonly addresses: readonly string[];
  /** Whether a model is named. */
  readonly namesModel: boolean;
  /** What names plugins in it. */
  readonly plugins: Pick<LoadedConfiguration, "configuration" | "sources"> | null;
  /** Files of the database of memory, where it lies outside the state home. */
  readonly memoryFiles: readonly string[];
  /** The folder for worktrees of agents, where configuration names one, under all its names. */
  readonly worktreeFolders: readonly string[];
  /** Folders of skills. */
  readonly skills: readonly string[];
  /** Plugins that come with the program and are switched off. */
  readonly disabledPlugins: readonly string[];
  /** The MCP servers. */
  readonly mcp: McpSettings;
  /** Whether a risk profile or the active agent lets nothing be changed and no program be started. */
  readonly onlyReads: boolean;
  /** Whether programs run in a sandbox of Landlock, so that the kernel holds the agent too. */
  readonly sandboxesPrograms: boolean;
  /** Paths that a risk profile opens and that lead elsewhere, through symbolic links. */
  readonly links: readonly WallLink[];
  /** What a risk profile closes. */
  readonly closedPaths: readonly ClosedPath[];
  /** Folders that a risk profile opens for reading alone. */
  readonly readOnlyRoots: readonly string[];
}

/**
 * Reads what the run itself will read first, with the same rules: trust before a project's
 * configuration.
 *
 * @param request The run.
 * @param workspace Real path of the workspace.
 * @throws {AlisioError} If the configuration is not usable.
 */
export async function readWallConfiguration(
  { flags, cwd, env, canAsk = false }: WallRequest,
  workspace: string,
): Promise<WallConfiguration> {
  const homes = { config: configHome(env), state: stateHome(env) };
  const explicit = flags.config === undefined ? undefined : resolve(cwd, flags.config);
  const trust = await projectTrust({
    workspace,
    stateHome: homes.state,
    trustProjectFlag: flags.trustProject,
    ...(explicit === undefined ? {} : { explicitConfig: explicit }),
  });
  const [loaded, { profiles }] = await Promise.all([
    loadConfiguration({
      configHome: homes.config,
      workspace,
      ...(explicit === undefined ? {} : { explicitPath: explicit }),
      trusted: trust.state === "trusted",
      env,
      overrides: {
        ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
        ...(flags.apiMode === undefined ? {} : { apiMode: flags.apiMode }),
      },
    }),
    readProfiles(homes.config),
  ]);
  const { configuration } = loaded;
  const profile = namesProfile(loaded.layers, flags.riskProfile)
    ? await profileFacts({ loaded, flag: flags.riskProfile, cwd, env })
    : null;
  // Where a person is there, they may choose another agent while it runs.
  const agent = !canAsk && namesAgent(loaded.layers)
    ? (await import("../core/gate/active_agent.ts")).activeAgent(loaded)
    : null;
  const saved = Object.values(profiles);
  return {
    additionalDirectories: [...configuration.additionalDirectories, ...profile?.roots ?? []],
    addresses: [
      configuration.provider.baseURL,
      ...saved.flatMap(addressesOf),
    ],
    namesModel: configuration.provider.model !== "" || saved.length > 0,
    plugins: configuration.plugins.length === 0 ? null : loaded,
    memoryFiles: await filesOfMemory(configuration.builtinPlugins.memory, homes.state),
    worktreeFolders: flags.allowWrite && !flags.readOnly
      ? await foldersOfWorktrees(configuration.builtinPlugins.subagents, homes)
      : [],
    skills: configuration.skills,
    mcp: configuration.mcp,
    disabledPlugins: Object.entries(configuration.builtinPlugins)
      .flatMap(([id, settings]) => settings?.enabled === false ? [id] : []),
    onlyReads: profile?.onlyReads === true || agent?.onlyReads === true,
    links: profile?.links ?? [],
    closedPaths: profile?.closedPaths ?? [],
    readOnlyRoots: profile?.readOnlyRoots ?? [],
    sandboxesPrograms: (flags.allowProcess || canAsk) && profile?.onlyReads !== true &&
      agent?.onlyReads !== true &&
      await takesLandlock(profile?.sandbox ?? null, configuration.sandbox, { workspace, env }),
  };
}

async function foldersOfWorktrees(
  settings: LoadedConfiguration["configuration"]["builtinPlugins"]["subagents"],
  homes: { readonly config: string; readonly state: string },
): Promise<readonly string[]> {
  const path = settings?.worktreeDir;
  if (path === undefined || settings?.enabled === false) return [];
  const [config, state] = await Promise.all([homes.config, homes.state].map(realOrPlanned));
  return await (await import("./wall_worktrees.ts")).worktreeFolders(path, {
    config: config ?? homes.config,
    state: state ?? homes.state,
  });
}

async function filesOfMemory(
  settings: LoadedConfiguration["configuration"]["builtinPlugins"]["memory"],
  stateHome: string,
): Promise<readonly string[]> {
  const path = settings?.dbPath;
  if (path === undefined || settings?.enabled === false) return [];
  return await (await import("./wall_memory.ts")).memoryFiles(path, await realOrPlanned(stateHome));
}

/**
 * Whether a run would put its programs into a sandbox of Landlock. The agent finds out by itself in
 * the same way; where Bubblewrap is found here, no rule of Landlock may stand in its way.
 */
async function takesLandlock(
  profile: SandboxBackend | null,
  configured: SandboxBackend,
  { workspace, env }: { readonly workspace: string; readonly env: WallRequest["env"] },
): Promise<boolean> {
  if (configured === "none" && (profile === null || profile === "none")) return false;
  const [{ strictestBackend }, { selectSandbox }, { createSandboxProbes }] = await Promise.all([
    import("../core/sandbox/sandbox_backend.ts"),
    import("../core/sandbox/select_sandbox.ts"),
    import("../core/sandbox/sandbox_probes.ts"),
  ]);
  const choice = await selectSandbox(
    strictestBackend(profile, configured),
    createSandboxProbes(env, workspace),
  );
  return choice.status === "chosen" && choice.backend === "landlock";
}

type ProfileWallFacts =
  & Pick<WallConfiguration, "onlyReads" | "links" | "closedPaths" | "readOnlyRoots">
  & { readonly roots: readonly string[]; readonly sandbox: SandboxBackend };

async function profileFacts(options: ProfileOfRunOptions): Promise<ProfileWallFacts | null> {
  const [{ profileOfRun }, { profileRoots }, { sandboxBackend }] = await Promise.all([
    import("../core/gate/profile/profile_of_run.ts"),
    import("../core/gate/profile/profile_roots.ts"),
    import("../core/gate/profile/risk_profile.ts"),
  ]);
  const { placed } = await profileOfRun(options);
  if (placed === null) return null;
  const { entries } = placed.paths;
  const opened = entries.filter(({ kind }) => kind !== "forbidden");
  return {
    onlyReads: placed.profile.level === "readonly",
    roots: profileRoots(placed.paths),
    sandbox: sandboxBackend(placed.profile.sandbox),
    links: opened.flatMap(({ aliases: [path, real] }) =>
      path === undefined || real === undefined ? [] : [{ path, real }]
    ),
    closedPaths: entries.flatMap(({ kind, aliases: [path, real = path], identity }) =>
      kind !== "forbidden" || path === undefined || real === undefined
        ? []
        : [{ path, real, identity }]
    ),
    readOnlyRoots: opened.filter(({ access }) => access === "read-only")
      .flatMap(({ aliases }) => aliases.slice(-1)),
  };
}
