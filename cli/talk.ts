import type { CommandContext } from "./command_context.ts";
import { holdConversation } from "./talk/conversation.ts";
import { processTerminal } from "./talk/terminal.ts";

/**
 * `alisio` alone and `alisio resume <session>`, at a terminal: a conversation in lines.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the application or the session cannot be opened.
 */
export async function runTalk(context: CommandContext): Promise<number> {
  const [session] = context.args;
  return await holdConversation(context, {
    terminal: processTerminal(context.env),
    ...(session === undefined ? {} : { session }),
  });
}
