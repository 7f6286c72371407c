import type { Submission } from "./editor/prompt_editor.ts";
import { fitText, oneLine } from "./panels/fit_text.ts";
import type { Theme } from "./theme/theme.ts";

/** Rows that are shown; more prompts are counted. */
const MAX_ROWS = 3;

/** Prompts that were sent while another one runs. They follow it, all as one, once it has ended. */
export class WaitingPrompts {
  #prompts: readonly Submission[] = [];

  /**
   * Adds a prompt behind those that wait.
   *
   * @param prompt The prompt.
   */
  add(prompt: Submission): void {
    this.#prompts = [...this.#prompts, prompt];
  }

  /**
   * Takes all of them, as one prompt.
   *
   * @returns Undefined if none waits.
   */
  take(): Submission | undefined {
    const prompts = this.#prompts;
    this.#prompts = [];
    const [first, ...rest] = prompts;
    if (first === undefined || rest.length === 0) return first;
    return {
      prompt: prompts.map(({ prompt }) => prompt).join("\n\n"),
      display: prompts.map(({ prompt, display = prompt }) => display).join("\n\n"),
    };
  }

  /**
   * What waits, a row for each, and how to get it back.
   *
   * @param theme The colours.
   * @param look Columns, and what the key is called that puts all of them into the editor.
   */
  rows(
    theme: Theme,
    { columns, key }: { readonly columns: number; readonly key: string },
  ): readonly string[] {
    const left = this.#prompts.length - MAX_ROWS;
    const rows = this.#prompts.slice(0, MAX_ROWS).map(({ prompt, display = prompt }, index) => {
      const title = index === 0 ? "Next: " : "      ";
      const hint = index === 0 && key !== "" ? `  (${key} to change)` : "";
      const text = fitText(
        oneLine(display.trim().replace(/\s+/g, " "), theme),
        columns - title.length - hint.length,
        theme,
      );
      return theme.paint("accent", title) + text + theme.paint("dim", hint);
    });
    if (left <= 0) return rows;
    return [...rows, theme.paint("dim", `      ${theme.glyph("ellipsis")} ${left} more`)];
  }
}
