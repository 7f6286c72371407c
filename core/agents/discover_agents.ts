import { isMissing } from "../config/small_file.ts";
import { quoted } from "../config/quoted.ts";
import { readFrontmatter, type YamlParser } from "../frontmatter/frontmatter.ts";
import { readTextFile } from "../frontmatter/read_text_file.ts";
import { join } from "../paths/path.ts";
import type { AgentDefinition, AgentDiagnostic } from "./agent_definition.ts";
import { type AgentFolder, agentFolders, type AgentSources } from "./agent_folders.ts";
import { parseAgent, type ParsedAgent } from "./parse_agent.ts";

/** Every definition that counts, and what is wrong with any. */
export interface AgentListing {
  /** In the order of precedence; no two with one id. */
  readonly definitions: readonly AgentDefinition[];
  /** Those that were left out because an earlier one has their id, in the same order. */
  readonly shadowed: readonly AgentDefinition[];
  readonly diagnostics: readonly AgentDiagnostic[];
}

/** What definitions are read with. */
export interface DiscoverAgentsOptions extends AgentSources {
  /** Loads what reads YAML, where there is a file to read; without it, files define nothing. */
  readonly loadParser?: () => Promise<YamlParser>;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** Definitions that are not files, before those that are. */
  readonly given: readonly GivenAgents[];
}

/** Definitions of a flag or of the configuration, by name. */
export interface GivenAgents {
  /** `--agents`, or the key that holds them. */
  readonly source: string;
  readonly origin: "flag" | "config";
  readonly agents: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where the configuration holds definitions. */
export const CONFIG_SOURCE = '"builtinPlugins.subagents.agents"';

/** Largest file of a definition, in bytes. */
export const MAX_AGENT_BYTES = 262_144;
/** Files of one folder that are read. */
const MAX_FILES = 500;
const ENDING = ".md";

/**
 * Reads all definitions of agents. Never throws: what is broken is left out and said.
 *
 * @param options Where they come from.
 */
export async function discoverAgents(options: DiscoverAgentsOptions): Promise<AgentListing> {
  const read = [...options.given.flatMap(readGiven), ...await readFiles(options)];
  const seen = new Map<string, string>();
  const definitions: AgentDefinition[] = [];
  const shadowed: AgentDefinition[] = [];
  const diagnostics: AgentDiagnostic[] = [];
  for (const { source, parsed } of read) {
    if (parsed.status === "invalid") {
      const message = `Left out: ${parsed.flaws.join("; ")}`;
      diagnostics.push({ source, severity: "error", message });
      continue;
    }
    const { definition, warnings } = parsed;
    diagnostics.push(
      ...warnings.map((message) => ({ source, severity: "warning" as const, message })),
    );
    const winner = seen.get(definition.id);
    if (winner === undefined) {
      seen.set(definition.id, source);
      definitions.push(definition);
    } else {
      shadowed.push(definition);
      const message = `Left out: ${quoted(definition.id, 80)} is defined by ${winner} already`;
      diagnostics.push({ source, severity: "warning", message });
    }
  }
  return { definitions, shadowed, diagnostics };
}

interface ReadAgent {
  readonly source: string;
  readonly parsed: ParsedAgent;
}

/**
 * The definitions of the configuration.
 *
 * @param agents As the configuration has them.
 */
export function configuredAgents(agents: GivenAgents["agents"]): readonly AgentDefinition[] {
  return readGiven({ source: CONFIG_SOURCE, origin: "config", agents })
    .flatMap(({ parsed }) => parsed.status === "read" ? [parsed.definition] : []);
}

function readGiven({ source, origin, agents }: GivenAgents): readonly ReadAgent[] {
  return Object.entries(agents).map(([name, { prompt, ...fields }]) => ({
    source: `${source} (${name})`,
    parsed: parseAgent(fields, {
      name,
      body: typeof prompt === "string" ? prompt : "",
      origin,
    }),
  }));
}

async function readFiles(
  { loadParser, ...options }: DiscoverAgentsOptions,
): Promise<readonly ReadAgent[]> {
  if (loadParser === undefined) return [];
  const folders = agentFolders(options);
  const read = folders.map((each) => readFolder(each, { ...options, loadParser }));
  return (await Promise.all(read)).flat();
}

type FolderOptions =
  & Pick<DiscoverAgentsOptions, "isClosed">
  & Required<Pick<DiscoverAgentsOptions, "loadParser">>;
type FileOptions = Pick<DiscoverAgentsOptions, "isClosed"> & { readonly parse: YamlParser };

async function readFolder(
  folder: AgentFolder,
  { loadParser, ...closed }: FolderOptions,
): Promise<readonly ReadAgent[]> {
  const listed = await listNames(folder);
  if (!Array.isArray(listed)) return [{ source: folder.path, parsed: listed }];
  const names = listed.slice(0, MAX_FILES);
  if (names.length === 0) return [];
  const options = { ...closed, parse: await loadParser() };
  const read = await Promise.all(names.map(async (name) => {
    const source = join(folder.path, name);
    return { source, parsed: await readFile(source, name, folder, options) };
  }));
  return names.length === listed.length ? read : [
    ...read,
    { source: folder.path, parsed: invalid(`only the first ${MAX_FILES} files were read`) },
  ];
}

async function readFile(
  path: string,
  name: string,
  { origin, plugin, within }: AgentFolder,
  { parse, isClosed }: FileOptions,
): Promise<ParsedAgent> {
  const file = await readTextFile(path, {
    maxBytes: MAX_AGENT_BYTES,
    ...within === undefined ? {} : { within },
    ...isClosed === undefined ? {} : { isClosed },
  });
  if (file.status === "unusable") return invalid(file.reason);
  const head = readFrontmatter(file.text, parse);
  if (head.status === "broken") return invalid(head.reason);
  const parsed = parseAgent(head.fields, {
    name: name.slice(0, -ENDING.length),
    body: head.body,
    origin,
    path,
    ...plugin === undefined ? {} : { plugin },
  });
  return parsed.status === "invalid" || head.flaw === undefined
    ? parsed
    : { ...parsed, warnings: [head.flaw, ...parsed.warnings] };
}

async function listNames({ path, origin }: AgentFolder): Promise<string[] | ParsedAgent> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(path));
    return entries.filter(({ name, isDirectory }) =>
      !isDirectory && name.endsWith(ENDING) && !name.startsWith(".")
    ).map(({ name }) => name).sort();
  } catch (error) {
    if (isMissing(error) && origin !== "plugin") return [];
    // What this run may not even look for was left out of it on purpose.
    if (error instanceof Deno.errors.NotCapable) return [];
    return invalid(reasonOf(error));
  }
}

function invalid(flaw: string): ParsedAgent {
  return { status: "invalid", flaws: [flaw] };
}

function reasonOf(error: unknown): string {
  if (isMissing(error)) return "it is not there";
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  return error instanceof Error ? error.message : String(error);
}
