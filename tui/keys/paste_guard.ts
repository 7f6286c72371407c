/** What a terminal puts before a paste. */
export const PASTE_START = "\x1b[200~";
/** What a terminal puts behind a paste. */
export const PASTE_END = "\x1b[201~";

/** What comes this soon after a paste may still belong to it. */
const HOLD_MS = 30;

/** However much goes on coming, it is passed on after this. */
const MAX_HOLD_MS = 1_000;

/** To begin to wait anew for each character of a long paste would take longer than the paste. */
const HOLD_STEP_MS = 5;

/** Ctrl+C, which always acts. */
const INTERRUPT = "\x03";

/** Text, and ends of lines. */
// deno-lint-ignore no-control-regex -- tab and line ends are what this finds
const TEXT_REGEXP = /^(?:[^\x00-\x1f\x7f-\x9f]|[\t\r\n])*$/;

/** What a person sees of a paste: neither blank nor a control character. */
// deno-lint-ignore no-control-regex -- control characters are what this excludes
const SHOWN_REGEXP = /[^\x00-\x20\x7f-\x9f]/;

/** A control sequence: a key, or the colour of a text. */
// deno-lint-ignore no-control-regex -- control sequences are what this finds
const SEQUENCE_REGEXP = /\x1b(?:[[O][0-9:;<=>?]*[ -/]*[@-~]|[^[O])/g;

/** What a terminal says by itself: of the mouse and the window, or as an answer. */
// deno-lint-ignore no-control-regex -- control sequences are what this finds
const REPORT_REGEXP = /^\x1b(?:\[(?:[<?M]|[IO]$)|[\]P_].)/;

/**
 * Stands between the terminal and everything that listens to keys, so that pasted text is one
 * paste and never keys.
 *
 * A paste that holds the mark of its own end would go on as keys: what comes within a moment is
 * held back, and counts as pasted when another mark follows it. A terminal that marks no pastes
 * sends several lines at once, which nobody types: they are passed on as a paste. Where an Enter
 * is among them that would send the first line, whatever else came along is pasted too; where none
 * is, as in what was typed ahead with Ctrl+J, a key among them makes all of them keys.
 *
 * Contract: `take` gets single keys and whole pastes, as the terminal library cuts them; `forward`
 * gets the same, with each paste in one piece between its marks.
 */
export class PasteGuard {
  readonly #forward: (data: string) => void;
  /** Keys that came together. */
  #burst: string[] = [];
  #held: Held | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heldAt = 0;
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

  /**
   * Takes a long text in one piece, where it is one without marks: key by key, it would take longer
   * than its way from the terminal.
   *
   * @param text What the terminal sent at once.
   * @returns False where its keys have to be told apart, and nothing was taken.
   */
  takeText(text: string): boolean {
    if (this.#marksPastes || text.includes("\x1b") || text.includes(INTERRUPT)) return false;
    if (this.#held === null) {
      this.endRead();
      const kind = wouldSend(text) ? "lines" : isText(text) && hasLines(text) ? "text" : undefined;
      if (kind === undefined) return false;
      this.#held = { text: "", tail: [], kind, since: performance.now() };
    } else if (this.#held.kind !== "lines") {
      if (this.#held.kind === "marked" || this.#held.tail.length > 0 || !isText(text)) return false;
    }
    this.#held.text += text;
    if (performance.now() - this.#held.since > MAX_HOLD_MS) this.#release();
    else this.#hold();
    return true;
  }

  /** Says that everything was taken that the terminal sent at once. */
  endRead(): void {
    const burst = joinHalves(this.#burst);
    this.#burst = [];
    if (this.#marksPastes || !isUnmarkedPaste(burst)) {
      for (const data of burst) this.#forward(data);
      return;
    }
    const kind = wouldSend(burst.join("")) ? "lines" : "text";
    this.#held = { text: "", tail: [], kind, since: performance.now() };
    for (const data of burst) this.#addUnmarked(this.#held, data);
    this.#hold();
  }

  /** Says that the terminal is one that marks pastes, as it is known to do otherwise. */
  expectMarks(): void {
    this.#marksPastes = true;
  }

  /** Passes on what is held back, and waits for nothing any more. */
  close(): void {
    this.endRead();
    this.#release();
  }

  #takePaste(text: string): void {
    this.#marksPastes = true;
    if (this.#held !== null && this.#held.kind !== "marked") this.#release();
    if (this.#held === null) {
      this.#held = { text, tail: [], kind: "marked", since: performance.now() };
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
    } else if (held.kind === "marked") held.tail.push(data);
    else this.#addUnmarked(held, data);
    const now = performance.now();
    if (now - held.since > MAX_HOLD_MS) this.#release();
    else if (now - this.#heldAt > HOLD_STEP_MS) this.#hold();
  }

  #addUnmarked(held: Held, data: string): void {
    if (REPORT_REGEXP.test(data)) this.#forward(data);
    else if (data === INTERRUPT) held.tail.push(data);
    else if (held.kind === "lines" || held.tail.length === 0 && TEXT_REGEXP.test(data)) {
      held.text += data;
    } else held.tail.push(data);
  }

  #hold(): void {
    clearTimeout(this.#timer);
    this.#heldAt = performance.now();
    this.#timer = setTimeout(() => {
      // Whoever was kept from reading meanwhile does not know yet whether more has come.
      const isLate = performance.now() - this.#heldAt > 2 * HOLD_MS;
      if (isLate) this.#hold();
      else this.#release();
    }, HOLD_MS);
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

/** What is held back. */
interface Held {
  text: string;
  /** What is passed on behind it. */
  tail: string[];
  /** Between marks, or several lines without: with an Enter that would send, or of text alone. */
  readonly kind: "marked" | "lines" | "text";
  readonly since: number;
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

/** Several lines at once: something stands behind the end of a line. */
function isUnmarkedPaste(burst: readonly string[]): boolean {
  const text = burst.join("");
  return wouldSend(text) || isText(text) && hasLines(text);
}

function isText(text: string): boolean {
  return TEXT_REGEXP.test(text);
}

function hasLines(text: string): boolean {
  const lineEnd = text.indexOf("\n");
  return lineEnd !== -1 && text.slice(lineEnd).trim() !== "";
}

/** Whether something that is shown stands behind an Enter. */
function wouldSend(text: string): boolean {
  const enter = text.indexOf("\r");
  return enter !== -1 && SHOWN_REGEXP.test(text.slice(enter).replace(SEQUENCE_REGEXP, ""));
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
