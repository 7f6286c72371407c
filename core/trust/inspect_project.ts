import { isObject } from "../config/is_object.ts";
import { resolveLayerPaths } from "../config/layer_paths.ts";
import { isPluginPath } from "../plugins/plugin_entry.ts";
import { projectConfigPath } from "../config/load_config.ts";
import { parseConfigFile } from "../config/parse_config.ts";
import { readConfigBytes } from "../config/read_config_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { sha256Hex } from "../files/sha256.ts";
import { isInside } from "../paths/is_inside.ts";
import { isAbsolute, relative, resolve } from "../paths/path.ts";
import {
  digestTrustResources,
  findTrustResources,
  isClosedFolder,
  PROJECT_CONFIG,
  type ReferencedPath,
  type ResourceDigests,
} from "./trust_resources.ts";
import { describeDeclarations } from "./describe_declarations.ts";

/** Everything of a project that a decision about it covers. */
export interface ProjectInspection {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** What needs trust, relative to the workspace. */
  readonly resources: readonly string[];
  /** The state of all of it. */
  readonly digests: ResourceDigests;
  /** Files outside the usual places that the configuration uses. */
  readonly referenced: readonly ReferencedPath[];
  /** What the configuration would do, one line each. */
  readonly declared: readonly string[];
}

/**
 * Reads a project for a person who is about to decide on it. This opens its configuration, which
 * is data; it runs and loads nothing.
 *
 * @param workspace Real path of the workspace.
 * @param home The home folder, if it is known.
 * @throws {AlisioError} `config_unreadable` or `config_invalid` for its configuration,
 * `workspace_invalid` if it is too large to be checked at every start, or changes meanwhile.
 */
export async function inspectProject(
  workspace: string,
  home: string | undefined,
): Promise<ProjectInspection> {
  const resources = await findTrustResources(workspace);
  const closed = resources.find(isClosedFolder);
  if (closed !== undefined) throw cannotInspect(workspace, `${quoted(closed)} may not be read`);
  const file = projectConfigPath(workspace);
  const bytes = await readConfigBytes(file);
  const content = bytes === undefined
    ? {}
    : resolveLayerPaths(parseConfigFile(bytes, file), file, home);
  const referenced = await findReferencedPaths(content, workspace);
  const digest = await digestTrustResources(workspace, referenced);
  if (digest.status === "uncheckable") throw cannotInspect(workspace, digest.reason);
  const { digests } = digest;
  // What was described must be what is remembered.
  const described = bytes === undefined ? undefined : await sha256Hex(bytes);
  const remembered = /[0-9a-f]{64}$/.exec(digests[PROJECT_CONFIG] ?? "")?.[0];
  if (described !== remembered) throw cannotInspect(workspace, "it changed meanwhile; try again");
  return { workspace, resources, digests, referenced, declared: describeDeclarations(content) };
}

async function findReferencedPaths(
  content: Readonly<Record<string, unknown>>,
  workspace: string,
): Promise<readonly ReferencedPath[]> {
  const trees = [
    ...textsOf(content["plugins"]).filter(isPluginPath),
    ...textsOf(content["skills"]),
  ];
  const mcp = isObject(content["mcp"]) ? content["mcp"]["servers"] : undefined;
  const words = [mcp, content["mcpServers"]]
    .flatMap((servers) => isObject(servers) ? Object.values(servers).filter(isObject) : [])
    .flatMap((server) => [...textsOf([server["command"]]), ...textsOf(server["args"])]);
  const files = await Promise.all(words.map((word) => findScript(word, workspace)));
  const named = (path: string): string =>
    isInside(path, workspace) ? relative(workspace, path).replaceAll("\\", "/") : path;
  return [
    ...trees.map((path) => ({ path: named(path), kind: "tree" }) as const),
    ...files.filter((path) => path !== undefined)
      .map((path) => ({ path: named(path), kind: "file" }) as const),
  ];
}

/**
 * The file of the project that a word of a command names: one that is there, or one that may come
 * because the word is written as a path. Programs of the system are not the project's doing.
 */
async function findScript(word: string, workspace: string): Promise<string | undefined> {
  const path = resolve(workspace, word);
  if (!isInside(path, workspace) || path === workspace) return undefined;
  if (isAbsolute(word)) return path;
  return await Deno.lstat(path).then(() => path, () => undefined);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function cannotInspect(workspace: string, reason: string): AlisioError {
  return new AlisioError(
    "workspace_invalid",
    `Cannot decide on project ${quoted(workspace, 1000)}: ${reason}`,
  );
}
