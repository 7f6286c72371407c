import { AlisioError } from "../core/errors.ts";
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
  const { goal, budget } = context.commandFlags;
  if (typeof goal === "string") {
    const { runNewGoal } = await import("./run_goal.ts");
    return await runNewGoal(context, { objective: goal, budget });
  }
  if (budget !== undefined) {
    throw new AlisioError("usage", 'Flag "--budget" needs a goal: write --goal "<text>" too');
  }
  return await runPrompt(context, {
    words: context.args,
    command: "alisio run",
    open: (application) => application.createSession({ signal: context.signal }),
  });
}
