import type { Extension } from "./extension_registry.ts";

/** What plugins offer for searches of the web. */
export interface SearchExtensions {
  /** The one that searches, where there is any. */
  readonly chosen: () => Extension<"websearch"> | undefined;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Is told of one that fails. */
  readonly failed: (plugin: string, error: unknown) => void;
}
