import type { JsonValue } from "./json.ts";
import type { ModelMessage } from "./provider.ts";

/** What is known before a conversation is made shorter. */
export interface CompactionInput {
  /** The session. */
  readonly sessionId: string;
  /** Whether the person asked for it. */
  readonly reason: "manual" | "auto";
  /** What will be replaced. */
  readonly messages: readonly ModelMessage[];
  /** What the person wants to be kept in view. */
  readonly focus?: string;
  /** Aborts when the hook's time is over. */
  readonly signal: AbortSignal;
}

/** What a plugin adds to the summary that is asked for. */
export interface CompactionRequest {
  /** Added to the instructions of the summary; of more than 4,000 characters, the start and end. */
  readonly instructions?: string;
  /**
   * More fields of the answer, up to 20: a name of letters, digits and `_`, and what it holds. They
   * are asked for in the same request.
   */
  readonly outputFields?: Readonly<Record<string, string>>;
}

/** What became of a conversation that was made shorter. */
export interface CompactionResult extends CompactionInput {
  /** The model that summarized. */
  readonly model: string;
  /** How many messages were replaced. */
  readonly replaced: number;
  /** Whether the answer was the JSON that was asked for. */
  readonly structured: boolean;
  /** The summary, field by field. */
  readonly checkpoint: Readonly<Record<string, JsonValue>>;
  /** The summary as the model reads it. */
  readonly checkpointText: string;
  /** The plugin's own fields, as the model wrote them: look at them before you use them. */
  readonly extracted: Readonly<Record<string, JsonValue>>;
}

/** What a plugin adds afterwards. */
export interface CompactionAddition {
  /** Text that stands behind the summary; of more than 16,000 characters, the start and end. */
  readonly injectContext?: string;
  /** What the person is told, word for word, up to 300 characters. */
  readonly report?: { readonly summary: string };
}

/** What a plugin does when a conversation is made shorter. */
export interface CompactionHooks {
  /**
   * Called before the summary is asked for.
   *
   * @param input What is known.
   */
  beforeCompact?(
    input: CompactionInput,
  ): Promise<CompactionRequest | undefined | void> | CompactionRequest | undefined | void;
  /**
   * Called when the summary has taken the place of what it sums up.
   *
   * @param result What became of it.
   */
  afterCompact?(
    result: CompactionResult,
  ): Promise<CompactionAddition | undefined | void> | CompactionAddition | undefined | void;
}

/**
 * The moments when a conversation is made shorter. Each hook has `pluginHooks.timeoutMs`; one that
 * fails or takes longer adds nothing, and hurts nobody else.
 *
 * @example Notes that survive
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.notes",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.compaction.register({
 *       beforeCompact: () => ({ outputFields: { notes: "short strings worth keeping" } }),
 *       afterCompact({ extracted }) {
 *         const notes = Array.isArray(extracted.notes) ? extracted.notes : [];
 *         return { report: { summary: `notes: ${notes.length}` } };
 *       },
 *     });
 *   },
 * });
 * ```
 */
export interface PluginCompaction {
  /**
   * Adds hooks.
   *
   * @param hooks The hooks.
   */
  register(hooks: CompactionHooks): () => void;
}
