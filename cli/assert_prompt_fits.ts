import { AlisioError } from "../core/errors.ts";

/**
 * Refuses a prompt that no turn could send, before a session is begun for it.
 *
 * @param prompt The prompt.
 * @param maxContextChars The limit of a request.
 * @throws {AlisioError} `usage`
 */
export function assertPromptFits(prompt: string, maxContextChars: number): void {
  if (prompt.length <= maxContextChars) return;
  throw new AlisioError(
    "usage",
    `Cannot use the prompt: it holds ${prompt.length} characters, "limits.maxContextChars" is ` +
      `${maxContextChars}; save its long part to a file in the workspace and name the file`,
  );
}
