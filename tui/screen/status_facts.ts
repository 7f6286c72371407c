import type { DecidedEffect, PermissionModeLabel } from "../../core/gate/permission_mode.ts";
import type { Verdict } from "../../core/gate/policy.ts";
import type { RunStateText } from "./run_state.ts";

/** How full the context of the model is. */
export interface ContextFacts {
  readonly usedTokens: number;
  /** Whether nobody has counted yet. */
  readonly isEstimated: boolean;
  /** What the model can hold; null where nobody has said. */
  readonly totalTokens: number | null;
  /** From so many on, the conversation is made shorter. */
  readonly compactsAtTokens: number;
}

/** What the prompts of a session have used. */
export interface UsageFacts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly turns: number;
}

/** What the rows around the conversation tell. Every text is visible already, and of one line. */
export interface StatusFacts {
  readonly version: string;
  /** Shortened. */
  readonly cwd: string;
  /** Branch, or the start of a commit. */
  readonly branch?: string;
  readonly model?: string;
  readonly provider?: string;
  /** Host of the provider, without a path. */
  readonly host?: string;
  readonly apiMode?: string;
  /** Reasoning effort, where one is asked for. */
  readonly effort?: string;
  /** Start of the session's id. */
  readonly session?: string;
  /** Empty while Alisio is still opening. */
  readonly mode: PermissionModeLabel | "";
  readonly verdicts?: Readonly<Record<DecidedEffect, Verdict>>;
  /** Whether MCP servers may be used; absent where there is none. */
  readonly mcp?: "on" | "off";
  readonly agent?: string;
  readonly context?: ContextFacts;
  readonly usage: UsageFacts;
  readonly run?: RunStateText;
  /** How long the run at hand goes on. */
  readonly runMs?: number;
  /** The key that shows the end of the conversation, while the person reads above it; may be none. */
  readonly endKey?: string;
  /** Texts of plugins. */
  readonly plugins: readonly string[];
}
