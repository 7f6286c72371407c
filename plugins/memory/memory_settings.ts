import type { JsonObject } from "@alisio/sdk";

/** `builtinPlugins.memory`; the host has checked it. */
export interface MemorySettings {
  /** Absolute path of the database; undefined for the usual one. */
  readonly dbPath: string | undefined;
  /** Tokens of memory that stand before the first prompt of a session. */
  readonly injectBudgetTokens: number;
  /** Observations that are recalled after a compaction. */
  readonly recallLimit: number;
  /** Whether a session is summarised when it ends. */
  readonly autoSummary: boolean;
  /** Where an observation goes that names no scope. */
  readonly defaultScope: Scope;
}

/** Who sees an observation: whoever works on the project, or the person wherever they work. */
export type Scope = "project" | "personal";

/**
 * Reads the settings that the host hands on.
 *
 * @param options What it hands on.
 */
export function memorySettings(options: JsonObject | undefined): MemorySettings {
  const { dbPath, injectBudgetTokens, recallLimit, autoSummary, defaultScope } = options ?? {};
  return {
    dbPath: typeof dbPath === "string" ? dbPath : undefined,
    injectBudgetTokens: typeof injectBudgetTokens === "number" ? injectBudgetTokens : 1_500,
    recallLimit: typeof recallLimit === "number" ? recallLimit : 8,
    autoSummary: autoSummary !== false,
    defaultScope: defaultScope === "personal" ? "personal" : "project",
  };
}
