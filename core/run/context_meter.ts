import type { Usage } from "@alisio/sdk";

/** How much of a model's context a conversation takes, for a person. */
export interface ContextUsage {
  /** Tokens of the next request, before what is yet to be said. */
  readonly usedTokens: number;
  /** Whether that is worked out from characters, since the server has reported nothing yet. */
  readonly isEstimated: boolean;
  /** Tokens that the model can hold; null where nobody has said. */
  readonly totalTokens: number | null;
  /** From so many tokens on, the conversation is made shorter, where that happens by itself. */
  readonly compactsAtTokens: number;
}

/** Characters of a request, part by part. */
export interface ContextSize {
  /** The system text. */
  readonly system: number;
  /** The catalog of tools. */
  readonly tools: number;
  /** The conversation. */
  readonly transcript: number;
}

/** What bounds a request. */
export interface ContextBounds {
  /** Tokens that the model can hold, where somebody has said. */
  readonly windowTokens?: number | undefined;
  /** What is taken for that since a server refused more, until it accepts more. */
  readonly guessedTokens?: number | undefined;
  /** Share of a bound from which on the conversation is made shorter. */
  readonly threshold: number;
  /** Characters of instructions and conversation. */
  readonly maxContextChars: number;
  /** Tokens that the answer may have. */
  readonly maxOutputTokens: number;
}

/** What a server said of a request, and how long that request was with its answer. */
export interface ContextReport {
  /** Tokens of the request and of its answer. */
  readonly tokens: number;
  /** Characters of both. */
  readonly chars: number;
}

/** Windows beyond this count as unknown: no server means them. */
export const MAX_WINDOW_TOKENS = 2_000_000;

/** A server may count more for a request, and adds words of its own around messages and tools. */
const ESTIMATE_MARGIN = 1.2;
const SERVER_TOKENS = 256;

/** Four characters are about a token, where nobody has counted. */
export const TOKENS_PER_CHAR = 0.25;

/** No text has more tokens than this; what a server reports beyond it is about something else. */
const MAX_TOKENS_PER_CHAR = 2;

/** Nor fewer: what is left then is what a cache did not hold. */
const MIN_TOKENS_PER_CHAR = 0.05;

/** With fewer characters a count says nothing about others. */
const MIN_MEASURED_CHARS = 2_000;

/**
 * Works out how full a context is: what the server reported last, and an estimate for what came
 * since. Pure; the bar of a front end and the engine share it.
 *
 * @param size The request.
 * @param bounds What bounds it.
 * @param report What was reported last; null where nothing was.
 * @param tokensPerChar What a character takes, as far as that is known.
 */
export function contextUsage(
  size: ContextSize,
  bounds: ContextBounds,
  report: ContextReport | null = null,
  tokensPerChar = TOKENS_PER_CHAR,
): ContextUsage {
  const chars = totalChars(size);
  const window = knownWindow(bounds);
  // What has become shorter than it was is another conversation.
  const isReported = report !== null && chars >= report.chars;
  const usedTokens = isReported
    ? report.tokens + Math.ceil((chars - report.chars) * tokensPerChar)
    : Math.ceil(chars * tokensPerChar);
  return {
    usedTokens,
    isEstimated: !isReported,
    totalTokens: window ?? null,
    compactsAtTokens: window === undefined
      ? Math.ceil(bounds.maxContextChars * TOKENS_PER_CHAR)
      : Math.ceil(bounds.threshold * window),
  };
}

/** Knows how full the context of one session is. */
export class ContextMeter {
  #bounds: ContextBounds;
  #report: ContextReport | null = null;
  #tokensPerChar = TOKENS_PER_CHAR;
  #size: ContextSize | null = null;

  /** @param bounds What bounds a request. */
  constructor(bounds: ContextBounds) {
    this.#bounds = bounds;
  }

  /** What bounds a request at the moment. */
  get bounds(): ContextBounds {
    return this.#bounds;
  }

  /** Changes what bounds a request: limits of one run, or a window that a server taught. */
  set bounds(bounds: ContextBounds) {
    this.#bounds = bounds;
  }

  /** What a character takes, as far as that is known; rather too much than too little. */
  get tokensPerChar(): number {
    return this.#tokensPerChar;
  }

  /** The size of the conversation when it was looked at last. */
  get size(): ContextSize | null {
    return this.#size;
  }

  /**
   * Notes how long the conversation is now.
   *
   * @param size The next request.
   */
  observe(size: ContextSize): void {
    this.#size = size;
  }

