import {
  createPluginAsker,
  type PanelAction,
  type PluginPanel,
  type PluginStatus,
} from "./plugins/plugin_ui.ts";
import type {
  CompletionRequest,
  JsonObject,
  ModelMessage,
  PluginModels,
  ProviderRegistration,
  RunEventData,
} from "@alisio/sdk";
import type { ChildPlace, ChildSessions, OpenChild } from "./children/child_sessions.ts";
import type { CompactionHookPort } from "./compaction/compactor.ts";
import type {
  ApplicationOptions,
  BuiltinPluginPorts,
  OpenOptions,
  StartupFacts,
} from "./application_options.ts";
import type { Configuration } from "./config/configuration.ts";
import type { NativeSearch } from "./run/native_search.ts";
import { configHome, stateHome, userHome } from "./config/directories.ts";
import { isObject } from "./config/is_object.ts";
import { loadConfiguration, type LoadedConfiguration } from "./config/load_config.ts";
import type { InstructionSources } from "./context/instruction_files.ts";
import { readInstructionFiles } from "./context/instruction_files.ts";
import { findProjectRoot } from "./context/project_root.ts";
import type { AttachedInstructions } from "./context/nested_instructions.ts";
import type { AgentSources } from "./agents/agent_folders.ts";
import type { AgentDrafts } from "./agents/agent_drafts.ts";
import type { AgentStore } from "./agents/agent_store.ts";
import { ApplicationAgents } from "./agents/application_agents.ts";
import { AlisioError, errorMessage } from "./errors.ts";
import {
  type Approvers,
  askHere,
  channelProblem,
  channelsOf,
} from "./gate/approval/approval_plan.ts";
import { decide } from "./gate/decide.ts";
import { Gate, type GatePorts } from "./gate/gate.ts";
import { NO_GRANTS } from "./gate/grants.ts";
import {
  type DecidedEffect,
  modeOfFlags,
  modePolicy,
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionModeLabel,
} from "./gate/permission_mode.ts";
import {
  type EffectPolicy,
  type PermissionFlags,
  policiesFromFlags,
  type Policy,
  type Verdict,
} from "./gate/policy.ts";
import type { BoundProfile } from "./gate/profile/bind_profile.ts";
import { namesProfile } from "./gate/profile/names_profile.ts";
import type { RestoreRules } from "./rewind/plan_restore.ts";
import { isClosed } from "./paths/is_closed.ts";
import { isInside } from "./paths/is_inside.ts";
import { judgePath } from "./paths/judge_path.ts";
import { findOwnFiles, type OwnPlaces } from "./paths/own_files.ts";
import { join, resolve } from "./paths/path.ts";
import { isProtectedPath } from "./paths/protected_paths.ts";
import { quotePath } from "./paths/quote_path.ts";
import { isSecretFile } from "./paths/secret_files.ts";
import { AFTER_COMPACT, BEFORE_COMPACT, type PluginCommand } from "./plugins/plugin_api.ts";
import type { CatalogPlugin, PluginLeftOut } from "./plugins/plugin_catalog.ts";
import type { SessionHook } from "./plugins/session_hooks.ts";
import { PluginHost, type PluginSummary } from "./plugins/plugin_host.ts";
import type { PluginRequest } from "./plugins/plugin_sources.ts";
import { openPluginDatabase } from "./plugins/plugin_storage.ts";
import type { CommandResult } from "./plugins/run_plugin_command.ts";
import { pluginFolders } from "./plugins/plugin_folders.ts";
import { StreamRedactor } from "./process/stream_redactor.ts";
import {
  type Extension,
  EXTENSION_POINTS,
  type ExtensionConflict,
} from "./plugins/extension_registry.ts";
import {
  type ChosenModel,
  chosenModel,
  connectModel,
  describeConnection,
} from "./provider/connect_model.ts";
import type { ConnectDesk } from "./provider/connect_desk.ts";
import { credentialsPath, renewedSessionsPath } from "./provider/credentials_path.ts";
import type { ApplicationMcp } from "./mcp/application_mcp.ts";
import type { ImplementationPrompt } from "./plan/implementation_prompt.ts";
import type { ApplicationPlans } from "./plan/application_plans.ts";
import type { ExpandedPrompt } from "./prompts/expand_prompt.ts";
import type { PromptTemplateListing } from "./prompts/prompt_template.ts";
import { ProviderRegistry } from "./provider/provider_registry.ts";
import { createConfiguredRedactor, redactConfigured } from "./redact.ts";
import { secretEnvironmentValues } from "./secret_names.ts";
import { basePrompt } from "./run/base_prompt.ts";
import { toModelMessage } from "./run/transcript.ts";
import type { CostMeter } from "./run/cost_meter.ts";
import { type Connection, OpenSession, type OpenSessionPorts } from "./run/open_session.ts";
import type { RunReceipts } from "./run/run_ports.ts";
import type { SideQuestions } from "./side_questions/side_questions.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { UsableBackend } from "./sandbox/sandbox_backend.ts";
import { VERSION } from "./version.ts";
import { acquireLease, type SessionLease } from "./session/lease.ts";
import { assertRecovered } from "./session/recovery.ts";
import { quoted } from "./config/quoted.ts";
import { openSessionStore, type SessionStore } from "./session/session_store.ts";
import type { SessionGoals } from "./goals/session_goals.ts";
import { ApplicationSkills } from "./skills/application_skills.ts";
import type { SkillListing } from "./skills/skill.ts";
import type { SkillSources } from "./skills/skill_roots.ts";
import type { BackgroundTasks } from "./tasks/background_tasks.ts";
import { previewText } from "./text/bound_text.ts";
import type { QuestionAsker } from "./tools/user_question.ts";
import { ToolRegistry } from "./tools/tool_registry.ts";
import type { KeepTrustOptions } from "./trust/keep_trust.ts";
import { type ProjectTrust, projectTrust } from "./trust/project_trust.ts";
import { realOrPlanned, resolveRoots, resolveWorkspace } from "./workspace.ts";

/** Old background tasks are deleted so long after a session is opened, and so often later. */
const FIRST_SWEEP_MS = 30_000;
const SWEEP_INTERVAL_MS = 86_400_000;

/** The tool that searches the web, and the extension point that takes its place. */
const SEARCH_TOOL = "websearch";

/** The agent that works on no goal. */
const PLANNER = "plan";

/**
 * Opens Alisio on a workspace: configuration and trust, the record, tools, policies and the gate.
 * Nothing is sent to anybody before a session runs.
 *
 * @param options How it is opened.
 * @throws {AlisioError} If the workspace, the configuration, the database or a channel for approvals
 * is not usable.
 */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const notify = options.onNotice ?? (() => {});
  const problem = channelProblem(approversOf(options));
  if (problem !== null) throw new AlisioError("usage", `Cannot ask for approval: ${problem}`);
  const workspace = resolveWorkspace(options.cwd);
  const homes = { config: configHome(options.env), state: stateHome(options.env) };
  // Looked up side by side: each waits for the file system, not for the others.
  const projectRoot = findProjectRoot(workspace);
  const { trust, loaded } = await loadTrusted(options, workspace, homes);
  for (const notice of [...trust.notices, ...loaded.notices]) notify(notice);
  const profile = namesProfile(loaded.layers, options.riskProfile)
    ? await findProfile(options, workspace, loaded)
    : null;
  const roots = options.readOnly === true ? [workspace] : resolveRoots(workspace, [
    ...loaded.configuration.additionalDirectories,
    ...profile?.roots ?? [],
    ...(options.addDir ?? []).map((directory) => resolve(options.cwd, directory)),
  ]);
  const databasePath = options.db === undefined
    ? join(homes.state, "sessions.sqlite")
    : resolve(options.cwd, options.db);
  const store = openSessionStore(databasePath, {
    isChosen: options.db !== undefined,
    onNotice: ({ message }) => notify(message),
  });
  try {
    const [config, state, credentials, ownFiles, root] = await Promise.all([
      realOrPlanned(homes.config),
      realOrPlanned(homes.state),
      // The file may be a link to where a person keeps such files.
      realOrPlanned(credentialsPath(homes.config)),
      findOwnFiles(ownPlaces(options, { workspace, homes, stateRoot: store.stateRoot })),
      projectRoot,
    ]);
    const application = new Application({
      options,
      workspace,
      roots,
      homes,
      trust,
      loaded,
      store,
      ownFiles,
      secretFiles: [
        ...new Set([credentials, credentialsPath(config), renewedSessionsPath(state)]),
      ],
      profile,
      instructions: {
        configHome: homes.config,
        root,
        cwd: workspace,
        trusted: trust.state === "trusted",
        ...loaded.configuration.context,
        ...(profile === null ? {} : closedTo(profile, roots)),
      },
    });
    application.prepare();
    try {
      await application.loadOwnPlugins();
      await application.loadPlugins();
      await application.openMcp();
      // Plugins bring agents too.
      await application.agents.prepare(notify);
      application.startServers();
      await application.settleSearch(notify);
      application.checkToolNames(notify);
      await application.confine(notify);
    } catch (error) {
      await application.close();
      throw error;
    }
    return application;
  } catch (error) {
    store.close();
    throw error;
  }
}

/** What a profile closes instructs nobody either. */
function closedTo(
  profile: BoundProfile,
  roots: readonly string[],
): Pick<InstructionSources, "isClosed"> {
  const closed = profile.closedPaths(roots);
  return { isClosed: (real) => isClosed(real, closed, roots) };
}

