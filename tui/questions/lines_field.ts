import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { LineField, type LineFieldStyle } from "../panels/line_field.ts";
import { pastedText } from "../panels/panel_keys.ts";

/** The gate cuts a longer answer. */
const MAX_CHARS = 64 * 1024;

/** A text of several lines that is being written. Lines that are done are not gone back to. */
export class LinesField {
  readonly #done: string[] = [];
  readonly #line = new LineField();

  /** What stands in it. */
  get value(): string {
    return [...this.#done, this.#line.value].join("\n").slice(0, MAX_CHARS);
  }

  /**
   * Puts a text in behind what stands there.
   *
   * @param text Any text.
   */
  insert(text: string): void {
    const room = Math.max(0, MAX_CHARS - this.value.length);
    const lines = text.slice(0, room).replace(/\r\n?/g, "\n").split("\n");
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#begin();
      this.#line.insert(line);
    }
  }

  /**
   * Takes a key or a paste.
   *
   * @param data What the terminal sent.
   * @returns Whether it was something for a text.
   */
  handle(data: string): boolean {
    const pasted = pastedText(data);
    if (pasted !== undefined) {
      this.insert(pasted);
      return true;
    }
    if (["alt+enter", "shift+enter", "ctrl+j"].some((key) => matchesKey(data, key as "ctrl+j"))) {
      this.#begin();
      return true;
    }
    const isAtStart = this.#line.cursor === 0;
    if (isAtStart && matchesKey(data, "backspace") && this.#done.length > 0) {
      const { value } = this.#line;
      const before = this.#done.pop() ?? "";
      this.#line.setValue(before + value);
      this.#line.moveTo(before.length);
      return true;
    }
    return this.#line.handle(data);
  }

  /**
   * Draws the last lines.
   *
   * @param style How.
   * @param height How many rows there are.
   */
  render(style: LineFieldStyle, height: number): readonly string[] {
    const shown = this.#done.slice(-Math.max(0, height - 1)).map((line) =>
      new LineField(line).render({ ...style, hasCursor: false })
    );
    return height > 1 ? [...shown, this.#line.render(style)] : [this.#line.render(style)];
  }

  #begin(): void {
    this.#done.push(this.#line.value);
    this.#line.setValue("");
  }
}
