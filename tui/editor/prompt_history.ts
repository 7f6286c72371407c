import { whileLocked, writePrivateFile } from "../../core/config/private_file.ts";
import { sha256Hex } from "../../core/files/sha256.ts";
import { join } from "../../core/paths/path.ts";

/** Prompts that can be gone back to. */
const MAX_ENTRIES = 500;

/** Longer prompts are not kept. */
const MAX_ENTRY_CHARS = 32_768;

/** A larger file is made smaller when it is written next. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** What earlier prompts of a workspace are kept with. */
export interface PromptHistoryOptions {
  /** The file. */
  readonly path: string | Promise<string>;
  /** Takes secrets out of a prompt before it is kept. */
  readonly redact: (text: string) => string;
}

/**
 * Earlier prompts of a workspace, kept in a file for its owner alone that several processes add
 * to. What cannot be read or written is left out: a prompt is never held up by it.
 */
export class PromptHistory {
  readonly #options: PromptHistoryOptions;
  /** The latest first. */
  #entries: string[] = [];
  #loading: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param options Where and how they are kept. */
  constructor(options: PromptHistoryOptions) {
    this.#options = options;
  }

  /** What is known at the moment, the latest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Reads the file, once; never rejects. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /**
   * Adds a prompt.
   *
   * @param prompt The prompt.
   * @returns When it is in the file, or could not be put there; never rejects.
   */
  add(prompt: string): Promise<void> {
    if (prompt.trim() === "" || prompt.length > MAX_ENTRY_CHARS) return this.#writing;
    const entry = this.#options.redact(prompt);
    if (this.#entries[0] === entry) return this.#writing;
    this.#entries = unique([entry, ...this.#entries]).slice(0, MAX_ENTRIES);
    this.#writing = this.#writing.then(() => this.#append(entry)).catch(() => {});
    return this.#writing;
  }

  /** Waits until everything that was added is in the file, or could not be put there. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #load(): Promise<void> {
    try {
      const stored = await readEntries(await this.#options.path);
      this.#entries = unique([...this.#entries, ...stored]).slice(0, MAX_ENTRIES);
    } catch {
      // Missing, or nothing that may be read: there are no earlier prompts then.
    }
  }

  async #append(entry: string): Promise<void> {
    await append(await this.#options.path, entry);
  }
}

/**
 * Where the prompts of a workspace are kept.
 *
 * @param stateHome The state folder.
 * @param workspace The workspace, by any path.
 * @throws {Deno.errors.NotFound} If there is no such folder.
 */
export async function promptHistoryPath(stateHome: string, workspace: string): Promise<string> {
  const real = await Deno.realPath(workspace);
  const name = (await sha256Hex(new TextEncoder().encode(real))).slice(0, 32);
  return join(stateHome, "history", `${name}.jsonl`);
}

async function readEntries(path: string): Promise<string[]> {
  return unique((await readEnd(path)).split("\n").flatMap(parseEntry).reverse());
}

async function append(path: string, entry: string): Promise<void> {
  await whileLocked(path, async () => {
    if (await sizeOf(path) <= MAX_FILE_BYTES) {
      await Deno.writeTextFile(path, formatEntry(entry), { append: true, mode: 0o600 });
      return;
    }
    const kept = (await readEntries(path)).slice(0, MAX_ENTRIES - 1).reverse();
    await writePrivateFile(path, [...kept, entry].map(formatEntry).join(""));
  });
}

/** The line end comes first: a line that a crash cut off ends where the next one begins. */
function formatEntry(prompt: string): string {
  return `\n${JSON.stringify({ prompt })}`;
}

/** The part of the file that counts: a line that begins before it is left out. */
async function readEnd(path: string): Promise<string> {
  using file = await Deno.open(path, { read: true });
  const { size, isFile } = await file.stat();
  if (!isFile) return "";
  const start = Math.max(0, size - 2 * MAX_FILE_BYTES);
  await file.seek(start, Deno.SeekMode.Start);
  const bytes = new Uint8Array(size - start);
  let length = 0;
  while (length < bytes.length) {
    const count = await file.read(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  const text = new TextDecoder().decode(bytes.subarray(0, length));
  return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch {
    return 0;
  }
}

/** A line that another program, or a crash, left behind is none. */
function parseEntry(line: string): readonly string[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    const prompt = typeof value === "object" && value !== null && "prompt" in value
      ? value.prompt
      : undefined;
    return typeof prompt === "string" && prompt.length <= MAX_ENTRY_CHARS ? [prompt] : [];
  } catch {
    return [];
  }
}

function unique(entries: readonly string[]): string[] {
  return [...new Set(entries)];
}