/** A database that was chosen lies in a folder of the person's, of which only its own files count. */
function ownPlaces(
  options: ApplicationOptions,
  { workspace, homes, stateRoot }: {
    readonly workspace: string;
    readonly homes: { readonly config: string; readonly state: string };
    readonly stateRoot: string;
  },
): OwnPlaces {
  const { cwd, config, db } = options;
  const database = db === undefined ? [] : [
    ...["", "-wal", "-shm", "-journal"].map((ending) => resolve(cwd, db) + ending),
    ...["locks", "outputs", "blobs", "tasks", "artifacts"].map((name) => join(stateRoot, name)),
  ];
  return {
    folders: [homes.config, homes.state],
    project: join(workspace, ".alisio"),
    files: [...config === undefined ? [] : [resolve(cwd, config)], ...database],
  };
}

/** The risk profile of the run. Only here is the code of profiles loaded. */
async function findProfile(
  options: ApplicationOptions,
  workspace: string,
  loaded: LoadedConfiguration,
): Promise<BoundProfile | null> {
  const { bindProfile } = await import("./gate/profile/bind_profile.ts");
  const { allowWrite, allowProcess, allowExternal } = options;
  const { bound, notices } = await bindProfile({
    loaded,
    flag: options.riskProfile,
    cwd: options.cwd,
    workspace,
    env: options.env,
    approvers: approversOf(options),
    permitted: [
      ...(allowWrite === true ? ["write"] as const : []),
      ...(allowProcess === true ? ["process"] as const : []),
      ...(allowExternal === true ? ["external"] as const : []),
    ],
  });
  for (const notice of notices) options.onNotice?.(notice);
  return bound;
}

function approversOf({ approve, approvalChannels = [] }: ApplicationOptions): Approvers {
  return { originators: channelsOf(approve), channels: approvalChannels };
}

/** Decides about the project first: until then, its configuration is not opened. */
async function loadTrusted(
  options: ApplicationOptions,
  workspace: string,
  homes: { readonly config: string; readonly state: string },
): Promise<{ readonly trust: ProjectTrust; readonly loaded: LoadedConfiguration }> {
  const explicitPath = options.config === undefined
    ? undefined
    : resolve(options.cwd, options.config);
  const trust = await projectTrust({
    workspace,
    stateHome: homes.state,
    trustProjectFlag: options.trustProject ?? false,
    ...(explicitPath === undefined ? {} : { explicitConfig: explicitPath }),
  });
  const loaded = await loadConfiguration({
    configHome: homes.config,
    workspace,
    ...(explicitPath === undefined ? {} : { explicitPath }),
    trusted: trust.state === "trusted",
    env: options.env,
    overrides: {
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      ...(options.apiMode === undefined ? {} : { apiMode: options.apiMode }),
    },
  });
  return { trust, loaded };
}

/** Alisio, opened on one workspace. */
export class Application {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real paths that tools may touch; the workspace is the first. */
  readonly roots: readonly string[];
  /**
   * Whether the project's own files may configure and instruct.
   *
   * @internal
   */
  readonly trust: ProjectTrust;
  /**
   * The configuration, and where each part of it comes from.
   *
   * @internal
   */
  readonly loaded: LoadedConfiguration;
  /**
   * The record of all sessions.
   *
   * @internal
   */
  readonly store: SessionStore;
  /**
   * The one door to every tool.
   *
   * @internal
   */
  readonly gate: Gate;
  /**
   * The agents that can hold a conversation, and which of them runs.
   *
   * @internal
   */
  readonly agents: ApplicationAgents;
  readonly #options: ApplicationOptions;
  readonly #homes: { readonly config: string; readonly state: string };
  readonly #tools = new ToolRegistry();
  readonly #providers = new ProviderRegistry();
  readonly #plugins: PluginHost;
  readonly #instructions: InstructionSources;
  readonly #skills: ApplicationSkills;
  /** Loaded before the first run that may plan, or with a session that has a plan. */
  #plans: ApplicationPlans | undefined;
  /** What the person switched since the application was opened. */
  readonly #skillSwitches = new Map<string, boolean>();
  readonly #secretFiles: readonly string[];
  readonly #isProtected: (real: string) => boolean;
  /** Real paths of what is Alisio's own. */
  readonly #ownFiles: readonly string[];
  readonly #gatePorts: Omit<GatePorts, "policies">;
  #children: ChildSessions | undefined;
  readonly #profile: BoundProfile | null;
  readonly #flags: PermissionFlags;
  #mode: PermissionModeLabel;
  /** Takes the place of what flags permit. */
  #chosenMode: EffectPolicy | undefined;
  readonly #attached = new Map<string, AttachedInstructions>();
  readonly #sessions = new Set<OpenSession>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #secrets = new Set<string>();
  readonly #environmentSecrets: readonly string[];
  /** Of each hook one at most, until a run tells of it. */
  readonly #hookFailures: RunEventData["plugin_hook_failed"][] = [];
  /** Aborts when the application closes. */
  readonly #closing = new AbortController();
  #loadedPlugins: { close(): void } | undefined;
  #desk: ConnectDesk | undefined;
  /** External plugins that are not set up. */
  readonly #leftOut: PluginLeftOut[] = [];
  /** Code that the first call to a tool needs. */
  #nested: Promise<typeof import("./context/nested_instructions.ts")> | undefined;
  #unregisterSearch: (() => void) | undefined;
  /** Where the model's server searches the web. */
  #nativeSearch: NativeSearch | undefined;
  #sandbox: Sandbox | null = null;
  #mcp: ApplicationMcp | undefined;
  #tasks: Promise<BackgroundTasks> | undefined;
  #sweep: ReturnType<typeof setTimeout> | undefined;
  #goals: Promise<SessionGoals> | undefined;
  /** Whether programs in the sandbox may reach the network. */
  #hasNetwork = true;
  #redact: (text: string) => string = (text) => text;
  readonly #builtinPorts: BuiltinPluginPorts = { redact: (text) => this.#redact(text) };

