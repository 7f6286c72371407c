/**
 * Bounds of one response. They are far above any real answer and keep a broken server harmless.
 *
 * What they admit is held in memory until the response ends, some of it more than once: as it
 * arrived, as JSON, and put together. A model that writes its longest answer, some 128,000 tokens,
 * stays below 1 MiB of text.
 */
export interface ResponseLimits {
  /** Bytes on the wire, framing included. */
  readonly maxBytes: number;
  /** Characters of one event, or of an answer that comes as one document. */
  readonly maxEventChars: number;
  /** Characters of text and reasoning, reasoning that only the server can read included. */
  readonly maxTextChars: number;
  /** Characters of all calls: ids, names and above all arguments. */
  readonly maxArgumentsChars: number;
  /** Tool calls. */
  readonly maxCalls: number;
  /** Parts of any kind that an answer is made of. */
  readonly maxItems: number;
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
  // One event may hold the whole answer: its text and, escaped, its arguments.
  maxEventChars: 32 * MIB,
  maxTextChars: 8 * MIB,
  maxArgumentsChars: 16 * MIB,
  maxCalls: 256,
  maxItems: 4_096,
  maxCatalogBytes: 16 * MIB,
  finishWaitMs: 1_500,
  releaseWaitMs: 20,
  errorBodyWaitMs: 5_000,
};
