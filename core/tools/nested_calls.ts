/** A call that another call makes. */
export interface NestedCall {
  /** Name of the tool. */
  readonly name: string;
  /** JSON text of its input. */
  readonly arguments: string;
}

/** How a call ended that another call made. */
export interface NestedOutcome {
  /** Its own id: that of the call that made it, and a number. */
  readonly callId: string;
  /** What became of it; `unfinished` was left behind, and nobody knows how it ends. */
  readonly status: "done" | "failed" | "refused" | "skipped" | "unfinished";
  /** The text of its result. */
  readonly text: string;
  /** Instructions for the model that the result would have carried. */
  readonly instructions?: string;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
}

/**
 * Makes calls on behalf of a call.
 *
 * Contract: each call goes through the gate like one of the model, by the same rules and with the
 * same record, except that nobody is ever asked about it: what would have to be asked is refused.
 * The caller keeps calls apart that may not overlap.
 */
export interface NestedCalls {
  /**
   * Whether a call may overlap others.
   *
   * @param name Name of the tool, whether there is one or not.
   */
  mayOverlap(name: string): boolean;
  /**
   * Makes one call.
   *
   * @param call The call.
   * @param signal Stops it.
   * @throws {AlisioError} If it cannot be recorded; it did not run, or its end is not known then.
   */
  call(call: NestedCall, signal: AbortSignal): Promise<NestedOutcome>;
}
