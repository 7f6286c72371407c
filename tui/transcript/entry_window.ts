import type { Entry } from "./entry.ts";
import type { EntryList } from "./entry_list.ts";
import type { PaintedEntry } from "./entry_painter.ts";

/** Rows of an entry, the empty one before it included. */
export interface EntryBox extends PaintedEntry {
  /** The entry. */
  readonly entry: Entry;
}

/** A row of the screen, and what it belongs to. */
export interface DrawnRow {
  /** The row, coloured. */
  readonly text: string;
  /** The entry that it belongs to. */
  readonly id: number;
  /** Whether it opens or closes that. */
  readonly isToggle: boolean;
}

/** Where the first row of the screen stands: a row of an entry. */
interface Anchor {
  readonly id: number;
  readonly row: number;
}

/**
 * The part of a conversation that is on the screen. It walks from the last entry up, or from the
 * entry where the person reads down, until the screen is full: nothing else is laid out.
 */
export class EntryWindow {
  readonly #entries: EntryList;
  readonly #box: (index: number) => EntryBox;
  /** Where the person reads; undefined follows the end. */
  #anchor: Anchor | undefined;

  /**
   * @param entries All that there is.
   * @param box Lays one of them out.
   */
  constructor(entries: EntryList, box: (index: number) => EntryBox) {
    this.#entries = entries;
    this.#box = box;
  }

  /** Whether the last row is shown. */
  get isAtEnd(): boolean {
    return this.#anchor === undefined;
  }

  /**
   * The rows that are on the screen.
   *
   * @param height How many the screen has.
   * @returns Fewer only where there are no more.
   */
  rows(height: number): readonly DrawnRow[] {
    const rows = this.#anchor === undefined ? [] : this.#rowsFrom(this.#anchor, height);
    if (this.#anchor !== undefined && rows.length >= height) return rows;
    // Below the last row there is nothing to read.
    this.#anchor = undefined;
    return this.#lastRows(height);
  }

  /**
   * Moves what is on the screen.
   *
   * @param by How many rows; negative is towards the start.
   * @param height How many the screen has.
   */
  scrollBy(by: number, height: number): void {
    const start = this.#anchor ?? this.#endAnchor(height);
    if (start === undefined || by === 0) return;
    const anchor = this.#moved(start, by);
    this.#anchor = this.#hasMore(anchor, height) ? anchor : undefined;
  }

  /** Shows the first row. */
  scrollToStart(): void {
    const first = this.#entries.at(0);
    this.#anchor = first === undefined ? undefined : { id: first.id, row: 0 };
  }

  /** Shows the last row, and follows what comes in. */
  scrollToEnd(): void {
    this.#anchor = undefined;
  }

  /** The last rows of the conversation. */
  #lastRows(height: number): readonly DrawnRow[] {
    const boxes: EntryBox[] = [];
    let count = 0;
    for (let index = this.#entries.length - 1; index >= 0 && count < height; index--) {
      const box = this.#box(index);
      boxes.unshift(box);
      count += box.rows.length;
    }
    return drawnRows(boxes, Math.max(0, count - height), height);
  }

  /** The rows from a place on, as many as the screen has. */
  #rowsFrom(anchor: Anchor, height: number): readonly DrawnRow[] {
    const boxes: EntryBox[] = [];
    let count = -anchor.row;
    for (
      let index = this.#entries.indexOf(anchor.id);
      index < this.#entries.length && count < height;
      index++
    ) {
      const box = this.#box(index);
      boxes.push(box);
      count += box.rows.length;
    }
    return drawnRows(boxes, anchor.row, height);
  }

  /** Whether a row stands below those that are shown from a place on. */
  #hasMore(anchor: Anchor, height: number): boolean {
    let count = -anchor.row;
    for (let index = this.#entries.indexOf(anchor.id); index < this.#entries.length; index++) {
      count += this.#box(index).rows.length;
      if (count > height) return true;
    }
    return false;
  }

  /** Where the first row of the screen stands while the end is followed. */
  #endAnchor(height: number): Anchor | undefined {
    let left = height;
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const { entry, rows } = this.#box(index);
      if (rows.length >= left) return { id: entry.id, row: rows.length - left };
      left -= rows.length;
    }
    const first = this.#entries.at(0);
    return first === undefined ? undefined : { id: first.id, row: 0 };
  }

  #moved(anchor: Anchor, by: number): Anchor {
    let index = this.#entries.indexOf(anchor.id);
    let row = anchor.row + by;
    while (row < 0 && index > 0) {
      index -= 1;
      row += this.#box(index).rows.length;
    }
    while (index < this.#entries.length - 1 && row >= this.#box(index).rows.length) {
      row -= this.#box(index).rows.length;
      index += 1;
    }
    return { id: this.#entries.at(index)?.id ?? anchor.id, row: Math.max(0, row) };
  }
}

function drawnRows(boxes: readonly EntryBox[], skip: number, height: number): readonly DrawnRow[] {
  const rows: DrawnRow[] = [];
  let left = skip;
  for (const { entry, rows: own, toggles } of boxes) {
    for (let row = Math.min(left, own.length); row < own.length; row++) {
      if (rows.length >= height) return rows;
      rows.push({ text: own[row] ?? "", id: entry.id, isToggle: toggles.includes(row) });
    }
    left = Math.max(0, left - own.length);
  }
  return rows;
}
