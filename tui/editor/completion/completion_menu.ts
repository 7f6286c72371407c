import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { visibleName } from "../../../core/process/visible_text.ts";
import type { KeyMap } from "../../keys/key_map.ts";
import type { Theme } from "../../theme/theme.ts";
import { cutToWidth } from "../cut_to_width.ts";
import type { Completion, CompletionItem } from "./completion.ts";

/** The part of a row that names have at most. */
const NAME_SHARE = 0.5;
const SEPARATION = 2;

/** The completions that the person chooses from. */
export class CompletionMenu {
  /** What it offers. */
  readonly completion: Completion;
  #selected = 0;
  #first = 0;

  /** @param completion What it offers. */
  constructor(completion: Completion) {
    this.completion = completion;
  }

  /** What is chosen at the moment. */
  get selected(): CompletionItem | undefined {
    return this.completion.items[this.#selected];
  }

  /**
   * Moves with a key.
   *
   * @param data The key.
   * @param keys Which keys move.
   * @returns Whether it was one.
   */
  press(data: string, keys: KeyMap): boolean {
    const last = this.completion.items.length - 1;
    if (keys.matches(data, "listUp")) {
      this.#selected = this.#selected === 0 ? last : this.#selected - 1;
    } else if (keys.matches(data, "listDown")) {
      this.#selected = this.#selected === last ? 0 : this.#selected + 1;
    } else if (keys.matches(data, "listPageUp")) {
      this.#selected = Math.max(0, this.#selected - PAGE);
    } else if (keys.matches(data, "listPageDown")) {
      this.#selected = Math.min(last, this.#selected + PAGE);
    } else return false;
    return true;
  }

  /**
   * Draws it.
   *
   * @param width Cells of a row.
   * @param height Most rows.
   * @param theme The colours.
   */
  render(width: number, height: number, theme: Theme): readonly string[] {
    const { items } = this.completion;
    const room = items.length > height ? Math.max(1, height - 1) : items.length;
    this.#first = Math.min(
      Math.max(this.#first, this.#selected - room + 1, 0),
      this.#selected,
      Math.max(0, items.length - room),
    );
    const shown = items.slice(this.#first, this.#first + room);
    const names = Math.min(
      Math.floor(width * NAME_SHARE),
      Math.max(...shown.map(({ label }) => visibleWidth(visibleName(label)))),
    );
    const rows = shown.map((item, index) =>
      drawItem(item, { names, width, theme, isSelected: this.#first + index === this.#selected })
    );
    if (items.length > room && height > 1) {
      const count = `  (${this.#selected + 1}/${items.length})`;
      rows.push(theme.paint("dim", cutToWidth(count, width)));
    }
    return rows;
  }
}

const PAGE = 5;

function drawItem(
  { label, description }: CompletionItem,
  { names, width, theme, isSelected }: {
    readonly names: number;
    readonly width: number;
    readonly theme: Theme;
    readonly isSelected: boolean;
  },
): string {
  const ellipsis = theme.glyph("ellipsis");
  const sign = isSelected ? `${theme.glyph("cursor")} ` : "  ";
  const name = cutToWidth(visibleName(label), names, ellipsis);
  const start = sign + name;
  const gap = " ".repeat(Math.max(0, names - visibleWidth(name)) + SEPARATION);
  const left = width - visibleWidth(start + gap);
  const text = description === undefined || left < 8
    ? ""
    : cutToWidth(visibleName(description), left, ellipsis);
  const shown = cutToWidth(start, width);
  return theme.paint(isSelected ? "selected" : "text", shown) +
    (text === "" ? "" : gap + theme.paint("dim", text));
}
