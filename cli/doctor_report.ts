import { ApplicationAgents } from "../core/agents/application_agents.ts";
import { isPlannedKey } from "../core/config/config_keys.ts";
import { configHome, stateHome, userHome } from "../core/config/directories.ts";
import {
  globalConfigPath,
  loadConfiguration,
  type LoadedConfiguration,
} from "../core/config/load_config.ts";
import { quoted } from "../core/config/quoted.ts";
import { findProjectRoot } from "../core/context/project_root.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { namesProfile } from "../core/gate/profile/names_profile.ts";
import { join, resolve } from "../core/paths/path.ts";
import { PluginHost } from "../core/plugins/plugin_host.ts";
import { listPluginRequests } from "../core/plugins/plugin_sources.ts";
import { findExecutable } from "../core/process/find_executable.ts";
import { installHint, type NeededProgram } from "../core/process/install_hint.ts";
import { readCredentials } from "../core/provider/credentials.ts";
import { resolvePrice } from "../core/provider/model_price.ts";
import { type OutputBudget, resolveOutputBudget } from "../core/provider/output_budget.ts";
import { readProfiles } from "../core/provider/profiles.ts";
import { ProviderRegistry } from "../core/provider/provider_registry.ts";
import {
  isUnsetModel,
  type KeyState,
  planProvider,
  type ProviderFacts,
  type SelectedProvider,
  selectProvider,
} from "../core/provider/select_provider.ts";
import { explainFileError } from "../core/session/database_file.ts";
import { openDatabase } from "../core/session/open_database.ts";
import { type ProjectTrust, projectTrust } from "../core/trust/project_trust.ts";
import { VERSION } from "../core/version.ts";
import type { PlacedProfile } from "../core/gate/profile/compare_profiles.ts";
import type { SandboxReport } from "../core/sandbox/describe_sandbox.ts";
import { resolveRoots, resolveWorkspace } from "../core/workspace.ts";
import { loadYamlParser } from "../tools/standard_tools.ts";
import type { CommandContext } from "./command_context.ts";
import { examineInstructions } from "./doctor_instructions.ts";
import { examineMcp, type McpReport } from "./doctor_mcp.ts";
import { examineSearch, type SearchReport } from "./doctor_search.ts";
import {
  type ExaminedWall,
  examineTools,
  examineWall,
  type PermissionsReport,
  type WallReport,
} from "./doctor_wall.ts";
import { BUILTIN_PLUGINS } from "./open_application.ts";
import { parseAgentsFlag } from "./parse_agents_flag.ts";

/** A program that was looked for. */
export interface ProgramReport {
  /** Where it is, or null. */
  readonly path: string | null;
  /** How to install it, when it is missing. */
  readonly hint?: string;
}

/** The provider that a run would use. */
export interface ProviderReport {
  /** Id of the kind of provider. */
  readonly id: string;
  /** The saved profile, if it is one. */
  readonly profile?: string;
  /** Empty if none is configured. */
  readonly model: string;
  /** Address of the server, without its query. */
  readonly baseURL?: string;
  /** What decided. */
  readonly source: string;
  /** What is known of the key; never the key. */
  readonly key: KeyState;
}

/** The risk profile that a run would work under. */
export interface RiskProfileReport {
  /** Its name. */
  readonly name: string;
  /** How much it lets an agent do by itself. */
  readonly level: string;
  /** What selected it: the flag, the global configuration, or a project's. */
  readonly source: string;
}

/** An agent that narrows a run. */
export interface ActiveAgentReport {
  /** Its id. */
  readonly name: string;
  /** Whether it looks and changes nothing. */
  readonly onlyReads: boolean;
  /** The only tools that it has, or null for every one. */
  readonly tools: readonly string[] | null;
}

/** How the costs of a day are limited. */
export interface CostReport {
  /** US cents. */
  readonly maxCentsPerDay: number;
  /** The key that sets it. */
  readonly key: string;
  /**
   * Who states the price of the model: the configuration, or at most the server. Without any, the
   * limit cannot be kept.
   */
  readonly price: "configuration" | "server";
}

