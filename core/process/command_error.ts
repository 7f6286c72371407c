/**
 * Why a command could not be started.
 *
 * - `program_not_found`: no such program, by path or in `PATH`
 * - `program_not_executable`: the file may not be executed
 * - `cwd_missing`: the working directory is gone or is not a directory
 * - `permission_denied`: the runtime's own permissions refuse to start it
 * - `arguments_invalid`: a NUL byte, or more than the system accepts
 * - `sandbox_failed`: the sandbox that it was to run in could not be set up
 * - `spawn_failed`: any other reason
 */
export type CommandErrorCode =
  | "program_not_found"
  | "program_not_executable"
  | "cwd_missing"
  | "permission_denied"
  | "arguments_invalid"
  | "sandbox_failed"
  | "spawn_failed";

/** A command that could not be started. What a started command does is never an error. */
export class CommandError extends Error {
  /** Always `CommandError`. */
  override readonly name = "CommandError";
  /** Why it could not be started. */
  readonly code: CommandErrorCode;

  /**
   * Builds the error.
   *
   * @param code Why it could not be started.
   * @param message What failed, why, and what to do.
   * @param options The error behind it.
   */
  constructor(code: CommandErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
