import { type KeyId, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../theme/theme.ts";
import { fitText, oneLine, padText, wrapText } from "./fit_text.ts";
import { LineField } from "./line_field.ts";
import { listWindow } from "./list_window.ts";
import type { Panel, PanelFrame } from "./panel.ts";
import { chromeRows, drawPanel } from "./panel_box.ts";
import { keyHelp, type ListKey, listKey } from "./panel_keys.ts";

/** One line of a list. */
export interface PickerItem<T> {
  /** What choosing it means. */
  readonly value: T;
  /** What the person reads. */
  readonly label: string;
  /** More, beside it where there is room. */
  readonly description?: string;
  /** A sign before it, such as `[x]`; all marks of a list are of one width. */
  readonly mark?: string;
  /** The heading that it stands under; items of one group follow each other. */
  readonly group?: string;
  /** Other words that it is found by. */
  readonly keywords?: string;
}

/** A key that does something with the selected line. */
export interface PickerKey<T> {
  /** The keys, such as `space` or `t`. A letter works only while nothing is typed to search. */
  readonly keys: readonly KeyId[];
  /** For the help row, such as `t sort`; empty where another part of it says it. */
  readonly help: string;
  /**
   * What it does.
   *
   * @param item The selected line, if there is one.
   */
  run(item: PickerItem<T> | undefined): void;
}

/** A list to choose from. */
export interface ListPickerOptions<T> {
  /** What it is about; asked for at each look where it changes. */
  readonly title: string | (() => string);
  readonly items: readonly PickerItem<T>[];
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /** Called with the line that was chosen. */
  readonly onChoose: (item: PickerItem<T>) => void;
  /** Called when the person leaves. */
  readonly onCancel: () => void;
  /** Which line is selected first. */
  readonly selected?: (item: PickerItem<T>) => boolean;
  /** Whether typing narrows the list. @default true */
  readonly isFilterable?: boolean;
  /** The key that begins a search, so that letters may be keys of the list; typing does without it. */
  readonly searchKey?: KeyId;
  /** What is searched for at first. */
  readonly search?: string;
  /** Further keys. */
  readonly keys?: readonly PickerKey<T>[];
  /** Said where there is nothing to choose from. */
  readonly emptyText?: string;
  /** More about the selected line, below the list. */
  readonly detail?: (item: PickerItem<T>) => string;
  /** What Enter does, for the help row, such as `Enter open`. @default "Enter choose" */
  readonly confirmHelp?: string;
}

type Row<T> =
  | { readonly kind: "group"; readonly title: string }
  | { readonly kind: "item"; readonly item: PickerItem<T> };

const MAX_DETAIL_ROWS = 2;
/** With fewer rows, nothing but the list is shown. */
const MIN_ROWS_FOR_DETAIL = 9;
/** A description is shown beside a label only where this much of it can be read. */
const MIN_DESCRIPTION_CELLS = 12;

/** A list that the person chooses from, narrows by typing, and scrolls. */
export class ListPicker<T> implements Panel {
  focused = false;
  /** Keys that would scroll the conversation scroll the list. */
  readonly capturesViewportInput = true;
  readonly #options: ListPickerOptions<T>;
  readonly #filter = new LineField();
  #items: readonly PickerItem<T>[];
  #found: readonly PickerItem<T>[];
  #selected = 0;
  #start = 0;
  /** Whether the key that begins a search was pressed. */
  #isSearching = false;

  /** @param options What is chosen from. */
  constructor(options: ListPickerOptions<T>) {
    this.#options = options;
    this.#items = options.items;
    this.#found = options.items;
    const { selected } = options;
    if (selected !== undefined) this.#selected = Math.max(0, options.items.findIndex(selected));
    const { search = "" } = options;
    if (search === "") return;
    this.#filter.setValue(search);
    this.#isSearching = true;
    this.#search(undefined);
  }

  /** The selected line. */
  get selected(): PickerItem<T> | undefined {
    return this.#found[this.#selected];
  }

  /** What was typed to search. */
  get filter(): string {
    return this.#filter.value;
  }

  /**
   * Exchanges the lines, because something changed. The selected one stays selected where there is
   * still one of its value, or its label.
   *
   * @param items All lines.
   */
  setItems(items: readonly PickerItem<T>[]): void {
    const before = this.selected;
    this.#items = items;
    this.#search(before);
    this.#options.frame.redraw();
  }

  invalidate(): void {}

  scroll(rows: number): void {
    this.#select(this.#selected + Math.sign(rows));
  }

  handleInput(data: string): void {
    const own = this.#options.keys?.find(({ keys }) =>
      keys.some((key) =>
        matchesKey(data, key) && (!this.#takesText() || key.length > 1 && key !== "space")
      )
    );
    if (own !== undefined) return own.run(this.selected);
    const key = listKey(data);
    if (key !== undefined) return this.#handleListKey(key);
    const { isFilterable, searchKey } = this.#options;
    if (isFilterable === false) return;
    if (searchKey !== undefined && !this.#isSearching) {
      this.#isSearching = matchesKey(data, searchKey);
      return;
    }
    const before = this.filter;
    this.#filter.handle(data);
    if (this.filter !== before) {
      this.#search(undefined);
    }
  }

  render(width: number): string[] {
    const { theme, frame, confirmHelp, keys = [] } = this.#options;
    const title = typeof this.#options.title === "string"
      ? this.#options.title
      : this.#options.title();
    const rows = frame.rows();
    const detail = this.#detailRows(width, rows);
    const height = Math.max(1, rows - chromeRows(rows) - detail.length);
    const count = this.#found.length === 0 ? 0 : this.#selected + 1;
    return drawPanel({
      title: this.#takesText() ? `${title}: ${this.filter}` : title,
      aside: `(${count}/${this.#found.length})`,
      body: [...this.#listRows(width, height), ...detail],
      help: [
        ...(confirmHelp === undefined ? keyHelp("confirm", "choose") : [confirmHelp]),
        ...keyHelp("cancel", "close"),
        ...keys.map(({ help }) => help).filter((help) => help !== ""),
        ...this.#searchHelp(),
      ],
    }, { width, rows, theme });
  }

  #handleListKey(key: ListKey): void {
    const { onChoose, onCancel, frame } = this.#options;
    const last = this.#found.length - 1;
    const page = Math.max(1, frame.rows() - chromeRows(frame.rows()) - 2);
    const { selected } = this;
    switch (key) {
      case "up":
        return this.#select(this.#selected === 0 ? last : this.#selected - 1);
      case "down":
        return this.#select(this.#selected === last ? 0 : this.#selected + 1);
      case "pageUp":
        return this.#select(this.#selected - page);
      case "pageDown":
        return this.#select(this.#selected + page);
      case "home":
        return this.#select(0);
      case "end":
        return this.#select(last);
      case "confirm":
        return selected === undefined ? undefined : onChoose(selected);
      case "cancel":
        // The first one ends the search.
        if (!this.#takesText()) return onCancel();
        this.#isSearching = false;
        this.#filter.setValue("");
        this.#search(selected);
    }
  }

  /** Whether letters are searched for, whatever else they would do. */
  #takesText(): boolean {
    return this.#isSearching || this.filter !== "";
  }

  #searchHelp(): readonly string[] {
    const { isFilterable, searchKey } = this.#options;
    if (isFilterable === false) return [];
    return [searchKey === undefined ? "type to search" : `${searchKey} search`];
  }

  #select(index: number): void {
    this.#selected = Math.max(0, Math.min(index, this.#found.length - 1));
  }

  #search(keep: PickerItem<T> | undefined): void {
    const words = this.filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
    this.#found = words.length === 0
      ? this.#items
      : this.#items.filter((item) => words.every((word) => textOf(item).includes(word)));
    const same = this.#found.findIndex((item) => item.value === keep?.value);
    const alike = this.#found.findIndex((item) => item.label === keep?.label);
    this.#start = 0;
    this.#select(Math.max(0, same === -1 ? alike : same));
  }

  #listRows(width: number, height: number): string[] {
    const { theme, emptyText = "Nothing here" } = this.#options;
    if (this.#found.length === 0) {
      const text = this.filter === "" ? emptyText : "Nothing found";
      return [theme.paint("dim", fitText(`  ${oneLine(text, theme)}`, width, theme))];
    }
    const all = rowsOf(this.#found);
    const at = all.findIndex((row) => row.kind === "item" && row.item === this.selected);
    const { from, to, above, below } = listWindow(all.length, at, height, this.#start);
    this.#start = above > 0 ? from - 1 : from;
    const labelCells = this.#labelCells(width);
    const note = (count: number, where: "above" | "below") =>
      theme.paint(
        "dim",
        fitText(
          `  ${theme.glyph(where === "above" ? "up" : "down")} ${count} more ${where}`,
          width,
          theme,
        ),
      );
    return [
      ...(above > 0 ? [note(above, "above")] : []),
      ...all.slice(from, to).map((row) => this.#drawRow(row, width, labelCells)),
      ...(below > 0 ? [note(below, "below")] : []),
    ];
  }

  /** How wide labels are, so that descriptions stand below each other. */
  #labelCells(width: number): number {
    const { theme } = this.#options;
    const widest = this.#found.slice(0, 1_000).reduce(
      (most, item) => Math.max(most, visibleWidth(markedLabel(item, theme))),
      0,
    );
    return Math.min(widest, Math.max(16, Math.floor(width / 2)));
  }

  #drawRow(row: Row<T>, width: number, labelCells: number): string {
    const { theme } = this.#options;
    if (row.kind === "group") {
      return theme.paint("accent", fitText(oneLine(row.title, theme), width, theme));
    }
    const { item } = row;
    const isSelected = item === this.selected;
    const start = isSelected ? `${theme.glyph("cursor")} ` : "  ";
    const label = markedLabel(item, theme);
    const description = oneLine(item.description ?? "", theme);
    const room = width - start.length - labelCells - 2;
    if (description === "" || room < MIN_DESCRIPTION_CELLS) {
      const text = fitText(start + label, width, theme);
      return isSelected ? theme.paint("selected", padText(text, width)) : text;
    }
    const shown = padText(fitText(label, labelCells, theme), labelCells);
    const beside = fitText(description, room, theme);
    return isSelected
      ? theme.paint("selected", padText(`${start}${shown}  ${beside}`, width))
      : `${start}${shown}  ${theme.paint("dim", beside)}`;
  }

  #detailRows(width: number, rows: number): string[] {
    const { theme, detail } = this.#options;
    const { selected } = this;
    if (detail === undefined || selected === undefined || rows < MIN_ROWS_FOR_DETAIL) return [];
    const lines = wrapText(oneLine(detail(selected), theme), width);
    // Always as many rows, so that the list stays where it is.
    return Array.from(
      { length: MAX_DETAIL_ROWS },
      (_, index) => theme.paint("dim", lines[index] ?? ""),
    );
  }
}

function textOf<T>({ label, description = "", group = "", keywords = "" }: PickerItem<T>): string {
  return `${label} ${description} ${group} ${keywords}`.toLowerCase();
}

function markedLabel<T>({ mark, label }: PickerItem<T>, theme: Theme): string {
  return oneLine(mark === undefined ? label : `${mark} ${label}`, theme);
}

function rowsOf<T>(items: readonly PickerItem<T>[]): readonly Row<T>[] {
  return items.flatMap((item, index): readonly Row<T>[] => {
    const isFirst = item.group !== undefined && item.group !== items[index - 1]?.group;
    const row: Row<T> = { kind: "item", item };
    return isFirst ? [{ kind: "group", title: item.group ?? "" }, row] : [row];
  });
}
