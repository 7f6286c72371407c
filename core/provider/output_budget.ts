/** Output tokens of one request. */
export interface OutputBudget {
  /** The limit that is sent. */
  readonly maxOutputTokens: number;
  /** Who set it. */
  readonly source: "user" | "model" | "default";
}

/** What is asked for when neither the person nor the catalog names a limit. */
export const DEFAULT_OUTPUT_TOKENS = 16_384;

/** Highest limit that is taken from a catalog. */
export const MAX_CATALOG_OUTPUT_TOKENS = 65_536;

/**
 * Decides how many tokens a response may have: what the person set, never changed; else the
 * model's own maximum up to 65536; else 16384. Pure.
 *
 * @param limits `explicit` from the configuration or the run, `catalog` from the model's catalog.
 */
export function resolveOutputBudget(
  limits: { readonly explicit?: number | undefined; readonly catalog?: number | undefined },
): OutputBudget {
  const { explicit, catalog } = limits;
  if (explicit !== undefined) return { maxOutputTokens: explicit, source: "user" };
  if (catalog !== undefined && catalog >= 1) {
    const maxOutputTokens = Math.min(Math.floor(catalog), MAX_CATALOG_OUTPUT_TOKENS);
    return { maxOutputTokens, source: "model" };
  }
  return { maxOutputTokens: DEFAULT_OUTPUT_TOKENS, source: "default" };
}
