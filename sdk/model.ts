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
