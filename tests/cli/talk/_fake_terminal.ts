import assert from "node:assert/strict";
import { createOutput } from "../../../cli/output.ts";
import type { DialoguePorts } from "../../../cli/talk/dialogue.ts";
import { Keyboard } from "../../../cli/talk/keyboard.ts";
import { Screen } from "../../../cli/talk/screen.ts";
import type { Terminal } from "../../../cli/talk/terminal.ts";

/** A terminal whose keys and screen are streams of this process. */
export interface FakeTerminal {
  readonly terminal: Terminal;
  /** What questions are asked with. */
  readonly ports: DialoguePorts;
  /** How often Ctrl+C stopped the run. */
  readonly interrupts: () => number;
  /** How often Ctrl+Z handed the terminal back. */
  readonly suspensions: () => number;
  /**
   * Types.
   *
   * @param keys The keys.
   */
  type(keys: string): Promise<void>;
  /** Takes the terminal away. */
  hangUp(): Promise<void>;
  /** Everything that was shown, control sequences left out. */
  shown(): string;
  /**
   * Waits until something is shown, and answers everything that was shown by then.
   *
   * @param pattern What it matches.
   * @param from Where in everything shown it is looked for.
   */
  until(pattern: RegExp, from?: number): Promise<string>;
}

/** How a fake terminal is made. */
export interface FakeTerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** How long nothing may be typed before a question takes an answer. */
  readonly quietMs?: number;
  readonly hasColour?: boolean;
}

// deno-lint-ignore no-control-regex -- sequences of the line editor
const SEQUENCE_REGEXP = /\x1b\[[0-9;?]*[A-Za-z]/g;

const WAIT_MS = 5_000;

/**
 * Opens a terminal without a person.
 *
 * @param options How it is made.
 */
export function openFakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const { columns = 80, rows = 24, quietMs = 1, hasColour = false } = options;
  const keys = new TransformStream<Uint8Array, Uint8Array>();
  const writer = keys.writable.getWriter();
  const reader = keys.readable.getReader();
  const decoder = new TextDecoder();
  let raw = "";
  let wake = Promise.withResolvers<void>();
  let interrupts = 0;
  let suspensions = 0;
  const sink = {
    write(bytes: Uint8Array): Promise<number> {
      raw += decoder.decode(bytes, { stream: true });
      wake.resolve();
      wake = Promise.withResolvers<void>();
      return Promise.resolve(bytes.length);
    },
  };
  const terminal: Terminal = {
    read: async () => (await reader.read()).value ?? null,
    setRaw() {},
    suspend(onReturn) {
      suspensions += 1;
      onReturn();
    },
    size: () => ({ columns, rows }),
    hasColour,
    hasSequences: true,
  };
  const keyboard = new Keyboard(terminal);
  void keyboard.listen();
  const output = createOutput(() => {}, { stdout: sink, stderr: sink });
  const screen = new Screen({ ...output, errIsTerminal: true });
  const shown = (): string => raw.replace(SEQUENCE_REGEXP, "");
  return {
    terminal,
    ports: { terminal, keyboard, screen, quietMs, interrupt: () => void interrupts++ },
    interrupts: () => interrupts,
    suspensions: () => suspensions,
    type: (text) => writer.write(new TextEncoder().encode(text)),
    hangUp: () => writer.close(),
    shown,
    async until(pattern, from = 0) {
      const giveUp = setTimeout(() => wake.reject(new Error("Too late")), WAIT_MS);
      try {
        while (!pattern.test(shown().slice(from))) await wake.promise;
      } catch {
        assert.fail(`Nothing matched ${pattern} in:\n${shown().slice(from)}`);
      } finally {
        clearTimeout(giveUp);
      }
      return shown();
    },
  };
}
