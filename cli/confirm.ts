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
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    context.signal.removeEventListener("abort", stop);
    reader.releaseLock();
  }
}
