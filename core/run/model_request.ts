import {
  type AssistantMessage,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
  ProviderError,
  type RunEventData,
  type Usage,
} from "@alisio/sdk";
import { Countdown } from "../countdown.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { MAX_RESPONSE_CHARS } from "./bound_response.ts";
import { PartialText } from "./partial_text.ts";

/** How a request ended once something had arrived. */
export type ModelOutcome =
  | {
    readonly kind: "completed";
    readonly message: AssistantMessage;
    readonly usage?: Usage;
    readonly truncated: boolean;
    readonly durationMs: number;
    /** Absent when nothing streamed. */
    readonly ttftMs?: number;
  }
  /** The connection broke, or the server failed, after part of the answer. */
  | { readonly kind: "interrupted"; readonly text: string; readonly error: ProviderError };

/** No answer began within the limit, however often the request was sent. */
export class FirstTokenTimeoutError extends Error {
  override readonly name = "FirstTokenTimeoutError";
  /** How often the request was sent. */
  readonly attempts: number;
  /** The limit that fired. */
  readonly limitMs: number;

  /**
   * @param attempts How often the request was sent.
   * @param limitMs The limit that fired.
   */
  constructor(attempts: number, limitMs: number) {
    super(`The model sent nothing for ${limitMs} ms`);
    this.attempts = attempts;
    this.limitMs = limitMs;
  }
}

/** What sending a request needs from the run. */
export interface ModelRequestPorts {
  readonly provider: ModelProvider;
  /** Ends the request: a stop, a signal, the limit of the run. */
  readonly signal: AbortSignal;
  readonly firstTokenTimeoutMs: number;
  readonly firstTokenRetries: number;
  /** Active milliseconds that the run has left; a retry that cannot fit is not started. */
  readonly remainingMs: () => number;
  readonly emit: <T extends keyof RunEventData>(type: T, data: RunEventData[T]) => void;
  /** First pause before a failed request is sent again; doubles each time. */
  readonly retryBaseMs: number;
  /**
   * How much is kept of the text of an answer that breaks off.
   *
   * @default MAX_RESPONSE_CHARS
   */
  readonly maxPartialChars?: number;
  /**
   * A wait for those who see the events, while they are behind. Asked after each piece of the
   * stream, so that an answer is read no faster than it is taken. Never rejects.
   */
  readonly drained?: () => Promise<void> | undefined;
}

/** How often a request that failed before its first token is sent again. */
export const MAX_REQUEST_RETRIES = 4;

const SILENT_RETRY_PAUSE_MS = 250;
/** A timer beyond this fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_RETRY_PAUSE_MS = 30_000;

/**
 * Sends one request and reads its stream. A request that stays silent is sent again after a fixed
 * pause; one that fails for a passing reason before anything arrived is sent again with growing,
 * jittered pauses, or after the time the server asked for. Once part of an answer was seen,
 * nothing is repeated here.
 *
 * @param ports What it needs from the run.
 * @param request The request; its signal is set here.
 * @throws {ProviderError} If nothing arrived and trying again does not help.
 * @throws {FirstTokenTimeoutError} If the server stays silent.
 * @throws The reason of `ports.signal` when that aborts, with the text so far in `onPartialText`.
 */
