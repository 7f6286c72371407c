import { defaultForbiddenPaths } from "../paths_policy/default_forbidden_paths.ts";
import { defaultAllowedCommands } from "../shell/match_allowed_commands.ts";
import type { RiskProfile } from "./risk_profile.ts";

/** A named starting point for a profile. */
export type ProfilePreset = "locked_down" | "balanced" | "yolo";

/** What a preset sets apart from the defaults. */
export type ProfileBase = Omit<RiskProfile, "alias" | "approvalRoute" | "namesCostLimit">;

/** Tools that look and change nothing. They stay approved whatever a profile adds. */
export const READ_ONLY_TOOLS: readonly string[] = [
  "read_file",
  "list_files",
  "search_text",
  "git_status",
  "git_diff",
  "context_explain",
  "skill_load",
  "skill_search",
  "skill_resource",
  "memory_search",
  "webfetch",
  "websearch",
];

const PRESETS: Readonly<Record<ProfilePreset, Partial<ProfileBase>>> = {
  locked_down: {
    sandbox: { enabled: true, backend: null, firejailArgs: [] },
  },
  balanced: {
    allowedCommands: ["*"],
    requireApprovalForMediumRisk: false,
    sandbox: { enabled: true, backend: null, firejailArgs: [] },
    delegation: "allow",
  },
  yolo: {
    level: "full",
    workspaceOnly: false,
    allowedCommands: ["*"],
    forbiddenPaths: [],
    requireApprovalForMediumRisk: false,
    blockHighRiskCommands: false,
    autoApprove: ["*"],
    sandbox: { enabled: false, backend: null, firejailArgs: [] },
    delegation: "allow",
  },
};

/** The presets by name. */
export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

/**
 * What a profile holds before its own keys count.
 *
 * @param preset The starting point; absent for the defaults alone.
 * @param platform The operating system.
 */
export function profileDefaults(
  preset: ProfilePreset | undefined,
  platform: typeof Deno.build.os = Deno.build.os,
): ProfileBase {
  return {
    level: "supervised",
    workspaceOnly: true,
    allowedCommands: defaultAllowedCommands(platform),
    forbiddenPaths: defaultForbiddenPaths(platform),
    allowedRoots: [],
    requireApprovalForMediumRisk: true,
    blockHighRiskCommands: true,
    autoApprove: [],
    alwaysAsk: [],
    allowedTools: [],
    excludedTools: [],
    delegation: "forbidden",
    sandbox: { enabled: null, backend: null, firejailArgs: [] },
    shellEnvPassthrough: [],
    maxActionsPerHour: 20,
    maxCostPerDayCents: 500,
    shellTimeoutMs: 60_000,
    ...(preset === undefined ? {} : PRESETS[preset]),
  };
}
