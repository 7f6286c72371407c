import { checkConfigValue, type ConfigProblem } from "../../config/check_config.ts";
import type { ConfigKey, SectionKey } from "../../config/config_keys.ts";
import { isObject } from "../../config/is_object.ts";
import { nearestName } from "../../config/nearest_name.ts";
import { quoted } from "../../config/quoted.ts";
import { misspelledTool } from "./known_tools.ts";
import {
  PRESET_NAMES,
  profileDefaults,
  type ProfilePreset,
  READ_ONLY_TOOLS,
} from "./profile_defaults.ts";
import {
  type AllowedRoot,
  type ApprovalRoute,
  RISK_LEVELS,
  type RiskLevel,
  type RiskProfile,
  type RootAccess,
  type SandboxBackend,
} from "./risk_profile.ts";
import { expandAskedTools, expandToolNames } from "./tool_names.ts";

/** A profile, or what is wrong with it. */
export interface ParsedRiskProfile {
  /** `null` if there is a problem. */
  readonly profile: RiskProfile | null;
  /** What stops the configuration from loading. */
  readonly problems: readonly ConfigProblem[];
  /** What the person should know, one sentence each. */
  readonly warnings: readonly string[];
}

/** The profiles of a configuration, or what is wrong with them. */
export interface ParsedRiskProfiles {
  /** The profiles without a problem, by name. */
  readonly profiles: ReadonlyMap<string, RiskProfile>;
  /** What stops the configuration from loading. */
  readonly problems: readonly ConfigProblem[];
  /** What the person should know, one sentence each. */
  readonly warnings: readonly string[];
}

const PATH_PATTERN = {
  // What is never looked up, such as another person's home or a variable, would close nothing.
  pattern: /^(?!~[^/\\]|\$|%\w+%|[a-z][\w+.-]+:\/\/|\s+\S)(?![^\0]*\S\s+$)[^\0]*$/i,
  expected:
    'a path that is absolute, relative to the workspace, or below "~/", without variables ' +
    "and without space around it",
};
const PATHS: ConfigKey = { type: "list", ...PATH_PATTERN };
const NAMES: ConfigKey = {
  type: "list",
  pattern: /^(?:\*|[A-Za-z0-9_-]{1,64})$/,
  expected: 'the name of a tool, such as "shell", or "*" alone',
};
const PROGRAMS: ConfigKey = {
  type: "list",
  // A path may hold spaces; a name with one is a command line, which no list holds.
  pattern: /^\s*(?:\*|(?:[/~.\\]|[A-Za-z]:)[^\0*?]*|[^\s\0*?]*)\s*$/,
  expected: 'a program: its name or path, without arguments and wildcards, or "*" alone',
};
const ROOT_ACCESS: readonly RootAccess[] = ["read-write", "read-only", "write-only"];
const MIN_ROUTE_TIMEOUT_SECS = 1;

/** Every key of a profile under its own spelling. `allowedRoots` is checked by hand. */
const PROFILE_KEYS: SectionKey = {
  type: "section",
  keys: {
    preset: { type: "choice", values: PRESET_NAMES },
    level: { type: "choice", values: RISK_LEVELS },
    workspaceOnly: { type: "boolean" },
    allowedCommands: PROGRAMS,
    forbiddenPaths: PATHS,
    allowedRoots: PATHS,
    requireApprovalForMediumRisk: { type: "boolean" },
    blockHighRiskCommands: { type: "boolean" },
    autoApprove: NAMES,
    alwaysAsk: NAMES,
    allowedTools: NAMES,
    excludedTools: NAMES,
    approvalRoute: {
      type: "section",
      keys: {
        approverChannel: {
          type: "text",
          required: true,
          pattern: /\S/,
          expected: 'the key of a channel, such as "matrix.ops"',
        },
        approverRecipient: { type: "text" },
        onNoApprover: { type: "choice", values: ["deny", "inherit-originator"] },
        timeoutSecs: { type: "number", minimum: 0, maximum: 86_400 },
      },
    },
    delegationPolicy: {
      type: "section",
      keys: { mode: { type: "choice", values: ["forbidden", "allow"] } },
    },
    sandboxEnabled: { type: "boolean" },
    sandboxBackend: { type: "text" },
    firejailArgs: { type: "list" },
    shellEnvPassthrough: {
      type: "list",
      pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
      expected: "the name of an environment variable",
    },
    maxActionsPerHour: { type: "integer", minimum: 0 },
    maxCostPerDayCents: { type: "integer", minimum: 0 },
    shellTimeoutSecs: { type: "integer", minimum: 1, maximum: 86_400 },
  },
};

