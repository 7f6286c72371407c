/** How much an agent may do by itself, from the strictest to the freest. */
export type RiskLevel = "readonly" | "supervised" | "full";

/** The levels in the order of what they permit. */
export const RISK_LEVELS: readonly RiskLevel[] = ["readonly", "supervised", "full"];

/** What a folder beside the workspace is open for. */
export type RootAccess = "read-write" | "read-only" | "write-only";

/** A folder beside the workspace that a profile opens. */
export interface AllowedRoot {
  /** As written: absolute, relative to the workspace, or below `~`. */
  readonly path: string;
  /** What it is open for. */
  readonly access: RootAccess;
}

/** Which sandbox of the operating system programs are started in. */
export type SandboxBackend =
  | "auto"
  | "landlock"
  | "bubblewrap"
  | "firejail"
  | "docker"
  | "sandbox-exec"
  | "none";

/** What a profile says of the sandbox. */
export interface SandboxSettings {
  /** `null` where the profile says nothing. */
  readonly enabled: boolean | null;
  /** `null` where the profile says nothing. */
  readonly backend: SandboxBackend | null;
  /** Arguments for Firejail alone. */
  readonly firejailArgs: readonly string[];
}

/** Where the approvals of a profile are asked for. */
export interface ApprovalRoute {
  /** Key of the channel, `<platform>.<alias>`. */
  readonly approverChannel: string;
  /** Destination on that channel; `null` makes the approver unavailable. */
  readonly approverRecipient: string | null;
  /** What happens when the approver decides nothing. Nothing here ever allows. */
  readonly onNoApprover: "deny" | "inherit-originator";
  /** Longest wait for the approver. */
  readonly timeoutMs: number;
}

/** A risk profile with every default filled in. */
export interface RiskProfile {
  /** The name that it is selected by. */
  readonly alias: string;
  /** How much runs by itself. */
  readonly level: RiskLevel;
  /** Whether paths outside every allowed folder are refused. Always `false` at level `full`. */
  readonly workspaceOnly: boolean;
  /** Programs that may be started; empty blocks every command, `*` admits any. */
  readonly allowedCommands: readonly string[];
  /** Subtrees that stay closed. */
  readonly forbiddenPaths: readonly string[];
  /** Folders beside the workspace. */
  readonly allowedRoots: readonly AllowedRoot[];
  /** Whether calls of medium risk are asked about. */
  readonly requireApprovalForMediumRisk: boolean;
  /** Whether a command of high risk needs each of its programs listed by name. */
  readonly blockHighRiskCommands: boolean;
  /** Tools that are never asked about; `*` is every tool. */
  readonly autoApprove: readonly string[];
  /** Tools that are asked about every time; `*` is every tool. Wins over everything that grants. */
  readonly alwaysAsk: readonly string[];
  /** The only tools there are; empty does not restrict. */
  readonly allowedTools: readonly string[];
  /** Tools that there are not, whatever else says so. */
  readonly excludedTools: readonly string[];
  /** `null`: approvals are asked for where the conversation takes place. */
  readonly approvalRoute: ApprovalRoute | null;
  /** Whether work may be handed to other agents. */
  readonly delegation: "forbidden" | "allow";
  /** The sandbox for programs. */
  readonly sandbox: SandboxSettings;
  /** Names of variables that programs receive beside the usual ones. */
  readonly shellEnvPassthrough: readonly string[];
  /** Acting calls of any hour; 0 is none at all. */
  readonly maxActionsPerHour: number;
  /** US cents of any day; 0 is no request at all. */
  readonly maxCostPerDayCents: number;
  /** Whether the profile itself names that limit, so that it is said where it cannot be kept. */
  readonly namesCostLimit: boolean;
  /** Longest run of one command. */
  readonly shellTimeoutMs: number;
}

/**
 * The sandbox that a profile asks for.
 *
 * @param sandbox What the profile says.
 * @returns A backend; `auto` takes the best one that the system has.
 */
export function sandboxBackend(sandbox: SandboxSettings): SandboxBackend {
  return sandbox.enabled === false ? "none" : sandbox.backend ?? "auto";
}
