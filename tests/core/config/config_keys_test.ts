import { deepEqual, equal, ok } from "node:assert/strict";
import { checkConfig } from "../../../core/config/check_config.ts";
import { defaultOf, isPlannedKey, listConfigKeys } from "../../../core/config/config_keys.ts";

/** Key, lowest value, highest value (`null` is no limit), default (`undefined` is none). */
type Range = readonly [string, number, number | null, number | undefined];

const INTEGERS: readonly Range[] = [
  ["schemaVersion", 1, 1, 1],
  ["provider.contextWindow", 1, null, undefined],
  ["limits.maxTurns", 1, 100, 100],
  ["limits.timeoutMs", 100, null, 600_000],
  ["limits.firstTokenTimeoutMs", 0, null, 90_000],
  ["limits.firstTokenRetries", 0, 3, 1],
  ["limits.truncationRecoveries", 0, 5, 2],
  ["limits.maxContextChars", 1, null, 800_000],
  ["limits.maxOutputTokens", 1, null, undefined],
  ["limits.maxTokens", 1, null, undefined],
  ["compaction.keepTurns", 0, 20, 2],
  ["compaction.maxOutputTokens", 1, null, 16_000],
  ["context.maxBytes", 1024, 1_048_576, 32_768],
  ["builtinPlugins.memory.injectBudgetTokens", 100, 20_000, 1500],
  ["builtinPlugins.memory.recallLimit", 0, 20, 8],
  ["builtinPlugins.subagents.maxDepth", 1, null, 3],
  ["builtinPlugins.subagents.maxConcurrentPerParent", 1, 32, 4],
  ["builtinPlugins.subagents.maxConcurrentTotal", 1, 64, 8],
  ["builtinPlugins.subagents.maxQueued", 0, 256, 16],
  ["builtinPlugins.subagents.maxTurns", 1, 500, 50],
  ["builtinPlugins.subagents.timeoutMs", 1000, null, 600_000],
  ["builtinPlugins.subagents.maxTokensPerChild", 1, null, undefined],
  ["builtinPlugins.subagents.maxOutputTokensPerChild", 1, null, 16_384],
  ["builtinPlugins.subagents.waitMaxMs", 100, null, 600_000],
  ["builtinPlugins.subagents.resultMaxBytes", 1000, 1_000_000, 50_000],
  ["pluginHooks.timeoutMs", 100, 120_000, 15_000],
  ["pluginHooks.sessionEndTimeoutMs", 100, 120_000, 10_000],
  ["pluginHooks.disposeTimeoutMs", 100, 10_000, 2000],
  ["decisions.timeoutMs", 50, 10_000, 1500],
  ["analysis.oci.memoryMb", 256, 65_536, 2048],
  ["analysis.retention.jobsDays", 0, 3650, 30],
  ["analysis.retention.intermediateDays", 0, 3650, 7],
  ["analysis.retention.artifactsDays", 0, 3650, 0],
  ["analysis.limits.timeoutMs", 1000, 900_000, 120_000],
  ["analysis.limits.maxFiles", 1, 1000, 200],
  ["analysis.limits.maxFileBytes", 1, null, 104_857_600],
  ["analysis.limits.maxOutputBytes", 1, null, 524_288_000],
  ["analysis.limits.maxLogBytes", 1, null, 10_485_760],
  ["analysis.data.maxUploadBytes", 1, null, 209_715_200],
  ["analysis.data.maxRows", 1, null, 5_000_000],
  ["analysis.data.queryTimeoutMs", 100, 60_000, 5000],
  ["analysis.data.maxInteractiveRows", 1, null, 1_000_000],
  ["tasks.maxPerSession", 1, 32, 4],
  ["tasks.maxRunMs", 1000, 86_400_000, 3_600_000],
  ["tasks.maxOutputBytes", 65_536, 104_857_600, 2_097_152],
  ["tasks.retentionDays", 0, 3650, 7],
  ["goal.maxTurns", 1, 1000, 50],
  ["goal.maxMinutes", 1, 1440, 120],
  ["goal.repeatedReplyLimit", 2, 20, 3],
  ["goal.noToolTurnsLimit", 2, 20, 3],
  ["goal.blockedRepeats", 1, 10, 2],
  ["plan.maxDiagrams", 0, 8, 5],
  ["tui.paddingX", 0, 4, 1],
  ["tui.contentPaddingX", 0, 12, 2],
  ["semantic.embedTimeoutMs", 100, 120_000, undefined],
  ["semantic.queryTimeoutMs", 100, 120_000, undefined],
];

