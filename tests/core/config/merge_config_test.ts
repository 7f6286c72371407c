import { deepEqual, equal } from "node:assert/strict";
import { type ConfigLayer, mergeConfig } from "../../../core/config/merge_config.ts";

const GLOBAL = { layer: "global", file: "/c/config.json" } as const;
const PROJECT = { layer: "project", file: "/w/.alisio/config.json" } as const;

interface Row {
  readonly name: string;
  readonly global: Readonly<Record<string, unknown>>;
  readonly project: Readonly<Record<string, unknown>>;
  /** Parts of the outcome by key path. */
  readonly expected: Readonly<Record<string, unknown>>;
  readonly ignored?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: "fills in defaults",
    global: {},
    project: {},
    expected: {
      "provider.baseURL": "https://api.openai.com/v1",
      "provider.contextWindow": undefined,
      "limits.maxTurns": 100,
      "limits.maxOutputTokens": undefined,
      "mcp.allow": false,
      "mcp.servers": {},
      "plugins": [],
      "builtinPlugins.memory.enabled": true,
      "decisions.provider": null,
      "analysis.oci.cpus": 2,
    },
  },
  {
    name: "replaces a whole top-level key",
    global: { limits: { maxTurns: 5, timeoutMs: 1000 }, tui: { paddingX: 3 } },
    project: { limits: { maxTurns: 7 } },
    expected: { "limits.maxTurns": 7, "limits.timeoutMs": 600_000, "tui.paddingX": 3 },
  },
  {
    name: "replaces provider as a whole, so that no part of the global one leaks in",
    global: { provider: { baseURL: "https://a.example/v1", apiKeyEnv: "A_KEY", model: "a" } },
    project: { provider: { baseURL: "https://b.example/v1" } },
    expected: {
      "provider.baseURL": "https://b.example/v1",
      "provider.apiKeyEnv": "OPENAI_API_KEY",
      "provider.model": "",
    },
  },
  {
    name: "appends to additive lists and drops exact duplicates",
    global: { plugins: ["a", "b"], skills: ["/s"], additionalDirectories: ["/d"] },
    project: { plugins: ["b", "c", "c"], skills: [], additionalDirectories: ["/e"] },
    expected: {
      "plugins": ["a", "b", "c"],
      "skills": ["/s"],
      "additionalDirectories": ["/d", "/e"],
    },
  },
  {
    name: "merges additive records by key, the upper entry as a whole",
    global: {
      pluginOverrides: { a: { enabled: true }, b: { enabled: true } },
      skillOverrides: { x: { enabled: false }, y: { enabled: false } },
      builtinPlugins: {
        memory: { recallLimit: 3, autoSummary: false },
        subagents: { maxDepth: 1 },
      },
    },
    project: {
      pluginOverrides: { b: { enabled: false }, c: {} },
      skillOverrides: { y: {} },
      builtinPlugins: { memory: { recallLimit: 4 } },
    },
    expected: {
      "pluginOverrides": { a: { enabled: true }, b: { enabled: false }, c: {} },
      "skillOverrides": { x: { enabled: false }, y: {} },
      "builtinPlugins.memory.recallLimit": 4,
      "builtinPlugins.memory.autoSummary": true,
      "builtinPlugins.subagents.maxDepth": 1,
    },
  },
  {
    name: "merges MCP servers by name, the upper server as a whole",
    global: {
      mcp: { servers: { a: { command: "a", args: ["1"] }, b: { url: "https://b.example" } } },
    },
    project: { mcp: { servers: { a: { command: "z" } } } },
    expected: {
      "mcp.servers": {
        a: {
          transport: "stdio",
          enabled: true,
          command: "z",
          args: [],
          envAllow: [],
          env: {},
          headers: {},
          timeoutMs: 60_000,
          callTimeoutMs: 120_000,
        },
        b: {
          transport: "http",
          enabled: true,
          url: "https://b.example",
          args: [],
          envAllow: [],
          env: {},
          headers: {},
          timeoutMs: 60_000,
          callTimeoutMs: 120_000,
        },
      },
    },
  },
  {
    name: "ignores global-only keys of a project and keeps the global values",
    global: {
      mcp: { allow: false },
      decisions: { provider: "acme.judge", telemetry: false, timeoutMs: 100 },
      analysis: { runtime: "oci", oci: { cpus: 4 }, retention: { jobsDays: 1 } },
      tasks: { retentionDays: 1 },
      pluginOverrides: { a: { options: { level: 1 } } },
    },
    project: {
      mcp: { allow: true, servers: {} },
      decisions: { provider: "evil.judge", telemetry: true, enabled: false },
      analysis: { runtime: "managed", oci: {}, retention: { jobsDays: 9 }, enabled: false },
      tasks: { retentionDays: 9, maxPerSession: 1 },
      pluginOverrides: { a: { options: { level: 9 }, enabled: false }, b: { options: {} } },
    },
    expected: {
      "mcp.allow": false,
      "decisions.provider": "acme.judge",
      "decisions.telemetry": false,
      "decisions.timeoutMs": 1500,
      "decisions.enabled": false,
      "analysis.runtime": "oci",
      "analysis.oci.cpus": 4,
      "analysis.retention.jobsDays": 1,
      "analysis.enabled": false,
      "tasks.retentionDays": 1,
      "tasks.maxPerSession": 1,
      "pluginOverrides": { a: { options: { level: 1 }, enabled: false }, b: {} },
    },
    ignored: [
      "mcp.allow",
      "decisions.provider",
      "decisions.telemetry",
      "analysis.runtime",
      "analysis.oci",
      "analysis.retention",
      "tasks.retentionDays",
      "pluginOverrides.a.options",
      "pluginOverrides.b.options",
    ],
  },
  {
    name: "ignores global-only keys of a project where the global file says nothing",
    global: {},
    project: { mcp: { allow: true }, analysis: { runtime: "oci" } },
    expected: { "mcp.allow": false, "analysis.runtime": "managed" },
    ignored: ["mcp.allow", "analysis.runtime"],
  },
  {
    name:
      "lets a project replace a section, but not the global-only keys in it, by leaving them out",
    global: { analysis: { runtime: "oci", smartDashboard: false } },
    project: { analysis: {} },
    expected: { "analysis.runtime": "oci", "analysis.smartDashboard": false },
  },
  {
    name: "keeps a global false of analysis.smartDashboard",
    global: { analysis: { smartDashboard: false } },
    project: { analysis: { smartDashboard: true } },
    expected: { "analysis.smartDashboard": false },
  },
  {
    name: "lets a project switch analysis.smartDashboard off, but a global true does not stick",
    global: { analysis: { smartDashboard: true } },
    project: { analysis: { smartDashboard: false } },
    expected: { "analysis.smartDashboard": false },
  },
  {
    name: "leaves the keys of a plugin that it does not know",
    global: { builtinPlugins: { scripted: JSON.parse('{"speed": 2, "__proto__": {"x": 1}}') } },
    project: {},
    expected: { "builtinPlugins.scripted.speed": 2, "builtinPlugins.scripted.x": undefined },
  },
];