const BACKENDS: Readonly<Record<string, SandboxBackend>> = {
  auto: "auto",
  landlock: "landlock",
  bubblewrap: "bubblewrap",
  firejail: "firejail",
  docker: "docker",
  "sandbox-exec": "sandbox-exec",
  sandboxexec: "sandbox-exec",
  seatbelt: "sandbox-exec",
  none: "none",
};

/** A profile whose keys and types were checked. */
interface CheckedProfile {
  readonly preset?: ProfilePreset;
  readonly level?: RiskLevel;
  readonly workspaceOnly?: boolean;
  readonly allowedCommands?: readonly string[];
  readonly forbiddenPaths?: readonly string[];
  readonly requireApprovalForMediumRisk?: boolean;
  readonly blockHighRiskCommands?: boolean;
  readonly autoApprove?: readonly string[];
  readonly alwaysAsk?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly excludedTools?: readonly string[];
  readonly approvalRoute?: {
    readonly approverChannel: string;
    readonly approverRecipient?: string;
    readonly onNoApprover?: ApprovalRoute["onNoApprover"];
    readonly timeoutSecs?: number;
  };
  readonly delegationPolicy?: { readonly mode?: RiskProfile["delegation"] };
  readonly sandboxEnabled?: boolean;
  readonly sandboxBackend?: string;
  readonly firejailArgs?: readonly string[];
  readonly shellEnvPassthrough?: readonly string[];
  readonly maxActionsPerHour?: number;
  readonly maxCostPerDayCents?: number;
  readonly shellTimeoutSecs?: number;
}

/** Collects what is found on the way. */
interface Findings {
  readonly problems: ConfigProblem[];
  readonly warnings: string[];
}

/**
 * Parses every profile of a configuration. Pure.
 *
 * @param section The value of `riskProfiles`.
 * @param platform Whose defaults count.
 */
export function parseRiskProfiles(
  section: Readonly<Record<string, unknown>>,
  platform: typeof Deno.build.os = Deno.build.os,
): ParsedRiskProfiles {
  const profiles = new Map<string, RiskProfile>();
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  for (const [alias, value] of Object.entries(section)) {
    const parsed = parseRiskProfile(alias, value, platform);
    if (parsed.profile !== null) profiles.set(alias, parsed.profile);
    problems.push(...parsed.problems);
    warnings.push(...parsed.warnings);
  }
  return { profiles, problems, warnings };
}

/**
 * Parses one profile. Pure. Keys may be spelled in camel case or with underscores, but not twice.
 *
 * @param alias Its name.
 * @param value Its value, as a file holds it.
 * @param platform Whose defaults count.
 */
export function parseRiskProfile(
  alias: string,
  value: unknown,
  platform: typeof Deno.build.os = Deno.build.os,
): ParsedRiskProfile {
  const path = `riskProfiles.${alias}`;
  const found: Findings = { problems: [], warnings: [] };
  if (!isObject(value)) {
    const problems = checkConfigValue(path, value, PROFILE_KEYS);
    return { profile: null, problems, warnings: [] };
  }
  const { allowedRoots, ...keys } = inCamelCase(path, value, PROFILE_KEYS, found);
  found.problems.push(...checkConfigValue(path, keys, PROFILE_KEYS));
  checkToolNames(path, keys, found);
  const roots = parseRoots(`${path}.allowedRoots`, allowedRoots, found);
  if (found.problems.length > 0) return { profile: null, ...found };
  // `checkConfigValue` accepted every key that is left.
  const profile = buildProfile(alias, keys as CheckedProfile, roots, found, platform);
  return { profile, ...found };
}

