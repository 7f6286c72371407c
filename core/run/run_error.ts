import type { RunEventData } from "@alisio/sdk";

/** Why a run failed. */
export type RunFailureCode =
  | "timeout"
  | "output_truncated"
  | "token_budget"
  | "cost_limit"
  | "context_budget"
  | "repeated_calls"
  | "record_failed"
  | `provider_${string}`
  | "internal";

/** A run that ended in `run_failed`. The event is stored before this is thrown. */
export class RunFailedError extends Error {
  /** Always `RunFailedError`. */
  override readonly name = "RunFailedError";
  /** What kind of failure it is. */
  readonly code: RunFailureCode;
  /** The data of the `run_failed` event. */
  readonly data: RunEventData["run_failed"];
  /** Whether the session is still there and can take another prompt. */
  readonly isResumable: boolean;

  /**
   * Creates the error.
   *
   * @param code What kind of failure it is.
   * @param data The data of the `run_failed` event.
   * @param options The error behind it, and whether the session can go on; it can by default.
   */
  constructor(
    code: RunFailureCode,
    data: RunEventData["run_failed"],
    options: { readonly cause?: unknown; readonly isResumable?: boolean } = {},
  ) {
    super(data.error, "cause" in options ? { cause: options.cause } : {});
    this.code = code;
    this.data = data;
    this.isResumable = options.isResumable ?? true;
  }
}

/** A run that the person or a signal ended. The `run_cancelled` event is stored before. */
export class RunCancelledError extends Error {
  /** Always `RunCancelledError`. */
  override readonly name = "RunCancelledError";
  /** Whether the session is still there and can take another prompt. */
  readonly isResumable: boolean;

  /**
   * Creates the error.
   *
   * @param message Why it was ended.
   * @param options The error behind it, and whether the session can go on; it can by default.
   */
  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly isResumable?: boolean } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.isResumable = options.isResumable ?? true;
  }
}
