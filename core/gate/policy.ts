import type { Effect } from "@alisio/sdk";
import type { McpTrait } from "../tools/host_tool.ts";
import type { ProfilePolicy } from "./profile/profile_policy.ts";

/** What a policy says of a call, from the mildest to the strictest. */
export type Verdict = "allow" | "ask" | "deny";

/** A verdict for each effect, and why. */
export interface EffectPolicy {
  readonly kind: "effects";
  /** Names the policy in decisions: `flags`, `read-only`, … */
  readonly name: string;
  readonly verdicts: Readonly<Record<Effect, Verdict>>;
  /** Tools that are allowed whatever their effect is. */
  readonly allowedTools?: readonly string[];
  /** What the person can do about a verdict that is not `allow`, by effect. */
  readonly remedies: Readonly<Partial<Record<Effect, string>>>;
  /**
   * Whether what it allows counts as approved where a risk profile asks. It rescues nothing that is
   * blocked, and no tool that is always asked about.
   */
  readonly approves?: true;
  /** Verdicts for what has to do with MCP servers, in place of the ones of its effect. */
  readonly mcp?: Readonly<Record<McpTrait, Verdict>>;
}

/** A verdict for paths outside every allowed root. */
export interface RootsPolicy {
  readonly kind: "roots";
  readonly name: string;
  readonly outside: Verdict;
  /** `{path}` in it stands for the path. */
  readonly remedy: string;
}

/** A verdict for writes to files that decide what Alisio may do or which programs Git starts. */
export interface ProtectedPolicy {
  readonly kind: "protected";
  readonly name: string;
  readonly verdict: Verdict;
  readonly remedy: string;
}

/** What the active agent may use. It narrows and permits nothing. */
export interface AgentPolicy {
  readonly kind: "agent";
  readonly name: "agent";
  /** Id of the agent. */
  readonly agent: string;
  /** Whether it only looks. */
  readonly onlyReads: boolean;
  /** The only tools that it has; `null` for every one. */
  readonly tools: ReadonlySet<string> | null;
  /** Tools that it does not have. */
  readonly without: ReadonlySet<string>;
}

/** One source of rules. Policies are data; the strictest verdict of all of them wins. */
export type Policy = EffectPolicy | RootsPolicy | ProtectedPolicy | AgentPolicy | ProfilePolicy;

/** The permission flags of a run. */
export interface PermissionFlags {
  readonly readOnly: boolean;
  readonly allowWrite: boolean;
  readonly allowProcess: boolean;
  readonly allowExternal: boolean;
  /** Whether MCP servers may be used, by a flag or the person's own configuration. */
  readonly allowMcp?: boolean;
  /** Tools that are allowed by name. */
  readonly allowedTools?: readonly string[];
  /** Whether an approver is there: a person who can be asked. */
  readonly interactive: boolean;
}

const WITHOUT_READ_ONLY = "run again without --read-only";

/**
 * The policies that flags stand for: the truth table of effects, the roots, and the protected
 * files. `--read-only` is a policy of its own, so it wins over every `--allow-*`.
 *
 * @param flags The permission flags.
 * @param mode Takes the place of the truth table.
 */
export function policiesFromFlags(
  flags: PermissionFlags,
  mode?: EffectPolicy,
): readonly Policy[] {
  const unflagged: Verdict = flags.interactive ? "ask" : "deny";
  return [
    // Before the flags, whose advice would not help here.
    ...(flags.readOnly ? [READ_ONLY_POLICY] : []),
    mode ?? {
      kind: "effects",
      name: "flags",
      verdicts: {
        read: "allow",
        internal: "allow",
        write: flags.allowWrite ? "allow" : unflagged,
        process: flags.allowProcess ? "allow" : unflagged,
        external: flags.allowExternal ? "allow" : unflagged,
      },
      ...(flags.allowedTools === undefined ? {} : { allowedTools: flags.allowedTools }),
      mcp: mcpVerdicts(flags),
      remedies: {
        write: "run again with --allow-write",
        process: "run again with --allow-process",
        external: "run again with --allow-external",
      },
    },
    {
      kind: "roots",
      name: "roots",
      outside: flags.readOnly ? "deny" : unflagged,
      remedy: flags.readOnly
        ? WITHOUT_READ_ONLY
        : 'add a directory that holds {path} with --add-dir or "additionalDirectories"',
    },
    {
      kind: "protected",
      name: "protected-files",
      verdict: unflagged,
      remedy: "edit the file yourself: no tool changes it",
    },
  ];
}

/** Where nobody is there, consent is all that a call needs; a person is asked about each. */
function mcpVerdicts(flags: PermissionFlags): NonNullable<EffectPolicy["mcp"]> {
  const { interactive, allowExternal, allowMcp = false } = flags;
  return {
    server: allowExternal || (allowMcp && !interactive) ? "allow" : interactive ? "ask" : "deny",
    own: interactive || allowMcp ? "allow" : "deny",
  };
}

const READ_ONLY_POLICY: EffectPolicy = {
  kind: "effects",
  name: "read-only",
  verdicts: { read: "allow", internal: "allow", write: "deny", process: "deny", external: "deny" },
  remedies: {
    write: `${WITHOUT_READ_ONLY} and with --allow-write`,
    process: `${WITHOUT_READ_ONLY} and with --allow-process`,
    external: `${WITHOUT_READ_ONLY} and with --allow-external`,
  },
};
