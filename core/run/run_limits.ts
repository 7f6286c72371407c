/** Limits of one run; names, ranges and defaults are those of the configuration key `limits`. */
export interface RunLimits {
  /** Model responses in a run. Reaching it ends the run softly. */
  readonly maxTurns: number;
  /** Active time of the whole run; waiting for a person does not count. */
  readonly timeoutMs: number;
  /** How long a request may stay silent; 0 turns the limit off. */
  readonly firstTokenTimeoutMs: number;
  /** How often a silent request is sent again. */
  readonly firstTokenRetries: number;
  /** How often a response that was cut beyond use is asked for again. */
  readonly truncationRecoveries: number;
  /** Characters of instructions and transcript that a request may hold. */
  readonly maxContextChars: number;
  /** Output budget of one request, and who set it. */
  readonly maxOutputTokens: number;
  /** Where `maxOutputTokens` comes from. */
  readonly maxOutputTokensSource: "user" | "model" | "default";
  /** Reported tokens (input and output) that a run may use. */
  readonly maxTokens: number;
}

/** Limits where neither configuration nor catalog says anything. */
export const DEFAULT_RUN_LIMITS: RunLimits = {
  maxTurns: 100,
  timeoutMs: 600_000,
  firstTokenTimeoutMs: 90_000,
  firstTokenRetries: 1,
  truncationRecoveries: 2,
  maxContextChars: 800_000,
  maxOutputTokens: 16_384,
  maxOutputTokensSource: "default",
  maxTokens: 1_000_000,
};
