import type { Entry, EntryChange } from "./entry.ts";

/** The entries of a conversation, in the order of their ids. */
export class EntryList {
  #entries: Entry[] = [];

  /** How many there are. */
  get length(): number {
    return this.#entries.length;
  }

  /**
   * An entry by its place.
   *
   * @param index Counted from 0.
   */
  at(index: number): Entry | undefined {
    return this.#entries[index];
  }

  /**
   * The place of an entry, or of the first one after it if it is gone.
   *
   * @param id Its id.
   */
  indexOf(id: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.id ?? Infinity) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Does what happened to the list.
   *
   * @param change What happened.
   */
  apply(change: EntryChange): void {
    if (change.type === "add") {
      this.#entries.push(change.entry);
      return;
    }
    const id = change.type === "remove" ? change.id : change.entry.id;
    const index = this.indexOf(id);
    if (this.#entries[index]?.id !== id) return;
    if (change.type === "remove") this.#entries.splice(index, 1);
    else this.#entries[index] = change.entry;
  }

  /**
   * Adds entries at the end.
   *
   * @param entries The entries, whose ids go on.
   */
  append(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.push(entry);
  }

  /**
   * Takes the first entries away.
   *
   * @param count How many.
   */
  dropFirst(count: number): void {
    this.#entries = this.#entries.slice(count);
  }

  /** Takes everything away. */
  clear(): void {
    this.#entries = [];
  }
}