export async function requestModel(
  ports: ModelRequestPorts,
  request: Omit<ModelRequest, "signal">,
  onPartialText: (text: string) => void = () => {},
): Promise<ModelOutcome> {
  let silent = 0;
  let failed = 0;
  while (true) {
    const attempt = new Attempt(ports, request);
    try {
      return await attempt.run();
    } catch (error) {
      if (ports.signal.aborted) {
        onPartialText(attempt.text);
        throw ports.signal.reason;
      }
      if (error instanceof ProviderError && attempt.sawContent) {
        if (!error.retryable && error.code !== "output_truncated") {
          onPartialText(attempt.text);
          throw error;
        }
        if (error.retryable) {
          const afterMs = retryPauseMs(error, failed + 1, ports.retryBaseMs);
          const pausing = afterMs < ports.remainingMs() ? pause(afterMs, ports.signal) : null;
          await pausing?.catch((reason) => {
            onPartialText(attempt.text);
            throw reason;
          });
        }
        return { kind: "interrupted", text: attempt.text, error };
      }
      if (error instanceof SilentError) {
        silent += 1;
        const fits = ports.remainingMs() > SILENT_RETRY_PAUSE_MS + ports.firstTokenTimeoutMs;
        if (silent > ports.firstTokenRetries || !fits) {
          throw new FirstTokenTimeoutError(silent, ports.firstTokenTimeoutMs);
        }
        ports.emit("request_retry", {
          attempt: silent,
          of: ports.firstTokenRetries,
          reason: "first_token_timeout",
          afterMs: SILENT_RETRY_PAUSE_MS,
        });
        await pause(SILENT_RETRY_PAUSE_MS, ports.signal);
        continue;
      }
      if (!(error instanceof ProviderError) || !error.retryable) throw error;
      failed += 1;
      const afterMs = retryPauseMs(error, failed, ports.retryBaseMs);
      if (failed > MAX_REQUEST_RETRIES) throw error;
      const remainingMs = ports.remainingMs();
      if (afterMs >= remainingMs) throw withWait(error, remainingMs);
      ports.emit("request_retry", {
        attempt: failed,
        of: MAX_REQUEST_RETRIES,
        reason: error.code,
        afterMs,
      });
      await pause(afterMs, ports.signal);
    }
  }
}

/** Thrown inside an attempt whose first-token limit fired. */
class SilentError extends Error {}

/** One sending of a request. */
class Attempt {
  readonly #ports: ModelRequestPorts;
  readonly #request: Omit<ModelRequest, "signal">;
  readonly #controller = new AbortController();
  readonly #silence = new Countdown(() => this.#controller.abort(new SilentError()));
  #ttftMs: number | undefined;
  readonly #startedAt = performance.now();
  readonly #text: PartialText;
  /** Whether any content has arrived. */
  sawContent = false;

  constructor(ports: ModelRequestPorts, request: Omit<ModelRequest, "signal">) {
    this.#ports = ports;
    this.#request = request;
    this.#text = new PartialText(ports.maxPartialChars ?? MAX_RESPONSE_CHARS);
  }

  /** Text that has arrived; of a very long one, its start and its end. */
  get text(): string {
    return this.#text.text;
  }

  async run(): Promise<ModelOutcome> {
    const { signal } = this.#ports;
    signal.throwIfAborted();
    const stop = () => this.#controller.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#armTimer();
    try {
      return await this.#read();
    } catch (error) {
      throw typedError(error, this.#controller.signal);
    } finally {
      this.#silence.stop();
      signal.removeEventListener("abort", stop);
    }
  }

  async #read(): Promise<ModelOutcome> {
    const { signal } = this.#controller;
    const stream = this.#ports.provider.stream({ ...this.#request, signal });
    const events = stream[Symbol.asyncIterator]();
    // A provider that does not notice the signal must not keep the run.
    const waits = new AbortableWaits(signal);
    try {
      while (true) {
        const next = await waits.until(events.next());
        if (next.done === true) break;
        const outcome = this.#take(next.value);
        if (outcome !== null) return outcome;
        const drained = this.#ports.drained?.();
        if (drained !== undefined) await this.#waitFor(waits.until(drained));
      }
    } finally {
      // Asked to end, not waited for: a provider that does not listen must not keep the run.
      void closeStream(events);
    }
    throw new ProviderError(
      `Provider "${this.#ports.provider.id}" ended its stream without completing the response`,
      { code: "stream_interrupted", retryable: true },
    );
  }

