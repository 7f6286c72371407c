import type { JsonObject } from "@alisio/sdk";

/** Which protocol an OpenAI-compatible server is spoken to in. */
export type ApiMode = "chat" | "responses";

/** The provider of the configuration files, the environment and the flags. */
export interface ProviderSettings {
  /** Address of the server, without credentials. */
  readonly baseURL: string;
  /** Name of the variable that holds the key. */
  readonly apiKeyEnv: string;
  /** Model id; empty or `YOUR_MODEL_ID` counts as unset. */
  readonly model: string;
  readonly apiMode: ApiMode;
  /** `none` sends no `Authorization` header. */
  readonly auth: "bearer" | "none";
  /** The field that carries the output limit in chat mode. */
  readonly tokenParameter: "max_tokens" | "max_completion_tokens" | "omit";
  /** Whether usage is asked for while streaming. */
  readonly streamUsage: boolean;
  /** Tokens; for the configured model only, and stronger than the server's catalog. */
  readonly contextWindow?: number;
}

/** Bounds of one run. */
export interface LimitSettings {
  /** Model responses of a run; a soft cap. */
  readonly maxTurns: number;
  /** Active time of a whole run; waits for a person are not counted. */
  readonly timeoutMs: number;
  /** Longest silence before the first token; 0 is none. */
  readonly firstTokenTimeoutMs: number;
  /** How often a silent request is sent again. */
  readonly firstTokenRetries: number;
  /** How often a response that was cut beyond use is asked for again. */
  readonly truncationRecoveries: number;
  /** Characters of history that trigger compaction when the window is unknown. */
  readonly maxContextChars: number;
  /** Tokens of one response; absent means the model's own limit or the default. */
  readonly maxOutputTokens?: number;
  /** Tokens of a run; absent means a multiple of the context window. */
  readonly maxTokens?: number;
}

/** When and how a long conversation is summarised. */
export interface CompactionSettings {
  readonly auto: boolean;
  /** Share of the context window. */
  readonly threshold: number;
  /** Latest turns that are kept as they are. */
  readonly keepTurns: number;
  /** Tokens of the summary. */
  readonly maxOutputTokens: number;
}

/** Which instruction files are read. */
export interface ContextSettings {
  /** Whether `CLAUDE.md` is read where there is no `AGENTS.md`. */
  readonly claudeMdFallback: boolean;
  /** Bytes of all instruction files together. */
  readonly maxBytes: number;
}

/** Where the `websearch` tool searches. */
export type WebsearchProvider =
  | "searxng"
  | "duckduckgo-instant"
  | "duckduckgo-html"
  | "tavily"
  | "brave"
  | "serpapi"
  | "native";

/** Settings of the `websearch` tool. */
export interface WebsearchSettings {
  readonly provider?: WebsearchProvider;
  readonly searxngUrl?: string;
  readonly apiKeyEnv?: string;
  readonly nativeToolType: string;
}

/** Time limits of plugin hooks. */
export interface PluginHookSettings {
  readonly timeoutMs: number;
  readonly sessionEndTimeoutMs: number;
  readonly disposeTimeoutMs: number;
}

/** What the person decided about one external plugin. */
export interface PluginOverride {
  readonly enabled?: boolean;
  /** From the global file alone. */
  readonly options?: JsonObject;
}

/** What the person decided about one skill. */
export interface SkillOverride {
  readonly enabled?: boolean;
}

/** Settings of one built-in plugin; the plugin knows the rest of them. */
export interface BuiltinPluginSettings {
  readonly enabled: boolean;
  readonly [key: string]: unknown;
}

/** An agent that is defined in a configuration file. */
export interface AgentSettings {
  readonly description: string;
  readonly prompt: string;
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly mode: "subagent" | "primary" | "all";
}

/** Settings of the memory plugin. */
export interface MemorySettings {
  readonly enabled: boolean;
  /** Absolute; absent means `memory.sqlite` in the state folder. */
  readonly dbPath?: string;
  readonly injectBudgetTokens: number;
  readonly recallLimit: number;
  readonly autoSummary: boolean;
  readonly defaultScope: "project" | "personal";
}

/** Settings of the subagents plugin. */
export interface SubagentSettings {
  readonly enabled: boolean;
  readonly maxDepth: number;
  readonly maxConcurrentPerParent: number;
  readonly maxConcurrentTotal: number;
  readonly maxQueued: number;
  readonly maxTurns: number;
  readonly timeoutMs: number;
  readonly maxTokensPerChild?: number;
  readonly maxOutputTokensPerChild: number;
  readonly parallelWrites: "ask" | "worktree" | "serial" | "shared";
  readonly waitMaxMs: number;
  readonly resultMaxBytes: number;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Absolute; absent means `worktrees` in the state folder. */
  readonly worktreeDir?: string;
}