const NUMBERS: readonly Range[] = [
  ["compaction.threshold", 0.1, 0.99, 0.85],
  ["decisions.minConfidence", 0, 1, 0.6],
  ["analysis.oci.cpus", 0.5, 64, 2],
];

const CHOICES: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ["provider.apiMode", ["chat", "responses"], "chat"],
  ["provider.auth", ["bearer", "none"], "bearer"],
  ["provider.tokenParameter", ["max_tokens", "max_completion_tokens", "omit"], "max_tokens"],
  ["websearch.provider", [
    "searxng",
    "duckduckgo-instant",
    "duckduckgo-html",
    "tavily",
    "brave",
    "serpapi",
    "native",
  ], undefined],
  ["builtinPlugins.memory.defaultScope", ["project", "personal"], "project"],
  ["builtinPlugins.subagents.parallelWrites", ["ask", "worktree", "serial", "shared"], "ask"],
  ["analysis.runtime", ["managed", "oci"], "managed"],
  ["analysis.oci.engine", ["docker", "podman"], "docker"],
];

const BOOLEANS: readonly (readonly [string, boolean | undefined])[] = [
  ["provider.streamUsage", false],
  ["compaction.auto", true],
  ["context.claudeMdFallback", false],
  ["builtinPlugins.openai-compatible.enabled", true],
  ["builtinPlugins.scripted.enabled", true],
  ["builtinPlugins.herdr.enabled", true],
  ["builtinPlugins.memory.enabled", true],
  ["builtinPlugins.memory.autoSummary", true],
  ["builtinPlugins.subagents.enabled", true],
  ["decisions.enabled", true],
  ["decisions.telemetry", true],
  ["mcp.allow", false],
  ["analysis.enabled", true],
  ["analysis.smartDashboard", true],
  ["tasks.enabled", true],
  ["goal.enabled", true],
  ["plan.diagrams", true],
  ["tui.skillSlashCommands", true],
];

for (const [path, low, high, standard] of [...INTEGERS, ...NUMBERS]) {
  Deno.test(`CONFIG_KEYS holds the range and the default of ${path}`, () => {
    const step = INTEGERS.some(([each]) => each === path) ? 1 : 0.001;
    accepts(path, low);
    refuses(path, low - step);
    if (high === null) accepts(path, 1e12);
    else {
      accepts(path, high);
      refuses(path, high + step);
    }
    if (step === 1) refuses(path, low + 0.5);
    refuses(path, String(low));
    equal(standardOf(path), standard);
  });
}

for (const [path, values, standard] of CHOICES) {
  Deno.test(`CONFIG_KEYS holds the choices and the default of ${path}`, () => {
    for (const value of values) accepts(path, value);
    for (const value of ["", `${values[0]} `, values[0]?.toUpperCase(), null, true]) {
      refuses(path, value);
    }
    equal(standardOf(path), standard);
  });
}

for (const [path, standard] of BOOLEANS) {
  Deno.test(`CONFIG_KEYS holds the default of ${path}`, () => {
    for (const value of [true, false]) accepts(path, value);
    for (const value of ["true", 1, 0, null]) refuses(path, value);
    equal(standardOf(path), standard);
  });
}

