import type { JsonObject, ModelPrice } from "@alisio/sdk";

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
  /** The protocol. */
  readonly apiMode: ApiMode;
  /** `none` sends no `Authorization` header. */
  readonly auth: "bearer" | "none";
  /** The field that carries the output limit in chat mode. */
  readonly tokenParameter: "max_tokens" | "max_completion_tokens" | "omit";
  /** Whether usage is asked for while streaming. */
  readonly streamUsage: boolean;
  /** Whether visible reasoning is sent back, for servers that demand it. */
  readonly keepReasoning: boolean;
  /** Whether a tool call that the model wrote as plain text is run. */
  readonly textToolCalls: boolean;
  /** Tokens; for the configured model only, and stronger than the server's catalog. */
  readonly contextWindow?: number;
  /** By model id, `*` for every other one; from the global file alone. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
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
  /** Whether it happens by itself. */
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

/** Settings of the `webfetch` tool. */
export interface WebfetchSettings {
  /** Hosts, addresses and ranges of a private network that may be fetched; the global file's. */
  readonly allowedHosts: readonly string[];
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
  /** Absent means a public SearXNG instance. */
  readonly provider?: WebsearchProvider;
  /** Address of a SearXNG instance. */
  readonly searxngUrl?: string;
  /** Name of the variable that holds the key of a keyed provider. */
  readonly apiKeyEnv?: string;
  /** Tool type for searches by the model's own server. */
  readonly nativeToolType: string;
}

/** Time limits of plugin hooks. */
export interface PluginHookSettings {
  /** Of hooks around compaction and session start. */
  readonly timeoutMs: number;
  /** Of hooks at the end of a session. */
  readonly sessionEndTimeoutMs: number;
  /** Of a plugin that releases what it holds. */
  readonly disposeTimeoutMs: number;
}

/** What the person decided about one external plugin. */
export interface PluginOverride {
  /** Absent means as installed. */
  readonly enabled?: boolean;
  /** From the global file alone. */
  readonly options?: JsonObject;
}

/** What the person decided about one skill. */
export interface SkillOverride {
  /** Absent means on. */
  readonly enabled?: boolean;
}

/** Settings of one built-in plugin; the plugin knows the rest of them. */
export interface BuiltinPluginSettings {
  /** Whether it is loaded. */
  readonly enabled: boolean;
  /** What the plugin knows. */
  readonly [key: string]: unknown;
}

/** An agent that is defined in a configuration file. */
export interface AgentSettings {
  /** When the agent is of use. */
  readonly description: string;
  /** Its instructions. */
  readonly prompt: string;
  /** Names of its tools; absent means those of its parent. */
  readonly tools?: readonly string[];
  /** Its model; absent means that of its parent. */
  readonly model?: string;
  /** Where it can be chosen. */
  readonly mode: "subagent" | "primary" | "all";
}

/** Settings of the memory plugin. */
export interface MemorySettings {
  /** Whether it is loaded. */
  readonly enabled: boolean;
  /** Absolute; absent means `memory.sqlite` in the state folder. */
  readonly dbPath?: string;
  /** Tokens of memory in a request. */
  readonly injectBudgetTokens: number;
  /** Entries that are recalled at once. */
  readonly recallLimit: number;
  /** Whether a session is summarised when it ends. */
  readonly autoSummary: boolean;
  /** Where new entries go. */
  readonly defaultScope: "project" | "personal";
}

/** Settings of the subagents plugin. */
export interface SubagentSettings {
  /** Whether it is loaded. */
  readonly enabled: boolean;
  /** Levels of agents below the main one. */
  readonly maxDepth: number;
  /** Children of one agent that run at once. */
  readonly maxConcurrentPerParent: number;
  /** Children that run at once. */
  readonly maxConcurrentTotal: number;
  /** Children that wait for their turn. */
  readonly maxQueued: number;
  /** Model responses of a child. */
  readonly maxTurns: number;
  /** Active time of a child. */
  readonly timeoutMs: number;
  /** Tokens of a child; absent means a share of the parent's. */
  readonly maxTokensPerChild?: number;
  /** Output tokens of one request of a child. */
  readonly maxOutputTokensPerChild: number;
  /** How children that write at once are kept apart. */
  readonly parallelWrites: "ask" | "worktree" | "serial" | "shared";
  /** Longest wait for a child. */
  readonly waitMaxMs: number;
  /** Bytes of a child's result. */
  readonly resultMaxBytes: number;
  /** Agents by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** Absolute; absent means `worktrees` in the state folder. */
  readonly worktreeDir?: string;
}