  #take(event: ModelEvent): ModelOutcome | null {
    switch (event.type) {
      case "activity":
        if (!this.sawContent) this.#armTimer();
        return null;
      case "warning":
        this.#ports.emit("run_warning", { code: "provider", message: event.message });
        return null;
      case "text_delta":
        this.#sawFirst();
        this.#text.add(event.delta);
        this.#ports.emit("text_delta", { delta: event.delta });
        return null;
      case "reasoning_delta":
        this.#sawFirst();
        this.#ports.emit("reasoning_delta", { delta: event.delta });
        return null;
      case "tool_delta":
        this.#sawFirst();
        return null;
      case "completed":
        return {
          kind: "completed",
          message: event.message,
          ...(isUsage(event.usage) ? { usage: event.usage } : {}),
          truncated: event.truncated ?? false,
          durationMs: Math.round(performance.now() - this.#startedAt),
          ...(this.#ttftMs === undefined ? {} : { ttftMs: this.#ttftMs }),
        };
      default:
        // A newer provider may say more than this version knows.
        return null;
    }
  }

  /** The server is not what is waited for here. */
  async #waitFor(drained: Promise<void>): Promise<void> {
    this.#silence.stop();
    await drained;
    if (!this.sawContent) this.#armTimer();
  }

  #sawFirst(): void {
    if (this.sawContent) return;
    this.sawContent = true;
    this.#ttftMs = Math.round(performance.now() - this.#startedAt);
    this.#silence.stop();
  }

  #armTimer(): void {
    const { firstTokenTimeoutMs } = this.#ports;
    if (firstTokenTimeoutMs > 0) this.#silence.start(firstTokenTimeoutMs);
  }
}

/**
 * Waits for one thing after another, for each until a signal aborts.
 *
 * A race with a promise that stays open would do the same, and keep something of every event of a
 * stream until it settles.
 */
class AbortableWaits {
  readonly #signal: AbortSignal;
  #reject: (reason: unknown) => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#reject(signal.reason), { once: true });
  }

  async until<T>(promise: Promise<T>): Promise<T> {
    const { promise: settled, resolve, reject } = Promise.withResolvers<T>();
    this.#reject = reject;
    promise.then(resolve, reject);
    if (this.#signal.aborted) reject(this.#signal.reason);
    return await settled;
  }
}

function typedError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  // A failure to record is the host's own and says so.
  if (error instanceof ProviderError || error instanceof AlisioError) return error;
  return new ProviderError(`The provider failed: ${errorMessage(error)}`, {
    code: "server_error",
    cause: error,
  });
}

/** What a stream says of its end changes nothing. */
async function closeStream(events: AsyncIterator<ModelEvent>): Promise<void> {
  try {
    await events.return?.();
  } catch {
    // The response has ended one way or the other.
  }
}

/** No request holds more, and sums of it stay whole numbers. */
const MAX_TOKENS = 1e12;

/** A provider may be anyone's code, and one number that is none would switch the token limit off. */
function isUsage(usage: Usage | null | undefined): usage is Usage {
  const numbers = [usage?.input, usage?.output, usage?.cachedInput ?? 0];
  return numbers.every((tokens) =>
    typeof tokens === "number" && tokens >= 0 && tokens <= MAX_TOKENS
  );
}

/**
 * How long to wait before a failed request is sent again: what the server asked for, or a doubling
 * pause of which a random half is taken off, so that clients do not come back together.
 *
 * @param error The failure.
 * @param attempt Counts from 1.
 * @param baseMs The first pause.
 */
export function retryPauseMs(error: ProviderError, attempt: number, baseMs: number): number {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  const fullMs = Math.min(baseMs * 2 ** (attempt - 1), MAX_RETRY_PAUSE_MS);
  return Math.round(fullMs * (0.5 + Math.random() / 2));
}

/** Says why a failure that may pass is not waited for. */
function withWait(error: ProviderError, remainingMs: number): ProviderError {
  const { code, status, retryable, retryAfterMs, contextLimit } = error;
  if (retryAfterMs === undefined) return error;
  const words = `it asks to wait ${Math.ceil(retryAfterMs / 1_000)} s, and the run has ` +
    `${Math.floor(remainingMs / 1_000)} s left`;
  return new ProviderError(`${error.message}: ${words}: go on later, or raise "limits.timeoutMs"`, {
    code,
    retryable,
    retryAfterMs,
    cause: error,
    ...(status === undefined ? {} : { status }),
    ...(contextLimit === undefined ? {} : { contextLimit }),
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  }, Math.min(ms, MAX_TIMER_MS));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}
