import type { GlobalFlags } from "./flags.ts";
import type { Output } from "./output.ts";

/** What a command is called with. */
export interface CommandContext {
  /** Words after the command. */
  readonly args: readonly string[];
  /** Flags of every command. */
  readonly flags: GlobalFlags;
  /** Flags of this command alone, by name. */
  readonly commandFlags: Readonly<Record<string, string | boolean | readonly string[]>>;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory that the command works in. */
  readonly cwd: string;
  /** Where it prints. */
  readonly output: Output;
  /** Aborts when the person or the system ends the program. */
  readonly signal: AbortSignal;
  /**
   * Lets another program have the terminal: Ctrl+C is meant for that one meanwhile.
   *
   * @param use Waits for the other program.
   */
  lendTerminal<T>(use: () => Promise<T>): Promise<T>;
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
}
