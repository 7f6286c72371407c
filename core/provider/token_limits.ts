/** Tokens that a model can hold, and who says so. */
export interface ContextWindow {
  /** The size. */
  readonly tokens: number;
  /** `learned` means that the server refused a request which the other sources allowed. */
  readonly source: "configuration" | "profile" | "catalog" | "learned";
}

/** What the sources say of a context window; absent is unknown. */
export interface ContextWindowFacts {
  /** `provider.contextWindow`, when the model is the configured one. */
  readonly configuration?: number | undefined;
  /** The window that a saved profile records. */
  readonly profile?: number | undefined;
  /** What the server's catalog reports. */
  readonly catalog?: number | undefined;
  /** The bound that an earlier overflow has shown. */
  readonly learned?: number | undefined;
}

/** Tokens of a run whose model has an unknown window. */
const UNKNOWN_WINDOW_RUN_TOKENS = 1_000_000;
const RUN_WINDOWS = 8;
const MIN_RUN_TOKENS = 400_000;
const MAX_RUN_TOKENS = 8_000_000;

/**
 * Decides the context window of a model: the configuration, else the profile, else the catalog,
 * and never more than what the server has been seen to accept. Pure.
 *
 * @param facts What the sources say.
 * @returns The window, or `undefined` if nothing is known.
 */
export function resolveContextWindow(facts: ContextWindowFacts): ContextWindow | undefined {
  const { learned } = facts;
  const declared = declaredWindow(facts);
  if (learned === undefined || (declared !== undefined && declared.tokens <= learned)) {
    return declared;
  }
  return { tokens: learned, source: "learned" };
}

/**
 * Decides how many reported tokens a run may use: what the person set, else eight context windows
 * between 400,000 and 8,000,000, else 1,000,000. Pure.
 *
 * @param limits `explicit` from the configuration, `contextWindow` in tokens if it is known.
 */
export function resolveRunTokens(
  limits: { readonly explicit?: number | undefined; readonly contextWindow?: number | undefined },
): number {
  if (limits.explicit !== undefined) return limits.explicit;
  if (limits.contextWindow === undefined) return UNKNOWN_WINDOW_RUN_TOKENS;
  return Math.min(Math.max(RUN_WINDOWS * limits.contextWindow, MIN_RUN_TOKENS), MAX_RUN_TOKENS);
}

function declaredWindow(facts: ContextWindowFacts): ContextWindow | undefined {
  for (const source of ["configuration", "profile", "catalog"] as const) {
    const tokens = facts[source];
    if (tokens !== undefined && tokens >= 1) return { tokens, source };
  }
  return undefined;
}
