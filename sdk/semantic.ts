/** A simple value that a text is stored with, or looked for by. */
export type SemanticValue = string | number | boolean | null;

/** Simple values by name, up to 8 KiB as JSON. */
export type SemanticMetadata = Readonly<Record<string, SemanticValue>>;

/**
 * Why search by meaning failed, as the `code` of what is thrown.
 *
 * - `unavailable`: no provider is active, or there is no such collection
 * - `invalid_request`: a limit is not kept; no provider was called
 * - `model_mismatch`, `dimension_mismatch`: the collection was made with another model
 * - `timeout`: a provider took too long
 * - `provider_error`: a provider failed
 */
export type SemanticErrorCode =
  | "unavailable"
  | "invalid_request"
  | "model_mismatch"
  | "dimension_mismatch"
  | "timeout"
  | "provider_error";

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
  /** How it is doing, in one sentence. */
  health?(): Promise<string>;
}

/** What is known of a collection of vectors. */
export interface VectorCollection {
  /** With the id of the plugin that it belongs to, such as `acme.notes/notes`. */
  readonly name: string;
  /** The model that its vectors are of. */
  readonly modelId: string;
  /** How many numbers each vector has. */
  readonly dimensions: number;
}

/** A vector that is stored. */
export interface VectorRecord {
  /** Unique in its collection. */
  readonly id: string;
  /** The numbers. */
  readonly vector: Float32Array;
  /** What it is stored with. */
  readonly metadata?: SemanticMetadata;
}

/** What vectors are looked for by. */
export interface VectorQuery {
  /** What they should be near to. */
  readonly vector: Float32Array;
  /** How many are wanted, 1 to 100. */
  readonly topK: number;
  /** How near they must be. */
  readonly minScore?: number;
  /** Values that their metadata must have. */
  readonly filter?: SemanticMetadata;
}

