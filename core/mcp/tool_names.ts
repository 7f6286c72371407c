/** A tool of a server, by the names that both have. */
export interface ServerTool {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Name of the tool at the server. */
  readonly tool: string;
}

const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * The names by which a model calls the tools of servers: `mcp_<server>_<tool>` with what providers
 * refuse replaced. Only a name that would be too long, or that two tools or another one would have,
 * ends in a short hash of both names, which is the same every time. Pure.
 *
 * @param tools The tools of all servers.
 * @param isTaken Whether another tool has a name.
 * @returns One name for each tool, in their order.
 */
export function nameTools(
  tools: readonly ServerTool[],
  isTaken: (name: string) => boolean = () => false,
): readonly string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Set<string>();
  return tools.map((tool, index) => {
    const name = plain[index] ?? "";
    const isFine = name.length <= MAX_NAME_CHARS && counts.get(name) === 1 && !isTaken(name);
    let chosen = isFine ? name : withHash(name, tool);
    for (let round = 1; used.has(chosen); round++) chosen = withHash(name, tool, round);
    used.add(chosen);
    return chosen;
  });
}

function plainName({ server, tool }: ServerTool): string {
  return `mcp_${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

function withHash(name: string, { server, tool }: ServerTool, round = 0): string {
  const hash = hashOf([server, tool, ...round === 0 ? [] : [String(round)]].join("\0"));
  return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** FNV-1a of 32 bits: it tells names apart and keeps no secret. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(HASH_CHARS, "0");
}
