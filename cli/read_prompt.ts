import { AlisioError } from "../core/errors.ts";

/** Standard input that a prompt may hold. */
export const MAX_STDIN_BYTES = 1024 * 1024;

/** How long a prompt waits for standard input to begin before it goes without. */
export const STDIN_WAIT_MS = 3_000;

/** What reading a prompt needs. */
export interface PromptSource {
  /** Words after the command. */
  readonly words: readonly string[];
  readonly stdin: {
    readonly isTerminal: boolean;
    readonly readable: () => ReadableStream<Uint8Array>;
  };
  /** Tells the person that standard input was not waited for. */
  readonly onNotWaited: () => void;
  /** @default STDIN_WAIT_MS */
  readonly waitMs?: number;
}

/**
 * Puts a prompt together from the command line and standard input.
 *
 * With words on the command line, standard input is added to them if it begins within a few
 * seconds: an open pipe that nobody writes to must not hold the run for ever. With `-` or without
 * words, it is the prompt and is waited for.
 *
 * @param source Where the prompt comes from.
 * @throws {AlisioError} `usage` if there is no prompt or standard input is too large.
 */
export async function readPrompt(source: PromptSource): Promise<string> {
  const words = source.words.filter((word) => word !== "-");
  const wanted = words.length === 0 || words.length < source.words.length;
  const typed = words.join(" ").trim();
  const piped = source.stdin.isTerminal && !source.words.includes("-")
    ? ""
    : await readStdin(source, wanted);
  const prompt = [typed, piped.trim()].filter((part) => part !== "").join("\n\n");
  if (prompt === "") {
    throw new AlisioError("usage", 'Prompt is empty: write alisio run "<prompt>", or pipe one in');
  }
  return prompt;
}

async function readStdin(source: PromptSource, waitForIt: boolean): Promise<string> {
  const reader = source.stdin.readable().getReader();
  const decoder = new TextDecoder();
  const first = reader.read();
  if (!waitForIt && await isSilent(first, source.waitMs ?? STDIN_WAIT_MS)) {
    source.onNotWaited();
    first.catch(() => {});
    return "";
  }
  let text = "";
  let bytes = 0;
  for (let next = await first; !next.done; next = await reader.read()) {
    bytes += next.value.length;
    if (bytes > MAX_STDIN_BYTES) {
      throw new AlisioError(
        "usage",
        `Cannot use standard input: it is larger than ${MAX_STDIN_BYTES} bytes; ` +
          "save it to a file in the workspace and name the file in the prompt",
      );
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

async function isSilent(first: Promise<unknown>, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), waitMs);
  first.then(() => resolve(false), () => resolve(false));
  const silent = await promise;
  clearTimeout(timer);
  return silent;
}
