import type { AnswerStyle } from "@alisio/sdk";

/** What a definition says about an effect. It only narrows what the run permits. */
export type AgentPermission = "allow" | "ask" | "deny";

/**
 * Where an agent can be used: `subagent` for work that is handed over, `primary` for the
 * conversation itself, `all` for both.
 */
export type AgentMode = "subagent" | "primary" | "all";

/** Where a definition comes from, the kind that wins first. */
export type AgentOrigin = "flag" | "project" | "user" | "config" | "plugin" | "builtin";

/** An agent as somebody defined it. */
export interface AgentDefinition {
  /** What it is chosen by; one of a plugin begins with the plugin's id and a colon. */
  readonly id: string;
  /** Name for people, where it has another one than its id. */
  readonly displayName?: string;
  /** When to use it. */
  readonly description: string;
  /** What it is told, beside what every agent is told. */
  readonly prompt: string;
  /** The only tools that it has; `null` for every one. */
  readonly tools: readonly string[] | null;
  /** Tools that it does not have. */
  readonly disallowedTools: readonly string[];
  /** The model that it works with; absent for the one of whoever it works for. */
  readonly model?: string;
  readonly mode: AgentMode;
  /** Model responses of one task. */
  readonly maxTurns?: number;
  /** Name or `#rrggbb`. */
  readonly color?: string;
  /** What it may do to files and which programs it may start; absent narrows nothing. */
  readonly permission: { readonly write?: AgentPermission; readonly process?: AgentPermission };
  /** Whether it is left out of lists. */
  readonly hidden: boolean;
  /** Whether its tasks begin in the background. */
  readonly background: boolean;
  /** Whether it only looks. */
  readonly readOnly: boolean;
  /** Skills that it should load before it begins. */
  readonly skills: readonly string[];
  /** Reasoning effort, where the model has that level. */
  readonly effort?: string;
  /** What is asked of its answers, where the server takes that. */
  readonly answer?: AnswerStyle;
  readonly origin: AgentOrigin;
  /** Absolute path of its file, where it has one. */
  readonly path?: string;
}

/** Something about a definition that its author should know. */
export interface AgentDiagnostic {
  /** Its file, or the flag or key that holds it. */
  readonly source: string;
  /** An `error` leaves the definition out. */
  readonly severity: "error" | "warning";
  /** What is wrong, and what to do. */
  readonly message: string;
}
