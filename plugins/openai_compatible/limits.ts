/** Bounds of one response. They are far above any real answer and keep a broken server harmless. */
export interface ResponseLimits {
  /** Bytes on the wire, framing included. */
  readonly maxBytes: number;
  /** Characters of one event. */
  readonly maxEventChars: number;
  /** Characters of text and reasoning. */
  readonly maxTextChars: number;
  /** Characters of the arguments of all calls. */
  readonly maxArgumentsChars: number;
  /** Tool calls. */
  readonly maxCalls: number;
  /** Bytes of a model catalog. */
  readonly maxCatalogBytes: number;
  /** How long to wait for usage and the end marker once the model has finished. */
  readonly finishWaitMs: number;
  /** How long to wait for the end of the body once the answer is complete. */
  readonly releaseWaitMs: number;
  /** How long to wait for the body of an error response. */
  readonly errorBodyWaitMs: number;
}

const MIB = 1024 * 1024;

/** The bounds that apply unless a caller narrows them. */
export const RESPONSE_LIMITS: ResponseLimits = {
  maxBytes: 512 * MIB,
  maxEventChars: 64 * MIB,
  maxTextChars: 64 * MIB,
  maxArgumentsChars: 16 * MIB,
  maxCalls: 256,
  maxCatalogBytes: 16 * MIB,
  finishWaitMs: 1_500,
  releaseWaitMs: 20,
  errorBodyWaitMs: 5_000,
};
