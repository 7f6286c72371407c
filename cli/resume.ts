import { AlisioError } from "../core/errors.ts";
import type { CommandContext } from "./command_context.ts";
import { isInteractive } from "./is_interactive.ts";
import { runPrompt } from "./run_prompt.ts";

/**
 * `alisio resume`: another prompt in a stored session.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the session cannot be opened or the run cannot start.
 */
export async function runResume(context: CommandContext): Promise<number> {
  const [id, ...words] = context.args;
  if (id === undefined) {
    throw new AlisioError(
      "usage",
      'Session is missing: write alisio resume <session> "<prompt>"; see alisio sessions list',
    );
  }
  if (context.commandFlags["resume-goal"] === true) {
    const { runStoredGoal } = await import("./run_goal.ts");
    return await runStoredGoal(context, { session: id, words });
  }
  if (context.commandFlags["budget"] !== undefined) {
    throw new AlisioError("usage", 'Flag "--budget" is for the goal: write --resume-goal too');
  }
  if (isInteractive({ command: "resume", args: context.args, flags: context.flags })) {
    if (context.commandFlags["wait-tasks"] !== undefined) {
      throw new AlisioError(
        "usage",
        'Flag "--wait-tasks" is for a prompt: a conversation tells of tasks while it is open',
      );
    }
    return await (await import("./talk.ts")).runTalk(context);
  }
  return await runPrompt(context, {
    words,
    command: `alisio resume ${id}`,
    open: (application) => application.openSession(id, { signal: context.signal }),
  });
}
