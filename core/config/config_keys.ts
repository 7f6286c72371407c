import type { JsonValue } from "@alisio/sdk";
import type { Configuration } from "./configuration.ts";
import { DEFAULT_API_KEY_ENV, DEFAULT_BASE_URL } from "./provider_defaults.ts";

/** What is true of a key whatever its type. */
export interface ConfigKeyFacts {
  /** Only the global file may set it; elsewhere it is ignored with a notice. */
  readonly globalOnly?: true;
  /** Accepted and checked, but its feature is not part of this release. */
  readonly planned?: true;
  /** Whether an entry without it is refused. */
  readonly required?: true;
}

/** `true` or `false`. */
export interface BooleanKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "boolean";
  /** The value where no file sets one. */
  readonly default?: boolean;
  /** A global `false` stays, whatever an upper layer says. */
  readonly stickyFalse?: true;
}

/** A number in a range. */
export interface NumberKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "integer" | "number";
  /** Lowest value. */
  readonly minimum: number;
  /** Highest value; absent is none. */
  readonly maximum?: number;
  /** The value where no file sets one. */
  readonly default?: number;
}

/** A text. */
export interface TextKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "text";
  /** What the text must match. */
  readonly pattern?: RegExp;
  /** What the pattern asks for; continues "must be". */
  readonly expected?: string;
  /** The value where no file sets one. */
  readonly default?: string | null;
  /** Whether `null` is accepted. */
  readonly nullable?: true;
  /** How a relative path in it is resolved against the defining file. */
  readonly path?: PathForm;
}

/** One of a few texts. */
export interface ChoiceKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "choice";
  /** The texts that are accepted. */
  readonly values: readonly string[];
  /** The value where no file sets one. */
  readonly default?: string;
}

/** An HTTP(S) address without embedded credentials. */
export interface UrlKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "url";
  /** Whether plain HTTP is for this machine only. */
  readonly httpsOnly?: true;
  /** The value where no file sets one. */
  readonly default?: string;
}

/** A list of texts. */
export interface ListKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "list";
  /** What the text must match. */
  readonly pattern?: RegExp;
  /** What the pattern asks of each item; continues "must be". */
  readonly expected?: string;
  /** One text may stand in the place of a list of one. */
  readonly single?: true;
  /** `append`: an upper layer adds to the global list and cannot clear it. */
  readonly merge?: "append";
  /** How a relative path in it is resolved. */
  readonly path?: PathForm;
  /** The value where no file sets one. */
  readonly default?: readonly string[];
}

/** Entries by a name that the person chooses. */
export interface RecordKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "record";
  /** What a name must match. */
  readonly name: RegExp;
  /** What the name pattern asks for; continues "must be". */
  readonly expected: string;
  /** What each entry holds. */
  readonly entry: ConfigKey;
  /** `by_key`: an upper layer replaces single entries. */
  readonly merge?: "by_key";
}

/** Keys with fixed names. */
export interface SectionKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "section";
  /** The keys by name. */
  readonly keys: Readonly<Record<string, ConfigKey>>;
  /** What stands under names that the person chooses, beside the fixed ones. */
  readonly entries?: RecordKey;
  /** Whether unknown keys are left to a plugin. */
  readonly open?: true;
  /** `by_key`: an upper layer replaces single entries. */
  readonly merge?: "by_key";
}

/** A JSON object whose content is not the host's business. */
export interface FreeObjectKey extends ConfigKeyFacts {
  /** What tells this kind of key from the others. */
  readonly type: "object";
  /** What a name must match. */
  readonly name: RegExp;
  /** What the name pattern asks for; continues "must be". */
  readonly expected: string;
  /** Of its JSON text. */
  readonly maxBytes: number;
}

/**
 * How a path value is told from other text: `always` a path; `reference`, a path unless it is an
 * npm package name; `dotted`, a path only when it starts with `./` or `../`.
 */
export type PathForm = "always" | "reference" | "dotted";

/** One key of the configuration: its type, range, default, layer and merge rule. */
export type ConfigKey =
  | BooleanKey
  | NumberKey
  | TextKey
  | ChoiceKey
  | UrlKey
  | ListKey
  | RecordKey
  | SectionKey
  | FreeObjectKey;

const ENV_NAME_REGEXP = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const ENV_NAME = { pattern: ENV_NAME_REGEXP, expected: "the name of an environment variable" };
const PORT = String
  .raw`(?::(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5]))?`;
