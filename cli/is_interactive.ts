import type { GlobalFlags } from "./flags.ts";

/** What of a command line says whether it opens a conversation. */
export interface ConversationRequest {
  /** Name of the command; absent when only flags were given. */
  readonly command?: string;
  /** Words after the command. */
  readonly args: readonly string[];
  readonly flags: Pick<GlobalFlags, "json">;
}

/**
 * Whether a command line opens a conversation: `alisio` alone or `alisio resume <session>`, at a
 * terminal. Then a person is there who can be asked.
 *
 * @param request The command line.
 * @param atTerminal Whether standard input and standard output are terminals.
 */
export function isInteractive(
  { command, args, flags }: ConversationRequest,
  atTerminal: boolean = Deno.stdin.isTerminal() && Deno.stdout.isTerminal(),
): boolean {
  if (!atTerminal || flags.json) return false;
  return command === undefined || (command === "resume" && args.length === 1 && args[0] !== "-");
}