  /**
   * Use {@linkcode createApplication}.
   *
   * @param parts What it is made of.
   */
  constructor(
    parts: {
      readonly options: ApplicationOptions;
      readonly workspace: string;
      readonly roots: readonly string[];
      readonly homes: { readonly config: string; readonly state: string };
      readonly trust: ProjectTrust;
      readonly loaded: LoadedConfiguration;
      readonly store: SessionStore;
      /** Real paths of Alisio's own files and folders, which tools never change unasked. */
      readonly ownFiles: readonly string[];
      /** Real paths of the files of stored keys. */
      readonly secretFiles: readonly string[];
      /** The risk profile that is in force. */
      readonly profile: BoundProfile | null;
      readonly instructions: InstructionSources;
    },
  ) {
    const { options, workspace, roots, homes, ownFiles, profile } = parts;
    const approvals = profile?.approvals ?? askHere(channelsOf(options.approve));
    const isProtected = (real: string) => isProtectedPath(real, { workspace, own: ownFiles });
    const closedPaths = profile?.closedPaths(roots) ?? [];
    this.#isProtected = isProtected;
    this.#ownFiles = ownFiles;
    this.#profile = profile;
    this.#flags = {
      readOnly: options.readOnly ?? false,
      allowWrite: options.allowWrite ?? false,
      allowProcess: options.allowProcess ?? false,
      allowExternal: options.allowExternal ?? false,
      allowMcp: parts.loaded.configuration.mcp.allow || options.allowMcp === true,
      ...(options.allowedTools === undefined ? {} : { allowedTools: options.allowedTools }),
      interactive: approvals.hops.length > 0,
    };
    this.#mode = modeOfFlags(this.#flags);
    this.#instructions = parts.instructions;
    this.#secretFiles = parts.secretFiles;
    this.#options = options;
    this.#environmentSecrets = secretEnvironmentValues(options.env);
    this.#homes = homes;
    this.workspace = workspace;
    this.roots = roots;
    this.trust = parts.trust;
    this.loaded = parts.loaded;
    this.store = parts.store;
    this.#hideSecrets(profile?.secrets ?? []);
    this.#plugins = new PluginHost({
      registerTool: (tool, { id }, isBuiltin) =>
        isBuiltin && tool.effect === "internal"
          ? this.#tools.registerBuiltin({
            ...tool,
            effect: "internal",
            // A snippet ends within seconds, and nobody would see whom it hands work to.
            directOnly: options.plugins.some((each) => each.id === id && each.delegates === true),
          })
          : this.#tools.registerPlugin(tool),
      sessions: () => this.#children,
      agents: {
        list: async () => {
          const { definitions, shadowed, diagnostics } = await this.agents.list();
          return { agents: definitions, shadowed, notices: diagnostics };
        },
      },
      registerProvider: (registration) => this.#providers.register(registration),
      disposeTimeoutMs: parts.loaded.configuration.pluginHooks.disposeTimeoutMs,
      reservedIds: options.plugins.map(({ id }) => id),
      state: {
        get: (plugin, key) => parts.store.pluginState(plugin, key),
        set: (plugin, key, value) => parts.store.setPluginState(plugin, key, value),
      },
      openDatabase: openPluginDatabase,
      folders: { state: parts.store.stateRoot, config: homes.config },
      optionsOf: (id) => optionsOfPlugin(parts.loaded.configuration, id),
      complete: (request) => this.#complete(request),
      models: {
        list: async () => await (await this.#models()).list(),
        resolve: async (name) => await (await this.#models()).resolve(name),
      },
      ...(options.ask === undefined ? {} : {
        ask: createPluginAsker(this.#pausing(options.ask), this.#closing.signal),
      }),
      ...(options.view === undefined ? {} : {
        view: (sessionId) =>
          this.store.session(sessionId) !== undefined && options.view?.(sessionId) === true,
      }),
      onFailure: ({ plugin, hook, notice, error }) => {
        this.#notify(notice);
        if (error === undefined) return;
        this.#hookFailures.push({ source: plugin, hook, error, continued: true });
      },
    });
    this.#skills = new ApplicationSkills({
      sources: () => this.#skillSources(),
      isClosed: (real) => this.#isUnreadable(real),
      isDisabled: (name) => this.#isSkillDisabled(name),
      ...(options.loadYamlParser === undefined ? {} : { loadYamlParser: options.loadYamlParser }),
    });
    this.agents = new ApplicationAgents({
      loaded: parts.loaded,
      ...(options.agents === undefined ? {} : { given: options.agents }),
      sources: () => this.#agentSources(),
      ...(options.loadYamlParser === undefined ? {} : { loadYamlParser: options.loadYamlParser }),
      isClosed: (real) => this.#isUnreadable(real),
      ...(options.effort === undefined ? {} : { effort: options.effort }),
      canAsk: this.#flags.interactive,
      ...(profile === null ? {} : { riskProfile: profile.sandbox.alias }),
      isBusy: () => this.#isBusy(),
      onChanged: () => this.#replacePolicies(),
    });
    this.#gatePorts = {
      tools: this.#tools,
      workspace,
      roots,
      // The spelling that the person started with is judged too, and may be a symbolic link.
      judgePath: (requested) =>
        judgePath(requested, { workspace: resolve(options.cwd), roots, closedPaths }),
      isProtected,
      isSecret: (real) => this.#isSecret(real),
      loadValidator: options.loadValidator,
      canAskQuestions: options.ask !== undefined,
      redact: (text) => this.#redact(text),
      redactShown: (text) =>
        redactConfigured(text, [...this.#secrets, ...this.#environmentSecrets]),
      nestedInstructions: (paths, sessionId) =>
        this.#nestedInstructions(paths.map(({ real }) => real), sessionId),
      approvals,
      unusualPrograms: async (tool, input) => {
        const { unusualPrograms } = await import("./gate/approval/unusual_programs.ts");
        const home = userHome(options.env);
        return await unusualPrograms(tool, input, {
          workspace,
          folders: roots,
          env: profile?.tools.environment ?? options.env,
          ...(home === undefined ? {} : { home }),
        });
      },
      ...(profile === null ? {} : {
        profile: profile.gate({
          roots,
          isOwnFile: isProtected,
          earlierCalls: parts.store.recentCalls(Date.now() - profile.budgetMs),
        }),
      }),
    };
    this.gate = new Gate({ ...this.#gatePorts, policies: this.#policies() });
  }

  /**
   * Registers the tools. Called once, by {@linkcode createApplication}.
   *
   * @throws {AlisioError} `tool_invalid`
   */
  prepare(): void {
    const { workspace, loaded } = this;
    const tools = this.#options.tools({
      workspace,
      loaded,
      env: this.#options.env,
      instructions: this.#instructions,
      attachedInstructions: (sessionId) => this.#attachedTo(sessionId),
      skills: this.#skills,
      secretFiles: [...this.#secretFiles, ...this.#profile?.closedPaths(this.roots) ?? []],
      isSecret: (real) => this.#isSecret(real),
      ...(this.#profile === null ? {} : { profile: this.#profile.tools }),
      sandbox: () => this.#sandbox,
      createRedactor: () => new StreamRedactor([...this.#secrets]),
      tasks: () => this.tasks(),
      taskEnds: this.#options.taskEnds ?? "never",
      plans: {
        isOffered: () => this.#plans?.isOffered() === true,
        maxDiagrams: () => this.#plans?.maxDiagrams() ?? 0,
        propose: async (input, call) => await (await this.#openPlans()).propose(input, call),
      },
      goals: {
        isActive: (sessionId) =>
          this.loaded.configuration.goal.enabled && this.agents.active.id !== PLANNER &&
          this.store.hasActiveGoal(sessionId),
        open: () => this.goals(),
      },
      searchExtensions: {
        chosen: () => this.#plugins.extensions("websearch")[0],
        timeoutMs: loaded.configuration.pluginHooks.timeoutMs,
        failed: (plugin, error) => this.#plugins.failed(plugin, "websearch", error),
      },
      ...(this.#options.ask === undefined ? {} : { ask: this.#options.ask }),
    });
    for (const tool of tools) {
      const unregister = this.#tools.registerBuiltin(tool);
      if (tool.name === SEARCH_TOOL) this.#unregisterSearch = unregister;
    }
  }

  /**
   * Takes the tool that searches the web away where the model's server does that, unless a plugin
   * searches in place of both. Called once, by {@linkcode createApplication}, when every plugin is
   * there that will be.
   *
   * @param notify Takes one sentence, where nothing may search.
   */
  async settleSearch(notify: (notice: string) => void): Promise<void> {
    const { websearch } = this.loaded.configuration;
    if (websearch.provider !== "native" || this.#plugins.extensions(SEARCH_TOOL).length > 0) return;
    const { nativeSearch } = await import("./run/native_search.ts");
    this.#nativeSearch = nativeSearch({ tool: SEARCH_TOOL, type: websearch.nativeToolType });
    this.#unregisterSearch?.();
    const notice = this.#options.readOnly === true ? null : this.#nativeSearch.notice(this.gate);
    if (notice !== null) notify(notice);
  }

  /**
   * Why the model's server cannot be let search with the model that is configured.
   *
   * @returns Null where it can, or where no model can be found, which has reasons of its own.
   */
  async nativeSearchProblem(): Promise<string | null> {
    const { assertServerTools } = await import("./run/native_search.ts");
    const connection = await this.#connectAny(undefined, undefined).catch(() => null);
    if (connection === null) return null;
    try {
      assertServerTools(connection.provider);
      return null;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /**
   * Says which tools a risk profile names that there are not. Called once, by
   * {@linkcode createApplication}, when every tool is there that will be.
   *
   * @param notify Takes one sentence each.
   */
  checkToolNames(notify: (notice: string) => void): void {
    const { readOnly, loadsExternalPlugins } = this.#options;
    const isComplete = readOnly !== true && loadsExternalPlugins !== false;
    if (this.#profile === null || (!isComplete && this.#mayHavePlugins())) return;
    this.#profile.unknownTools(this.#tools.list().map(({ name }) => name)).forEach(notify);
  }

  /**
   * Loads the plugins that come with the program and are needed at once. Called once, by
   * {@linkcode createApplication}.
   *
   * @throws {AlisioError} `plugin_invalid` if one cannot be set up.
   */
  async loadOwnPlugins(): Promise<void> {
    const delegates = this.#options.plugins.some(({ id, delegates }) =>
      delegates === true && !this.#isDisabled(id)
    );
    if (delegates || this.#mayHavePlugins()) await this.#openChildren();
    for (const plugin of this.#options.plugins) {
      if (plugin.isNeeded !== true || this.#isDisabled(plugin.id)) continue;
      await this.#plugins.add(await plugin.load(this.#builtinPorts));
    }
  }

  /**
   * Loads external plugins, if there are any. Called once, by {@linkcode createApplication}.
   *
   * @throws {AlisioError} `plugin_invalid` if one that `--plugin` names cannot be loaded.
   */
  async loadPlugins(): Promise<void> {
    if (this.#options.readOnly === true) {
      if ((this.#options.plugin?.length ?? 0) > 0) {
        this.#notify('"--plugin" has no effect with "--read-only", which loads no external plugin');
      }
      return;
    }
    if (!this.#mayHavePlugins()) return;
    if (this.#options.loadsExternalPlugins === false) return;
    const { loaded, workspace } = this;
    const trusted = this.trust.state === "trusted";
    const configHome = this.#homes.config;
    const [{ listPluginRequests }, { loadPlugins }] = await Promise.all([
      import("./plugins/plugin_sources.ts"),
      import("./plugins/load_plugins.ts"),
    ]);
    const requests = listPluginRequests({
      flags: this.#options.plugin ?? [],
      cwd: this.#options.cwd,
      loaded,
      configHome,
      workspace,
      trusted,
    });
    if (requests.length === 0) return;
    const { pluginHooks, pluginOverrides } = loaded.configuration;
    this.#loadedPlugins = await loadPlugins({
      requests,
      places: { workspace, configHome, trusted, env: this.#options.env },
      host: this.#plugins,
      timeoutMs: pluginHooks.timeoutMs,
      ...(this.#options.signal === undefined ? {} : { signal: this.#options.signal }),
      onFailed: (request, failure) => this.#pluginFailed(request, failure),
      onDisabled: (request, plugin) => this.#leftOut.push({ request, plugin }),
      isDisabled: (id) =>
        Object.entries(pluginOverrides).some(([each, { enabled }]) =>
          each === id && enabled === false
        ),
      notify: (notice) => this.#notify(notice),
    });
  }

  /** What the person names at this moment must be there; what lies in files may be missing. */
  #pluginFailed(request: PluginRequest, failure: AlisioError): void {
    const { onPluginFailed } = this.#options;
    this.#leftOut.push({ request, failure: failure.message });
    if (onPluginFailed !== undefined) onPluginFailed(failure);
    else if (request.origin === "flag") throw failure;
    else this.#notify(`${failure.message}; it is left out`);
  }

  /**
   * Opens the MCP servers, where any is configured and could be used, and connects those that the
   * person consented to. Called once, by {@linkcode createApplication}, before anybody waits for
   * them.
   */
  async openMcp(): Promise<void> {
    const { loadMcp, allowMcp, ask, env } = this.#options;
    const { mcp } = this.loaded.configuration;
    const { readOnly, allowMcp: isAllowed } = this.#flags;
    // Where nobody can consent, no code of servers is loaded.
    const isPossible = !readOnly && (isAllowed === true || ask !== undefined);
    if (!isPossible) {
      const names = Object.entries(mcp.servers).flatMap(([name, { enabled }]) =>
        enabled ? [JSON.stringify(name)] : []
      );
      if (!readOnly && names.length > 0) {
        this.#notify(
          `No tool of the MCP servers ${names.join(", ")} is there, for nobody consented to use ` +
            "them: pass --allow-mcp, if you trust them",
        );
      }
      return;
    }
    if (Object.keys(mcp.servers).length === 0) return;
    if (loadMcp === undefined) return;
    const [{ ApplicationMcp }, parts, validate] = await Promise.all([
      import("./mcp/application_mcp.ts"),
      loadMcp(),
      this.#options.loadValidator(),
    ]);
    this.#mcp = new ApplicationMcp({
      settings: mcp,
      parts,
      registry: this.#tools,
      ...(allowMcp === true ? { consent: "flag" } : mcp.allow ? { consent: "global" } : {}),
      ...(ask === undefined ? {} : { ask: this.#pausing(ask) }),
      common: {
        workspace: this.workspace,
        roots: this.roots,
        env,
        signInFolder: join(this.#homes.state, "mcp"),
        hideSecrets: (secrets) => this.#hideSecrets(secrets),
        saveBlob: async (bytes, mimeType) =>
          await (await import("./mcp/save_blob.ts")).saveBlob(this.workspace, bytes, mimeType, [
            ...this.#secrets,
          ]),
      },
      validate,
      redact: (text) => this.#redact(text),
      notify: (notice) => this.#notify(notice),
    });
  }

  /**
   * Connects the servers that the person consented to, unless the agent that runs only looks: then
   * the first run of another one does. Nobody need wait for it.
   *
   * @internal
   */
  startServers(): void {
    if (!this.agents.onlyReads) this.#mcp?.start();
  }

  /**
   * The MCP servers; undefined where there is none that this run could use.
   *
   * @internal
   */
  get mcp(): ApplicationMcp | undefined {
    return this.#mcp;
  }

  /**
   * The external plugins that are loaded, and what they registered.
   *
   * @internal
   */
  plugins(): readonly PluginSummary[] {
    return this.#plugins.summaries().filter(({ external }) => external !== undefined);
  }

  /**
   * Every plugin that there is, also those that are switched off or cannot be loaded. Loads those
   * that come with the program, and sets none up.
   *
   * @internal
   */
  async pluginCatalog(): Promise<readonly CatalogPlugin[]> {
    const { listCatalog } = await import("./plugins/plugin_catalog.ts");
    return listCatalog({
      builtin: await Promise.all(this.#options.plugins.map(async (plugin) => ({
        id: plugin.id,
        // What is not needed here may have nothing to be made from.
        plugin: await plugin.load(this.#builtinPorts).catch(() => null),
        isDisabled: this.#isDisabled(plugin.id),
      }))),
      summaries: this.#plugins.summaries(),
      leftOut: this.#leftOut,
    });
  }

  /**
   * Switches a plugin on or off in the configuration of the project, from the next start on.
   *
   * @internal
   * @param plugin The plugin.
   * @param isEnabled What it is to be.
   * @param signal Gives up.
   * @returns What the person should know, if there is anything.
   * @throws {AlisioError} If the project is not trusted, or its configuration cannot be changed.
   */
  async switchPlugin(
    { id, source }: Pick<CatalogPlugin, "id" | "source">,
    isEnabled: boolean,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (this.#options.config !== undefined) {
      throw new AlisioError(
        "usage",
        'Cannot switch a plugin: "--config" takes the place of the configuration of the project',
      );
    }
    const { changeProjectConfig } = await import("./trust/change_project_config.ts");
    const section = source.kind === "built-in" ? "builtinPlugins" : "pluginOverrides";
    const own = this.loaded.layers.find((layer) => layer.source.layer === "global")?.values;
    // Where the person's own configuration says the same, the project need not.
    const isDefault = isSwitchedOff(own, section, id) !== isEnabled;
    return await changeProjectConfig(
      [{ path: [section, id, "enabled"], value: isDefault ? undefined : isEnabled }],
      { ...this.#projectPlace(), signal },
    );
  }

  /**
   * Switches a skill on or off: at once, and in the configuration of the project. A model that was
   * told of it in an open session is not told again, and cannot load it.
   *
   * @internal
   * @param name The skill.
   * @param isEnabled What it is to be.
   * @param signal Gives up.
   * @returns What the person should know, if there is anything.
   * @throws {AlisioError} If a plugin brings it, the project is not trusted, or its configuration
   * cannot be changed.
   */
  async switchSkill(name: string, isEnabled: boolean, signal: AbortSignal): Promise<string | null> {
    const { skills } = await this.#skills.look();
    const { switchSkill } = await import("./skills/switch_skill.ts");
    const notice = await switchSkill(name, isEnabled, {
      skills,
      loaded: this.loaded,
      hasExplicitConfig: this.#options.config !== undefined,
      project: { ...this.#projectPlace(), signal },
    });
    this.#skillSwitches.set(name, isEnabled);
    return notice;
  }

  /** Where the configuration of the project lies, and whether it may be changed. */
  #projectPlace(): KeepTrustOptions {
    return {
      workspace: this.workspace,
      stateHome: this.#homes.state,
      home: userHome(this.#options.env),
      trustProjectFlag: this.#options.trustProject ?? false,
    };
  }

  /**
   * Switches an MCP server on or off: at once, and in the file that configures it.
   *
   * @internal
   * @param name The server.
   * @param isEnabled What it is to be.
   * @param signal Gives up.
   * @returns What the person should know, if there is anything.
   * @throws {AlisioError} If the project is not trusted, or the file cannot be changed. Nothing is
   * switched then.
   */
  async switchMcpServer(
    name: string,
    isEnabled: boolean,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { switchServer } = await import("./mcp/switch_server.ts");
    const notice = await switchServer(name, isEnabled, {
      loaded: this.loaded,
      project: { ...this.#projectPlace(), signal },
    });
    await this.#mcp?.setEnabled(name, isEnabled);
    return notice;
  }

  /**
   * What a person sees when a conversation opens, drawn by plugins where they offer it. Nothing is
   * sent to anybody.
   *
   * @internal
   * @param facts What it is drawn from, and the model of the session, if one is open.
   */
  async startupScreen(facts: StartupFacts): Promise<readonly string[]> {
    const { renderStartup } = await import("./startup/render_startup.ts");
    const chosen = await this.chosenModel(facts.model);
    const plugins = this.#plugins.summaries().map(({ plugin: { id, version }, external }) => ({
      id,
      version,
      builtin: external === undefined,
    }));
    return renderStartup({
      ranked: (point) => this.#plugins.extensions(point),
      failed: (plugin, hook, error) => this.#plugins.failed(plugin, hook, error),
    }, {
      ...facts,
      version: VERSION,
      plugins,
      ...(chosen === null ? {} : {
        model: chosen.reference,
        ...(chosen.host === undefined ? {} : { provider: chosen.host }),
      }),
    });
  }

  /**
   * Whether nothing at all says which model answers, as when Alisio is opened for the first time.
   *
   * @internal
   */
  async needsProvider(): Promise<boolean> {
    const { provider, model } = this.#options;
    const { sources } = this.loaded;
    const isNamed = ["provider.model", "provider.baseURL"].some((key) => sources.has(key));
    if (provider !== undefined || model !== undefined || isNamed) return false;
    const { readProfiles } = await import("./provider/profiles.ts");
    return Object.keys((await readProfiles(this.#homes.config)).profiles).length === 0;
  }

  /**
   * The model that the next session would talk to, or the one that is named. Nothing is sent to
   * anybody.
   *
   * @internal
   * @param reference Another model than the chosen one.
   * @returns Null if none can be used.
   */
  async chosenModel(
    reference: string | undefined = this.#options.model,
  ): Promise<ChosenModel | null> {
    if (this.#options.provider !== undefined) {
      const model = reference ?? this.loaded.configuration.provider.model;
      const { id } = this.#options.provider;
      return { provider: id, registration: id, model, reference: model };
    }
    return await chosenModel({
      loaded: this.loaded,
      configHome: this.#homes.config,
      env: this.#options.env,
      cwd: this.workspace,
      registration: (id) => this.#registration(id),
    }, reference);
  }

  /**
   * Connects providers: what `alisio connect` and the panels for it work with.
   *
   * @internal
   */
  async connectDesk(): Promise<ConnectDesk> {
    const { ConnectDesk } = await import("./provider/connect_desk.ts");
    this.#desk ??= new ConnectDesk({
      configHome: this.#homes.config,
      stateHome: this.#homes.state,
      env: this.#options.env,
      cwd: this.workspace,
      loaded: this.loaded,
      plugins: this.#options.plugin ?? [],
      kinds: () => this.#kindsOfProviders(),
      hideSecrets: (secrets) => this.#hideSecrets(secrets),
      notify: (notice) => this.#notify(notice),
    });
    return this.#desk;
  }

  /** A script is no provider that anybody connects to. */
  async #kindsOfProviders(): Promise<readonly ProviderRegistration[]> {
    const own = await Promise.all(
      this.#options.plugins.filter(({ id, isNeeded }) =>
        isNeeded === undefined && id !== "scripted"
      )
        .map(({ id }) => this.#registration(id)),
    );
    const known = [...own.filter((kind) => kind !== undefined), ...this.#providers.list()];
    return [...new Set(known)].filter(({ id }) => id !== "scripted");
  }

  /**
   * Panels that plugins show beside the conversation, as they are now.
   *
   * @internal
   * @param sessionId The session that is open, if there is one.
   */
  pluginPanels(sessionId?: string): readonly PluginPanel[] {
    return this.#plugins.panels(sessionId === undefined ? {} : { sessionId });
  }

  /**
   * Does with a line of a panel of a plugin what the person wants. Never throws; a plugin that fails
   * at it is told of like any other.
   *
   * @internal
   * @param action What they want.
   */
  async actOnPanel(action: PanelAction): Promise<void> {
    await this.#plugins.actOnPanel(action);
  }

  /**
   * Short texts that plugins show beside the conversation.
   *
   * @internal
   */
  pluginStatuses(): readonly PluginStatus[] {
    return this.#plugins.statuses();
  }

  /**
   * Commands of plugins, in the order of their registration.
   *
   * @internal
   */
  pluginCommands(): readonly PluginCommand[] {
    return this.#plugins.commands();
  }

  /**
   * Who takes the place of which part of Alisio, and where several stand equally high.
   *
   * @internal
   */
  extensions(): {
    readonly resolved: readonly Extension[];
    readonly conflicts: readonly ExtensionConflict[];
  } {
    const chosen = EXTENSION_POINTS.flatMap((point) => this.#plugins.extensions(point).slice(0, 1));
    return { resolved: chosen, conflicts: this.#plugins.extensionConflicts() };
  }

  /** Two looks at the file system are all that a run without plugins pays. */
  #mayHavePlugins(): boolean {
    if ((this.#options.plugin?.length ?? 0) > 0) return true;
    if (this.loaded.configuration.plugins.length > 0) return true;
    const folders = pluginFolders(this.#homes.config, this.workspace);
    return isThere(folders.global) ||
      (this.trust.state === "trusted" && isThere(folders.project));
  }

  /**
   * Opens the sandbox that programs are to run in, where any can be started. Called once, by
   * {@linkcode createApplication}.
   *
   * @param notify Receives what the person should know of it.
   * @throws {AlisioError} `config_invalid` if one is asked for by name that does not work here.
   */
  async confine(notify: (notice: string) => void): Promise<void> {
    const profile = this.#profile?.sandbox ?? null;
    const configured = this.loaded.configuration.sandbox;
    if (configured === "none" && (profile === null || profile.backend === "none")) return;
    // A server is a program or an address of its own, which no sandbox holds.
    const effects = this.gate.offered("").flatMap(({ effect, mcp }) =>
      mcp === undefined ? [effect] : []
    );
    if (!effects.includes("process")) return;
    const { readOnly, allowWrite, allowExternal, approve, env, db, cwd } = this.#options;
    const isPossible = (flag: boolean | undefined, couldBeAsked: boolean): boolean =>
      readOnly !== true && (flag === true || couldBeAsked);
    // Where no tool reaches further, nobody can be asked about one.
    const hasNetwork = isPossible(allowExternal, effects.includes("external"));
    const { openRunSandbox } = await import("./sandbox/open_run_sandbox.ts");
    const { sandbox, notices } = await openRunSandbox({
      workspace: this.workspace,
      roots: this.roots,
      profile,
      configured,
      possible: {
        write: isPossible(allowWrite, approve !== undefined),
        external: hasNetwork,
      },
      env,
      homes: this.#homes,
      secretFiles: this.#secretFiles,
      ...(db === undefined ? {} : { database: resolve(cwd, db) }),
    });
    this.#sandbox = sandbox;
    this.#hasNetwork = hasNetwork;
    notices.forEach(notify);
  }

  /**
   * Starts a session.
   *
   * @param options What ends the wait for the server's catalog.
   * @throws {AlisioError} If no model can be used.
   */
  async createSession(options: OpenOptions = {}): Promise<OpenSession> {
    const [connection, system, receipts] = await Promise.all([
      this.#connect(this.#options.model, options.signal),
      this.#systemText(),
      this.#createReceipts(),
      this.#recoverTasks(),
    ]);
    const cost = await this.#costMeter(connection);
    options.signal?.throwIfAborted();
    const id = crypto.randomUUID();
    this.store.createSession({
      id,
      workspace: this.workspace,
      model: connection.reference,
      provider: connection.provider.id,
      createdAt: Date.now(),
    });
    const lease = await acquireLease(this.store, id);
    return this.#withLease(lease, { connection, cost, system, receipts });
  }

  /**
   * Goes on with a stored session, with the model that it has unless another one was asked for.
   *
   * @param idOrPrefix Its id, or an unambiguous start of it.
   * @param options What ends the wait for the server's catalog.
   * @throws {AlisioError} If it cannot be found, is in use, or needs recovery.
   */
  async openSession(idOrPrefix: string, options: OpenOptions = {}): Promise<OpenSession> {
    const { resolveSession } = await import("./session/resolve_session.ts");
    const record = resolveSession(this.store, idOrPrefix);
    if (record.workspace !== this.workspace) {
      this.#notify(
        `Session ${record.id} was started in ${quotePath(record.workspace)} and goes on in ` +
          `${quotePath(this.workspace)}; to work there, pass --cwd`,
      );
    }
    const [connection, system, receipts] = await Promise.all([
      this.#connect(this.#options.model ?? record.model, options.signal),
      this.#systemText(),
      this.#createReceipts(),
      this.#recoverTasks(),
    ]);
    const cost = await this.#costMeter(connection);
    options.signal?.throwIfAborted();
    const lease = await acquireLease(this.store, record.id);
    try {
      assertRecovered(record.id, this.store.uncertainCalls(record.id));
      await this.#recoverGoal(record.id);
      if (record.options["plan"] !== undefined) await this.#recoverPlan(record.id);
    } catch (error) {
      lease.release();
      throw error;
    }
    // What an earlier opening attached may not have been stored.
    this.#attached.delete(record.id);
    return this.#withLease(lease, { connection, cost, system, receipts });
  }

  /**
   * Takes the plan that the person approved in a run that has ended, and lets the agent `build`
   * hold the conversation. Whoever gets it runs it at once, with its `requestId`; nobody gets it
   * twice.
   *
   * @param sessionId The session, in which nothing runs.
   * @returns Null if none was approved.
   * @throws {AlisioError} `usage` if that agent cannot take over; the approval is dropped then.
   */
  async takeApprovedPlan(sessionId: string): Promise<ImplementationPrompt | null> {
    return await this.#plans?.take(sessionId) ?? null;
  }

  async #openPlans(): Promise<ApplicationPlans> {
    const { ApplicationPlans } = await import("./plan/application_plans.ts");
    const { ask, readOnly } = this.#options;
    this.#plans ??= new ApplicationPlans({
      store: this.store,
      workspace: this.workspace,
      agents: this.agents,
      settings: this.loaded.configuration.plan,
      readSettings: async () => (await this.readConfiguration()).configuration.plan,
      redact: (text) => this.#redact(text),
      ...(ask === undefined || readOnly === true ? {} : { ask }),
    });
    return this.#plans;
  }

  async #recoverPlan(sessionId: string): Promise<void> {
    const notice = (await this.#openPlans()).recover(sessionId);
    if (notice !== null) this.#notify(notice);
  }

  /**
   * Runs a command of a plugin, if a prompt is one, without asking a model.
   *
   * @param prompt Such as `/acme.hello:greetings today`.
   * @param options What ends the wait for its answer, and the session that is open.
   * @returns Null if the prompt is for the model.
   * @throws {AlisioError} `usage` if the plugin has no such command, `plugin_failed` if it fails.
   */
  async runCommand(
    prompt: string,
    options: { readonly signal: AbortSignal; readonly sessionId?: string },
  ): Promise<CommandResult | null> {
    if (!prompt.trimStart().startsWith("/") || this.#plugins.commands().length === 0) return null;
    const { runPluginCommand } = await import("./plugins/run_plugin_command.ts");
    const { signal, sessionId } = options;
    const context = sessionId === undefined ? {} : { sessionId };
    const isBusy = [...this.#sessions].some(({ id, isBusy }) => id === sessionId && isBusy);
    if (sessionId !== undefined && !isBusy) this.#children?.letGoOn(sessionId);
    return await runPluginCommand(prompt, this.#plugins, signal, context);
  }

  /**
   * Every skill that there is, those that are switched off or shadowed among them, and what is wrong
   * with files of skills. Looks at all folders again.
   *
   * @internal
   */
  async listSkills(): Promise<SkillListing> {
    return await this.#skills.look();
  }

  /**
   * The prompt templates that a person can use, and what is worth knowing of them. Looks at all
   * folders again.
   *
   * @internal
   * @param reserved Names of commands, which win over templates.
   */
  async listPromptTemplates(reserved: Iterable<string> = []): Promise<PromptTemplateListing> {
    const { loadYamlParser } = this.#options;
    const [{ discoverTemplates }, { promptFolders }, parse] = await Promise.all([
      import("./prompts/discover_templates.ts"),
      import("./prompts/prompt_folders.ts"),
      loadYamlParser?.() ?? null,
    ]);
    const commands = this.#plugins.commands().map(({ name }) => name);
    return await discoverTemplates({
      folders: parse === null ? [] : promptFolders({
        configHome: this.#homes.config,
        workspace: this.workspace,
        trusted: this.#instructions.trusted,
        plugins: this.#plugins.resources("prompts"),
      }),
      parse: parse ?? (() => null),
      isClosed: (real) => this.#isUnreadable(real),
      reserved: new Set([...reserved, ...commands]),
    });
  }

  /**
   * Expands a prompt that names a skill, as `/skill:<name> <request>`, or a prompt template, as
   * `/<name> <arguments>`.
   *
   * @param prompt What the person typed.
   * @param reserved Names of commands, which win over templates.
   * @returns What is sent in its place, and what is shown of it; null if it is sent as it is.
   * @throws {AlisioError} `usage` if there is no such skill, or this run cannot do what the template
   * requires.
   */
  async expandPrompt(
    prompt: string,
    reserved: Iterable<string> = [],
  ): Promise<ExpandedPrompt | null> {
    if (!prompt.trimStart().startsWith("/")) return null;
    const [{ expandPrompt }, { requirementProblem }] = await Promise.all([
      import("./prompts/expand_prompt.ts"),
      import("./prompts/requirement_problem.ts"),
    ]);
    return await expandPrompt(prompt, {
      templates: async () => (await this.listPromptTemplates(reserved)).templates,
      skills: async () => {
        await this.#skills.look();
        return this.#skills;
      },
      missing: (requires) =>
        requirementProblem(requires, {
          offered: this.gate.offered("").flatMap(({ effect, mcp }) =>
            mcp === "own" ? [] : [effect]
          ),
          readOnly: this.#flags.readOnly,
          canAsk: this.#flags.interactive,
        }),
    });
  }

  #skillSources(): SkillSources {
    const { root, cwd, trusted, configHome } = this.#instructions;
    const home = userHome(this.#options.env);
    return {
      configHome,
      ...(home === undefined ? {} : { home }),
      root,
      cwd,
      trusted,
      configured: this.loaded.configuration.skills,
      plugins: this.#plugins.resources("skills"),
    };
  }

  #agentSources(): AgentSources {
    const { root, cwd, trusted, configHome } = this.#instructions;
    const { XDG_CONFIG_HOME: xdgConfigHome = "" } = this.#options.env;
    const home = userHome(this.#options.env);
    return {
      configHome,
      ...(home === undefined ? {} : { home }),
      ...(xdgConfigHome === "" ? {} : { xdgConfigHome }),
      root,
      cwd,
      trusted,
      plugins: this.#plugins.resources("agents"),
    };
  }

  #isSkillDisabled(name: string): boolean {
    const isEnabled = this.#skillSwitches.get(name);
    if (isEnabled !== undefined) return !isEnabled;
    const overrides = Object.entries(this.loaded.configuration.skillOverrides);
    return overrides.some(([each, { enabled }]) => each === name && enabled === false);
  }

  /** Whatever instructs a model may lie nowhere that its tools may not look. */
  #isUnreadable(real: string): boolean {
    return this.#isSecret(real) || this.#instructions.isClosed?.(real) === true;
  }

  /**
   * What the programs that the model starts run in, or `null` where they have the rights of whoever
   * started Alisio.
   */
  sandboxBackend(): UsableBackend | null {
    return this.#sandbox?.backend ?? null;
  }

  /**
   * What is done with calls of the effects that a person decides about, where no rule about a single
   * tool says otherwise.
   *
   * @internal
   */
  effectVerdicts(): Readonly<Record<DecidedEffect, Verdict>> {
    const mode = this.#mode;
    const isMode = mode === "ask" || mode === "auto" || mode === "full";
    const policies = [
      ...policiesFromFlags(this.#flags, isMode ? modePolicy(mode) : undefined),
      ...this.agents.policies.filter(({ kind }) => kind === "effects"),
    ];
    const verdictOf = (effect: DecidedEffect): Verdict => {
      if (this.agents.onlyReads) return "deny";
      const call = { tool: "", effect, approvedOnce: false, paths: [], grants: NO_GRANTS };
      return decide({ ...call, profileInput: null }, policies).decision;
    };
    return {
      write: verdictOf("write"),
      process: verdictOf("process"),
      external: verdictOf("external"),
    };
  }

  /**
   * Whether a risk profile is in force, which decides about each tool.
   *
   * @internal
   */
  get hasRiskProfile(): boolean {
    return this.#profile !== null;
  }

  /** What runs without a question: a mode, or what flags permit. */
  permissionMode(): PermissionModeLabel {
    return this.#mode;
  }

  /**
   * Chooses what runs without a question, and forgets what was granted for sessions. Directories,
   * protected files and what a risk profile blocks stay as they are.
   *
   * @param mode The mode.
   * @throws {AlisioError} `usage` under `readOnly`, where nobody can be asked, while a prompt runs,
   * and if there is no such mode.
   */
  setPermissionMode(mode: PermissionMode): void {
    const refused = this.#modeProblem(mode);
    if (refused !== null) {
      throw new AlisioError("usage", `Cannot change the permission mode: ${refused}`);
    }
    this.#chosenMode = modePolicy(mode);
    this.#mode = mode;
    this.#replacePolicies();
  }

  #modeProblem(mode: PermissionMode): string | null {
    if (this.#flags.readOnly) {
      return "this run changes nothing; to choose one, start again without --read-only";
    }
    if (!this.#flags.interactive) return "nobody can be asked for approval in this run";
    if (!Object.hasOwn(PERMISSION_MODES, mode)) {
      return `there is no mode "${previewText(mode, 40)}"; choose ask, auto or full`;
    }
    return this.#isBusy() ? "a prompt is running; wait for its end, or stop it first" : null;
  }

  #isBusy(): boolean {
    return [...this.#sessions].some((session) => session.isBusy);
  }

  #replacePolicies(): void {
    this.gate.replacePolicies(this.#policies());
    this.#children?.refresh();
  }

  #policies(): readonly Policy[] {
    return [
      ...policiesFromFlags(this.#flags, this.#chosenMode),
      ...this.agents.policies,
      ...(this.#profile === null ? [] : [this.#profile.policy]),
    ];
  }

  /**
   * What a person's rewind may change: what tools may, whatever the permission mode is.
   *
   * @internal
   * @throws {AlisioError} `usage` where the run or its risk profile changes no files.
   */
  restoreRules(): RestoreRules {
    if (this.#flags.readOnly) {
      throw new AlisioError("usage", "Cannot put files back: this run changes nothing");
    }
    const tool = this.gate.status("").find(({ tool: { name } }) => name === "write_file");
    if (this.#profile !== null && tool?.decision.decision === "deny") {
      throw new AlisioError("usage", `Cannot put files back: ${tool.decision.reason}`);
    }
    const closedPaths = this.#profile?.closedPaths(this.roots) ?? [];
    const { workspace, roots } = this;
    return {
      judgePath: (path) => judgePath(path, { workspace, roots, closedPaths }),
      isProtected: (real) => this.#isProtected(real) || isClosed(real, closedPaths, roots),
      isSecret: (real) => this.#isSecret(real),
    };
  }

  /** Stops what runs, then closes plugins and, last, the record. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("Alisio is closing"));
    await this.#children?.close();
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await Promise.all([this.#closeTasks(), this.#mcp?.close()]);
    await this.#plugins.close();
    this.#loadedPlugins?.close();
    this.store.close();
  }

  /**
   * The background tasks of every session that this application opened.
   *
   * @internal
   */
  tasks(): Promise<BackgroundTasks> {
    this.#tasks ??= import("./tasks/background_tasks.ts").then(({ BackgroundTasks }) =>
      new BackgroundTasks({
        database: this.store.database,
        stateRoot: this.store.stateRoot,
        workspace: this.workspace,
        settings: () => this.loaded.configuration.tasks,
        redact: (text) => this.#redact(text),
      })
    );
    return this.#tasks;
  }

  /**
   * Whether background tasks were started or looked at, so that there may be some.
   *
   * @internal
   */
  get hasTasks(): boolean {
    return this.#tasks !== undefined;
  }

  /**
   * Whether anything may go on beside a run, or have ended without the model's knowledge.
   *
   * @internal
   */
  get hasBackgroundWork(): boolean {
    return this.hasTasks || this.#children?.hasRun === true;
  }

  async #closeTasks(): Promise<void> {
    clearTimeout(this.#sweep);
    await (await this.#tasks)?.close();
  }

  /** What an earlier process left behind is looked for when a session is opened. */
  async #recoverTasks(): Promise<void> {
    this.#planSweep(FIRST_SWEEP_MS);
    this.#recoverChildren();
    if (!this.store.hasLiveTasks()) return;
    await (await this.tasks()).reap();
  }

  /** Children of a process that is gone are noted as interrupted, and never run again unasked. */
  #recoverChildren(): void {
    if (this.store.hasLiveChildren()) this.#children?.reap();
  }

  /**
   * Sessions that work for other ones, where something may make some.
   *
   * @internal
   */
  get children(): ChildSessions | undefined {
    return this.#children;
  }

  /** Never keeps the process alive. */
  #planSweep(delayMs: number): void {
    if (this.#flags.readOnly || this.#sweep !== undefined) return;
    const timer = setTimeout(() => {
      this.#sweep = undefined;
      this.#planSweep(SWEEP_INTERVAL_MS);
      this.tasks().then((tasks) => tasks.sweep()).catch((error) =>
        this.#notify(`Cannot delete old background tasks: ${errorMessage(error)}`)
      );
    }, delayMs);
    Deno.unrefTimer(timer);
    this.#sweep = timer;
  }

  /**
   * The goals of the sessions that this application opened. Only here is their code loaded.
   *
   * @internal
   */
  goals(): Promise<SessionGoals> {
    this.#goals ??= import("./goals/session_goals.ts").then(({ SessionGoals }) =>
      new SessionGoals({
        store: this.store,
        settings: () => this.loaded.configuration.goal,
        agent: () => this.agents.active.id,
        redact: (text) => this.#redact(text),
      })
    );
    return this.#goals;
  }

  /** Nobody goes on with a goal by themselves that another process left. */
  async #recoverGoal(sessionId: string): Promise<void> {
    if (!this.store.hasActiveGoal(sessionId)) return;
    const goal = (await this.goals()).recover(sessionId);
    if (goal !== undefined) {
      this.#notify("The goal of this session is paused: the program that worked on it ended");
    }
  }

  /** Only here is their code loaded. */
  async #createReceipts(): Promise<RunReceipts | undefined> {
    const { enabled, showInResponse } = this.loaded.configuration.agent.toolReceipts;
    if (!enabled) return undefined;
    const { createToolReceipts } = await import("./run/tool_receipts.ts");
    return { receipts: await createToolReceipts(), showInResponse };
  }

  #withLease(
    lease: SessionLease,
    { connection, cost, system: instructions, receipts }: {
      readonly connection: Connection;
      readonly cost: CostMeter | null;
      readonly system: string;
      readonly receipts: RunReceipts | undefined;
    },
    child?: OpenChild,
  ): OpenSession {
    const isMain = child === undefined;
    const system = isMain
      ? () => [instructions, this.agents.text].filter((part) => part !== null).join("\n\n")
      : () => [instructions, child.child.settings.instructions ?? ""].join("\n\n").trimEnd();
    const session: OpenSession = new OpenSession({
      store: this.store,
      gate: child?.gate ?? this.gate,
      lease,
      connection,
      ...(cost === null ? {} : { cost }),
      effort: this.#effortOf(connection),
      serverTools: () => this.#nativeSearch?.serverTools(child?.gate ?? this.gate),
      // What the agent of the conversation is asked for is nothing to those that work for it.
      ...(isMain ? { answer: () => this.agents.answer } : {}),
      system,
      redact: (text) => this.#redact(text),
      secrets: () => [...this.#secrets, ...this.#environmentSecrets],
      ...(receipts === undefined ? {} : { receipts }),
      observe: (event) => this.#plugins.observe(event),
      compaction: this.loaded.configuration.compaction,
      ...(isMain ? this.#mainPorts(lease.sessionId, connection) : {
        agentPath: child.agentPath,
        pauseAbove: child.pauseAbove,
      }),
      onClosed: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** What only the conversation of a person has. */
  #mainPorts(sessionId: string, { reference }: Connection): Partial<OpenSessionPorts> {
    return {
      hookFailures: () => this.#hookFailures.splice(0),
      // Plugins keep what a person said there; whoever speaks to a child is an agent.
      compactionHooks: () => this.#compactionHooks(),
      asTurn: async (options, run) =>
        this.store.hasActiveGoal(sessionId)
          ? await (await this.goals()).runTurn(sessionId, options, run)
          : await run(options.prompt),
      beforeRun: async (signal) => {
        this.startServers();
        await this.#mcp?.settled(signal);
        this.#children?.allowBelow(sessionId);
        if (this.agents.isPlanning) await (await this.#openPlans()).refresh();
      },
      afterRun: (id, end) => this.#plans?.endRun(id, end),
      onStop: (id) => this.#children?.stopBelow(id),
      ...(this.#plugins.sessionStarts.size === 0 ? {} : {
        startTexts: (signal) => this.#startTexts(sessionId, reference, signal),
      }),
    };
  }

  /** Child sessions; only where something may make some is their code loaded. */
  async #openChildren(): Promise<void> {
    const { ChildSessions } = await import("./children/child_sessions.ts");
    this.#children = new ChildSessions({
      store: this.store,
      root: { gate: this.gate, roots: this.roots, policies: () => this.#policies() },
      canAsk: this.#flags.interactive,
      fixedWorkspace: () => this.#fixedWorkspace(),
      createGate: (place) => this.#createChildGate(place),
      open: (request) => this.#openChild(request),
      openRoot: (id) => [...this.#sessions].find((session) => session.id === id),
      resolveModel: async (name) => {
        const { signal } = this.#closing;
        const { reference, provider } = await this.#connect(
          await this.#meant(name, signal),
          signal,
        );
        return { reference, provider: provider.id };
      },
      redact: (text) => this.#redact(text),
      agentProblem: (agent) => this.agents.delegateProblem(agent),
    });
  }

  /** What confines programs, and what a profile opens, names the folders of this workspace. */
  #fixedWorkspace(): string | undefined {
    if (this.#sandbox !== null) return "the sandbox of programs holds them in the workspace";
    if (this.#profile !== null) return "the risk profile opens the workspace alone";
    return undefined;
  }

  /** The name of a model that nobody chose by hand; one that several profiles offer is refused. */
  async #meant(name: string, signal: AbortSignal): Promise<string> {
    const chosen = this.#options.provider === undefined ? await this.chosenModel(name) : null;
    const isBare = chosen !== null && chosen.reference === `${chosen.provider}/${name}`;
    if (!isBare) return name;
    const { profile, model } = await (await this.connectDesk()).resolve(name, signal);
    return `${profile}/${model}`;
  }

  #createChildGate({ workspace, roots, policies }: ChildPlace): Gate {
    // Under a profile, an agent that another one started asks nobody but whom the profile names.
    const approvals = this.#profile?.delegateApprovals;
    const ports = { ...this.#gatePorts, ...(approvals === undefined ? {} : { approvals }) };
    if (workspace === this.workspace) return new Gate({ ...ports, policies });
    const closedPaths = this.#profile?.closedPaths(roots) ?? [];
    // A worktree may lie in the state home, of which it is the one part that is no state.
    const own = this.#ownFiles.filter((folder) => !isInside(workspace, folder));
    return new Gate({
      ...ports,
      policies,
      workspace,
      roots,
      judgePath: (requested) => judgePath(requested, { workspace, roots, closedPaths }),
      isProtected: (real) =>
        [workspace, this.workspace].some((folder) =>
          isProtectedPath(real, { workspace: folder, own })
        ) || (!isInside(real, workspace) && this.#isProtected(real)),
      nestedInstructions: (paths, sessionId) =>
        this.#nestedInstructions(
          paths.map(({ real }) => real),
          sessionId,
          this.#instructionsIn(workspace),
        ),
    });
  }

  /** A worktree brings the files of its own revision. */
  #instructionsIn(workspace: string): InstructionSources {
    if (workspace === this.workspace) return this.#instructions;
    return { ...this.#instructions, root: workspace, cwd: workspace };
  }

  async #openChild(request: OpenChild): Promise<OpenSession> {
    const { child, place, signal } = request;
    const [connection, system, receipts] = await Promise.all([
      this.#connect(child.model, signal),
      this.#systemText(place),
      this.#createReceipts(),
    ]);
    const cost = await this.#costMeter(connection);
    signal.throwIfAborted();
    const lease = await acquireLease(this.store, child.id);
    try {
      assertRecovered(child.id, this.store.uncertainCalls(child.id));
    } catch (error) {
      lease.release();
      throw error;
    }
    this.#attached.delete(child.id);
    return this.#withLease(lease, { connection, cost, system, receipts }, request);
  }

  /** Nothing where no plugin wants to be asked, so that its code is not loaded. */
  #compactionHooks(): Promise<CompactionHookPort> | undefined {
    const hooks = this.#plugins.compactions;
    if (hooks.size === 0) return undefined;
    const { timeoutMs } = this.loaded.configuration.pluginHooks;
    const options = (hook: string, signal: AbortSignal) => ({
      timeoutMs,
      signal,
      failed: (plugin: string, error: unknown) => this.#plugins.failed(plugin, hook, error),
    });
    return import("./plugins/compaction_hooks.ts").then((module) => ({
      before: (input, signal) =>
        module.askBeforeCompact(hooks, input, options(BEFORE_COMPACT, signal)),
      after: (resultFor, signal) =>
        module.tellAfterCompact(hooks, resultFor, options(AFTER_COMPACT, signal)),
    }));
  }

  /** The person is told once; what they named wrongly fails before anything is sent. */
  #effortOf({ info }: Connection): () => string | undefined {
    const { notice } = this.agents.effortFor(info);
    if (notice !== undefined) this.#notify(notice);
    return () => this.agents.effortFor(info).effort;
  }

  async #startTexts(
    sessionId: string,
    model: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { sessionStartTexts } = await import("./plugins/session_hooks.ts");
    return await sessionStartTexts(this.#plugins.sessionStarts, {
      info: { sessionId, model, workspace: this.workspace, reason: "start", messages: [] },
      timeoutMs: this.loaded.configuration.pluginHooks.timeoutMs,
      signal,
      failed: (plugin, error) => this.#plugins.failed(plugin, "session.onStart", error),
    });
  }

  /**
   * Tells plugins that a person leaves a session, and waits for them within their limit. Never
   * throws.
   *
   * @internal
   * @param session The session, which must not be busy.
   * @param signal Ends the wait.
   */
  async leaveSession(session: OpenSession, signal: AbortSignal): Promise<void> {
    await this.#tellEnd(session, this.#plugins.sessionEnds, signal);
  }

  /**
   * Tells plugins that come with the program that a script has no more to ask in a session, and
   * waits for them within their limit. Never throws.
   *
   * @internal
   * @param session The session, which must not be busy.
   * @param signal Ends the wait.
   */
  async endScript(session: OpenSession, signal: AbortSignal): Promise<void> {
    const own = new Set(this.#options.plugins.map(({ id }) => id));
    const hooks = [...this.#plugins.sessionEnds].filter(({ plugin }) => own.has(plugin));
    await this.#tellEnd(session, new Set(hooks), signal);
  }

  async #tellEnd(
    session: OpenSession,
    hooks: ReadonlySet<SessionHook>,
    signal: AbortSignal,
  ): Promise<void> {
    const messages = hooks.size === 0 ? null : this.#messagesOf(session.id);
    if (messages === null) return;
    const { tellSessionEnd } = await import("./plugins/session_hooks.ts");
    const { id: sessionId, model } = session;
    await tellSessionEnd(hooks, {
      info: { sessionId, model, workspace: this.workspace, reason: "exit", messages },
      timeoutMs: this.loaded.configuration.pluginHooks.sessionEndTimeoutMs,
      signal,
      failed: (plugin, error) => this.#plugins.failed(plugin, "session.onEnd", error),
    });
  }

  /** Null where the record is lost, which whoever lost it says. */
  #messagesOf(sessionId: string): readonly ModelMessage[] | null {
    try {
      return this.store.loadMessages(sessionId).map(toModelMessage)
        .filter((message) => message !== null);
    } catch {
      return null;
    }
  }

  /** Nobody knows for which run a plugin asks: none of them loses time over it. */
  #pausing(ask: QuestionAsker): QuestionAsker {
    return async (questions, call) =>
      await [...this.#sessions].reduce(
        (wait, session) => () => session.pauseWhile(wait),
        () => ask(questions, call),
      )();
  }

  async #models(): Promise<PluginModels> {
    const [{ createPluginModels }, { readProfiles }] = await Promise.all([
      import("./plugins/plugin_models.ts"),
      import("./provider/profiles.ts"),
    ]);
    return createPluginModels({
      chosen: () => this.chosenModel(undefined),
      profiles: () => readProfiles(this.#homes.config),
    });
  }

  async #complete(request: CompletionRequest): Promise<string> {
    const { completeText } = await import("./plugins/complete_text.ts");
    return await completeText(request, {
      connect: (model, signal) => this.#connect(model ?? this.#options.model, signal),
      costMeter: (connection) => this.#costMeter(connection),
      redact: (text) => this.#redact(text),
      timeoutMs: this.loaded.configuration.limits.timeoutMs,
      signal: this.#closing.signal,
    });
  }

  /**
   * What the files say now; what is in force stays.
   *
   * @internal
   * @throws {AlisioError} If they cannot be used.
   */
  async readConfiguration(): Promise<LoadedConfiguration> {
    return (await loadTrusted(this.#options, this.workspace, this.#homes)).loaded;
  }

  /**
   * Questions beside the conversation, answered by the model without tools.
   *
   * @internal
   */
  async sideQuestions(): Promise<SideQuestions> {
    const { SideQuestions } = await import("./side_questions/side_questions.ts");
    return new SideQuestions({
      store: this.store,
      complete: (request) => this.#complete(request),
      maxContextChars: this.loaded.configuration.limits.maxContextChars,
    });
  }

  /**
   * The definitions of agents that Alisio writes.
   *
   * @internal
   * @throws {AlisioError} `usage` if this program writes none.
   */
  async agentStore(): Promise<AgentStore> {
    const { loadYamlParser, loadYamlEditor } = this.#options;
    if (loadYamlParser === undefined || loadYamlEditor === undefined) {
      throw new AlisioError("usage", "Cannot write agents: this program reads no definitions");
    }
    const [{ AgentStore }, parse, edit] = await Promise.all([
      import("./agents/agent_store.ts"),
      loadYamlParser(),
      loadYamlEditor(),
    ]);
    return new AgentStore({
      project: this.#projectPlace(),
      parse,
      edit,
      isClosed: (real) => this.#isUnreadable(real),
      isReadOnly: () => this.#flags.readOnly,
      now: Date.now,
    });
  }

  /**
   * Drafts of agents, written by a model without tools.
   *
   * @internal
   */
  async agentDrafts(): Promise<AgentDrafts> {
    const [{ AgentDrafts }] = await Promise.all([
      import("./agents/agent_drafts.ts"),
      this.#skills.look(),
    ]);
    return new AgentDrafts({
      skills: this.#skills,
      complete: (request) => this.#complete(request),
    });
  }

  /** Counts also where nothing limits the costs: a later run of the day may have a limit. */
  async #costMeter({ price, model }: Connection): Promise<CostMeter | null> {
    const limit = this.#profile?.costLimit;
    if (price === undefined && limit === undefined) return null;
    if (price === undefined && limit?.isNamed === true && limit.maxCentsPerDay > 0) {
      this.#assertOwnModel(model, limit.key);
      this.#notify(
        `"${limit.key}" cannot be kept: no price is known of model "${model}"; state it in your ` +
          'own configuration, with "provider.prices"',
      );
    }
    const { CostMeter } = await import("./run/cost_meter.ts");
    return new CostMeter({ store: this.store, price, limit });
  }

  /** A project that chooses what has no price would get rid of a limit that the person names. */
  #assertOwnModel(model: string, limit: string): void {
    const { sources } = this.loaded;
    const chosen = ["provider.model", "provider.baseURL"].map((key) => sources.get(key))
      .find((source) => source?.layer === "project");
    if (chosen === undefined) return;
    throw new AlisioError(
      "config_invalid",
      `Cannot use model ${quoted(model)}, which ${quoted(chosen.file ?? "", 1000)} chooses: no ` +
        `price is known of it, so "${limit}" cannot be kept; state its price in your own ` +
        'configuration, with "provider.prices"',
    );
  }

  async #connect(
    reference: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    const connection = await this.#connectAny(reference, signal);
    this.#nativeSearch?.assertAccepted(connection.provider);
    return connection;
  }

  async #connectAny(
    reference: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Connection> {
    const { loaded, store } = this;
    const limitsCost = this.#profile !== null;
    if (this.#options.provider !== undefined) {
      const model = reference ?? loaded.configuration.provider.model;
      return await describeConnection(
        { loaded, store, limitsCost },
        this.#options.provider,
        model,
        {
          reference: model,
          signal,
        },
      );
    }
    return await connectModel({
      loaded,
      store,
      limitsCost,
      configHome: this.#homes.config,
      stateHome: this.#homes.state,
      plugins: this.#options.plugin ?? [],
      env: this.#options.env,
      cwd: this.workspace,
      registration: (id) => this.#registration(id),
      notify: (notice) => this.#notify(notice),
      hideSecrets: (secrets) => this.#hideSecrets(secrets),
      ...(signal === undefined ? {} : { signal }),
    }, reference);
  }

  /** Keeps values out of everything that is stored and sent from now on. */
  #hideSecrets(secrets: readonly string[]): void {
    this.store.hideSecrets(secrets);
    for (const secret of secrets) this.#secrets.add(secret);
    this.#redact = createConfiguredRedactor([...this.#secrets]);
  }

  /** Finds a kind of provider; loads the plugin of that id if it comes with the program. */
  async #registration(id: string): Promise<ProviderRegistration | undefined> {
    const known = this.#providers.get(id);
    if (known !== undefined) return known;
    const plugin = this.#options.plugins.find((candidate) => candidate.id === id);
    if (plugin === undefined || plugin.isNeeded !== undefined) return undefined;
    if (this.#isDisabled(id)) return undefined;
    const loading = this.#loading.get(id) ??
      plugin.load(this.#builtinPorts).then((each) => this.#plugins.add(each));
    this.#loading.set(id, loading);
    try {
      await loading;
    } catch (error) {
      // The next session may find what was missing.
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
      throw error;
    }
    return this.#providers.get(id);
  }

  #isSecret(real: string): boolean {
    return isSecretFile(real, this.#secretFiles);
  }

  #isDisabled(pluginId: string): boolean {
    const { builtinPlugins } = this.loaded.configuration;
    const settings = Object.entries(builtinPlugins).find(([id]) => id === pluginId)?.[1];
    return settings?.enabled === false ||
      (this.#options.disablePlugin?.includes(pluginId) ?? false);
  }

  async #systemText(
    { workspace, roots }: Pick<ChildPlace, "workspace" | "roots"> = this,
  ): Promise<string> {
    const sources = this.#instructionsIn(workspace);
    const { maxBytes, cwd } = sources;
    const { toolReceipts } = this.loaded.configuration.agent;
    const [{ files, notices }, contexts, skills] = await Promise.all([
      readInstructionFiles(sources),
      this.#plugins.contextTexts(this.loaded.configuration.pluginHooks.timeoutMs),
      this.#skillsText(),
    ]);
    const formatted = files.length === 0
      ? { text: null, notices: [] }
      : (await import("./context/instruction_text.ts")).formatInstructions(files, {
        maxBytes,
        cwd,
        place: "session",
      });
    for (const notice of [...notices, ...formatted.notices]) this.#notify(notice);
    const base = basePrompt({
      workspace,
      platform: Deno.build.os,
      extraRoots: roots.slice(1),
      interactive: this.#options.ask !== undefined,
      receipts: toolReceipts.enabled && toolReceipts.injectSystemPrompt,
      sandbox: this.#sandbox === null ? null : { hasNetwork: this.#hasNetwork },
    });
    const parts = [base, ...contexts, formatted.text, skills].filter((part) => part !== null);
    return parts.join("\n\n");
  }

  /** A skill that cannot be used is said, and stops nothing. */
  async #skillsText(): Promise<string | null> {
    const { text, notices } = await this.#skills.text();
    for (const notice of notices) this.#notify(notice);
    return text;
  }

  async #nestedInstructions(
    paths: readonly string[],
    sessionId: string,
    sources = this.#instructions,
  ): Promise<string | null> {
    this.#nested ??= import("./context/nested_instructions.ts");
    const { attachNestedInstructions } = await this.#nested;
    const { text, notices } = await attachNestedInstructions(
      paths,
      sources,
      this.#attachedTo(sessionId),
    );
    for (const notice of notices) this.#notify(notice);
    return text;
  }

  #attachedTo(sessionId: string): AttachedInstructions {
    const known = this.#attached.get(sessionId) ?? new Map<string, string>();
    this.#attached.set(sessionId, known);
    return known;
  }

  #notify(notice: string): void {
    this.#options.onNotice?.(notice);
  }
}

/** One that comes with the program has a section of its own. */
function optionsOfPlugin(
  { builtinPlugins, pluginOverrides }: Configuration,
  id: string,
): JsonObject | undefined {
  const own: unknown = Object.entries(builtinPlugins).find(([each]) => each === id)?.[1];
  if (own !== undefined) return JSON.parse(JSON.stringify(own));
  return Object.entries(pluginOverrides).find(([each]) => each === id)?.[1].options;
}

/** Whether a configuration file switches a plugin off. */
function isSwitchedOff(values: unknown, section: string, id: string): boolean {
  const entries = isObject(values) ? values[section] : undefined;
  const entry = isObject(entries) && Object.hasOwn(entries, id) ? entries[id] : undefined;
  return isObject(entry) && entry["enabled"] === false;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