/** A name that differs from that of a tool by its spelling only means that tool, and would not. */
function checkToolNames(
  path: string,
  keys: Readonly<Record<string, unknown>>,
  found: Findings,
): void {
  for (const key of ["autoApprove", "alwaysAsk", "allowedTools", "excludedTools"]) {
    const names = keys[key];
    for (const [index, name] of (Array.isArray(names) ? names : []).entries()) {
      const meant = typeof name === "string" ? misspelledTool(name) : undefined;
      if (meant === undefined) continue;
      const problem = { key: `${path}.${key}[${index}]`, message: "names no tool", nearest: meant };
      found.problems.push(problem);
    }
  }
}

/** Renames known keys; an unknown one stays as it is, for the message about it. */
function inCamelCase(
  path: string,
  value: Readonly<Record<string, unknown>>,
  section: SectionKey,
  found: Findings,
): Readonly<Record<string, unknown>> {
  const renamed = new Map<string, unknown>();
  for (const [written, item] of Object.entries(value)) {
    const camel = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const key = Object.hasOwn(section.keys, camel) ? section.keys[camel] : undefined;
    const name = key === undefined ? written : camel;
    if (renamed.has(name)) {
      found.problems.push({
        key: `${path}.${name}`,
        message: "is there in both spellings; keep one of them",
      });
    }
    const content = key?.type === "section" && isObject(item)
      ? inCamelCase(`${path}.${name}`, item, key, found)
      : item;
    renamed.set(name, content);
  }
  return Object.fromEntries(renamed);
}

function buildProfile(
  alias: string,
  keys: CheckedProfile,
  roots: readonly AllowedRoot[] | undefined,
  found: Findings,
  platform: typeof Deno.build.os,
): RiskProfile {
  const base = profileDefaults(keys.preset, platform);
  const level = keys.level ?? base.level;
  const path = `riskProfiles.${alias}`;
  if (level === "full" && keys.workspaceOnly === true) {
    found.warnings.push(`"${path}.workspaceOnly" has no effect: the level "full" switches it off`);
  }
  warnOfPatterns(`${path}.forbiddenPaths`, keys.forbiddenPaths ?? [], found);
  return {
    alias,
    level,
    workspaceOnly: level === "full" ? false : keys.workspaceOnly ?? base.workspaceOnly,
    allowedCommands: withoutBlanks(keys.allowedCommands ?? base.allowedCommands),
    forbiddenPaths: withoutBlanks(keys.forbiddenPaths ?? base.forbiddenPaths),
    allowedRoots: roots ?? base.allowedRoots,
    requireApprovalForMediumRisk: keys.requireApprovalForMediumRisk ??
      base.requireApprovalForMediumRisk,
    blockHighRiskCommands: keys.blockHighRiskCommands ?? base.blockHighRiskCommands,
    // Written as an empty list, it still holds the tools that only look.
    autoApprove: [
      ...new Set([...READ_ONLY_TOOLS, ...expandToolNames(keys.autoApprove ?? base.autoApprove)]),
    ],
    alwaysAsk: expandAskedTools(keys.alwaysAsk ?? base.alwaysAsk),
    allowedTools: expandToolNames(keys.allowedTools ?? base.allowedTools),
    excludedTools: expandToolNames(keys.excludedTools ?? base.excludedTools),
    approvalRoute: buildRoute(path, keys.approvalRoute, found),
    delegation: keys.delegationPolicy?.mode ?? base.delegation,
    sandbox: {
      enabled: keys.sandboxEnabled ?? base.sandbox.enabled,
      backend: parseBackend(path, keys.sandboxBackend, found) ?? base.sandbox.backend,
      firejailArgs: keys.firejailArgs ?? base.sandbox.firejailArgs,
    },
    shellEnvPassthrough: keys.shellEnvPassthrough ?? base.shellEnvPassthrough,
    maxActionsPerHour: keys.maxActionsPerHour ?? base.maxActionsPerHour,
    maxCostPerDayCents: keys.maxCostPerDayCents ?? base.maxCostPerDayCents,
    namesCostLimit: keys.maxCostPerDayCents !== undefined,
    shellTimeoutMs: keys.shellTimeoutSecs === undefined
      ? base.shellTimeoutMs
      : keys.shellTimeoutSecs * 1000,
  };
}

