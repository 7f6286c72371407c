import { ProviderError, type RunEventData } from "@alisio/sdk";
import { AlisioError, errorMessage } from "../errors.ts";
import type { RunLimits } from "./run_limits.ts";

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

/** Where a run was when it failed, without the limit that ended it. */
export type RunPlace = Omit<NonNullable<RunEventData["run_failed"]["timeout"]>, "kind" | "ms">;

/**
 * A failure of which its code and its words say all.
 *
 * @param code What kind of failure it is.
 * @param error What the person is told.
 * @param options The error behind it, and whether the session can go on.
 */
export function runFailure(
  code: RunFailureCode,
  error: string,
  options: { readonly cause?: unknown; readonly isResumable?: boolean } = {},
): RunFailedError {
  return new RunFailedError(code, { error, code }, options);
}

/**
 * The failure that an error means which ended a run.
 *
 * @param error Whatever was thrown.
 * @param redact Takes configured secrets out of a text.
 */
export function thrownFailure(error: unknown, redact: (text: string) => string): RunFailedError {
  if (error instanceof ProviderError) {
    return runFailure(`provider_${error.code}`, redact(error.message), { cause: error });
  }
  if (error instanceof AlisioError) {
    return runFailure("record_failed", `${error.message}. No tool was run without a record`, {
      cause: error,
      isResumable: isKept(error),
    });
  }
  return runFailure("internal", `Alisio itself failed: ${redact(errorMessage(error))}`, {
    cause: error,
  });
}

/**
 * Whether what a session holds is still there after a failure to record.
 *
 * @param error What the record failed with.
 */
export function isKept(error: unknown): boolean {
  const isGone = error instanceof AlisioError &&
    (error.code === "database_lost" || error.code === "database_corrupt");
  return !isGone;
}

/**
 * A run that took too long.
 *
 * @param timeoutMs Its limit.
 * @param place Where it was.
 */
export function timeFailure(timeoutMs: number, place: RunPlace): RunFailedError {
  return new RunFailedError("timeout", {
    error: `The run took longer than ${timeoutMs} ms of active time, while ` +
      (place.stage === "tool" ? `tool "${place.tool}" ran` : `waiting for model "${place.model}"`) +
      ': raise "limits.timeoutMs" or give it a smaller task',
    code: "timeout",
    timeout: { kind: "run", ms: timeoutMs, ...place },
  });
}

/**
 * A model that said nothing.
 *
 * @param limitMs How long each request waited.
 * @param place Where the run was, and how often it asked.
 * @param cause The last of the waits.
 */
export function silenceFailure(limitMs: number, place: RunPlace, cause: unknown): RunFailedError {
  return new RunFailedError("timeout", {
    error: `Model "${place.model}" sent nothing for ${limitMs} ms, ` +
      `${place.attempts} time(s): the server may be overloaded or still loading the model; ` +
      'raise "limits.firstTokenTimeoutMs" if it is slow',
    code: "timeout",
    timeout: { kind: "first_token", ms: limitMs, ...place },
  }, { cause });
}

/**
 * A model whose answers were cut too often.
 *
 * @param model The model.
 * @param limits What cut it, and how often it was asked again.
 */
export function cutFailure(
  model: string,
  { truncationRecoveries, maxOutputTokens, maxOutputTokensSource }: Pick<
    RunLimits,
    "truncationRecoveries" | "maxOutputTokens" | "maxOutputTokensSource"
  >,
): RunFailedError {
  return new RunFailedError("output_truncated", {
    error: `Model "${model}" was cut off by its output limit of ${maxOutputTokens} tokens ` +
      `(${maxOutputTokensSource}) ${truncationRecoveries + 1} time(s) without a usable answer: ` +
      'raise "limits.maxOutputTokens" or ask for less at once',
    code: "output_truncated",
    truncation: { attempts: truncationRecoveries, maxOutputTokens, model },
  });
}

/**
 * A model that repeats one call although it was warned.
 *
 * @param model The model.
 * @param tool The tool that it calls.
 */
export function loopFailure(model: string, tool: string): RunFailedError {
  return runFailure(
    "repeated_calls",
    `Model "${model}" keeps making the same "${tool}" call with the same result: ` +
      "give it a more precise task, or choose another model",
  );
}

/**
 * A conversation that has filled its room.
 *
 * @param maxContextChars The limit.
 * @param room Characters that are left of it.
 */
export function fullFailure(maxContextChars: number, room: number): RunFailedError {
  return runFailure(
    "context_budget",
    `Context budget exceeded: the conversation holds about ${maxContextChars - room} ` +
      `characters, ${room > 0 ? "too many to go on with the task; " : ""}the limit is ` +
      `${maxContextChars}: start a new session, or raise "limits.maxContextChars"`,
    { isResumable: room > 0 },
  );
}

/**
 * A prompt that the model cannot hold.
 *
 * @param promptChars Its length.
 * @param facts What stands beside it, and what the model holds.
 */
export function promptOverWindow(
  promptChars: number,
  { system, tools, model, windowTokens }: {
    readonly system: number;
    readonly tools: number;
    readonly model: string;
    readonly windowTokens: number;
  },
): RunFailedError {
  return runFailure(
    "context_budget",
    `Context budget exceeded: the prompt has ${promptChars} characters beside ` +
      `${system} of instructions and ${tools} of tools, and model "${model}" ` +
      `can hold ${windowTokens} tokens; the prompt was not kept: shorten it, choose a model with ` +
      'a larger window, or set "provider.contextWindow" if it is larger than that',
  );
}

/**
 * A prompt that is over the limit of characters.
 *
 * @param promptChars Its length.
 * @param facts The limit, and what is left of it.
 */
export function promptOverLimit(
  promptChars: number,
  { maxContextChars, room }: { readonly maxContextChars: number; readonly room: number },
): RunFailedError {
  return runFailure(
    "context_budget",
    `Context budget exceeded: the prompt has ${promptChars} characters beside about ` +
      `${maxContextChars - room} of the conversation, the limit is ${maxContextChars}; the ` +
      'prompt was not kept: shorten it, start a new session, or raise "limits.maxContextChars"',
  );
}
