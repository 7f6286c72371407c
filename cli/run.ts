import type { CommandContext } from "./command_context.ts";
import { runPrompt } from "./run_prompt.ts";

/**
 * `alisio run`: one task in a new session.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the run cannot start.
 */
export async function runRun(context: CommandContext): Promise<number> {
  return await runPrompt(context, {
    words: context.args,
    command: "alisio run",
    open: (application) => application.createSession({ signal: context.signal }),
  });
}