function buildRoute(
  path: string,
  route: CheckedProfile["approvalRoute"],
  found: Findings,
): ApprovalRoute | null {
  if (route === undefined) return null;
  const recipient = route.approverRecipient?.trim() ?? "";
  if (recipient === "") {
    found.warnings.push(
      `"${path}.approvalRoute" names no recipient, so its approver cannot be reached: set ` +
        `"approverRecipient" to a destination on "${route.approverChannel}"`,
    );
  }
  const timeoutSecs = Math.max(route.timeoutSecs ?? 120, MIN_ROUTE_TIMEOUT_SECS);
  return {
    approverChannel: route.approverChannel.trim(),
    approverRecipient: recipient === "" ? null : recipient,
    onNoApprover: route.onNoApprover ?? "deny",
    timeoutMs: Math.round(timeoutSecs * 1000),
  };
}

function parseBackend(
  path: string,
  written: string | undefined,
  found: Findings,
): SandboxBackend | null {
  if (written === undefined) return null;
  const name = written.trim().toLowerCase();
  const backend = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (backend !== undefined) return backend;
  const nearest = nearestName(name, Object.keys(BACKENDS));
  found.warnings.push(
    `"${path}.sandboxBackend" is not a known sandbox, found ${quoted(written, 40)}: the best one ` +
      "of this system is used" +
      (nearest === undefined ? "" : `; did you mean "${nearest}"?`),
  );
  return "auto";
}

function parseRoots(
  path: string,
  value: unknown,
  found: Findings,
): readonly AllowedRoot[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    found.problems.push(...checkConfigValue(path, value, PATHS));
    return undefined;
  }
  const roots: AllowedRoot[] = [];
  for (const [index, item] of value.entries()) {
    const root = parseRoot(`${path}[${index}]`, item, found);
    if (root !== undefined) roots.push(root);
  }
  return roots;
}

function parseRoot(path: string, item: unknown, found: Findings): AllowedRoot | undefined {
  const entry = isObject(item) ? item : { path: item };
  const problems = checkConfigValue(path, entry, {
    type: "section",
    keys: {
      path: { type: "text", required: true, ...PATH_PATTERN },
      access: { type: "choice", values: ROOT_ACCESS },
    },
  });
  found.problems.push(...problems);
  if (problems.length > 0) return undefined;
  // `checkConfigValue` accepted both.
  const { path: folder, access } = entry as { readonly path: string; readonly access?: RootAccess };
  if (folder.trim() === "" || folder.trim() === "*") {
    found.warnings.push(`"${path}" is ignored: ${quoted(folder, 40)} is not a folder`);
    return undefined;
  }
  return { path: folder, access: access ?? "read-write" };
}

function warnOfPatterns(path: string, entries: readonly string[], found: Findings): void {
  for (const [index, entry] of entries.entries()) {
    if (!/[*?[\]{}!]/.test(entry)) continue;
    found.warnings.push(
      `"${path}[${index}]" is taken literally: ${quoted(entry, 80)} closes a folder of exactly ` +
        "that name, because patterns are not supported here",
    );
  }
}

function withoutBlanks(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => entry.trim() !== "");
}
