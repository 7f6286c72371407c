import { ToolFailure } from "../_file_tools.ts";

/** Why nothing usable came from the web. */
export type WebErrorCode =
  | "bad_address"
  | "refused"
  | "unreachable"
  | "timeout"
  | "too_large"
  | "too_many_redirects"
  | "bad_response"
  | "unsupported_type";

/** A failure of the web that the model can act on. */
export class WebError extends ToolFailure {
  /** Tells failures apart. */
  readonly code: WebErrorCode;

  /**
   * Creates the error.
   *
   * @param code Tells failures apart.
   * @param message What could not be done, why, and what to do.
   * @param options What caused it.
   */
  constructor(code: WebErrorCode, message: string, options?: ErrorOptions) {
    super(message);
    this.code = code;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}
