import type { ModelInfo } from "@alisio/sdk";

/** What of an agent's wishes a model can do. */
export interface ModelFit {
  /** Whether its catalog says anything about it; where it does not, everything may be wished for. */
  readonly known: boolean;
  /** Levels of reasoning effort that it has; empty where it has none, null where nobody says. */
  readonly effortLevels: readonly string[] | null;
}

/**
 * What a model can do of what an agent may ask of it. Only what a catalog denies is out of
 * question. Pure.
 *
 * @param model What the catalog says of it; undefined for a model that no catalog lists.
 */
export function modelFit(model: Pick<ModelInfo, "effort"> | undefined): ModelFit {
  const levels = model?.effort?.supportedLevels;
  return { known: levels !== undefined, effortLevels: levels ?? null };
}
