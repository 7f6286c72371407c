import type { RunEventData } from "@alisio/sdk";

/** Why a run failed. */
export type RunFailureCode =
  | "timeout"
  | "output_truncated"
  | "token_budget"
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

  /**
   * Creates the error.
   *
   * @param code What kind of failure it is.
   * @param data The data of the `run_failed` event.
   * @param options The error behind it.
   */
  constructor(
    code: RunFailureCode,
    data: RunEventData["run_failed"],
    options: { readonly cause?: unknown } = {},
  ) {
    super(data.error, options);
    this.code = code;
    this.data = data;
  }
}

/** A run that the person or a signal ended. The `run_cancelled` event is stored before. */
export class RunCancelledError extends Error {
  /** Always `RunCancelledError`. */
  override readonly name = "RunCancelledError";
}
