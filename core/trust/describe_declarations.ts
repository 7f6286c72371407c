import { isObject } from "../config/is_object.ts";
import { MCP_TYPES } from "../config/config_keys.ts";
import { DEFAULT_BASE_URL } from "../config/provider_defaults.ts";
import { quoted } from "../config/quoted.ts";

/** An argument is shown whole up to this length: what is cut off could be what matters. */
const MAX_ARGUMENT_CHARS = 4_000;

/** Keys that are described by themselves; the others are only named. */
const DESCRIBED: readonly string[] = [
  "schemaVersion",
  "provider",
  "mcp",
  "mcpServers",
  "plugins",
  "skills",
  "additionalDirectories",
];

/**
 * Says what a project's configuration would do, for a person who decides on it: which programs run
 * with which arguments and variables, where requests and keys go, which code is loaded. Values of
 * variables are never shown. Pure.
 *
 * @param content Checked content of the file, with absolute paths.
 * @returns One line each; nothing in them acts on a terminal.
 */
export function describeDeclarations(
  content: Readonly<Record<string, unknown>>,
): readonly string[] {
  const others = Object.keys(content).filter((name) => !DESCRIBED.includes(name));
  return [
    ...describeProvider(content["provider"]),
    ...describeServers(content),
    ...textsOf(content["plugins"]).map((plugin) => `loads plugin code: ${quoted(plugin, 1000)}`),
    ...textsOf(content["skills"]).map((folder) => `adds skills from: ${quoted(folder, 1000)}`),
    ...textsOf(content["additionalDirectories"]).map((folder) =>
      `lets tools reach outside the workspace: ${quoted(folder, 1000)}`
    ),
    ...describeAgents(content["builtinPlugins"]),
    ...describeSearch(content["websearch"]),
    ...(others.length === 0 ? [] : [`sets: ${others.map((name) => quoted(name)).join(", ")}`]),
  ];
}

function describeProvider(provider: unknown): readonly string[] {
  if (!isObject(provider)) return [];
  const { baseURL = DEFAULT_BASE_URL, apiKeyEnv, auth, model } = provider;
  const address = quoted(String(baseURL), 1000);
  const key = auth === "none"
    ? "without a key"
    : typeof apiKeyEnv === "string"
    ? `with the key in the variable ${quoted(apiKeyEnv)}`
    : "with a key only if your own settings use that server";
  const chosen = typeof model === "string" ? ` for model ${quoted(model)}` : "";
  return [`sends requests to ${address}${chosen}, ${key}`];
}

function describeServers(content: Readonly<Record<string, unknown>>): readonly string[] {
  const canonical = isObject(content["mcp"]) ? content["mcp"]["servers"] : undefined;
  return [canonical, content["mcpServers"]].flatMap((servers) =>
    Object.entries(isObject(servers) ? servers : {}).map(([name, server]) =>
      `MCP server ${quoted(name)} ${describeServer(isObject(server) ? server : {})}`
    )
  );
}

function describeServer(server: Readonly<Record<string, unknown>>): string {
  const { command, url, enabled, bearerTokenEnv } = server;
  const off = enabled === false ? " (switched off)" : "";
  if (typeof url === "string" && (isRemote(server) || command === undefined)) {
    const token = typeof bearerTokenEnv === "string"
      ? ` with the token in the variable ${quoted(bearerTokenEnv)}`
      : "";
    const headers = Object.keys(isObject(server["headers"]) ? server["headers"] : {});
    const oauth = isObject(server["oauth"]) ? server["oauth"] : {};
    const secret = typeof oauth["clientSecretEnv"] === "string"
      ? ` and, to sign in, with the secret in the variable ${quoted(oauth["clientSecretEnv"])}`
      : "";
    return `connects to ${quoted(url, 1000)}${token}${secret}${
      names(" with the headers", headers)
    }${off}`;
  }
  const words = [String(command), ...textsOf(server["args"])];
  const line = words.map((word) => quoted(word, MAX_ARGUMENT_CHARS)).join(" ");
  const given = Object.keys(isObject(server["env"]) ? server["env"] : {});
  const passed = textsOf(server["envAllow"]);
  return `runs ${line}${names(" with the variables", given)}` +
    `${names(" and, from your environment,", passed)}${off}`;
}

function isRemote({ transport, type }: Readonly<Record<string, unknown>>): boolean {
  const kind = transport ?? MCP_TYPES[String(type)];
  return kind === "http" || kind === "sse";
}

function describeAgents(plugins: unknown): readonly string[] {
  const subagents = isObject(plugins) ? plugins["subagents"] : undefined;
  const agents = isObject(subagents) ? subagents["agents"] : undefined;
  return Object.keys(isObject(agents) ? agents : {}).map((name) => `defines agent ${quoted(name)}`);
}

function describeSearch(websearch: unknown): readonly string[] {
  if (!isObject(websearch)) return [];
  const { searxngUrl, apiKeyEnv } = websearch;
  const lines: string[] = [];
  if (typeof searxngUrl === "string") lines.push(`searches the web at ${quoted(searxngUrl, 1000)}`);
  if (typeof apiKeyEnv === "string") {
    lines.push(`searches the web with the key in the variable ${quoted(apiKeyEnv)}`);
  }
  return lines;
}

function names(label: string, variables: readonly string[]): string {
  return variables.length === 0
    ? ""
    : `${label} ${variables.map((variable) => quoted(variable)).join(", ")}`;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
