import type { CommandContext } from "../command_context.ts";
import { SignalError } from "../exit_status.ts";
import type { DialoguePorts } from "./dialogue.ts";
import { Keyboard } from "./keyboard.ts";
import { Screen } from "./screen.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** How long nothing may be typed before a question takes an answer. */
const QUIET_MS = 50;

const BRACKETED_PASTE_ON = "\x1b[?2004h";
const BRACKETED_PASTE_OFF = "\x1b[?2004l";

/**
 * Asks a person at the terminal in lines, outside a conversation. The terminal is given back in every
 * case.
 *
 * @param context What the command was called with.
 * @param ask Asks. Its signal aborts when the person presses Ctrl+C, or the program ends.
 * @param terminal The terminal; that of the process by default.
 * @throws {SignalError} If the person pressed Ctrl+C.
 */
export async function withDialogue<T>(
  context: Pick<CommandContext, "env" | "output" | "signal">,
  ask: (ports: DialoguePorts, signal: AbortSignal) => Promise<T>,
  terminal: Terminal = processTerminal(context.env),
): Promise<T> {
  const screen = new Screen(context.output);
  const keyboard = new Keyboard(terminal);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new SignalError("SIGINT"));
  keyboard.onInterrupt = interrupt;
  terminal.setRaw(true);
  if (terminal.hasSequences) screen.print(BRACKETED_PASTE_ON);
  void keyboard.listen();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  try {
    const answer = await ask({ terminal, keyboard, screen, quietMs: QUIET_MS, interrupt }, signal);
    signal.throwIfAborted();
    return answer;
  } catch (error) {
    // Whatever fails then fails because of it.
    throw signal.aborted ? signal.reason : error;
  } finally {
    screen.freshLine();
    if (terminal.hasSequences) screen.print(BRACKETED_PASTE_OFF);
    await screen.flush();
    terminal.setRaw(false);
  }
}
