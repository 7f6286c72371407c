import { AlisioError, type AlisioErrorCode } from "../core/errors.ts";
import { RunCancelledError, RunFailedError } from "../core/run/run_error.ts";

/** Exit statuses, as published in the README. */
export const EXIT_STATUS = {
  completed: 0,
  failed: 1,
  usage: 2,
  turnsExceeded: 3,
  needsRecovery: 4,
  callRefused: 5,
  goalBlocked: 6,
  interrupted: 130,
  terminated: 143,
} as const;

/** What each exit status means. */
export const EXIT_STATUS_MEANINGS: readonly (readonly [number, string])[] = [
  [0, "completed"],
  [1, "the run failed"],
  [2, "wrong usage or configuration"],
  [3, "stopped at the turn limit, or at a limit of a goal; `alisio resume` goes on"],
  [4, "the session needs `alisio sessions recover` first"],
  [5, "completed, but permission refused a call"],
  [6, "the goal is blocked, or makes no progress"],
  [130, "stopped by Ctrl+C (SIGINT)"],
  [143, "stopped by SIGTERM (129 for SIGHUP)"],
];

const BY_CODE: Readonly<Record<AlisioErrorCode, number>> = {
  usage: 2,
  config_invalid: 2,
  config_unreadable: 2,
  config_unwritable: 1,
  workspace_invalid: 2,
  provider_not_configured: 2,
  model_not_found: 2,
  model_ambiguous: 2,
  credentials_unreadable: 2,
  session_not_found: 2,
  session_ambiguous: 2,
  trust_unreadable: 2,
  tool_invalid: 2,
  plugin_invalid: 2,
  plugin_failed: 1,
  install_failed: 1,
  sign_in_failed: 1,
  session_locked: 1,
  attachment_invalid: 2,
  session_needs_recovery: 4,
  rewind_refused: 1,
  database_corrupt: 1,
  database_newer: 1,
  database_read_only: 1,
  database_locked: 1,
  database_full: 1,
  database_lost: 1,
  database_unusable: 1,
};

/** A signal that ended the program, as the reason of an abort. */
export class SignalError extends Error {
  override readonly name = "SignalError";
  /** The signal. */
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP";

  /** @param signal The signal. */
  constructor(signal: "SIGINT" | "SIGTERM" | "SIGHUP") {
    super(`Stopped by ${signal}`);
    this.signal = signal;
  }

  /** 128 plus the number of the signal. */
  get exitStatus(): number {
    return { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[this.signal];
  }
}

/**
 * The one table from failures to exit statuses.
 *
 * @param error What a command threw.
 */
export function exitStatusOf(error: unknown): number {
  if (error instanceof AlisioError) return BY_CODE[error.code];
  if (error instanceof RunCancelledError) {
    return error.cause instanceof SignalError ? error.cause.exitStatus : EXIT_STATUS.failed;
  }
  if (error instanceof SignalError) return error.exitStatus;
  if (error instanceof RunFailedError && error.cause instanceof AlisioError) {
    return BY_CODE[error.cause.code];
  }
  return EXIT_STATUS.failed;
}