const TEXTS: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  [
    "provider.baseURL",
    ["http://127.0.0.1:1/v1", "https://example.com", "https://[::1]/v1?version=2"],
    [
      "example.com",
      "ftp://example.com",
      "https://",
      "https://me:secret@example.com/v1",
      "https://key@example.com",
      "file:///etc/passwd",
      "",
      7,
    ],
  ],
  ["provider.apiKeyEnv", ["A", "MY_KEY_2", "_x"], ["", "2X", "A-B", "A B", "sk-abc", null]],
  ["provider.model", ["", "org/model:8b", "YOUR_MODEL_ID"], [null, 5, ["m"]]],
  [
    "websearch.searxngUrl",
    ["https://search.example.com", "http://localhost:8080", "http://127.0.0.1:8080/"],
    ["http://search.example.com", "http://10.0.0.1", "search.example.com"],
  ],
  ["websearch.apiKeyEnv", ["BRAVE_SEARCH_API_KEY"], ["BRAVE KEY"]],
  ["websearch.nativeToolType", ["web_search"], ["", "Web Search"]],
  ["builtinPlugins.memory.dbPath", ["./memory.sqlite"], ["", "a\0b", 1]],
  ["plugins", [[], ["./plugin.ts", "@acme/x"]], ["./plugin.ts", [""], [1], { 0: "x" }]],
  ["skills", [["skills"]], [[""], "skills"]],
  ["additionalDirectories", [["../other", "/srv"]], [["a\0"], [null]]],
  ["agents.active", ["build"], ["", " ", null]],
  ["agents.effort", ["high"], ["", 3]],
  [
    "agents.build",
    [{ riskProfile: "strict" }, { risk_profile: "strict" }, {}],
    [{ riskProfile: " " }, { riskProfile: 1 }, { riskProfil: "strict" }, "strict", []],
  ],
  ["riskProfiles", [{}, { "my.profile-1": { level: "full" } }], [{ "a b": {} }, [], { a: 1 }]],
  ["risk_profiles", [{ strict: { workspace_only: true } }], [{ "a/b": {} }, null]],
  ["riskProfiles.strict", [{ level: "full" }], [{ "a-b": 1 }, { a: "x".repeat(262_144) }]],
  ["mcp.servers", [{}, { a: { command: "npx" } }], [{ "a b": { command: "x" } }, [], null]],
  [
    "mcp.servers.docs",
    [
      { command: "npx", args: ["-y", "x"], env: { A: "b" }, envAllow: ["C"], enabled: false },
      { url: "https://example.com/mcp", bearerTokenEnv: "TOKEN" },
      { type: "streamable-http", url: "https://example.com/mcp", timeoutMs: 90_000 },
      { type: "sse", url: "https://example.com/sse", callTimeoutMs: 5_000 },
      { url: "https://a.example", headers: { "X-Team": "a", Authorization: "Bearer ${TOKEN}" } },
      { transport: "http", url: "http://localhost:9/mcp", command: "unused" },
    ],
    [
      {},
      { command: "x", url: "https://example.com" },
      { transport: "stdio", url: "https://example.com" },
      { transport: "http", command: "x" },
      { transport: "ws", url: "https://example.com" },
      { command: 5 },
      { command: "x", args: "-y" },
      { command: "x", env: { "A-B": "c" } },
      { command: "x", env: { A: 5 } },
      { command: "x", envAllow: ["A=B"] },
      { url: "https://user:pass@example.com/mcp" },
      { type: "stdio", transport: "stdio", command: "npx" },
      { type: "sse", command: "npx" },
      { url: "https://a.example", headers: { Authorization: "Bearer abc" } },
      { url: "https://a.example", headers: { "X-Team": "a\r\nCookie: b" } },
      { url: "https://example.com", bearerTokenEnv: "sk-secret" },
      { command: "x", header: {} },
    ],
  ],
  ["mcpServers.docs", [{ command: "npx" }], [{}, { commando: "npx" }]],
  ["decisions.provider", [null, "acme.judge"], ["Acme", "", "-a", "a".repeat(65)]],
  [
    "analysis.oci.image",
    [`python@sha256:${"a".repeat(64)}`, `ghcr.io/a/b:1@sha256:${"0".repeat(64)}`],
    ["python:3.12", `python@sha256:${"a".repeat(63)}`, "python@sha256:"],
  ],
  [
    "pluginOverrides.acme-hello",
    [{ enabled: false }, { options: { a: { b: [1] } } }, { options: {} }],
    [
      { enabled: "no" },
      { options: [] },
      { options: { "1a": 1 } },
      { options: { a: "x".repeat(8192) } },
      { option: {} },
    ],
  ],
  ["skillOverrides.code-review", [{ enabled: true }], [{ enabled: 1 }, true]],
  ["skillOverrides", [{ a: {} }], [{ "Code Review": {} }, { "a--b": {} }, { "-a": {} }]],
  [
    "builtinPlugins.subagents.agents.reviewer",
    [
      { description: "Reviews", prompt: "Review.", tools: ["read_file"], mode: "all" },
      { description: "Reviews", prompt: "Review." },
    ],
    [
      { description: "Reviews" },
      { description: "", prompt: "x" },
      { description: "a", prompt: "b", mode: "both" },
    ],
  ],
  [
    "webfetch.allowedHosts",
    [
      ["wiki.example.com", "my_host:8080", "127.0.0.1:65535", "10.0.0.0/8", "0.0.0.0/0"],
      ["::1", "[::1]", "[fd00::1]:443", "fd00::/8", "fd00::/128", "::ffff:10.0.0.0/104"],
    ],
    ["", "*", "*.example.com", "a/b", "http://a", "a:0", "a:65536", "a:99999", "10.0.0/8"]
      .concat("10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8:80", "fd00::/129", "a b", "a:80/")
      .map((entry) => [entry]),
  ],
  ["builtinPlugins.herdr", [{}], [{ enabled: "no" }, null]],
  ["builtinPlugins.scripted", [{ anything: [1] }], [{ enabled: "no" }, null]],
  ["web.iconTheme", ["none"], [null]],
  ["semantic.store", ["acme.store"], ["Acme Store"]],
];

