import type { JsonValue } from "./json.ts";

/** Turns texts into numbers that can be compared. */
export interface EmbeddingProvider {
  /** Names it. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Changes whenever what it answers cannot be compared any more. */
  modelId(): string;
  /** How many numbers each text has. */
  dimensions(): number;
  /**
   * Turns texts into numbers.
   *
   * @param texts 1 to 256 of them.
   * @param options What they are for, and what ends the wait.
   * @returns One for each text, in the same order.
   */
  embed(
    texts: readonly string[],
    options: { readonly kind: "query" | "document"; readonly signal: AbortSignal },
  ): Promise<readonly Float32Array[]>;
}

/** A text that can be found by what it means. */
export interface SemanticDocument {
  /** `^[A-Za-z0-9._:-]{1,128}$` */
  readonly id: string;
  /** Up to 32,768 characters. */
  readonly text: string;
  /** Simple values, up to 8 KiB. */
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

/** A text that was found. */
export interface SemanticMatch {
  /** Its id. */
  readonly id: string;
  /** How near it is; comparable within one model alone. */
  readonly score: number;
  /** What it was stored with. */
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

/** How texts are looked for. */
export interface SemanticSearchOptions {
  /** How many are wanted, 1 to 100. */
  readonly topK?: number;
  /** How near they must be. */
  readonly minScore?: number;
  /** Values that the metadata must have. */
  readonly filter?: Readonly<Record<string, JsonValue>>;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Search by meaning, in collections of the plugin's own.
 *
 * @example A search that has another way
 * ```ts
 * import type { SemanticConsumer } from "@alisio/sdk";
 *
 * async function find(semantic: SemanticConsumer | undefined, words: string) {
 *   if (semantic?.available() !== true) return [];
 *   return await semantic.trySearch("notes", words, { topK: 5 }) ?? [];
 * }
 *
 * console.log(await find(undefined, "tea")); // []
 * ```
 */
export interface SemanticConsumer {
  /** Whether texts can be searched by meaning. */
  available(): boolean;
  /**
   * Stores texts, in place of those with the same ids.
   *
   * @param collection `^[a-z0-9][a-z0-9_-]{0,63}$`
   * @param documents Up to 1,000 of them.
   */
  index(collection: string, documents: readonly SemanticDocument[]): Promise<void>;
  /**
   * Finds texts.
   *
   * @param collection The collection.
   * @param query What they should be about.
   * @param options How they are looked for.
   * @throws {Error} If it cannot be done; `code` says why.
   */
  search(
    collection: string,
    query: string,
    options?: SemanticSearchOptions,
  ): Promise<readonly SemanticMatch[]>;
  /**
   * Finds texts, if that can be done.
   *
   * @param collection The collection.
   * @param query What they should be about.
   * @param options How they are looked for.
   * @returns Null if it cannot be done.
   */
  trySearch(
    collection: string,
    query: string,
    options?: SemanticSearchOptions,
  ): Promise<readonly SemanticMatch[] | null>;
  /** The plugin's own collections. */
  collections(): Promise<readonly string[]>;
}

/** Search by meaning, for a plugin. */
export interface PluginSemantic extends SemanticConsumer {
  /**
   * Adds a provider, which the person may choose.
   *
   * @param provider The provider.
   */
  registerEmbedding(provider: EmbeddingProvider): () => void;
}
