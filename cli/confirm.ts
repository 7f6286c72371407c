import type { CommandContext } from "./command_context.ts";

/** An answer is a letter or a word; whatever is longer is not one. */
const MAX_ANSWER_CHARS = 1_000;

/**
 * Asks the person at the terminal.
 *
 * @param context The command that asks; a signal ends the wait.
 * @param question What it asks, without a question mark's answers.
 * @returns Whether the answer was `y` or `yes`.
 */
export async function confirmAtTerminal(
  context: Pick<CommandContext, "err" | "signal">,
  question: string,
): Promise<boolean> {
  return await answerAtTerminal(context, question) ?? false;
}

/**
 * Asks the person at the terminal, and tells a no from no answer.
 *
 * @param context The command that asks; a signal ends the wait.
 * @param question What it asks, without a question mark's answers.
 * @returns Whether the answer was `y` or `yes`; null when the input ended without one.
 */
export async function answerAtTerminal(
  context: Pick<CommandContext, "err" | "signal">,
  question: string,
): Promise<boolean | null> {
  context.err(`${question} [y/N] `);
  const reader = Deno.stdin.readable.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    const decoder = new TextDecoder();
    let answer = "";
    while (!answer.includes("\n") && answer.length < MAX_ANSWER_CHARS) {
      const { done, value } = await reader.read();
      context.signal.throwIfAborted();
      if (done) break;
      answer += decoder.decode(value, { stream: true });
    }
    return answer.includes("\n") || answer.trim() !== "" ? /^y(?:es)?$/i.test(answer.trim()) : null;
  } finally {
    context.signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}
