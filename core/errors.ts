/** Why Alisio could not do what was asked; decides the exit status and nothing else branches on text. */
export type AlisioErrorCode =
  | "usage"
  | "config_invalid"
  | "config_unreadable"
  | "config_unwritable"
  | "workspace_invalid"
  | "provider_not_configured"
  | "model_not_found"
  | "model_ambiguous"
  | "credentials_unreadable"
  | "session_not_found"
  | "session_ambiguous"
  | "session_locked"
  | "session_needs_recovery"
  | "rewind_refused"
  | "database_corrupt"
  | "database_newer"
  | "database_read_only"
  | "database_locked"
  | "database_full"
  | "database_lost"
  | "database_unusable"
  | "trust_unreadable"
  | "attachment_invalid"
  | "tool_invalid"
  | "plugin_invalid"
  | "plugin_failed"
  | "install_failed"
  | "sign_in_failed";

/**
 * A failure that the person can act on. The message says what failed, why, and what to do, and
 * holds no secret.
 */
export class AlisioError extends Error {
  /** Always `AlisioError`. */
  override readonly name = "AlisioError";
  /** What kind of failure it is. */
  readonly code: AlisioErrorCode;

  /**
   * Creates the error.
   *
   * @param code What kind of failure it is.
   * @param message What failed, why, and what to do.
   * @param options The error behind it.
   */
  constructor(code: AlisioErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The text of anything that was thrown.
 *
 * @param error What was caught.
 */
export function errorMessage(error: unknown): string {
  try {
    return error instanceof Error ? withoutRuntimeFlag(error) : String(error);
  } catch {
    // Whatever cannot be turned into text was thrown by code that is not ours.
    return "an unknown failure";
  }
}

/** The runtime advises its own flag, which nobody who runs this program can give it. */
function withoutRuntimeFlag(error: Error): string {
  return error.message.replace(
    /^(Requires .+ access to .*), run again with the --allow-\S+ flag/,
    "$1, and this run has none",
  );
}