/** What `alisio doctor` finds out. */
export interface DoctorReport {
  /** Version of Alisio. */
  readonly version: string;
  /** For example `Deno 2.9.6`. */
  readonly runtime: string;
  /** For example `linux x86_64`. */
  readonly platform: string;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Programs by name. */
  readonly programs: {
    /** For the Git tools. */
    readonly git: ProgramReport;
    /** For search and lists. */
    readonly rg: ProgramReport;
    /** For data analysis. */
    readonly python: ProgramReport;
  };
  /** Configuration files that were read, the weakest first. */
  readonly configFiles: readonly { readonly layer: string; readonly file: string }[];
  /** Global-only keys of other files, which do not count. */
  readonly ignoredKeys: readonly { readonly key: string; readonly file: string }[];
  /** Keys that are set but belong to features of a later release. */
  readonly plannedKeys: readonly string[];
  /** Whether the project is trusted. */
  readonly trust: Pick<ProjectTrust, "state" | "reason" | "resources">;
  /** What narrows a run by "agents.active", the person's own before that of a project. */
  readonly activeAgents: readonly ActiveAgentReport[];
  /** The risk profile in force, or null. */
  readonly riskProfile: RiskProfileReport | null;
  /** How the profile limits what a day costs, or null. */
  readonly costLimit: CostReport | null;
  /** The provider, if one can be chosen. */
  readonly provider: ProviderReport | null;
  /** Output tokens of a request, before the model's catalog is known. */
  readonly output: OutputBudget | null;
  /** Who is asked when a model searches the web, or null where the configuration is not usable. */
  readonly webSearch: SearchReport | null;
  /** The MCP servers; null where none is configured, or nobody can tell. */
  readonly mcp: McpReport | null;
  /** Fields that are empty because what they are read from cannot be used. */
  readonly unknown: readonly ("configFiles" | "riskProfile" | "provider" | "secondWall")[];
  /** How a run would be limited below its own code, or null. */
  readonly secondWall: WallReport | null;
  /** How a conversation at a terminal would be, where a person could approve more, or null. */
  readonly conversationWall: WallReport | null;
  /** What would hold the programs that a model starts, or null where none could be started. */
  readonly sandbox: SandboxReport | null;
  /** All of it, where `--permissions` asks for it. */
  readonly permissions?: PermissionsReport;
  /** The session database. */
  readonly sessions: { readonly path: string; readonly state: "ok" | "absent" | "unusable" };
  /** What keeps a run from working, one sentence each. */
  readonly problems: readonly string[];
  /** What a person should look at, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Examines this machine, the configuration and the provider. Asks no server and changes nothing.
 *
 * @param context What the command was called with.
 * @throws {AlisioError} `workspace_invalid`, or `config_invalid` if there is no home folder.
 */
export async function examine(context: CommandContext): Promise<DoctorReport> {
  const workspace = await resolveWorkspace(context.cwd);
  const problems: string[] = [];
  const warnings: string[] = [];
  const trust = await examineTrust(context, workspace);
  warnings.push(...trust.notices);
  const [programs, loaded] = await Promise.all([
    examinePrograms(context, workspace, warnings),
    keepProblem(problems, () => load(context, workspace, trust.state === "trusted")),
  ]);
  warnings.push(...loaded?.notices ?? []);
  const instructions = await examineInstructions(context, workspace, trust, loaded);
  warnings.push(...instructions.notices);
  const activeAgents = await examineAgents(context, loaded, {
    workspace,
    trusted: trust.state === "trusted",
    warnings,
  });
  const riskProfile = loaded === undefined
    ? undefined
    : await examineProfile(context, loaded, { problems, warnings });
  const provider = loaded === undefined ? undefined : await examineProvider(context, loaded, {
    problems,
    warnings,
    mayHavePlugins: hasPlugins(context, workspace, loaded, trust.state === "trusted"),
  });
  const costs = riskProfile && loaded && provider
    ? examineCosts(riskProfile, loaded.configuration.provider.prices, provider)
    : null;
  const wall = await keepProblem(problems, () => examineWall(context));
  const permissions = context.commandFlags["permissions"] === true && wall !== undefined
    ? await examinePermissions(context, wall, problems)
    : undefined;
  const sandbox = loaded === undefined || riskProfile === undefined
    ? null
    : await examineSandbox(context, { workspace, loaded, profile: riskProfile, warnings });
  const sessions = examineSessions(context, problems);
  return {
    version: VERSION,
    runtime: `Deno ${Deno.version.deno}`,
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    workspace,
    programs,
    configFiles: (loaded?.layers ?? []).flatMap(({ source: { layer, file } }) =>
      file === undefined ? [] : [{ layer, file }]
    ),
    ignoredKeys: loaded?.ignored ?? [],
    plannedKeys: [...loaded?.sources.keys() ?? []].filter(isPlannedKey),
    trust: { state: trust.state, reason: instructions.trustReason, resources: trust.resources },
    activeAgents,
    riskProfile: riskProfile?.report ?? null,
    costLimit: costs,
    provider: provider ?? null,
    output: loaded === undefined
      ? null
      : resolveOutputBudget({ explicit: loaded.configuration.limits.maxOutputTokens }),
    webSearch: loaded === undefined
      ? null
      : examineSearch(loaded.configuration.websearch, context.env),
    mcp: loaded === undefined ? null : examineMcp(loaded.configuration.mcp, context.flags),
    unknown: [
      ...(loaded === undefined ? ["configFiles"] as const : []),
      ...(riskProfile === undefined ? ["riskProfile"] as const : []),
      ...(provider === undefined ? ["provider"] as const : []),
      ...(wall === undefined ? ["secondWall"] as const : []),
    ],
    secondWall: wall?.summary ?? null,
    conversationWall: wall?.conversation ?? null,
    sandbox,
    ...(permissions === undefined ? {} : { permissions }),
    sessions,
    problems,
    warnings,
  };
}

async function examinePermissions(
  context: CommandContext,
  { details }: ExaminedWall,
  problems: string[],
): Promise<PermissionsReport> {
  const tools = await keepProblem(problems, () => examineTools(context));
  return { ...details, tools: tools ?? null };
}

async function examineTrust(context: CommandContext, workspace: string): Promise<ProjectTrust> {
  const { env, flags } = context;
  return await projectTrust({
    workspace,
    stateHome: stateHome(env),
    trustProjectFlag: flags.trustProject,
    ...(flags.config === undefined ? {} : { explicitConfig: resolve(context.cwd, flags.config) }),
  });
}

async function load(
  context: CommandContext,
  workspace: string,
  trusted: boolean,
): Promise<LoadedConfiguration> {
  const { env, flags } = context;
  const { baseUrl, model, apiMode } = flags;
  return await loadConfiguration({
    configHome: configHome(env),
    workspace,
    trusted,
    env,
    ...(flags.config === undefined ? {} : { explicitPath: resolve(context.cwd, flags.config) }),
    overrides: {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(model === undefined ? {} : { model }),
      ...(apiMode === undefined ? {} : { apiMode }),
    },
  });
}

interface ExaminedProfile {
  readonly placed: PlacedProfile;
  readonly report: RiskProfileReport;
  readonly maxCostPerDayCents: number;
}

async function examineAgents(
  { flags, env }: CommandContext,
  loaded: LoadedConfiguration | undefined,
  { workspace, trusted, warnings }: {
    readonly workspace: string;
    readonly trusted: boolean;
    readonly warnings: string[];
  },
): Promise<readonly ActiveAgentReport[]> {
  if (loaded === undefined) return [];
  const home = userHome(env);
  const root = await findProjectRoot(workspace);
  const agents = new ApplicationAgents({
    loaded,
    ...flags.agents === undefined ? {} : { given: parseAgentsFlag(flags.agents) },
    // No code of plugins runs here, so that what they bring is not among them.
    sources: () => ({
      configHome: configHome(env),
      ...home === undefined ? {} : { home },
      root,
      cwd: workspace,
      trusted,
      plugins: [],
    }),
    loadYamlParser,
    canAsk: false,
    isBusy: () => false,
    onChanged: () => {},
  });
  await agents.prepare((notice) => void warnings.push(notice));
  const { policies } = agents;
  const reports = policies.flatMap((policy) =>
    policy.kind !== "agent" ? [] : [{
      name: policy.agent,
      onlyReads: policy.onlyReads,
      tools: policy.tools === null ? null : [...policy.tools],
    }]
  );
  // The project's is the person's own where no file of it says otherwise.
  return [...new Map(reports.map((report) => [JSON.stringify(report), report])).values()];
}

/** The profile in force, null if there is none, undefined if it cannot be found out. */
async function examineProfile(
  { cwd, env, flags }: CommandContext,
  loaded: LoadedConfiguration,
  found: { readonly problems: string[]; readonly warnings: string[] },
): Promise<ExaminedProfile | null | undefined> {
  const flag = flags.riskProfile;
  if (!namesProfile(loaded.layers, flag)) return null;
  const { profileOfRun } = await import("../core/gate/profile/profile_of_run.ts");
  const selected = await keepProblem(
    found.problems,
    () => profileOfRun({ loaded, flag, cwd, env }),
  );
  found.warnings.push(...selected?.notices ?? []);
  if (selected === undefined) return undefined;
  if (selected.placed === null) return null;
  const { profile } = selected.placed;
  return {
    placed: selected.placed,
    report: { name: profile.alias, level: profile.level, source: selected.source ?? "" },
    maxCostPerDayCents: profile.maxCostPerDayCents,
  };
}

/** Null under a profile that starts no programs, and where the folders of a run are not usable. */
async function examineSandbox(
  { cwd, env, flags }: CommandContext,
  { workspace, loaded, profile, warnings }: {
    readonly workspace: string;
    readonly loaded: LoadedConfiguration;
    readonly profile: ExaminedProfile | null;
    readonly warnings: string[];
  },
): Promise<SandboxReport | null> {
  if (profile?.placed.profile.level === "readonly") return null;
  const [{ describeSandbox }, { profileRoots }, { sandboxBackend }] = await Promise.all([
    import("../core/sandbox/describe_sandbox.ts"),
    import("../core/gate/profile/profile_roots.ts"),
    import("../core/gate/profile/risk_profile.ts"),
  ]);
  const placed = profile?.placed;
  const roots = await keepProblem([], () =>
    resolveRoots(workspace, [
      ...loaded.configuration.additionalDirectories,
      ...(placed === undefined ? [] : profileRoots(placed.paths)),
      ...flags.addDir.map((directory) => resolve(cwd, directory)),
    ]));
  if (roots === undefined) return null;
  const report = await describeSandbox({
    workspace,
    roots,
    profile: placed === undefined ? null : {
      alias: placed.profile.alias,
      backend: sandboxBackend(placed.profile.sandbox),
      paths: placed.paths.entries,
    },
    configured: loaded.configuration.sandbox,
    possible: {
      write: flags.allowWrite && !flags.readOnly,
      external: flags.allowExternal && !flags.readOnly,
    },
    env,
    homes: { config: configHome(env), state: stateHome(env) },
    secretFiles: [],
  });
  if (report.warning !== undefined) warnings.push(report.warning);
  return report;
}

/** Asks no server, so it is not known what that states. */
function examineCosts(
  { report, maxCostPerDayCents }: ExaminedProfile,
  configured: LoadedConfiguration["configuration"]["provider"]["prices"],
  { profile, model }: ProviderReport,
): CostReport {
  const names = [...(profile === undefined ? [] : [`${profile}/${model}`]), model];
  const price = resolvePrice({ names, configured, catalog: undefined });
  return {
    maxCentsPerDay: maxCostPerDayCents,
    key: `riskProfiles.${report.name}.maxCostPerDayCents`,
    price: price === undefined ? "server" : "configuration",
  };
}

async function examinePrograms(
  { env }: CommandContext,
  workspace: string,
  warnings: string[],
): Promise<DoctorReport["programs"]> {
  const options = { path: env["PATH"], pathExt: env["PATHEXT"], exclude: [workspace] };
  const needed = async (name: NeededProgram, title: string): Promise<ProgramReport> => {
    const path = await findExecutable(name, options);
    if (path !== null) return { path };
    const hint = installHint(name, Deno.build.os);
    warnings.push(`${title} is missing; install it with: ${hint}`);
    return { path, hint };
  };
  const [git, rg, python3, python] = await Promise.all([
    needed("git", "Git"),
    needed("rg", "ripgrep"),
    findExecutable("python3", options),
    findExecutable("python", options),
  ]);
  const path = python3 ?? python;
  const hint = "install Python 3.10 or later for data analysis";
  return { git, rg, python: path === null ? { path, hint } : { path } };
}

/** The provider, null if none can be chosen, undefined if that cannot be found out. */
async function examineProvider(
  context: CommandContext,
  loaded: LoadedConfiguration,
  found: {
    readonly problems: string[];
    readonly warnings: string[];
    /** Whether a run would load external plugins. */
    readonly mayHavePlugins: boolean;
  },
): Promise<ProviderReport | null | undefined> {
  const facts = await keepProblem(found.problems, () => gatherFacts(context, loaded, found));
  if (facts === undefined) return undefined;
  const plan = await keepProblem(found.problems, () => planProvider(facts));
  if (plan === undefined) return null;
  found.warnings.push(...plan.notices);
  const selected = await keepProblem(found.problems, () => selectProvider(facts));
  if (loaded.configuration.websearch.provider === "native" && selected !== undefined) {
    await keepProblem(found.problems, () => assertNative(selected));
  }
  const { registrationId, profileId, model, baseURL, source, key } = plan;
  return {
    id: registrationId,
    ...(profileId === undefined ? {} : { profile: profileId }),
    model: isUnsetModel(model) ? "" : model,
    ...(baseURL === undefined ? {} : { baseURL }),
    source,
    key,
  };
}

/** Providers of plugins say themselves what they accept, and none is asked here. */
async function assertNative({ registrationId, profileValues }: SelectedProvider): Promise<void> {
  if (registrationId !== "openai-compatible") return;
  const { assertServerTools } = await import("../core/run/native_search.ts");
  assertServerTools({ acceptsServerTools: profileValues["apiMode"] === "responses" });
}

async function gatherFacts(
  context: CommandContext,
  loaded: LoadedConfiguration,
  { warnings, mayHavePlugins }: { readonly warnings: string[]; readonly mayHavePlugins: boolean },
): Promise<ProviderFacts> {
  const home = configHome(context.env);
  const [profiles, stored, registrations] = await Promise.all([
    readProfiles(home),
    readCredentials(home),
    registerProviders(context.flags.disablePlugin),
  ]);
  warnings.push(...stored.notices);
  return {
    loaded,
    profiles,
    credentials: stored.credentials,
    sessions: stored.sessions,
    env: context.env,
    registration(id) {
      const known = registrations.get(id);
      if (known !== undefined || !mayHavePlugins) return known;
      const warning = `Provider ${quoted(id)} comes with a plugin, if it comes at all, and this ` +
        "command loads none; see alisio plugins doctor";
      if (!warnings.includes(warning)) warnings.push(warning);
      // A session says that the provider knows accounts.
      const session = Object.values(stored.sessions).find(({ provider }) => provider === id);
      return session === undefined ? {} : { auth: [{ id: session.method }] };
    },
    cwd: resolve(context.cwd),
    configFile: globalConfigPath(home),
  };
}

/** Whether a run would load external plugins. None of their code is run for it. */
function hasPlugins(
  { flags, cwd, env }: CommandContext,
  workspace: string,
  loaded: LoadedConfiguration,
  trusted: boolean,
): boolean {
  if (flags.readOnly) return false;
  return listPluginRequests({
    flags: flags.plugin,
    cwd,
    loaded,
    configHome: configHome(env),
    workspace,
    trusted,
  }).length > 0;
}

async function registerProviders(disabled: readonly string[]): Promise<ProviderRegistry> {
  const registry = new ProviderRegistry();
  const host = new PluginHost({
    registerTool: () => () => {},
    registerProvider: (registration) => registry.register(registration),
    disposeTimeoutMs: 0,
  });
  for (const { id, load: loadPlugin } of BUILTIN_PLUGINS) {
    if (!disabled.includes(id)) await host.add(await loadPlugin({ redact: (text) => text }));
  }
  return registry;
}

function examineSessions(context: CommandContext, problems: string[]): DoctorReport["sessions"] {
  const path = context.flags.db === undefined
    ? join(stateHome(context.env), "sessions.sqlite")
    : resolve(context.cwd, context.flags.db);
  try {
    Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { path, state: "absent" };
  }
  try {
    openDatabase(path, { mode: "read", isChosen: context.flags.db !== undefined }).close();
    // Reading works on a read-only file system, and a run does not.
    Deno.openSync(path, { write: true }).close();
    return { path, state: "ok" };
  } catch (error) {
    problems.push(errorMessage(explainFileError(error, path)));
    return { path, state: "unusable" };
  }
}

/** A failure that a person can act on is a finding; any other one is a fault. */
async function keepProblem<T>(
  problems: string[],
  action: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    if (!problems.includes(error.message)) problems.push(error.message);
    return undefined;
  }
}
