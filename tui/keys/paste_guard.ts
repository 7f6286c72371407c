/** What a terminal puts before a paste. */
export const PASTE_START = "\x1b[200~";
/** What a terminal puts behind a paste. */
export const PASTE_END = "\x1b[201~";

/** What comes this soon after a paste may still belong to it. */
const HOLD_MS = 30;

/** However much goes on coming, it is passed on after this. */
const MAX_HOLD_MS = 1_000;

/** Text, or an end of a line, as a terminal without marks sends what is pasted. */
// deno-lint-ignore no-control-regex -- tab and line ends are what this finds
const TEXT_REGEXP = /^(?:[^\x00-\x1f\x7f-\x9f]|[\t\r\n])/;

/**
 * Stands between the terminal and everything that listens to keys, so that pasted text is one
 * paste and never keys.
 *
 * A paste that holds the mark of its own end would go on as keys: what comes within a moment is
 * held back, and counts as pasted when another mark follows it. A terminal that marks no pastes
 * sends several lines at once, which nobody types: they are passed on as a paste.
 *
 * Contract: `take` gets single keys and whole pastes, as the terminal library cuts them; `forward`
 * gets the same, with each paste in one piece between its marks.
 */
export class PasteGuard {
  readonly #forward: (data: string) => void;
  /** Keys that came together. */
  #burst: string[] = [];
  #held:
    | { text: string; tail: string[]; readonly isMarked: boolean; readonly since: number }
    | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the terminal has marked a paste: it marks all of them then. */
  #marksPastes = false;

  /** @param forward Gets keys and pastes. */
  constructor(forward: (data: string) => void) {
    this.#forward = forward;
  }

  /**
   * Takes a key or a paste.
   *
   * @param data As the terminal library gives it.
   */
  take(data: string): void {
    if (this.#held === null && !data.startsWith(PASTE_START)) {
      this.#burst.push(data);
      // What comes with no read, such as a key that was waited for, does not wait for another one.
      if (this.#burst.length === 1) queueMicrotask(() => this.endRead());
      return;
    }
    this.endRead();
    if (data.startsWith(PASTE_START)) this.#takePaste(contentOf(data));
    else this.#takeHeld(data);
  }

  /** Says that everything was taken that the terminal sent at once. */
  endRead(): void {
    const burst = joinHalves(this.#burst);
    this.#burst = [];
    if (this.#marksPastes || !isUnmarkedPaste(burst)) {
      for (const data of burst) this.#forward(data);
      return;
    }
    this.#held = { text: burst.join(""), tail: [], isMarked: false, since: performance.now() };
    this.#hold();
  }

  /** Passes on what is held back, and waits for nothing any more. */
  close(): void {
    this.endRead();
    this.#release();
  }

  #takePaste(text: string): void {
    this.#marksPastes = true;
    if (this.#held?.isMarked === false) this.#release();
    if (this.#held === null) {
      this.#held = { text, tail: [], isMarked: true, since: performance.now() };
    } else {
      this.#held.text += this.#held.tail.join("") + text;
      this.#held.tail = [];
    }
    this.#hold();
  }

  #takeHeld(data: string): void {
    const held = this.#held;
    if (held === null) return;
    if (data === PASTE_END) {
      held.text += held.tail.join("");
      held.tail = [];
    } else if (!held.isMarked && held.tail.length === 0 && TEXT_REGEXP.test(data)) {
      held.text += data;
    } else held.tail.push(data);
    if (performance.now() - held.since > MAX_HOLD_MS) this.#release();
    else this.#hold();
  }

  #hold(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#release(), HOLD_MS);
  }

  #release(): void {
    clearTimeout(this.#timer);
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    this.#forward(PASTE_START + withoutMarks(held.text) + PASTE_END);
    for (const data of held.tail) this.#forward(data);
  }
}

function contentOf(data: string): string {
  const end = data.endsWith(PASTE_END) ? data.length - PASTE_END.length : data.length;
  return data.slice(PASTE_START.length, end);
}

/** Marks in what was pasted would end the paste again for whoever looks for them. */
function withoutMarks(text: string): string {
  let left = text;
  while (left.includes(PASTE_START) || left.includes(PASTE_END)) {
    left = left.replaceAll(PASTE_START, "").replaceAll(PASTE_END, "");
  }
  return left;
}

/** Several lines at once: text stands behind the end of a line. */
function isUnmarkedPaste(burst: readonly string[]): boolean {
  const lineEnd = burst.findIndex((data) => data === "\r" || data === "\n");
  if (lineEnd === -1 || !burst.every((data) => TEXT_REGEXP.test(data))) return false;
  return burst.slice(lineEnd).some((data) => data.trim() !== "");
}

/** The library cuts characters above U+FFFF in two. */
function joinHalves(burst: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const data of burst) {
    const last = joined.at(-1) ?? "";
    if (/^[\ud800-\udbff]$/.test(last) && /^[\udc00-\udfff]$/.test(data)) {
      joined[joined.length - 1] = last + data;
    } else joined.push(data);
  }
  return joined;
}