for (const { name, global, project, expected, ignored = [] } of ROWS) {
  Deno.test(`mergeConfig() ${name}`, () => {
    const merged = mergeConfig([
      { source: GLOBAL, values: global },
      { source: PROJECT, values: project },
    ]);
    for (const [path, value] of Object.entries(expected)) {
      deepEqual(valueAt(merged.configuration, path), value, path);
    }
    deepEqual(merged.ignored, ignored.map((key) => ({ key, file: PROJECT.file })));
  });
}

Deno.test("mergeConfig() tells where each value comes from", () => {
  const layers: readonly ConfigLayer[] = [
    {
      source: GLOBAL,
      values: {
        plugins: ["a"],
        limits: { maxTurns: 5 },
        mcp: { servers: { s: { command: "x" } } },
      },
    },
    { source: PROJECT, values: { plugins: ["b"], provider: { model: "p", auth: "none" } } },
    {
      source: { layer: "environment" },
      values: { provider: { model: "e", baseURL: "https://e.example" } },
    },
    { source: { layer: "flags" }, values: { provider: { model: "f" } } },
  ];
  const { configuration, sources } = mergeConfig(layers);
  deepEqual(Object.fromEntries(sources), {
    "plugins[0]": GLOBAL,
    "plugins[1]": PROJECT,
    "limits.maxTurns": GLOBAL,
    "mcp.servers.s.command": GLOBAL,
    "provider.model": { layer: "flags" },
    "provider.auth": PROJECT,
    "provider.baseURL": { layer: "environment" },
  });
  equal(configuration.provider.model, "f");
  equal(configuration.provider.auth, "none");
});

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (inner, name) => (inner as Record<string, unknown>)[name],
    value,
  );
}
