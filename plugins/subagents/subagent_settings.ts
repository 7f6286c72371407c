import type { JsonObject } from "@alisio/sdk";

/** How writers that run at once are kept apart. */
export type ParallelWrites = "ask" | "worktree" | "serial" | "shared";

/** `builtinPlugins.subagents`; the host has checked it. */
export interface SubagentSettings {
  /** So many sessions stand below the main one at most. */
  readonly maxDepth: number;
  /** Tasks of one session that run at once. */
  readonly maxConcurrentPerParent: number;
  /** Tasks that run at once. */
  readonly maxConcurrentTotal: number;
  /** Tasks that wait at most. */
  readonly maxQueued: number;
  /** Model responses of one run, where its definition says nothing. */
  readonly maxTurns: number;
  /** Longest time of one run. */
  readonly timeoutMs: number;
  /** Tokens of one run; undefined for what every run may use. */
  readonly maxTokensPerChild: number | undefined;
  /** Tokens of one model response. */
  readonly maxOutputTokensPerChild: number;
  readonly parallelWrites: ParallelWrites;
  /** Longest wait of `task_wait`. */
  readonly waitMaxMs: number;
  /** Largest result, in bytes of UTF-8. */
  readonly resultMaxBytes: number;
  /** Absolute path of the folder for worktrees; undefined for the usual one. */
  readonly worktreeDir: string | undefined;
}

const MODES: readonly ParallelWrites[] = ["ask", "worktree", "serial", "shared"];

/**
 * Reads the settings that the host hands on.
 *
 * @param options What it hands on.
 */
export function subagentSettings(options: JsonObject = {}): SubagentSettings {
  const count = (key: string, fallback: number) => {
    const value = options[key];
    return typeof value === "number" ? value : fallback;
  };
  const { maxTokensPerChild, worktreeDir, parallelWrites } = options;
  return {
    maxDepth: count("maxDepth", 3),
    maxConcurrentPerParent: count("maxConcurrentPerParent", 4),
    maxConcurrentTotal: count("maxConcurrentTotal", 8),
    maxQueued: count("maxQueued", 16),
    maxTurns: count("maxTurns", 50),
    timeoutMs: count("timeoutMs", 600_000),
    maxTokensPerChild: typeof maxTokensPerChild === "number" ? maxTokensPerChild : undefined,
    maxOutputTokensPerChild: count("maxOutputTokensPerChild", 16_384),
    parallelWrites: MODES.find((mode) => mode === parallelWrites) ?? "ask",
    waitMaxMs: count("waitMaxMs", 600_000),
    resultMaxBytes: count("resultMaxBytes", 50_000),
    worktreeDir: typeof worktreeDir === "string" ? worktreeDir : undefined,
  };
}
