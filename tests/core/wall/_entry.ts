import { join } from "node:path";
import type { EntryOptions } from "./fixtures/entry.ts";

/** Folder of the programs that these tests start. */
export const FIXTURES: string = join(import.meta.dirname ?? "", "fixtures");

/**
 * Arguments of the runtime that start the example entry with all permissions, as a person starts
 * the command line.
 *
 * @param options What the entry is told.
 * @param module File of the fixture that it loads behind the wall, or its absolute path.
 * @param args Arguments of that module.
 */
export function entryArgs(
  options: EntryOptions,
  module: string,
  ...args: readonly string[]
): string[] {
  return [
    "run",
    "-A",
    "--no-config",
    join(FIXTURES, "entry.ts"),
    JSON.stringify(options),
    module.startsWith("/") ? module : join(FIXTURES, module),
    ...args,
  ];
}

/** A child whose output is read line by line. */
export class LineProcess {
  /** The process. */
  readonly child: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #rest = "";

  /** @param command A command; its standard streams are taken over. */
  constructor(program: string, options: Deno.CommandOptions) {
    this.child = new Deno.Command(program, {
      ...options,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#reader = this.child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#writer = this.child.stdin.getWriter();
  }

  /** The next line that starts with a text; null when the output ends before. */
  async lineOf(start: string): Promise<string | null> {
    for (;;) {
      const line = await this.line();
      if (line === null || line.startsWith(start)) return line;
    }
  }

  /** The next line; null at the end. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return line.replace(/\r$/, "");
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#rest += value;
    }
  }

  /** Everything up to the end of the output, as lines. */
  async lines(): Promise<readonly string[]> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== null; line = await this.line()) lines.push(line);
    return lines;
  }

  /** Writes to its standard input. */
  async write(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Ends it if it still runs, and lets its streams go. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#writer.abort().catch(() => {});
    await this.#reader.cancel().catch(() => {});
    await this.child.status;
  }
}
