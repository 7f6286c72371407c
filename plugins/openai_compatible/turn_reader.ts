import type { JsonValue, ModelEvent, ModelToolCall, Usage } from "@alisio/sdk";

/** What a response amounts to once it has been read. */
export interface TurnResult {
  /** All visible text. */
  readonly text: string;
  /** Visible reasoning, present even if it is empty; absent if the server sent none. */
  readonly reasoning?: string;
  /** The calls as the model wrote them, in order. */
  readonly calls: readonly ModelToolCall[];
  /** The last usage that the server reported. */
  readonly usage?: Usage;
  /** Whether the output limit cut the answer. */
  readonly truncated: boolean;
  /** Items that the same provider needs back. */
  readonly continuation: readonly JsonValue[];
}

/** Understands the events of one protocol. */
export interface TurnReader {
  /**
   * - `open`: more must come
   * - `finishing`: the model has finished, the server may add facts
   * - `complete`: nothing of interest can follow
   */
  readonly state: "open" | "finishing" | "complete";
  /**
   * Takes one event.
   *
   * @param name The event's name in the stream, often empty.
   * @param value The event's JSON.
   * @returns What the host learns from it.
   * @throws {ProviderError} If the event reports an error or a bound is passed.
   */
  take(name: string, value: unknown): ModelEvent[];
  /**
   * Takes a whole answer that did not come as a stream.
   *
   * @param value The document.
   */
  takeDocument(value: unknown): ModelEvent[];
  /** What was read so far. */
  result(): TurnResult;
}
