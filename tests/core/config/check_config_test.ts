import { deepEqual, equal, match } from "node:assert/strict";
import { checkConfig } from "../../../core/config/check_config.ts";
import { ConfigError } from "../../../core/config/config_error.ts";

const PROBLEMS: readonly (readonly [string, unknown, string])[] = [
  ["a misspelt key", { limits: { maxTruns: 5 } }, 'did you mean "limits.maxTurns"?'],
  ["a misspelt section", { limit: {} }, 'did you mean "limits"?'],
  ["a key in the wrong section", { maxTurns: 5 }, 'did you mean "limits.maxTurns"?'],
  ["a flattened path", { "limits.maxTurns": 5 }, 'did you mean "limits.maxTurns"?'],
  [
    "an unknown built-in plugin",
    { builtinPlugins: { memroy: {} } },
    'did you mean "builtinPlugins.memory"?',
  ],
  [
    "a key that resembles none",
    { compaction: { wobble: 1 } },
    '"compaction" holds "auto", "threshold", "keepTurns", "maxOutputTokens"',
  ],
  [
    "a misspelt choice",
    { provider: { apiMode: "respones" } },
    '"provider.apiMode" must be "chat" or "responses", found "respones"; did you mean "responses"?',
  ],
  [
    "a number out of range",
    { limits: { maxTurns: 500 } },
    '"limits.maxTurns" must be an integer from 1 to 100, found 500',
  ],
  [
    "a number without upper limit",
    { limits: { timeoutMs: 1 } },
    '"limits.timeoutMs" must be an integer of at least 100, found 1',
  ],
  [
    "a later schema",
    { schemaVersion: 2 },
    '"schemaVersion" must be an integer equal to 1, found 2',
  ],
  ["a wrong type", { limits: [] }, '"limits" must be an object, found a list'],
  ["an item", { plugins: ["a", ""] }, '"plugins[1]" must be a path or the name of an npm package'],
  [
    "a server in both shapes",
    { mcp: { servers: { a: { command: "x" } } }, mcpServers: { a: { command: "y" } } },
    '"mcpServers.a" is also in "mcp.servers"; keep one of them',
  ],
  [
    "a profile in both spellings",
    { riskProfiles: { a: {} }, risk_profiles: { a: {} } },
    '"risk_profiles.a" is also in "riskProfiles"; keep one of them',
  ],
  ["a misspelt agent key", { agents: { actve: "plan" } }, 'did you mean "agents.active"?'],
  [
    "a misspelt binding",
    { agents: { build: { riskProfle: "x" } } },
    'did you mean "agents.build.riskProfile"?',
  ],
  ["a file that holds a list", [], "The file must be one JSON object, found a list"],
  ["a file that holds null", null, "The file must be one JSON object, found null"],
  [
    "a name that acts on a terminal",
    { "\x1b[2J": 1 },
    '"\\u001b[2J" is not a known key',
  ],
  [
    "a name of the prototype",
    JSON.parse('{"__proto__": {"a": 1}, "limits": {"constructor": 1}}'),
    '"__proto__" is not a known key',
  ],
];

for (const [name, value, expected] of PROBLEMS) {
  Deno.test(`checkConfig() explains ${name}`, () => {
    const error = new ConfigError("/c/config.json", checkConfig(value));
    match(error.message, /^Cannot use configuration "\/c\/config\.json": /);
    equal(error.message.includes(expected), true, error.message);
    equal(error.code, "config_invalid");
  });
}

Deno.test("checkConfig() returns every problem in the order of the file", () => {
  const problems = checkConfig({
    limits: { maxTurns: 0, bogusKeyThatIsFar: 1, timeoutMs: "5" },
    tui: { paddingX: 9 },
    zzz: 1,
  });
  deepEqual(problems.map(({ key }) => key), [
    "limits.maxTurns",
    "limits.bogusKeyThatIsFar",
    "limits.timeoutMs",
    "tui.paddingX",
    "zzz",
  ]);
});

Deno.test("checkConfig() quotes no text that may be a secret (field case 117)", () => {
  const secret = "sk-sentinel-000000000000";
  const value = {
    provider: { baseURL: `https://${secret}@example.com`, apiKeyEnv: secret, auth: 5 },
    mcp: { servers: { a: { command: "x", env: { A: [secret] }, bearerTokenEnv: secret } } },
    limits: { maxTurns: secret },
  };
  const error = new ConfigError("/c/config.json", checkConfig(value));
  equal(error.problems.length, 6);
  equal(error.message.includes(secret), false, error.message);
});

Deno.test("checkConfig() refuses a value that is nested too deep, without walking it", () => {
  const deep = JSON.parse(`{"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
  deepEqual(checkConfig(deep), [
    { key: "", message: "must not be nested more than 32 levels deep" },
  ]);
});

Deno.test("ConfigError lists at most twenty problems and counts the rest", () => {
  const value = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`zz${index}`, 1]));
  const { message, problems } = new ConfigError("/c/config.json", checkConfig(value));
  equal(problems.length, 30);
  equal(message.split("\n").length, 22);
  match(message, /and 10 more$/);
});

Deno.test("checkConfig() accepts a configuration that uses every section", () => {
  deepEqual(
    checkConfig({
      schemaVersion: 1,
      provider: { baseURL: "https://example.com/v1", model: "m" },
      limits: {},
      compaction: { threshold: 0.5 },
      context: {},
      websearch: { provider: "brave" },
      builtinPlugins: { memory: { enabled: false }, subagents: { maxDepth: 1 } },
      pluginHooks: {},
      plugins: ["@acme/hello"],
      pluginOverrides: { "acme.hello": { enabled: true } },
      skills: [],
      skillOverrides: {},
      additionalDirectories: [],
      agents: { active: "plan" },
      mcp: { servers: {} },
      mcpServers: { a: { url: "https://example.com/mcp" } },
      decisions: {},
      analysis: { oci: {}, retention: {}, limits: {}, data: {} },
      tasks: {},
      goal: {},
      plan: {},
      tui: {},
      web: {},
      semantic: {},
    }),
    [],
  );
});
