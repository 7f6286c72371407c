/**
 * A person at a terminal, for tests of conversations.
 *
 * @module
 */
import assert from "node:assert/strict";
import { canRun } from "../e2e/_support.ts";
import type { CliOptions, CliProcess } from "./cli_harness.ts";

/**
 * Gives the command line a terminal of its own, which is fed from standard input, and has it hold
 * conversations in lines.
 */
export const IN_TERMINAL: CliOptions = {
  stdin: "open",
  env: { TERM: "xterm", NO_COLOR: "1" },
  wrap: ["bash", "-c", 'exec script -qec "exec $(printf "%q " "$@" --no-tui)" /dev/null', "bash"],
};

/** Whether a terminal can be had here. */
export const HAS_TERMINAL = Deno.build.os === "linux" &&
  await canRun(["script", "-qec", "true", "/dev/null"]);

// deno-lint-ignore no-control-regex -- what the line editor prints when it begins to read
const READS_REGEXP = /(?<prompt>› \x1b\[3G)|▞▞ [a-z/]+: \x1b\[\d+G/g;

/** A person at the terminal of a conversation. */
export class Person {
  /** What they talk with. */
  readonly run: CliProcess;
  #seen = 0;

  /** @param run The program, in a terminal of its own. */
  constructor(run: CliProcess) {
    this.run = run;
  }

  /** Waits for the prompt, as often as it was not waited for yet. */
  async atPrompt(): Promise<void> {
    await this.#next("prompt");
  }

  /** Waits for the line that takes an answer, of the next question. */
  async asked(): Promise<void> {
    await this.#next("question");
  }

  /**
   * Waits for something on the screen, also if it was there before.
   *
   * @param pattern What it matches.
   */
  async sees(pattern: RegExp): Promise<void> {
    await this.run.outputText(pattern);
  }

  /**
   * Types.
   *
   * @param keys The keys.
   */
  async type(keys: string): Promise<void> {
    await this.run.stdin.write(new TextEncoder().encode(keys));
  }

  /**
   * Types an answer to the next question, and Enter.
   *
   * @param keys The answer.
   */
  async answer(keys: string): Promise<void> {
    await this.asked();
    await this.type(`${keys}\r`);
  }

  /** Waits for the next line that is read; it must be of this kind. */
  async #next(kind: "prompt" | "question"): Promise<void> {
    const index = this.#seen++;
    await this.run.outputText({
      test: (text) => {
        const found = [...text.matchAll(READS_REGEXP)][index];
        if (found === undefined) return false;
        assert.equal(found.groups?.prompt === undefined ? "question" : "prompt", kind, text);
        return true;
      },
    });
  }
}
