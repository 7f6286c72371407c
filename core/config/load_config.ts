import { AlisioError } from "../errors.ts";
import { join } from "../paths/path.ts";
import { isObject } from "./is_object.ts";
import { checkConfigValue } from "./check_config.ts";
import { CONFIG_KEYS, MCP_TYPES } from "./config_keys.ts";
import type { Configuration } from "./configuration.ts";
import { type Environment, userHome } from "./directories.ts";
import { resolveLayerPaths } from "./layer_paths.ts";
import {
  type ConfigLayer,
  type ConfigSource,
  type IgnoredConfigKey,
  mergeConfig,
} from "./merge_config.ts";
import { quoted } from "./quoted.ts";
import { readConfigFile } from "./read_config_file.ts";

/** Provider settings of the command line, the strongest of all. */
export interface ProviderOverrides {
  /** `--base-url`. */
  readonly baseUrl?: string;
  /** `--model`. */
  readonly model?: string;
  /** `--api-mode`. */
  readonly apiMode?: string;
}

/** Where to load from. */
export interface LoadConfigurationOptions {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The workspace; absolute. */
  readonly workspace: string;
  /** `--config`, absolute. It takes the place of the project's file. */
  readonly explicitPath?: string;
  /** Whether the project is trusted. Unless it is `true`, its file is not even opened. */
  readonly trusted: boolean;
  /** Environment variables. */
  readonly env: Environment;
  /** Provider settings of the command line. */
  readonly overrides?: ProviderOverrides;
}

