import { untilAborted } from "../core/until_aborted.ts";
import type { CommandContext } from "./command_context.ts";

/**
 * Waits for the reader of the output, where much is still to be written. To be awaited between the
 * parts of an output that may be long, so that it is never held in memory whole.
 *
 * @param context The command that prints.
 * @throws The reason of its signal, if that aborts.
 */
export async function untilDrained(
  { output, signal }: Pick<CommandContext, "output" | "signal">,
): Promise<void> {
  signal.throwIfAborted();
  const drained = output.drained();
  if (drained !== undefined) await untilAborted(drained, signal);
}
