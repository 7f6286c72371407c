import type { CommandOutcome, CommandSpec } from "../process/run_command.ts";
import type { UsableBackend } from "./sandbox_backend.ts";

/**
 * Where the programs that a model starts run.
 *
 * Contract: `run` is `runCommand` with the program inside the sandbox. It may be called side by
 * side, ends under the same limits, and never starts the program outside.
 */
export interface Sandbox {
  /** What enforces it. */
  readonly backend: UsableBackend;
  /** What it was asked for and cannot enforce, each as the end of "it leaves open: ". */
  readonly gaps: readonly string[];
  /**
   * Runs a command inside, to its end.
   *
   * @param spec The command.
   * @throws {CommandError} If it cannot be started; `sandbox_failed` if that is the fault of the
   * sandbox.
   */
  run(spec: CommandSpec): Promise<CommandOutcome>;
}