/** Settings of the built-in plugins, by id. */
export interface BuiltinPlugins {
  /** The provider of OpenAI-compatible servers. */
  readonly "openai-compatible": BuiltinPluginSettings;
  /** The provider that plays a script. */
  readonly scripted: BuiltinPluginSettings;
  /** What is remembered across sessions. */
  readonly memory: MemorySettings;
  /** Agents that work for the main one. */
  readonly subagents: SubagentSettings;
}

/** A client that the person registered by hand at the service that signs in at a server. */
export interface McpOAuthSettings {
  /** Its id. */
  readonly clientId: string;
  /** Name of the variable that holds its secret, if it has one. */
  readonly clientSecretEnv?: string;
  /** Port of this machine that the browser comes back to, where the service wants a fixed one. */
  readonly callbackPort?: number;
}

/** One MCP server. */
export interface McpServerSettings {
  /**
   * How it is reached; worked out from `command` or `url` where the file names none. `http` is
   * Streamable HTTP, `sse` the form before it.
   */
  readonly transport: "stdio" | "http" | "sse";
  /** Grants nothing by itself. */
  readonly enabled: boolean;
  /** Program of a stdio server. */
  readonly command?: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Address of an HTTP server. */
  readonly url?: string;
  /** Names of variables that the child receives from the environment. */
  readonly envAllow: readonly string[];
  /** Variables of that child alone. Never shown. */
  readonly env: Readonly<Record<string, string>>;
  /** Name of the variable that holds the token of an HTTP server. */
  readonly bearerTokenEnv?: string;
  /** What an HTTP server's sign-in knows this program by, where it cannot register itself. */
  readonly oauth?: McpOAuthSettings;
  /** Headers of each request to an HTTP server; `${NAME}` in a value stands for a variable. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long connecting may take, the program's own start among it. */
  readonly timeoutMs: number;
  /** How long a request may go without an answer or news of its progress. */
  readonly callTimeoutMs: number;
}

/** MCP servers and the standing consent to use them. */
export interface McpSettings {
  /** From the global file alone. */
  readonly allow: boolean;
  /** By name. */
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Characters of the definitions of tools that each request may carry. */
  readonly maxToolChars: number;
  /** How long the first request waits for servers that connect by themselves. */
  readonly startupWaitMs: number;
}

/** Settings of every agent; from the global file alone. */
export interface AgentSettings {
  /** Receipts of successful calls. */
  readonly toolReceipts: {
    /** Whether results have them. */
    readonly enabled: boolean;
    /** Whether the final answer lists them. */
    readonly showInResponse: boolean;
    /** Whether the model is told what they are. */
    readonly injectSystemPrompt: boolean;
  };
}

/** The active agent. */
export interface AgentSelection {
  /** Id of the agent. */
  readonly active: string;
  /** Level of effort that is asked of the model. */
  readonly effort?: string;
}

/** Settings of decision providers. */
export interface DecisionSettings {
  /** Whether decision providers are asked. */
  readonly enabled: boolean;
  /** Id of the provider; from the global file alone. */
  readonly provider: string | null;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
  /** Answers below it do not count. */
  readonly minConfidence: number;
  /** Whether local metrics are kept; from the global file alone. */
  readonly telemetry: boolean;
}

/** Settings of data analysis. */
export interface AnalysisSettings {
  /** Whether its tools are offered. */
  readonly enabled: boolean;
  /** Whether dashboards are; a global `false` stays. */
  readonly smartDashboard: boolean;
  /** Where Python runs; from the global file alone. */
  readonly runtime: "managed" | "oci";
  /** The container; from the global file alone. */
  readonly oci: {
    readonly engine: "docker" | "podman";
    /** Pinned by digest. */
    readonly image?: string;
    readonly memoryMb: number;
    readonly cpus: number;
  };
  /** How long results stay, 0 for ever; from the global file alone. */
  readonly retention: {
    readonly jobsDays: number;
    readonly intermediateDays: number;
    readonly artifactsDays: number;
  };
  /** Bounds of one analysis. */
  readonly limits: {
    readonly timeoutMs: number;
    readonly maxFiles: number;
    readonly maxFileBytes: number;
    readonly maxOutputBytes: number;
    readonly maxLogBytes: number;
  };
  /** Bounds of tabular data. */
  readonly data: {
    readonly maxUploadBytes: number;
    readonly maxRows: number;
    readonly queryTimeoutMs: number;
    readonly maxInteractiveRows: number;
  };
}

/** Settings of background tasks. */
export interface TaskSettings {
  /** Whether background tasks are offered. */
  readonly enabled: boolean;
  /** Tasks of one session at once. */
  readonly maxPerSession: number;
  /** Longest duration of a task. */
  readonly maxRunMs: number;
  /** Bytes of a task's log. */
  readonly maxOutputBytes: number;
  /** How long logs stay, 0 for ever; from the global file alone. */
  readonly retentionDays: number;
}