/** A range of either kind, an address with a port, an address, or a name with a port. */
const ALLOWED_HOST_REGEXP = new RegExp(
  [
    String.raw`(?:\d{1,3}\.){3}\d{1,3}/(?:[0-2]?\d|3[0-2])`,
    String.raw`(?=[^/]*:)[0-9A-Fa-f:.]+/(?:\d{1,2}|1[01]\d|12[0-8])`,
    String.raw`\[[0-9A-Fa-f:.]+\]${PORT}`,
    String.raw`(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]+`,
    String.raw`[A-Za-z0-9._-]+${PORT}`,
  ].map((form) => `^${form}$`).join("|"),
);
const PATH = { pattern: /^[^\0]+$/, expected: "a path" };
const PROVIDER_ID = {
  pattern: /^[a-z0-9][a-z0-9.-]{0,63}$/,
  expected: "an id of lowercase letters, digits, dots and hyphens",
};

/** What other tools write as `type` of a server, and the transport that it means. */
export const MCP_TYPES: Readonly<Record<string, "stdio" | "http" | "sse">> = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
};

const MCP_SERVERS: RecordKey = {
  type: "record",
  name: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: "a name of at most 64 letters, digits, dots, hyphens and underscores",
  merge: "by_key",
  entry: {
    type: "section",
    keys: {
      transport: { type: "choice", values: ["stdio", "http", "sse"] },
      type: { type: "choice", values: Object.keys(MCP_TYPES) },
      enabled: { type: "boolean", default: true },
      command: { type: "text", pattern: /^[^\0]+$/, expected: "a program", path: "dotted" },
      args: { type: "list", default: [], path: "dotted" },
      url: { type: "url" },
      envAllow: { type: "list", default: [], ...ENV_NAME },
      env: {
        type: "record",
        name: ENV_NAME_REGEXP,
        expected: ENV_NAME.expected,
        entry: { type: "text" },
      },
      bearerTokenEnv: { type: "text", ...ENV_NAME },
      oauth: {
        type: "section",
        keys: {
          clientId: {
            type: "text",
            required: true,
            pattern: /^[\x20-\x7e]{1,2048}$/,
            expected: "a text of printable ASCII characters",
          },
          clientSecretEnv: { type: "text", ...ENV_NAME },
          callbackPort: { type: "integer", minimum: 1, maximum: 65_535 },
        },
      },
      headers: {
        type: "record",
        name: /^[A-Za-z0-9!#$%&'*+.^_|~-]{1,128}$/,
        expected: "the name of a header",
        entry: {
          type: "text",
          pattern: /^[\t\x20-\x7e]{0,4096}$/,
          expected: "a text of printable ASCII characters",
        },
      },
      timeoutMs: { type: "integer", minimum: 1000, maximum: 3_600_000, default: 60_000 },
      callTimeoutMs: { type: "integer", minimum: 1000, maximum: 86_400_000, default: 120_000 },
    },
  },
};

const AGENT_DEFINITIONS: RecordKey = {
  type: "record",
  name: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: "a name of at most 64 letters, digits, dots, hyphens and underscores",
  entry: {
    type: "section",
    keys: {
      description: {
        type: "text",
        required: true,
        pattern: /\S/,
        expected: "a description",
      },
      prompt: {
        type: "text",
        required: true,
        pattern: /\S/,
        expected: "a prompt",
      },
      tools: { type: "list" },
      model: { type: "text" },
      mode: { type: "choice", values: ["subagent", "primary", "all"], default: "subagent" },
    },
  },
};

const PROFILE_NAME: TextKey = {
  type: "text",
  pattern: /\S/,
  expected: "the name of a risk profile",
};

const USD_PER_MILLION = { type: "number", minimum: 0, maximum: 1_000_000 } as const;

const PRICES: RecordKey = {
  type: "record",
  name: /^(?!__proto__$)[^\s\p{Cc}]{1,200}$/u,
  expected: 'the id of a model, or "*"',
  globalOnly: true,
  entry: {
    type: "section",
    keys: {
      inputPerMillion: { ...USD_PER_MILLION, required: true },
      outputPerMillion: { ...USD_PER_MILLION, required: true },
      cachedInputPerMillion: USD_PER_MILLION,
    },
  },
};

const RISK_PROFILES: RecordKey = {
  type: "record",
  name: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: "a name of at most 64 letters, digits, dots, hyphens and underscores",
  globalOnly: true,
  // Its keys are checked where profiles are parsed, in both of their spellings.
  entry: {
    type: "object",
    name: /^[A-Za-z][A-Za-z0-9_]*$/,
    expected: "a key of a risk profile",
    maxBytes: 262_144,
  },
};

const AGENT_BINDINGS: RecordKey = {
  type: "record",
  name: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  expected: "a name of at most 64 letters, digits, dots, hyphens and underscores",
  entry: { type: "section", keys: { riskProfile: PROFILE_NAME, risk_profile: PROFILE_NAME } },
};

/** A built-in plugin whose own keys the plugin checks. */
const BUILTIN_PLUGIN: SectionKey = {
  type: "section",
  open: true,
  keys: { enabled: { type: "boolean", default: true } },
};

/**
 * Every key that a configuration file may hold; the only source of its type, range, default, layer
 * and merge rule. Checking, merging, `doctor` and the documentation read it.
 */
export const CONFIG_KEYS: Readonly<
  Record<keyof Configuration | "schemaVersion" | "mcpServers" | "risk_profiles", ConfigKey>
> = {
  schemaVersion: { type: "integer", minimum: 1, maximum: 1, default: 1 },
  provider: {
    type: "section",
    keys: {
      baseURL: { type: "url", default: DEFAULT_BASE_URL },
      apiKeyEnv: { type: "text", default: DEFAULT_API_KEY_ENV, ...ENV_NAME },
      model: { type: "text", default: "" },
      apiMode: { type: "choice", values: ["chat", "responses"], default: "chat" },
      auth: { type: "choice", values: ["bearer", "none"], default: "bearer" },
      tokenParameter: {
        type: "choice",
        values: ["max_tokens", "max_completion_tokens", "omit"],
        default: "max_tokens",
      },
      streamUsage: { type: "boolean", default: false },
      keepReasoning: { type: "boolean", default: false },
      textToolCalls: { type: "boolean", default: false },
      contextWindow: { type: "integer", minimum: 1 },
      prices: PRICES,
    },
  },
  limits: {
    type: "section",
    keys: {
      maxTurns: { type: "integer", minimum: 1, maximum: 100, default: 100 },
      timeoutMs: { type: "integer", minimum: 100, default: 600_000 },
      firstTokenTimeoutMs: { type: "integer", minimum: 0, default: 90_000 },
      firstTokenRetries: { type: "integer", minimum: 0, maximum: 3, default: 1 },
      truncationRecoveries: { type: "integer", minimum: 0, maximum: 5, default: 2 },
      maxContextChars: { type: "integer", minimum: 1, default: 800_000 },
      maxOutputTokens: { type: "integer", minimum: 1 },
      maxTokens: { type: "integer", minimum: 1 },
    },
  },
  compaction: {
    type: "section",
    keys: {
      auto: { type: "boolean", default: true },
      threshold: { type: "number", minimum: 0.1, maximum: 0.99, default: 0.85 },
      keepTurns: { type: "integer", minimum: 0, maximum: 20, default: 2 },
      maxOutputTokens: { type: "integer", minimum: 1, default: 16_000 },
    },
  },
  context: {
    type: "section",
    keys: {
      claudeMdFallback: { type: "boolean", default: false },
      maxBytes: { type: "integer", minimum: 1024, maximum: 1_048_576, default: 32_768 },
    },
  },
  webfetch: {
    type: "section",
    keys: {
      allowedHosts: {
        type: "list",
        globalOnly: true,
        default: [],
        pattern: ALLOWED_HOST_REGEXP,
        expected: "a host, host:port, address or range such as 10.0.0.0/8",
      },
    },
  },
  websearch: {
    type: "section",
    keys: {
      provider: {
        type: "choice",
        values: [
          "searxng",
          "duckduckgo-instant",
          "duckduckgo-html",
          "tavily",
          "brave",
          "serpapi",
          "native",
        ],
      },
      searxngUrl: { type: "url", httpsOnly: true },
      apiKeyEnv: { type: "text", ...ENV_NAME },
      nativeToolType: {
        type: "text",
        pattern: /^[a-z][a-z0-9_]{0,63}$/,
        expected: "a tool type such as web_search",
        default: "web_search",
      },
    },
  },
  builtinPlugins: {
    type: "section",
    merge: "by_key",
    keys: {
      "openai-compatible": BUILTIN_PLUGIN,
      scripted: BUILTIN_PLUGIN,
      herdr: BUILTIN_PLUGIN,
      memory: {
        type: "section",
        keys: {
          enabled: { type: "boolean", default: true },
          dbPath: { type: "text", path: "always", ...PATH },
          injectBudgetTokens: { type: "integer", minimum: 100, maximum: 20_000, default: 1500 },
          recallLimit: { type: "integer", minimum: 0, maximum: 20, default: 8 },
          autoSummary: { type: "boolean", default: true },
          defaultScope: { type: "choice", values: ["project", "personal"], default: "project" },
        },
      },
      subagents: {
        type: "section",
        keys: {
          enabled: { type: "boolean", default: true },
          maxDepth: { type: "integer", minimum: 1, default: 3 },
          maxConcurrentPerParent: {
            type: "integer",
            minimum: 1,
            maximum: 32,
            default: 4,
          },
          maxConcurrentTotal: {
            type: "integer",
            minimum: 1,
            maximum: 64,
            default: 8,
          },
          maxQueued: { type: "integer", minimum: 0, maximum: 256, default: 16 },
          maxTurns: { type: "integer", minimum: 1, maximum: 500, default: 50 },
          timeoutMs: { type: "integer", minimum: 1000, default: 600_000 },
          maxTokensPerChild: { type: "integer", minimum: 1 },
          maxOutputTokensPerChild: { type: "integer", minimum: 1, default: 16_384 },
          parallelWrites: {
            type: "choice",
            values: ["ask", "worktree", "serial", "shared"],
            default: "ask",
          },
          waitMaxMs: { type: "integer", minimum: 100, default: 600_000 },
          resultMaxBytes: {
            type: "integer",
            minimum: 1000,
            maximum: 1_000_000,
            default: 50_000,
          },
          agents: AGENT_DEFINITIONS,
          worktreeDir: { type: "text", path: "always", ...PATH },
        },
      },
    },
  },
  pluginHooks: {
    type: "section",
    keys: {
      timeoutMs: { type: "integer", minimum: 100, maximum: 120_000, default: 15_000 },
      sessionEndTimeoutMs: {
        type: "integer",
        minimum: 100,
        maximum: 120_000,
        default: 10_000,
      },
      disposeTimeoutMs: { type: "integer", minimum: 100, maximum: 10_000, default: 2000 },
    },
  },
  plugins: {
    type: "list",
    merge: "append",
    path: "reference",
    pattern: /^[^\0]+$/,
    expected: "a path or the name of an npm package",
    default: [],
  },
  pluginOverrides: {
    type: "record",
    merge: "by_key",
    name: /^[a-z0-9][a-z0-9.-]{0,63}$/,
    expected: "a plugin id of lowercase letters, digits, dots and hyphens",
    entry: {
      type: "section",
      keys: {
        enabled: { type: "boolean" },
        options: {
          type: "object",
          globalOnly: true,
          name: /^[A-Za-z][A-Za-z0-9._-]*$/,
          expected: "a name that starts with a letter",
          maxBytes: 8192,
        },
      },
    },
  },
  skills: { type: "list", merge: "append", path: "always", default: [], ...PATH },
  skillOverrides: {
    type: "record",
    merge: "by_key",
    name: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    expected: "a skill name of lowercase letters, digits and single hyphens",
    entry: { type: "section", keys: { enabled: { type: "boolean" } } },
  },
  additionalDirectories: { type: "list", merge: "append", path: "always", default: [], ...PATH },
  agent: {
    type: "section",
    keys: {
      toolReceipts: {
        type: "section",
        globalOnly: true,
        keys: {
          enabled: { type: "boolean", default: false },
          showInResponse: { type: "boolean", default: false },
          injectSystemPrompt: { type: "boolean", default: true },
        },
      },
    },
  },
  agents: {
    type: "section",
    keys: {
      active: {
        type: "text",
        default: "build",
        pattern: /\S/,
        expected: "an agent id",
      },
      effort: { type: "text", pattern: /\S/, expected: "an effort level" },
    },
    entries: AGENT_BINDINGS,
  },
  sandbox: {
    type: "choice",
    values: ["none", "auto", "bubblewrap", "landlock", "sandbox-exec"],
    default: "none",
    globalOnly: true,
  },
  riskProfiles: RISK_PROFILES,
  risk_profiles: RISK_PROFILES,
  mcp: {
    type: "section",
    keys: {
      allow: { type: "boolean", default: false, globalOnly: true },
      servers: MCP_SERVERS,
      maxToolChars: { type: "integer", minimum: 0, maximum: 10_000_000, default: 40_000 },
      startupWaitMs: { type: "integer", minimum: 0, maximum: 600_000, default: 5_000 },
    },
  },
  mcpServers: MCP_SERVERS,
  decisions: {
    type: "section",
    planned: true,
    keys: {
      enabled: { type: "boolean", default: true },
      provider: { type: "text", nullable: true, default: null, globalOnly: true, ...PROVIDER_ID },
      timeoutMs: { type: "integer", minimum: 50, maximum: 10_000, default: 1500 },
      minConfidence: { type: "number", minimum: 0, maximum: 1, default: 0.6 },
      telemetry: { type: "boolean", default: true, globalOnly: true },
    },
  },
  analysis: {
    type: "section",
    planned: true,
    keys: {
      enabled: { type: "boolean", default: true },
      smartDashboard: { type: "boolean", default: true, stickyFalse: true },
      runtime: {
        type: "choice",
        values: ["managed", "oci"],
        default: "managed",
        globalOnly: true,
      },
      oci: {
        type: "section",
        globalOnly: true,
        keys: {
          engine: { type: "choice", values: ["docker", "podman"], default: "docker" },
          image: {
            type: "text",
            pattern: /^[a-z0-9][A-Za-z0-9._/:-]*@sha256:[0-9a-f]{64}$/,
            expected: 'an image pinned by its digest, "name@sha256:" and 64 hex digits',
          },
          memoryMb: { type: "integer", minimum: 256, maximum: 65_536, default: 2048 },
          cpus: { type: "number", minimum: 0.5, maximum: 64, default: 2 },
        },
      },
      retention: {
        type: "section",
        globalOnly: true,
        keys: {
          jobsDays: { type: "integer", minimum: 0, maximum: 3650, default: 30 },
          intermediateDays: { type: "integer", minimum: 0, maximum: 3650, default: 7 },
          artifactsDays: { type: "integer", minimum: 0, maximum: 3650, default: 0 },
        },
      },
      limits: {
        type: "section",
        keys: {
          timeoutMs: { type: "integer", minimum: 1000, maximum: 900_000, default: 120_000 },
          maxFiles: { type: "integer", minimum: 1, maximum: 1000, default: 200 },
          maxFileBytes: { type: "integer", minimum: 1, default: 104_857_600 },
          maxOutputBytes: { type: "integer", minimum: 1, default: 524_288_000 },
          maxLogBytes: { type: "integer", minimum: 1, default: 10_485_760 },
        },
      },
      data: {
        type: "section",
        keys: {
          maxUploadBytes: { type: "integer", minimum: 1, default: 209_715_200 },
          maxRows: { type: "integer", minimum: 1, default: 5_000_000 },
          queryTimeoutMs: { type: "integer", minimum: 100, maximum: 60_000, default: 5000 },
          maxInteractiveRows: { type: "integer", minimum: 1, default: 1_000_000 },
        },
      },
    },
  },
  tasks: {
    type: "section",
    keys: {
      enabled: { type: "boolean", default: true },
      maxPerSession: { type: "integer", minimum: 1, maximum: 32, default: 4 },
      maxRunMs: { type: "integer", minimum: 1000, maximum: 86_400_000, default: 3_600_000 },
      maxOutputBytes: {
        type: "integer",
        minimum: 65_536,
        maximum: 104_857_600,
        default: 2_097_152,
      },
      retentionDays: {
        type: "integer",
        minimum: 0,
        maximum: 3650,
        default: 7,
        globalOnly: true,
      },
    },
  },
  execute: {
    type: "section",
    globalOnly: true,
    keys: {
      timeoutMs: { type: "integer", minimum: 100, maximum: 600_000, default: 10_000 },
      maxCalls: { type: "integer", minimum: 1, maximum: 200, default: 20 },
      maxMemoryMb: { type: "integer", minimum: 32, maximum: 1024, default: 64 },
    },
  },
  goal: {
    type: "section",
    keys: {
      enabled: { type: "boolean", default: true },
      maxTurns: { type: "integer", minimum: 1, maximum: 1000, default: 50 },
      maxMinutes: { type: "integer", minimum: 1, maximum: 1440, default: 120 },
      repeatedReplyLimit: { type: "integer", minimum: 2, maximum: 20, default: 3 },
      noToolTurnsLimit: { type: "integer", minimum: 2, maximum: 20, default: 3 },
      blockedRepeats: { type: "integer", minimum: 1, maximum: 10, default: 2 },
    },
  },
  plan: {
    type: "section",
    keys: {
      diagrams: { type: "boolean", default: true },
      maxDiagrams: { type: "integer", minimum: 0, maximum: 8, default: 5 },
    },
  },
  tui: {
    type: "section",
    keys: {
      screen: {
        type: "choice",
        globalOnly: true,
        values: ["alternate", "inline"],
        default: "alternate",
      },
      paddingX: { type: "integer", minimum: 0, maximum: 4, default: 1 },
      contentPaddingX: { type: "integer", minimum: 0, maximum: 12, default: 2 },
      keys: {
        type: "record",
        globalOnly: true,
        name: /^[A-Za-z]{1,40}$/,
        expected: "the name of an action, of at most 40 letters",
        entry: { type: "list", single: true, expected: "a key, such as ctrl+g" },
      },
      skillSlashCommands: { type: "boolean", default: true },
      theme: {
        type: "text",
        globalOnly: true,
        pattern: /^[a-z0-9][a-z0-9-]{0,40}$/,
        expected: "auto, dark, light or the name of a file in the folder themes, without .json",
        default: "auto",
      },
      notify: {
        type: "choice",
        globalOnly: true,
        values: ["off", "bell", "osc9"],
        default: "off",
      },
    },
  },
  web: {
    type: "section",
    planned: true,
    keys: { iconTheme: { type: "text", default: "none" } },
  },
  semantic: {
    type: "section",
    planned: true,
    keys: {
      embedding: { type: "text", globalOnly: true, ...PROVIDER_ID },
      store: { type: "text", globalOnly: true, ...PROVIDER_ID },
      embedTimeoutMs: { type: "integer", minimum: 100, maximum: 120_000 },
      queryTimeoutMs: { type: "integer", minimum: 100, maximum: 120_000 },
    },
  },
};

/** The whole table as one section, for code that walks it. */
export const CONFIG_ROOT: SectionKey = { type: "section", keys: CONFIG_KEYS };

/** One line of the table: a key by its full path. */
export interface ConfigKeyLine {
  /** For example `limits.maxTurns` or `mcp.servers.<name>.url`. */
  readonly path: string;
  /** The key. */
  readonly key: ConfigKey;
  /** Whether it, or a section around it, is for the global file only. */
  readonly globalOnly: boolean;
  /** Whether it, or a section around it, belongs to a later release. */
  readonly planned: boolean;
}

/**
 * Lists every key that holds a value, in the order of the table.
 *
 * @param section Where to start.
 */
export function listConfigKeys(section: SectionKey = CONFIG_ROOT): readonly ConfigKeyLine[] {
  return Object.entries(section.keys).flatMap(([name, key]) =>
    listBelow(name, key, key.globalOnly === true, key.planned === true)
  );
}

/**
 * Whether a key belongs to a feature of a later release.
 *
 * @param path Its path, such as `goal.maxTurns` or `plugins[0]`.
 */
export function isPlannedKey(path: string): boolean {
  let key: ConfigKey = CONFIG_ROOT;
  for (const name of path.split(/[.[]/)) {
    const next: ConfigKey | undefined = key.type === "section"
      ? key.keys[name] ?? key.entries?.entry
      : key.type === "record"
      ? key.entry
      : undefined;
    if (next === undefined) return false;
    if (next.planned === true) return true;
    key = next;
  }
  return false;
}

/** The default of a key that holds a single value, if it has one. */
export function defaultOf(key: ConfigKey): JsonValue | undefined {
  return key.type === "section" || key.type === "record" || key.type === "object"
    ? undefined
    : key.default;
}

function listBelow(
  path: string,
  key: ConfigKey,
  globalOnly: boolean,
  planned: boolean,
): readonly ConfigKeyLine[] {
  const children: readonly (readonly [string, ConfigKey])[] = key.type === "section"
    ? [
      ...Object.entries(key.keys),
      ...(key.entries === undefined ? [] : [["<name>", key.entries.entry] as const]),
    ]
    : key.type === "record"
    ? [["<name>", key.entry]]
    : [];
  if (children.length === 0) return [{ path, key, globalOnly, planned }];
  return children.flatMap(([name, child]) =>
    listBelow(
      `${path}.${name}`,
      child,
      globalOnly || child.globalOnly === true,
      planned || child.planned === true,
    )
  );
}
