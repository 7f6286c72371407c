import type { CommandContext } from "./command_context.ts";
import type { FirstScreen } from "../tui/first/first_screen.ts";
import { processTerminal } from "./talk/terminal.ts";

/**
 * `alisio` alone and `alisio resume <session>`, at a terminal: a conversation on the whole screen,
 * or in lines where the terminal or the person wants no screen.
 *
 * @param context What the command was called with.
 * @param first The screen, where its first frame is drawn already.
 * @returns The exit status.
 * @throws {AlisioError} If the application or the session cannot be opened.
 */
export async function runTalk(context: CommandContext, first?: FirstScreen): Promise<number> {
  const [session] = context.args;
  const terminal = processTerminal(context.env);
  const options = { terminal, ...(session === undefined ? {} : { session }) };
  if (context.flags.noTui || !terminal.hasSequences) {
    const { holdConversation } = await import("./talk/conversation.ts");
    return await holdConversation(context, options);
  }
  const { holdFullScreen } = await import("./full_screen.ts");
  return await holdFullScreen(context, { ...options, ...(first === undefined ? {} : { first }) });
}
