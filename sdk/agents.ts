/** What a definition of an agent says about an effect. It only narrows. */
export type AgentPermission = "allow" | "ask" | "deny";

/** An agent that somebody defined, in whatever form. */
export interface AgentInfo {
  /** What it is chosen by; one of a plugin begins with the plugin's id and a colon. */
  readonly id: string;
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
  /** `subagent` for work that is handed over, `primary` for the conversation itself, or both. */
  readonly mode: "subagent" | "primary" | "all";
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
  /** Where the definition comes from, the kind that wins first. */
  readonly origin: "flag" | "project" | "user" | "config" | "plugin" | "builtin";
  /** Absolute path of its file, where it has one. */
  readonly path?: string;
}

/** Something about a definition that its author should know. */
export interface AgentNotice {
  /** Its file, or the flag or key that holds it. */
  readonly source: string;
  /** An `error` leaves the definition out. */
  readonly severity: "error" | "warning";
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** The definitions that there are at a moment. */
export interface AgentList {
  /** Those that count: one for each id. */
  readonly agents: readonly AgentInfo[];
  /** Those that an earlier one with the same id hides. */
  readonly shadowed: readonly AgentInfo[];
  /** What is wrong with definitions. */
  readonly notices: readonly AgentNotice[];
}

/** Definitions of agents, for a plugin that hands work over. */
export interface PluginAgents {
  /**
   * Looks for definitions in every place that counts, with the rules of trust. What is wrong with
   * one is among the notices.
   *
   * @returns The definitions as they are now.
   */
  list(): Promise<AgentList>;
}
