import { isObject } from "./is_object.ts";
import { CONFIG_ROOT, type ConfigKey, defaultOf, type SectionKey } from "./config_keys.ts";
import type { Configuration } from "./configuration.ts";

/** Where a value comes from; later ones are stronger. */
export type ConfigLayerName = "global" | "project" | "explicit" | "environment" | "flags";

/** Where a value comes from, exactly. */
export interface ConfigSource {
  /** The layer. */
  readonly layer: ConfigLayerName;
  /** The file that defines it. */
  readonly file?: string;
}

/** The checked values of one source, with absolute paths and without aliased sections. */
export interface ConfigLayer {
  /** Where the values come from. */
  readonly source: ConfigSource;
  /** What the source sets. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A key that only the global file may set, found elsewhere. */
export interface IgnoredConfigKey {
  /** Path of the key. */
  readonly key: string;
  /** The file that sets it. */
  readonly file: string;
}

/** The outcome of a merge. */
export interface MergedConfiguration {
  /** The merged configuration. */
  readonly configuration: Configuration;
  /**
   * The source of each value that is not a default, by key path: `limits.maxTurns`, `plugins[0]`,
   * `mcp.servers.docs.command`.
   */
  readonly sources: ReadonlyMap<string, ConfigSource>;
  /** Global-only keys of other files, which do not count. */
  readonly ignored: readonly IgnoredConfigKey[];
}

/** A value with its source, while layers are merged. */
class Sourced {
  readonly value: unknown;
  readonly source: ConfigSource;

  constructor(value: unknown, source: ConfigSource) {
    this.value = value;
    this.source = source;
  }
}

type Tree = Readonly<Record<string, unknown>>;

/** The version of the file, and the second spellings of sections. */
const NOT_IN_RESULT: ReadonlySet<string> = new Set([
  "schemaVersion",
  "mcpServers",
  "risk_profiles",
]);

/**
 * Merges layers into one configuration with every default filled in. Pure.
 *
 * A top-level key of an upper file replaces the whole key of the global file, except that lists
 * marked `append` grow, entries marked `by_key` are replaced one by one, and what only the global
 * file may set always stays. The environment and the flags replace single values of `provider`.
 *
 * @param layers Checked layers, the weakest first.
 */
export function mergeConfig(layers: readonly ConfigLayer[]): MergedConfiguration {
  const ignored: IgnoredConfigKey[] = [];
  let tree: Tree = {};
  for (const { source, values } of layers) {
    const upper = tagSection(CONFIG_ROOT, values, source, "", ignored);
    tree = source.layer === "environment" || source.layer === "flags"
      ? overlay(tree, upper)
      : mergeRoot(tree, upper);
  }
  const sources = new Map<string, ConfigSource>();
  const filled = fillSection(CONFIG_ROOT, tree, "", sources);
  // Every value passed `checkConfig`, and `fillSection` follows the same table.
  const configuration = withServers(filled) as unknown as Configuration;
  return { configuration, sources, ignored };
}

function tagSection(
  section: SectionKey,
  values: Tree,
  source: ConfigSource,
  path: string,
  ignored: IgnoredConfigKey[],
): Tree {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(values)) {
    const key = ownKey(section, name);
    const keyPath = joinKey(path, name);
    if (key?.globalOnly === true && source.layer !== "global") {
      ignored.push({ key: keyPath, file: source.file ?? source.layer });
    } else {
      entries.push([name, tag(key, value, source, keyPath, ignored)]);
    }
  }
  return Object.fromEntries(entries);
}

function tag(
  key: ConfigKey | undefined,
  value: unknown,
  source: ConfigSource,
  path: string,
  ignored: IgnoredConfigKey[],
): unknown {
  if (key?.type === "section" && isObject(value)) {
    return tagSection(key, value, source, path, ignored);
  }
  if (key?.type === "record" && isObject(value)) {
    const entries = Object.entries(value).map(([name, item]) =>
      [name, tag(key.entry, item, source, joinKey(path, name), ignored)] as const
    );
    return Object.fromEntries(entries);
  }
  if (key?.type === "list" && key.merge === "append" && Array.isArray(value)) {
    return value.map((item: unknown) => new Sourced(item, source));
  }
  return new Sourced(value, source);
}

/** Merges file layers: what `upper` does not name at the top stays as it is. */
function mergeRoot(lower: Tree, upper: Tree): Tree {
  const merged: Record<string, unknown> = { ...lower };
  for (const [name, value] of Object.entries(upper)) {
    const key = ownKey(CONFIG_ROOT, name);
    merged[name] = key === undefined ? value : mergeValue(key, lower[name], value);
  }
  return merged;
}

function mergeValue(key: ConfigKey, lower: unknown, upper: unknown): unknown {
  if (lower === undefined) return upper;
  if (key.type === "list" && key.merge === "append") return appendItems(lower, upper);
  if (!isTree(lower) || !isTree(upper)) return upper;
  if (key.type === "record" && key.merge === "by_key") {
    return mergeEntries(() => key.entry, lower, upper);
  }
  if (key.type !== "section") return upper;
  return key.merge === "by_key"
    ? mergeEntries((name) => ownKey(key, name), lower, upper)
    : mergeSection(key, lower, upper);
}

