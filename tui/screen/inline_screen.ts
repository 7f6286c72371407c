import { TuiBase, type TuiStopOptions } from "@earendil-works/pi-tui/dist/tui.js";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import type { FrameGuard } from "./frame_guard.ts";
import type { ScreenTerminal } from "./screen_terminal.ts";

const BEGIN = "\x1b[?2026h\x1b[?25l";
const END = "\x1b[?2026l";
const CLEAR_ROW = "\x1b[2K";
const CLEAR_BELOW = "\x1b[J";

/** What is drawn: rows that stay for ever, and rows that are drawn over. */
export interface InlineContent {
  /**
   * Rows that will never change again. Each is answered once.
   *
   * @param width Columns.
   */
  takeFinished(width: number): readonly string[];
  /**
   * Rows below them, which never fill more than the window.
   *
   * @param width Columns.
   */
  renderLive(width: number): readonly string[];
}

/**
 * Draws below what the terminal shows already. What is finished goes into the scrollback of the
 * terminal and is never touched again; the rows below it are drawn over.
 */
export class InlineScreen extends TuiBase {
  readonly mode = "regular";
  readonly #terminal: ScreenTerminal;
  readonly #guard: FrameGuard;
  readonly #content: InlineContent;
  /** What stands in the terminal, from the first row that is drawn over. */
  #rows: readonly string[] = [];
  #width = 0;
  /** Where the cursor is, counted from the first of these rows. */
  #cursor = { row: 0, col: 0 };

  /**
   * @param terminal Where it draws.
   * @param guard Draws each frame.
   * @param content What it draws.
   */
  constructor(terminal: ScreenTerminal, guard: FrameGuard, content: InlineContent) {
    super(terminal, true);
    this.#terminal = terminal;
    this.#guard = guard;
    this.#content = content;
  }

  /** Takes away what is drawn over, and leaves the cursor where it began. */
  clearLive(): void {
    if (this.#rows.length === 0) return;
    // A screen that is cleared from its first cell on would be kept by some terminals.
    const rows = this.#rows.map(() => CLEAR_ROW).join("\x1b[B");
    this.#terminal.write(
      `${this.#toTop(this.#terminal.columns)}${rows}${moveRows(1 - this.#rows.length)}\r`,
    );
    this.#rows = [];
    this.#cursor = { row: 0, col: 0 };
  }

  protected override resetRenderState(): void {
    this.#width = 0;
  }

  protected override beforeTerminalStop(_options: TuiStopOptions): void {
    if (this.#rows.length === 0) return;
    const down = this.#rows.length - 1 - this.#cursor.row;
    this.#terminal.write(`${down > 0 ? `\x1b[${down}B` : ""}\r\n`);
    this.#rows = [];
    this.#cursor = { row: 0, col: 0 };
  }

  protected override doRender(): void {
    if (this.stopped) return;
    if (this.#terminal.isBusy) return this.#terminal.onceDrained(() => this.requestRender());
    this.#guard.run(() => this.#draw());
  }

  #draw(): void {
    const width = this.#terminal.columns;
    const height = this.#terminal.rows;
    const finished = this.applyLineResets([...this.#content.takeFinished(width)]);
    const live = this.resolveFakeCursors(this.#content.renderLive(width).slice(-height));
    const cursor = this.extractCursorPosition(live, height);
    const rows = this.applyLineResets(live);
    const isSame = finished.length === 0 && width === this.#width &&
      rows.length === this.#rows.length;
    const drawn = isSame ? this.#drawChanged(rows) : this.#drawAll(finished, rows, width);
    this.#rows = rows;
    this.#width = width;
    const place = cursor ?? { row: rows.length - 1, col: 0 };
    this.#terminal.write(
      BEGIN + drawn + moveRows(place.row - this.#cursor.row) +
        (place.col > 0 ? `\r\x1b[${place.col}C` : "\r") +
        (cursor === null ? "" : "\x1b[?25h") + END,
    );
    this.#cursor = place;
  }

  #drawAll(finished: readonly string[], rows: readonly string[], width: number): string {
    const top = this.#toTop(width);
    this.#cursor = { row: rows.length - 1, col: 0 };
    const all = [...finished, ...rows];
    return top +
      all.map((row, at) => (at < all.length - 1 ? CLEAR_ROW : CLEAR_BELOW) + row).join("\r\n");
  }

  #drawChanged(rows: readonly string[]): string {
    let drawn = "";
    for (const [index, row] of rows.entries()) {
      if (row === this.#rows[index]) continue;
      drawn += `${moveRows(index - this.#cursor.row)}\r\x1b[2K${row}`;
      this.#cursor = { row: index, col: 0 };
    }
    return drawn;
  }

  /** Back to the first row, which is further up where a narrower window broke the ones between. */
  #toTop(width: number): string {
    const above = this.#rows.slice(0, this.#cursor.row);
    const up = above.reduce((sum, row) => sum + heightOf(row, width), 0) +
      Math.floor(this.#cursor.col / Math.max(1, width));
    return `${moveRows(-up)}\r`;
  }
}

function heightOf(row: string, width: number): number {
  return Math.max(1, Math.ceil(visibleWidth(row) / Math.max(1, width)));
}

function moveRows(count: number): string {
  return count === 0 ? "" : count > 0 ? `\x1b[${count}B` : `\x1b[${-count}A`;
}