for (const [path, allowed, refused] of TEXTS) {
  Deno.test(`CONFIG_KEYS tells what ${path} may hold`, () => {
    for (const value of allowed) accepts(path, value);
    for (const value of refused) refuses(path, value);
  });
}

Deno.test("CONFIG_KEYS marks exactly the documented keys as global only", () => {
  deepEqual(listConfigKeys().filter((line) => line.globalOnly).map((line) => line.path), [
    "provider.prices.<name>.inputPerMillion",
    "provider.prices.<name>.outputPerMillion",
    "provider.prices.<name>.cachedInputPerMillion",
    "webfetch.allowedHosts",
    "pluginOverrides.<name>.options",
    "agent.toolReceipts.enabled",
    "agent.toolReceipts.showInResponse",
    "agent.toolReceipts.injectSystemPrompt",
    "sandbox",
    "riskProfiles.<name>",
    "risk_profiles.<name>",
    "mcp.allow",
    "decisions.provider",
    "decisions.telemetry",
    "analysis.runtime",
    "analysis.oci.engine",
    "analysis.oci.image",
    "analysis.oci.memoryMb",
    "analysis.oci.cpus",
    "analysis.retention.jobsDays",
    "analysis.retention.intermediateDays",
    "analysis.retention.artifactsDays",
    "tasks.retentionDays",
    "execute.timeoutMs",
    "execute.maxCalls",
    "execute.maxMemoryMb",
    "tui.screen",
    "tui.keys.<name>",
    "tui.theme",
    "tui.notify",
    "semantic.embedding",
    "semantic.store",
  ]);
});

Deno.test("CONFIG_KEYS marks later features, and only those, as planned", () => {
  const present = listConfigKeys().filter((line) => !line.planned).map((line) => line.path);
  ok(present.includes("provider.model") && present.includes("limits.maxTurns"));
  ok(present.includes("additionalDirectories") && present.includes("context.maxBytes"));
  ok(present.includes("mcp.allow") && !present.includes("data.maxRows"));
  ok(present.includes("riskProfiles.<name>") && present.includes("agents.<name>.riskProfile"));
  ok(present.includes("agents.active") && present.includes("agents.effort"));
  ok(!isPlannedKey("agents.build.riskProfile") && isPlannedKey("decisions.enabled"));
});

Deno.test("CONFIG_KEYS takes a key or several for an action", () => {
  for (const value of ["ctrl+o", ["ctrl+o", "f4"], []]) accepts("tui.keys.externalEditor", value);
  for (const value of [7, [7], { key: "f4" }, null]) refuses("tui.keys.externalEditor", value);
  refuses("tui.keys", { "two words": "f4" });
});

function accepts(path: string, value: unknown): void {
  deepEqual(checkConfig(nest(path, value)), [], `${path} must accept ${JSON.stringify(value)}`);
}

function refuses(path: string, value: unknown): void {
  const problems = checkConfig(nest(path, value));
  ok(problems.length > 0, `${path} must refuse ${JSON.stringify(value)}`);
  for (const { key } of problems) ok(key.startsWith(path), `${key} is not about ${path}`);
}

function nest(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);
}

function standardOf(path: string): unknown {
  const line = listConfigKeys().find((each) => each.path === path);
  ok(line !== undefined, `${path} is not in the table`);
  return defaultOf(line.key);
}
