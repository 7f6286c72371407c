/** Words that are written in capitals. */
const ACRONYMS: ReadonlySet<string> = new Set([
  "ai",
  "api",
  "cli",
  "css",
  "csv",
  "db",
  "dns",
  "html",
  "http",
  "https",
  "id",
  "ip",
  "json",
  "lsp",
  "mcp",
  "pdf",
  "pr",
  "sdk",
  "sql",
  "ssh",
  "ui",
  "uri",
  "url",
  "uuid",
  "xml",
  "yaml",
]);

/** Names that are no words with lines between them. */
const NAMES: Readonly<Record<string, string>> = {
  bg_list: "Background List",
  bg_output: "Background Output",
  bg_run: "Background Run",
  bg_stop: "Background Stop",
  webfetch: "Web Fetch",
  websearch: "Web Search",
};

const PLUGIN_PREFIX_REGEXP = /^p_[0-9a-f]{10}_(?=.)/;

/**
 * The name of a tool for a person: `read_file` is "Read File", `mcp_forge_time_diff` is
 * "MCP · Forge Time Diff", and the prefix of a plugin's tool is gone.
 *
 * @param name The name that the model uses.
 */
export function humaniseToolName(name: string): string {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (known !== undefined) return known;
  const bare = name.replace(PLUGIN_PREFIX_REGEXP, "");
  const isMcp = isMcpTool(bare);
  const words = wordsOf(isMcp ? bare.slice("mcp_".length) : bare).map(capitalised).join(" ");
  if (words === "") return name;
  return isMcp ? `MCP · ${words}` : words;
}

/**
 * Whether a tool comes from an MCP server.
 *
 * @param name The name that the model uses.
 */
export function isMcpTool(name: string): boolean {
  return /^mcp_+[^_]/.test(name);
}

function wordsOf(name: string): readonly string[] {
  return name.replace(/([a-z\d])([A-Z])/g, "$1_$2").split(/[_\-.\s]+/).filter((word) =>
    word !== ""
  );
}

function capitalised(word: string): string {
  const lower = word.toLowerCase();
  if (ACRONYMS.has(lower)) return lower.toUpperCase();
  return word.charAt(0).toUpperCase() + word.slice(1);
}
