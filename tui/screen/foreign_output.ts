import { Console } from "node:console";
import { Writable } from "node:stream";
import { visibleLines } from "../../core/process/visible_text.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";

/** What is printed within this time is told together. */
const COLLECT_MS = 100;
/** Characters that are told of it, and how often anything is told. */
const MAX_TEXT = 2_000;
const MAX_NOTICES = 50;

/** A stream of the process whose writes can be exchanged. */
interface Stream {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
}

/**
 * Holds back what other code of this process prints while the screen is up, such as a plugin or a
 * package that calls `console.log`: it would be drawn over the screen, and drive the terminal. It
 * is told in the conversation instead.
 *
 * What goes to the terminal by a path or a file descriptor of its own is not held.
 */
export class ForeignOutput {
  readonly #say: (text: string) => void;
  #undo: (() => void)[] = [];
  #text = "";
  #left = 0;
  #notices = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param say Tells a person what was printed; the text may hold control characters. */
  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Holds back from now on. Whoever draws the screen has to keep the true `write` before. */
  open(): void {
    if (this.#undo.length > 0) return;
    const decoder = new TextDecoder();
    const stream: Stream = {
      write: (bytes) => Promise.resolve(stream.writeSync(bytes)),
      writeSync: (bytes) => {
        this.#take(decoder.decode(bytes, { stream: true }));
        return bytes.length;
      },
    };
    const lines = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => {
        if (typeof chunk === "string") this.#take(chunk);
        else stream.writeSync(chunk);
        done();
      },
    });
    const { write, writeSync } = stream;
    for (const own of [Deno.stdout, Deno.stderr]) this.#exchange(own, { write, writeSync });
    void this.#exchangeOfNode({ write: lines.write.bind(lines) });
    this.#exchange(console, methodsOf(new Console(lines)));
  }

  /** Lets others print again, and prints what was not told yet. */
  close(): void {
    for (const undo of this.#undo) undo();
    this.#undo = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#takeText();
    if (text === undefined) return;
    try {
      Deno.stderr.writeSync(
        new TextEncoder().encode(`${withoutQuestionMark(visibleLines(text))}\n`),
      );
    } catch {
      // Nobody reads it.
    }
  }

  /** At a terminal, the streams of Node do not go through those of Deno; they are slow to load. */
  async #exchangeOfNode(values: Readonly<Record<string, unknown>>): Promise<void> {
    const undo = this.#undo;
    const { default: process } = await import("node:process");
    // It may be closed by now.
    if (undo !== this.#undo) return;
    for (const own of [process.stdout, process.stderr]) this.#exchange(own, values);
  }

  #exchange(target: object, values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) {
      const before = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, writable: true, configurable: true });
      this.#undo.push(() => {
        if (before === undefined) Reflect.deleteProperty(target, name);
        else Object.defineProperty(target, name, before);
      });
    }
  }

  #take(text: string): void {
    const kept = text.slice(0, MAX_TEXT - this.#text.length);
    this.#text += kept;
    this.#left += text.length - kept.length;
    this.#timer ??= setTimeout(() => this.#tell(), COLLECT_MS);
  }

  #tell(): void {
    this.#timer = undefined;
    const text = this.#takeText();
    if (text === undefined || this.#notices > MAX_NOTICES) return;
    this.#notices++;
    const isLast = this.#notices > MAX_NOTICES;
    this.#say(isLast ? "More was printed, which is shown no longer" : text);
  }

  #takeText(): string | undefined {
    const text = this.#text.trim();
    const left = this.#left;
    this.#text = "";
    this.#left = 0;
    if (text === "") return undefined;
    return `Printed by a plugin or a package: ${text}${
      left > 0 ? ` … (${left} more characters)` : ""
    }`;
  }
}

function methodsOf(from: Console): Readonly<Record<string, unknown>> {
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(console)) {
    const method: unknown = Reflect.get(from, name);
    if (typeof method === "function" && name !== "Console") methods[name] = method.bind(from);
  }
  return methods;
}
