import { describeOutcome } from "../core/compaction/describe_outcome.ts";
import { AlisioError } from "../core/errors.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import { untilAborted } from "../core/until_aborted.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { openApplication } from "./open_application.ts";
import { createJsonFrontEnd } from "./text_front_end.ts";

/**
 * `alisio sessions compact`: makes the conversation of a stored session shorter, with the session's
 * own model. No tool is run.
 *
 * @param context What the command was called with.
 * @returns The exit status: 1 where there is no summary, and the session is as it was.
 * @throws {AlisioError} If the session cannot be opened, is in use or needs recovery.
 */
export async function compactSession(context: CommandContext): Promise<number> {
  const { flags, output, signal } = context;
  const [, id, ...words] = context.args;
  if (id === undefined) {
    const form = "alisio sessions compact <id> [focus]";
    throw new AlisioError("usage", `Session is missing: write ${form}`);
  }
  const application = await openApplication(context);
  try {
    const session = await untilAborted(application.openSession(id, { signal }), signal);
    try {
      const outcome = await session.compact({
        focus: words.join(" "),
        signal,
        observers: flags.json ? [createJsonFrontEnd(output)] : [],
      });
      const isFailed = outcome.status === "failed";
      if (isFailed || (!flags.json && !flags.quiet)) {
        context.err(`${visibleLines(describeOutcome(outcome))}\n`);
      }
      return isFailed ? EXIT_STATUS.failed : EXIT_STATUS.completed;
    } finally {
      await session.close();
    }
  } finally {
    await application.close();
  }
}