  /**
   * Takes what a server says of a request. What cannot be true is left aside.
   *
   * @param usage What it reported.
   * @param requestChars Characters of the request.
   * @param chars Characters of the request and of what is kept of its answer.
   */
  take(usage: Usage, requestChars: number, chars: number): void {
    const perChar = usage.input / Math.max(1, requestChars);
    const isLong = requestChars >= MIN_MEASURED_CHARS;
    if (usage.input <= 0) return;
    if (isLong && (perChar < MIN_TOKENS_PER_CHAR || perChar > MAX_TOKENS_PER_CHAR)) return;
    const { guessedTokens } = this.#bounds;
    if (guessedTokens !== undefined && usage.input > guessedTokens) {
      this.#bounds = { ...this.#bounds, guessedTokens: undefined };
    }
    this.#report = { tokens: usage.input + usage.output, chars };
    if (isLong) this.#tokensPerChar = Math.max(TOKENS_PER_CHAR, perChar);
  }

  /**
   * Takes in that a server refused a request as too long.
   *
   * @param limitTokens What fits, as far as that is known.
   * @param size The request.
   */
  refuse(limitTokens: number, size: ContextSize): void {
    const perChar = limitTokens * 1.05 / Math.max(1, totalChars(size));
    this.#report = null;
    this.#tokensPerChar = Math.min(MAX_TOKENS_PER_CHAR, Math.max(this.#tokensPerChar, perChar));
  }

  /** Forgets what was reported: the conversation is not the one that it was about. */
  forget(): void {
    this.#report = null;
  }

  /**
   * How full the context is.
   *
   * @param size The request.
   */
  usage(size: ContextSize): ContextUsage {
    return contextUsage(size, this.#bounds, this.#report, this.#tokensPerChar);
  }

  /**
   * Whether the conversation is to be made shorter before it is sent.
   *
   * @param size The request.
   */
  isDue(size: ContextSize): boolean {
    const { threshold, maxContextChars } = this.#bounds;
    const { usedTokens, compactsAtTokens, totalTokens } = this.usage(size);
    if (size.system + size.transcript >= threshold * maxContextChars) return true;
    // A report alone says nothing where no window is known.
    return totalTokens === null
      ? totalChars(size) >= maxContextChars
      : usedTokens >= compactsAtTokens;
  }

  /**
   * Whether the conversation must not be sent as it is.
   *
   * @param size The request.
   */
  isOver(size: ContextSize): boolean {
    if (size.system + size.transcript > this.#bounds.maxContextChars) return true;
    const limit = this.limitTokens;
    return limit !== null && this.usage(size).usedTokens > limit;
  }

  /** Tokens that a request may have, so that its answer has room too; null for no known window. */
  get limitTokens(): number | null {
    const window = knownWindow(this.#bounds);
    if (window === undefined) return null;
    const { maxOutputTokens, threshold } = this.#bounds;
    // Half of what the threshold leaves is for a conversation that cannot be made shorter.
    return window - Math.min(maxOutputTokens, Math.floor(window * (1 - threshold) / 2));
  }

  /**
   * Tokens that the answer to a request can have in the window beside it; as many as are wanted
   * where no window is known. Servers refuse a request that asks for more than that.
   *
   * @param size The request.
   */
  answerTokens(size: ContextSize): number {
    const { maxOutputTokens } = this.#bounds;
    const { usedTokens, totalTokens } = this.usage(size);
    const limit = this.limitTokens;
    if (totalTokens === null || limit === null) return maxOutputTokens;
    const left = totalTokens - Math.ceil(usedTokens * ESTIMATE_MARGIN) - SERVER_TOKENS;
    return Math.max(1, totalTokens - limit, Math.min(maxOutputTokens, left));
  }

  /**
   * Characters that a conversation may have beside its instructions and tools; 0 where these leave
   * no room.
   *
   * @param size The request.
   */
  transcriptChars({ system, tools }: Omit<ContextSize, "transcript">): number {
    const byChars = this.#bounds.maxContextChars - system;
    const limit = this.limitTokens;
    if (limit === null) return Math.max(0, byChars);
    const byTokens = Math.floor(limit / this.#tokensPerChar) - system - tools;
    return Math.max(0, Math.min(byChars, byTokens));
  }
}

function totalChars({ system, tools, transcript }: ContextSize): number {
  return system + tools + transcript;
}

function knownWindow({ windowTokens, guessedTokens }: ContextBounds): number | undefined {
  const tokens = Math.min(windowTokens ?? Infinity, guessedTokens ?? Infinity);
  return tokens <= MAX_WINDOW_TOKENS ? tokens : undefined;
}
