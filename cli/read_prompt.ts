import { Countdown } from "../core/countdown.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";

/** Standard input that a prompt may hold. */
export const MAX_STDIN_BYTES = 1024 * 1024;

/** How long a prompt waits for standard input to begin before it goes without. */
export const STDIN_WAIT_MS = 3_000;

/** What reading a prompt needs. */
export interface PromptSource {
  /** Words after the command. */
  readonly words: readonly string[];
  /** The command as a person writes it, without a prompt. */
  readonly command: string;
  readonly stdin: {
    readonly isTerminal: boolean;
    /** As `Deno.stdin.read`: how many bytes there are now, or null at the end. */
    readonly read: (into: Uint8Array<ArrayBuffer>) => Promise<number | null>;
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
 * words, it is the prompt and is waited for. It must be text: UTF-8, or UTF-16 that begins with a
 * byte-order mark.
 *
 * @param source Where the prompt comes from.
 * @throws {AlisioError} `usage` if there is no prompt, or standard input is too large, is no text or
 * cannot be read.
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
    const message = `Prompt is empty: write ${source.command} "<prompt>", or pipe one in`;
    throw new AlisioError("usage", message);
  }
  return prompt;
}

async function readStdin(source: PromptSource, waitForIt: boolean): Promise<string> {
  // One byte more tells that there is too much.
  const bytes = new Uint8Array(MAX_STDIN_BYTES + 1);
  const first = source.stdin.read(bytes);
  if (!waitForIt && await isSilent(first, source.waitMs ?? STDIN_WAIT_MS)) {
    source.onNotWaited();
    first.catch(() => {});
    return "";
  }
  let length = 0;
  try {
    for (let read = await first; read !== null;) {
      length += read;
      if (length > MAX_STDIN_BYTES) throw unusable(`it is larger than ${MAX_STDIN_BYTES} bytes`);
      read = await source.stdin.read(bytes.subarray(length));
    }
  } catch (error) {
    if (error instanceof AlisioError) throw error;
    const reason = error instanceof Deno.errors.IsADirectory
      ? "it is a directory; name the directory in the prompt"
      : `it cannot be read: ${errorMessage(error)}; give it no input with </dev/null`;
    throw new AlisioError("usage", `Cannot use standard input: ${reason}`, { cause: error });
  }
  return decode(bytes.subarray(0, length));
}

/** What is no text would reach the model with its characters replaced, unseen by anyone. */
function decode(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw unusable(`it is not ${encoding.toUpperCase()} text`);
  }
  if (text.includes("\0")) throw unusable("it is not text: it holds NUL characters");
  return text;
}

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function unusable(reason: string): AlisioError {
  const advice = "save it to a file in the workspace and name the file in the prompt";
  return new AlisioError("usage", `Cannot use standard input: ${reason}; ${advice}`);
}

async function isSilent(first: Promise<unknown>, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const limit = new Countdown(() => resolve(true));
  limit.start(waitMs);
  first.then(() => resolve(false), () => resolve(false));
  const silent = await promise;
  limit.stop();
  return silent;
}
