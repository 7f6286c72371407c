/** One message of a completion. */
export interface CompletionMessage {
  /** Who speaks. */
  readonly role: "user" | "assistant";
  /** What is said. */
  readonly text: string;
}

/** A text that a model is asked for, apart from any session. */
export interface CompletionRequest {
  /** The instructions. */
  readonly system: string;
  /** The conversation; the last message is the one that is answered. */
  readonly messages: readonly CompletionMessage[];
  /**
   * Most tokens that the answer may have.
   *
   * @default What a run of the model may have.
   */
  readonly maxTokens?: number;
  /**
   * Another model than the configured one.
   *
   * @default The model of new sessions.
   */
  readonly model?: string;
  /** Aborts when the answer is no longer wanted. */
  readonly signal?: AbortSignal;
}

/** Models, for texts of a plugin's own. */
export interface PluginModel {
  /**
   * Asks a model for a text, without tools. It takes no longer than a run may, and what it costs
   * counts for the day; its tokens do not count for the run.
   *
   * @param request What is asked.
   * @returns The text of the answer.
   * @throws {Error} If no model can be used or it does not answer.
   */
  complete(request: CompletionRequest): Promise<string>;
}

/** A model that is configured. */
export interface ConfiguredModel {
  /** Id of the saved profile, or of the kind of provider where there is none. */
  readonly provider: string;
  /** The id that its server knows it by. */
  readonly model: string;
  /** What `model.complete` and `--model` take. */
  readonly reference: string;
  /** Whether new sessions use it. */
  readonly isDefault: boolean;
}

/**
 * The models that are configured; nothing in it is a secret.
 *
 * @example A command that names the model of new sessions
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.models",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     api.commands.register("default", async () => {
 *       const models = await api.models.list();
 *       return models.find(({ isDefault }) => isDefault)?.reference ?? "none";
 *     });
 *   },
 * });
 * ```
 */
export interface PluginModels {
  /** Lists them. */
  list(): Promise<readonly ConfiguredModel[]>;
  /**
   * Finds one by `profile/model`, or by its id alone where only one has it.
   *
   * @param reference Its name.
   * @returns Undefined if there is none.
   * @throws {Error} If several have it; the message names them.
   */
  resolve(reference: string): Promise<ConfiguredModel | undefined>;
}