function mergeEntries(
  keyOf: (name: string) => ConfigKey | undefined,
  lower: Tree,
  upper: Tree,
): Tree {
  const entries = Object.entries(upper).map(([name, value]) => {
    const key = keyOf(name);
    const below = Object.hasOwn(lower, name) ? lower[name] : undefined;
    return [name, key === undefined ? value : mergeValue(key, below, value)] as const;
  });
  return { ...lower, ...Object.fromEntries(entries) };
}

/** The upper section replaces the lower one, except for what must survive a replacement. */
function mergeSection(section: SectionKey, lower: Tree, upper: Tree): Tree {
  const merged: Record<string, unknown> = { ...upper };
  for (const [name, key] of Object.entries(section.keys)) {
    const below = lower[name];
    if (below === undefined) continue;
    const above = upper[name];
    if (survivesReplacement(key, below)) merged[name] = below;
    else if (key.type === "record" && key.merge === "by_key") {
      merged[name] = above === undefined ? below : mergeValue(key, below, above);
    }
  }
  return merged;
}

function survivesReplacement(key: ConfigKey, below: unknown): boolean {
  if (key.globalOnly === true) return true;
  return key.type === "boolean" && key.stickyFalse === true && below instanceof Sourced &&
    below.value === false;
}

function appendItems(lower: unknown, upper: unknown): unknown {
  const seen = new Set<unknown>();
  const items = [...asItems(lower), ...asItems(upper)];
  return items.filter((item) => !seen.has(item.value) && seen.add(item.value));
}

function asItems(value: unknown): readonly Sourced[] {
  return Array.isArray(value) ? value.filter((item) => item instanceof Sourced) : [];
}

/** Replaces single values, however deep. */
function overlay(lower: Tree, upper: Tree): Tree {
  const entries = Object.entries(upper).map(([name, value]) => {
    const below = lower[name];
    return [name, isTree(value) && isTree(below) ? overlay(below, value) : value] as const;
  });
  return { ...lower, ...Object.fromEntries(entries) };
}

function fillSection(
  section: SectionKey,
  tree: Tree,
  path: string,
  sources: Map<string, ConfigSource>,
): Tree {
  const filled: [string, unknown][] = [];
  for (const [name, key] of Object.entries(section.keys)) {
    if (path === "" && NOT_IN_RESULT.has(name)) continue;
    const value = fill(
      key,
      Object.hasOwn(tree, name) ? tree[name] : undefined,
      joinKey(path, name),
      sources,
    );
    if (value !== undefined) filled.push([name, value]);
  }
  for (const [name, value] of section.open === true ? Object.entries(tree) : []) {
    if (ownKey(section, name) !== undefined) continue;
    filled.push([name, fill(undefined, value, joinKey(path, name), sources)]);
  }
  return Object.fromEntries(filled);
}

function fill(
  key: ConfigKey | undefined,
  value: unknown,
  path: string,
  sources: Map<string, ConfigSource>,
): unknown {
  if (key?.type === "section") return fillSection(key, isTree(value) ? value : {}, path, sources);
  if (key?.type === "record") {
    const entries = Object.entries(isTree(value) ? value : {}).map(([name, item]) =>
      [name, fill(key.entry, item, joinKey(path, name), sources)] as const
    );
    return Object.fromEntries(entries);
  }
  if (Array.isArray(value)) {
    return asItems(value).map((item, index) => {
      sources.set(`${path}[${index}]`, item.source);
      return item.value;
    });
  }
  if (value instanceof Sourced) {
    sources.set(path, value.source);
    return value.value;
  }
  return key === undefined ? undefined : defaultOf(key);
}

/** Names the transport of every MCP server whose file names none, and no client where none is. */
function withServers(filled: Tree): Tree {
  const mcp = filled["mcp"];
  const servers = isObject(mcp) ? mcp["servers"] : undefined;
  if (!isObject(mcp) || !isObject(servers)) return filled;
  const entries = Object.entries(servers).map(([name, server]) => {
    if (!isObject(server)) return [name, server] as const;
    const transport = server["transport"] ?? (server["command"] === undefined ? "http" : "stdio");
    const { oauth, ...rest } = server;
    const hasClient = isObject(oauth) && oauth["clientId"] !== undefined;
    return [name, { ...rest, transport, ...hasClient ? { oauth } : {} }] as const;
  });
  return { ...filled, mcp: { ...mcp, servers: Object.fromEntries(entries) } };
}

function isTree(value: unknown): value is Tree {
  return isObject(value) && !(value instanceof Sourced);
}

function ownKey(section: SectionKey, name: string): ConfigKey | undefined {
  return Object.hasOwn(section.keys, name) ? section.keys[name] : undefined;
}

function joinKey(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
