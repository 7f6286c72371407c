import { AlisioError } from "../core/errors.ts";
import { isInteractive } from "./is_interactive.ts";
import { parseCommandLine } from "./parse_command_line.ts";

/**
 * Whether a command line opens a conversation on the whole screen: one is held at a terminal that
 * knows control sequences, and nobody asked for lines.
 *
 * @param argv Arguments after the program's name.
 * @param env Environment variables.
 */
export function opensScreen(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  try {
    const { command, args, flags, help, version } = parseCommandLine(argv);
    return !help && !version && !flags.noTui && knowsSequences(env) &&
      isInteractive({ ...command === undefined ? {} : { command: command.name }, args, flags });
  } catch (error) {
    // What is wrong with it is said where it runs.
    if (error instanceof AlisioError) return false;
    throw error;
  }
}

/**
 * Whether the terminal knows control sequences at all.
 *
 * @param env Environment variables.
 */
export function knowsSequences(env: Readonly<Record<string, string | undefined>>): boolean {
  if (Deno.build.os === "windows" && env.TERM === undefined) return true;
  return env.TERM !== undefined && env.TERM !== "" && env.TERM !== "dumb";
}
