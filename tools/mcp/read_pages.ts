import type { McpListing } from "../../core/mcp/mcp_connection.ts";

const MAX_PAGES = 100;
const MAX_ENTRIES = 5_000;
const MAX_CURSOR_CHARS = 65_536;
/** Characters of one entry as JSON, and of all of them. */
const MAX_ENTRY_CHARS = 262_144;
const MAX_LIST_CHARS = 16_777_216;
const MAX_FAULTS = 20;

/** An entry that was looked at. */
export type CheckedEntry<T> =
  | { readonly entry: T; readonly key: string }
  /** What is wrong with it, one sentence. */
  | { readonly fault: string };

/** What a list is read with. */
export interface ReadPagesPorts<T> {
  /** What the entries are called in a sentence, such as `tools`. */
  readonly what: string;
  /** Field of a page that holds its entries. */
  readonly field: string;
  /** Asks for a page. */
  readonly request: (
    params: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Looks at one entry, of which nothing is known. Must not throw. */
  readonly check: (value: unknown, index: number) => CheckedEntry<T>;
}

/**
 * Reads all pages of a list of a server. Stops with a fault at a cursor that was there before and at
 * the limits; entries that are not usable, or are there twice, are left out.
 *
 * @param ports What it works with.
 * @throws What `request` throws.
 */
export async function readPages<T>(ports: ReadPagesPorts<T>): Promise<McpListing<T>> {
  const { what, field, request } = ports;
  const list = new ListReader(ports);
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1;; page++) {
    const result = await request(cursor === undefined ? {} : { cursor });
    const values = result[field];
    if (!Array.isArray(values)) {
      list.addFault(`A page of the ${what} has no list of them`);
      break;
    }
    const limit = list.add(values);
    const next = result["nextCursor"];
    const isLast = next === undefined || next === null || next === "";
    const reason = isLast ? null : limit ?? stopReason(next, cursors, page);
    if (reason !== null) list.addFault(`The list of ${what} was cut short: ${reason}`);
    if (isLast || reason !== null) break;
    cursor = String(next);
    cursors.add(cursor);
  }
  return list.finish();
}

function stopReason(next: unknown, seen: ReadonlySet<string>, page: number): string | null {
  if (typeof next !== "string" || next.length > MAX_CURSOR_CHARS) {
    return "the server names no usable place to go on from";
  }
  if (seen.has(next)) return "the server goes round in a circle";
  return page >= MAX_PAGES ? `it has more than ${MAX_PAGES} pages` : null;
}

class ListReader<T> {
  readonly #ports: ReadPagesPorts<T>;
  readonly #entries = new Map<string, T>();
  readonly #faults: string[] = [];
  #unsaidFaults = 0;
  #doubles = 0;
  #seen = 0;
  #chars = 0;

  constructor(ports: ReadPagesPorts<T>) {
    this.#ports = ports;
  }

  /** Takes the entries of a page. Answers the limit that they ran into. */
  add(values: readonly unknown[]): string | null {
    const { check } = this.#ports;
    for (const value of values) {
      if (this.#entries.size >= MAX_ENTRIES) return `it has more than ${MAX_ENTRIES} entries`;
      const checked = check(value, this.#seen++);
      const chars = "fault" in checked ? 0 : jsonChars(value);
      if ("fault" in checked) this.addFault(checked.fault);
      else if (this.#entries.has(checked.key)) this.#doubles++;
      else if (chars > MAX_ENTRY_CHARS) {
        this.addFault(
          `${
            JSON.stringify(checked.key.slice(0, 100))
          } was left out: it is declared in more than ` +
            `${MAX_ENTRY_CHARS} characters`,
        );
      } else {
        this.#chars += chars;
        if (this.#chars > MAX_LIST_CHARS) return "it is too large";
        this.#entries.set(checked.key, checked.entry);
      }
    }
    return null;
  }

  addFault(fault: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault);
    else this.#unsaidFaults++;
  }

  finish(): McpListing<T> {
    const { what } = this.#ports;
    return {
      entries: [...this.#entries.values()],
      faults: [
        ...this.#faults,
        ...this.#doubles === 0 ? [] : [`${this.#doubles} of the ${what} were listed twice`],
        ...this.#unsaidFaults === 0 ? [] : [`${this.#unsaidFaults} more of the ${what} are faulty`],
      ],
    };
  }
}

/** What cannot be written as JSON is too deep, and too large. */
function jsonChars(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Infinity;
  }
}