/** Bounds of one snippet of the tool `execute`; from the global file alone. */
export interface ExecuteSettings {
  /** How long it may take, the calls that it makes included. */
  readonly timeoutMs: number;
  /** Calls of other tools. */
  readonly maxCalls: number;
  /** Mebibytes of its objects, and as much again for buffers. */
  readonly maxMemoryMb: number;
}

/** Bounds of a goal. */
export interface GoalSettings {
  /** Whether goals are offered. */
  readonly enabled: boolean;
  /** Model responses. */
  readonly maxTurns: number;
  /** Minutes. */
  readonly maxMinutes: number;
  /** Equal replies that end it. */
  readonly repeatedReplyLimit: number;
  /** Turns without a tool call that end it. */
  readonly noToolTurnsLimit: number;
  /** Turns for which a block must be repeated. */
  readonly blockedRepeats: number;
}

/** Settings of plans. */
export interface PlanSettings {
  /** Whether plans hold diagrams. */
  readonly diagrams: boolean;
  /** Diagrams of one plan. */
  readonly maxDiagrams: number;
}

/** Settings of the terminal interface. */
export interface TuiSettings {
  /** Whether the conversation has a screen of its own, or stays in the terminal's scrollback. */
  readonly screen: "alternate" | "inline";
  /** Columns beside the screen. */
  readonly paddingX: number;
  /** Columns beside the content. */
  readonly contentPaddingX: number;
  /** Keys by the names of the actions that they are bound to, where they are not the usual ones. */
  readonly keys?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether skills are slash commands. */
  readonly skillSlashCommands: boolean;
  /** `auto`, `dark`, `light`, or the name of a theme of the person. */
  readonly theme: string;
  /** How a person who looks elsewhere is told that a question waits. */
  readonly notify: "off" | "bell" | "osc9";
}

/** Settings of the web interface. */
export interface WebSettings {
  /** Name of the icon theme. */
  readonly iconTheme: string;
}

/** Settings of semantic search. */
export interface SemanticSettings {
  /** Id of the embedding provider; from the global file alone. */
  readonly embedding?: string;
  /** Id of the vector store; from the global file alone. */
  readonly store?: string;
  /** Longest wait for an embedding. */
  readonly embedTimeoutMs?: number;
  /** Longest wait for a search. */
  readonly queryTimeoutMs?: number;
}

/** The configuration of all layers, checked, merged and with every default filled in. */
export interface Configuration {
  /** The provider of files, environment and flags. */
  readonly provider: ProviderSettings;
  /** Bounds of one run. */
  readonly limits: LimitSettings;
  /** When a long conversation is summarised. */
  readonly compaction: CompactionSettings;
  /** Which instruction files are read. */
  readonly context: ContextSettings;
  /** Fetching pages. */
  readonly webfetch: WebfetchSettings;
  /** Where the web is searched. */
  readonly websearch: WebsearchSettings;
  /** Built-in plugins by id. */
  readonly builtinPlugins: BuiltinPlugins;
  /** Time limits of plugin hooks. */
  readonly pluginHooks: PluginHookSettings;
  /** Absolute paths and npm package names. */
  readonly plugins: readonly string[];
  /** Decisions about external plugins, by id. */
  readonly pluginOverrides: Readonly<Record<string, PluginOverride>>;
  /** Absolute paths. */
  readonly skills: readonly string[];
  /** Decisions about skills, by name. */
  readonly skillOverrides: Readonly<Record<string, SkillOverride>>;
  /** Real paths of folders that exist. */
  readonly additionalDirectories: readonly string[];
  /** Settings of every agent. */
  readonly agent: AgentSettings;
  /** The active agent. */
  readonly agents: AgentSelection;
  /** The sandbox of the operating system for programs; from the global file alone. */
  readonly sandbox: "none" | "auto" | "bubblewrap" | "landlock" | "sandbox-exec";
  /** Risk profiles as the global file writes them; `parseRiskProfiles` reads them. */
  readonly riskProfiles: Readonly<Record<string, JsonObject>>;
  /** MCP servers, those of the `mcpServers` alias included. */
  readonly mcp: McpSettings;
  /** Decision providers. */
  readonly decisions: DecisionSettings;
  /** Data analysis. */
  readonly analysis: AnalysisSettings;
  /** Background tasks. */
  readonly tasks: TaskSettings;
  /** Bounds of a snippet of `execute`. */
  readonly execute: ExecuteSettings;
  /** Bounds of a goal. */
  readonly goal: GoalSettings;
  /** Plans. */
  readonly plan: PlanSettings;
  /** The terminal interface. */
  readonly tui: TuiSettings;
  /** The web interface. */
  readonly web: WebSettings;
  /** Semantic search. */
  readonly semantic: SemanticSettings;
}
