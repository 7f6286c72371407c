/** One line of the menu. */
export interface CompletionItem {
  /** What takes the place of what was typed. */
  readonly insert: string;
  /** What the person reads. */
  readonly label: string;
  /** More about it. */
  readonly description?: string;
  /** What choosing it with Enter does beside: sends the prompt, or completes further. */
  readonly then?: "send" | "complete";
}

/** What could stand in the place of what was typed. */
export interface Completion {
  /** UTF-16 units before what is replaced, in the line of the cursor. */
  readonly start: number;
  /** Best first; at least one. */
  readonly items: readonly CompletionItem[];
}

/** Where a completion is asked for. */
export interface CompletionRequest {
  /** The line of the cursor, up to it. */
  readonly before: string;
  /** Whether it is the first line. */
  readonly isFirstLine: boolean;
  /** Whether the person asked with Tab; otherwise they only went on typing. */
  readonly isForced: boolean;
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * Knows what could be meant.
 *
 * Contract: answers undefined where it knows nothing, does not block, and what it throws counts as
 * no answer.
 */
export type CompletionSource = (
  request: CompletionRequest,
) => Promise<Completion | undefined> | Completion | undefined;