/** Settings of the built-in plugins, by id. */
export interface BuiltinPlugins {
  readonly "openai-compatible": BuiltinPluginSettings;
  readonly scripted: BuiltinPluginSettings;
  readonly memory: MemorySettings;
  readonly subagents: SubagentSettings;
}

/** One MCP server. */
export interface McpServerSettings {
  /** How it is reached; worked out from `command` or `url` where the file names none. */
  readonly transport: "stdio" | "http";
  /** Grants nothing by itself. */
  readonly enabled: boolean;
  readonly command?: string;
  readonly args: readonly string[];
  readonly url?: string;
  /** Names of variables that the child receives from the environment. */
  readonly envAllow: readonly string[];
  /** Variables of that child alone. Never shown. */
  readonly env: Readonly<Record<string, string>>;
  /** Name of the variable that holds the token of an HTTP server. */
  readonly bearerTokenEnv?: string;
}

/** MCP servers and the standing consent to use them. */
export interface McpSettings {
  /** From the global file alone. */
  readonly allow: boolean;
  readonly servers: Readonly<Record<string, McpServerSettings>>;
}

/** The active agent. */
export interface AgentSelection {
  readonly active: string;
  readonly effort?: string;
}

/** Settings of decision providers. */
export interface DecisionSettings {
  readonly enabled: boolean;
  readonly provider: string | null;
  readonly timeoutMs: number;
  readonly minConfidence: number;
  readonly telemetry: boolean;
}

/** Settings of data analysis. */
export interface AnalysisSettings {
  readonly enabled: boolean;
  readonly smartDashboard: boolean;
  readonly runtime: "managed" | "oci";
  readonly oci: {
    readonly engine: "docker" | "podman";
    /** Pinned by digest. */
    readonly image?: string;
    readonly memoryMb: number;
    readonly cpus: number;
  };
  readonly retention: {
    readonly jobsDays: number;
    readonly intermediateDays: number;
    readonly artifactsDays: number;
  };
  readonly limits: {
    readonly timeoutMs: number;
    readonly maxFiles: number;
    readonly maxFileBytes: number;
    readonly maxOutputBytes: number;
    readonly maxLogBytes: number;
  };
  readonly data: {
    readonly maxUploadBytes: number;
    readonly maxRows: number;
    readonly queryTimeoutMs: number;
    readonly maxInteractiveRows: number;
  };
}

/** Settings of background tasks. */
export interface TaskSettings {
  readonly enabled: boolean;
  readonly maxPerSession: number;
  readonly maxRunMs: number;
  readonly maxOutputBytes: number;
  readonly retentionDays: number;
}

/** Bounds of a goal. */
export interface GoalSettings {
  readonly enabled: boolean;
  readonly maxTurns: number;
  readonly maxMinutes: number;
  readonly repeatedReplyLimit: number;
  readonly noToolTurnsLimit: number;
  readonly blockedRepeats: number;
}

/** Settings of plans. */
export interface PlanSettings {
  readonly diagrams: boolean;
  readonly maxDiagrams: number;
}

/** Settings of the terminal interface. */
export interface TuiSettings {
  readonly paddingX: number;
  readonly contentPaddingX: number;
  readonly skillSlashCommands: boolean;
}

/** Settings of the web interface. */
export interface WebSettings {
  readonly iconTheme: string;
}

/** Settings of semantic search. */
export interface SemanticSettings {
  readonly embedding?: string;
  readonly store?: string;
  readonly embedTimeoutMs?: number;
  readonly queryTimeoutMs?: number;
}

/** The configuration of all layers, checked, merged and with every default filled in. */
export interface Configuration {
  readonly provider: ProviderSettings;
  readonly limits: LimitSettings;
  readonly compaction: CompactionSettings;
  readonly context: ContextSettings;
  readonly websearch: WebsearchSettings;
  readonly builtinPlugins: BuiltinPlugins;
  readonly pluginHooks: PluginHookSettings;
  /** Absolute paths and npm package names. */
  readonly plugins: readonly string[];
  readonly pluginOverrides: Readonly<Record<string, PluginOverride>>;
  /** Absolute paths. */
  readonly skills: readonly string[];
  readonly skillOverrides: Readonly<Record<string, SkillOverride>>;
  /** Real paths of folders that exist. */
  readonly additionalDirectories: readonly string[];
  readonly agents: AgentSelection;
  readonly mcp: McpSettings;
  readonly decisions: DecisionSettings;
  readonly analysis: AnalysisSettings;
  readonly tasks: TaskSettings;
  readonly goal: GoalSettings;
  readonly plan: PlanSettings;
  readonly tui: TuiSettings;
  readonly web: WebSettings;
  readonly semantic: SemanticSettings;
}