/** What ends the wait for a store. */
export interface VectorStoreOptions {
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Keeps vectors and finds the nearest. It is called by Alisio alone, which has checked every limit
 * and every model before.
 *
 * @example A store in memory
 * ```ts
 * import type { VectorCollection, VectorRecord, VectorStoreProvider } from "@alisio/sdk";
 *
 * const kept = new Map<string, VectorCollection & { records: Map<string, VectorRecord> }>();
 * const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
 *
 * const store: VectorStoreProvider = {
 *   id: "memory",
 *   name: "In memory",
 *   collections: () => Promise.resolve([...kept.values()]),
 *   create(collection) {
 *     kept.set(collection.name, { ...collection, records: new Map() });
 *     return Promise.resolve();
 *   },
 *   upsert(name, records) {
 *     for (const record of records) kept.get(name)?.records.set(record.id, record);
 *     return Promise.resolve();
 *   },
 *   query(name, { vector, topK }) {
 *     const matches = [...kept.get(name)?.records.values() ?? []]
 *       .map((record) => ({ id: record.id, score: dot(record.vector, vector) }))
 *       .sort((a, b) => b.score - a.score);
 *     return Promise.resolve(matches.slice(0, topK));
 *   },
 *   drop: (name) => Promise.resolve(void kept.delete(name)),
 * };
 *
 * const options = { signal: new AbortController().signal };
 * await store.create({ name: "acme/notes", modelId: "m", dimensions: 2 }, options);
 * await store.upsert("acme/notes", [
 *   { id: "tea", vector: new Float32Array([1, 0]) },
 *   { id: "rain", vector: new Float32Array([0, 1]) },
 * ], options);
 * const [best] = await store.query(
 *   "acme/notes",
 *   { vector: new Float32Array([0.9, 0.1]), topK: 1 },
 *   options,
 * );
 * if (best?.id !== "tea") throw new Error(best?.id);
 * ```
 */
export interface VectorStoreProvider {
  /** Names it. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /**
   * The collections that it keeps, of all plugins.
   *
   * @param options What ends the wait.
   */
  collections(options: VectorStoreOptions): Promise<readonly VectorCollection[]>;
  /**
   * Makes an empty collection.
   *
   * @param collection What it is; there is none of its name.
   * @param options What ends the wait.
   */
  create(collection: VectorCollection, options: VectorStoreOptions): Promise<void>;
  /**
   * Stores vectors, in place of those with the same ids: all of them or none.
   *
   * @param name Name of the collection.
   * @param records Up to 1,000 of them.
   * @param options What ends the wait.
   */
  upsert(
    name: string,
    records: readonly VectorRecord[],
    options: VectorStoreOptions,
  ): Promise<void>;
  /**
   * Finds the nearest vectors, the nearest first.
   *
   * @param name Name of the collection.
   * @param query What they are looked for by.
   * @param options What ends the wait.
   */
  query(
    name: string,
    query: VectorQuery,
    options: VectorStoreOptions,
  ): Promise<readonly SemanticMatch[]>;
  /**
   * Forgets a collection with all that is in it; does nothing if there is none.
   *
   * @param name Its name.
   * @param options What ends the wait.
   */
  drop(name: string, options: VectorStoreOptions): Promise<void>;
  /** How it is doing, in one sentence. */
  health?(): Promise<string>;
}

/** A text that can be found by what it means. */
export interface SemanticDocument {
  /** `^[A-Za-z0-9._:-]{1,128}$` */
  readonly id: string;
  /** Up to 32,768 characters. */
  readonly text: string;
  /** What it is stored with. */
  readonly metadata?: SemanticMetadata;
}

/** A text that was found. */
export interface SemanticMatch {
  /** Its id. */
  readonly id: string;
  /** How near it is; comparable within one model alone. */
  readonly score: number;
  /** What it was stored with. */
  readonly metadata?: SemanticMetadata;
}

/** How texts are looked for. */
export interface SemanticSearchOptions {
  /** How many are wanted, 1 to 100. */
  readonly topK?: number;
  /** How near they must be. */
  readonly minScore?: number;
  /** Values that the metadata must have, of up to 16 names. */
  readonly filter?: SemanticMetadata;
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
   * @param options What ends the wait.
   * @throws {Error} If it cannot be done; its `code` is a {@linkcode SemanticErrorCode}.
   */
  index(
    collection: string,
    documents: readonly SemanticDocument[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<void>;
  /**
   * Finds texts.
   *
   * @param collection The collection.
   * @param query What they should be about.
   * @param options How they are looked for.
   * @throws {Error} If it cannot be done; its `code` is a {@linkcode SemanticErrorCode}.
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
  /**
   * Forgets a collection, so that it can be made anew with another model.
   *
   * @param collection The collection; there need not be one.
   */
  drop(collection: string): Promise<void>;
}

/** What became of the wish to be the active providers. */
export type SemanticActivation =
  | "activated"
  | "already_active"
  | "other_provider_active"
  | "declined"
  | "needs_confirmation"
  | "unavailable";

/**
 * Search by meaning, for a plugin. What it registers is not used before the person chooses it.
 *
 * @example Letters as numbers, where the host has search by meaning
 * ```ts
 * import { definePlugin, type EmbeddingProvider } from "@alisio/sdk";
 *
 * const letters: EmbeddingProvider = {
 *   id: "letters",
 *   name: "Letters",
 *   modelId: () => "letters-1",
 *   dimensions: () => 26,
 *   embed: (texts) =>
 *     Promise.resolve(texts.map((text) => {
 *       const vector = new Float32Array(26);
 *       for (const letter of text.toLowerCase()) {
 *         const at = letter.charCodeAt(0) - 97;
 *         if (at >= 0 && at < 26) vector[at] = (vector[at] ?? 0) + 1;
 *       }
 *       return vector;
 *     })),
 * };
 *
 * export default definePlugin({
 *   id: "acme.letters",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup: (api) => void api.semantic?.registerEmbedding(letters),
 * });
 * ```
 */
export interface PluginSemantic extends SemanticConsumer {
  /**
   * Adds a provider, which the person may choose.
   *
   * @param provider The provider.
   * @returns Takes it back.
   */
  registerEmbedding(provider: EmbeddingProvider): () => void;
  /**
   * Adds a store, which the person may choose.
   *
   * @param provider The store.
   * @returns Takes it back.
   */
  registerStore(provider: VectorStoreProvider): () => void;
  /**
   * Asks the person to choose providers of this plugin, in a step that they began.
   *
   * @param providers Ids of what is to be chosen.
   */
  activate?(
    providers: { readonly embedding?: string; readonly store?: string },
  ): Promise<SemanticActivation>;
}