/** The configuration of a run, and where each part of it comes from. */
export interface LoadedConfiguration {
  /** All layers, merged. */
  readonly configuration: Configuration;
  /** The source of each value that is not a default, by key path such as `limits.maxTurns`. */
  readonly sources: ReadonlyMap<string, ConfigSource>;
  /** What was read, the weakest first. */
  readonly layers: readonly ConfigLayer[];
  /** Global-only keys of other files, which do not count. */
  readonly ignored: readonly IgnoredConfigKey[];
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Loads the configuration: the global file, then the file of a trusted project or the explicit
 * file, then the environment, then the command line.
 *
 * Without any file it costs one or two failed look-ups.
 *
 * @param options Where to load from.
 * @throws {AlisioError} `config_unreadable` or `config_invalid` for a file or a variable, `usage`
 * for a flag; the message names the file, the key and what to do.
 */
export async function loadConfiguration(
  options: LoadConfigurationOptions,
): Promise<LoadedConfiguration> {
  const notices: string[] = [];
  const layers = await readLayers(options, notices);
  const overrides = [
    await environmentLayer(options.env),
    await flagsLayer(options.overrides ?? {}),
  ];
  layers.push(...overrides.filter((layer) => Object.keys(layer.values).length > 0));
  const { configuration, sources, ignored } = mergeConfig(layers);
  for (const { key, file } of ignored) {
    notices.push(
      `Ignored "${key}" in ${quoted(file, 1000)}: only the global configuration may set it`,
    );
  }
  return { configuration, sources, layers, ignored, notices };
}

/**
 * Path of a project's configuration file.
 *
 * @param workspace The workspace.
 */
export function projectConfigPath(workspace: string): string {
  return join(workspace, ".alisio", "config.json");
}

/**
 * Path of the person's own configuration file.
 *
 * @param home The folder of the person's configuration.
 */
export function globalConfigPath(home: string): string {
  return join(home, "config.json");
}

async function readLayers(
  options: LoadConfigurationOptions,
  notices: string[],
): Promise<ConfigLayer[]> {
  const { explicitPath, trusted, workspace } = options;
  const files: ConfigSource[] = [{ layer: "global", file: globalConfigPath(options.configHome) }];
  if (explicitPath !== undefined) files.push({ layer: "explicit", file: explicitPath });
  else if (trusted === true) files.push({ layer: "project", file: projectConfigPath(workspace) });
  const read = await Promise.all(files.map((source) => readLayer(source, options.env, notices)));
  return read.filter((layer) => layer !== undefined);
}

async function readLayer(
  source: ConfigSource,
  env: Environment,
  notices: string[],
): Promise<ConfigLayer | undefined> {
  const file = source.file ?? "";
  const content = await readConfigFile(file);
  if (content === undefined && source.layer === "explicit") {
    throw new AlisioError(
      "config_unreadable",
      `Cannot read configuration ${quoted(file, 1000)}: it does not exist; correct "--config"`,
    );
  }
  if (content === undefined) return undefined;
  const values = withoutAlias(resolveLayerPaths(content, file, userHome(env)));
  return { source, values: await withRealDirectories(values, file, notices) };
}

/** Moves entries of `mcpServers` to `mcp.servers`, and of `risk_profiles` to `riskProfiles`. */
function withoutAlias(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { mcpServers, risk_profiles: aliased, ...named } = values;
  const profiles = isObject(named["riskProfiles"]) ? named["riskProfiles"] : {};
  const rest: Readonly<Record<string, unknown>> = isObject(aliased)
    ? { ...named, riskProfiles: { ...profiles, ...aliased } }
    : named;
  const mcp = isObject(rest["mcp"]) ? rest["mcp"] : {};
  if (!isObject(mcpServers) && !isObject(mcp["servers"])) return { ...rest };
  const servers = [mcp["servers"], mcpServers].flatMap((entries) =>
    isObject(entries) ? Object.entries(entries) : []
  ).map(([name, server]) => [name, isObject(server) ? withoutType(server) : server] as const);
  return { ...rest, mcp: { ...mcp, servers: Object.fromEntries(servers) } };
}

/** Says as `transport` what other tools write as `type`. */
function withoutType({ type, ...server }: Readonly<Record<string, unknown>>): unknown {
  const transport = MCP_TYPES[String(type)];
  return transport === undefined ? server : { ...server, transport };
}

async function withRealDirectories(
  values: Record<string, unknown>,
  file: string,
  notices: string[],
): Promise<Record<string, unknown>> {
  const { additionalDirectories } = values;
  if (!Array.isArray(additionalDirectories)) return values;
  const real = await Promise.all(
    additionalDirectories.map((directory) => realDirectory(String(directory), file, notices)),
  );
  return { ...values, additionalDirectories: real.filter((path) => path !== undefined) };
}

async function realDirectory(
  directory: string,
  file: string,
  notices: string[],
): Promise<string | undefined> {
  try {
    const path = await Deno.realPath(directory);
    if ((await Deno.stat(path)).isDirectory) return path;
  } catch {
    // Said below, in the same words for every reason.
  }
  notices.push(
    `Ignored ${quoted(directory, 1000)} of "additionalDirectories" in ${quoted(file, 1000)}: ` +
      "it is not a folder that can be reached",
  );
  return undefined;
}

async function environmentLayer(env: Environment): Promise<ConfigLayer> {
  const provider: Record<string, string> = {};
  for (
    const [name, variable] of [
      ["baseURL", "OPENAI_BASE_URL"],
      ["model", "ALISIO_MODEL"],
      ["apiMode", "ALISIO_API_MODE"],
    ] as const
  ) {
    const value = env[variable];
    if (!value) continue;
    await assertProviderValue(
      "config_invalid",
      `Cannot use the environment`,
      variable,
      name,
      value,
    );
    provider[name] = value;
  }
  return overrideLayer({ layer: "environment" }, provider);
}

async function flagsLayer(overrides: ProviderOverrides): Promise<ConfigLayer> {
  const provider: Record<string, string> = {};
  for (
    const [name, flag, value] of [
      ["baseURL", "--base-url", overrides.baseUrl],
      ["model", "--model", overrides.model],
      ["apiMode", "--api-mode", overrides.apiMode],
    ] as const
  ) {
    if (value === undefined) continue;
    await assertProviderValue("usage", "Cannot use the command line", flag, name, value);
    provider[name] = value;
  }
  return overrideLayer({ layer: "flags" }, provider);
}

function overrideLayer(source: ConfigSource, provider: Record<string, string>): ConfigLayer {
  return { source, values: Object.keys(provider).length === 0 ? {} : { provider } };
}

async function assertProviderValue(
  code: "config_invalid" | "usage",
  failure: string,
  label: string,
  name: string,
  value: string,
): Promise<void> {
  const section = CONFIG_KEYS.provider;
  const key = section.type === "section" ? section.keys[name] : undefined;
  const problem = key === undefined ? undefined : checkConfigValue(label, value, key)[0];
  if (problem === undefined) return;
  const { formatProblem } = await import("./config_error.ts");
  throw new AlisioError(code, `${failure}: ${formatProblem(problem)}`);
}
