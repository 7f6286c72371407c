import {
  type HiddenCharacter,
  visibleCommand,
  type VisiblePart,
} from "../../core/gate/shell/visible_command.ts";
import { cellsOf } from "../../core/text/cell_width.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";

/** How rows are drawn. */
export interface RowStyle {
  /** Cells of a row, the prefix included. */
  readonly columns: number;
  /** Begins every row; nothing that is shown can stand left of it. */
  readonly prefix: string;
  /**
   * Begins the rows that go on with a line that did not fit; so that a line
   * end cannot be taken for a line that goes on, or the other way round.
   */
  readonly continuation: string;
  /** Whether marks are set apart by colour. */
  readonly hasColour: boolean;
  /**
   * Whether a line end is nothing that belongs there, and is shown as a mark.
   *
   * @default false
   */
  readonly isOneLine?: boolean;
}

const TAB_CELLS = 4;
/** A narrower window shows rows that are this wide, and breaks them itself. */
const MIN_CELLS = 8;

const REVERSE = "\x1b[7m";
const PLAIN = "\x1b[0m";

/** A text that is shown whole, and what in it had to be made visible. */
export interface ShownText {
  readonly rows: readonly string[];
  readonly hidden: readonly HiddenCharacter[];
}

/**
 * Lays out a text in rows that fit, each behind the prefix. Everything that a screen would hide or
 * move is made visible; nothing is left out.
 *
 * @param text Any text.
 * @param style How it is drawn.
 */
export function layOut(text: string, style: RowStyle): ShownText {
  const { parts, hidden } = visibleCommand(withoutQuestionMark(text));
  const ends = style.isOneLine === true ? parts.flatMap(lineEndsOf) : [];
  const taken = Math.max(cellsOf(style.prefix), cellsOf(style.continuation));
  const width = Math.max(MIN_CELLS, style.columns - taken - 1);
  const rows: string[] = [];
  let row = "";
  let cells = 0;
  let { prefix } = style;
  const end = (nextPrefix: string): void => {
    rows.push(prefix + row);
    row = "";
    cells = 0;
    prefix = nextPrefix;
  };
  for (const { text: piece, isMark } of parts) {
    const isSetApart = isMark && style.hasColour;
    if (isSetApart) row += REVERSE;
    for (const character of piece) {
      if (character === "\n" && style.isOneLine !== true) {
        end(style.prefix);
        continue;
      }
      const shown = character === "\t"
        ? " ".repeat(TAB_CELLS - cells % TAB_CELLS)
        : character === "\n"
        ? "\\x0a"
        : character;
      const wide = cellsOf(shown);
      if (cells + wide > width) {
        if (isSetApart) row += PLAIN;
        end(style.continuation);
        if (isSetApart) row += REVERSE;
      }
      row += shown;
      cells += wide;
    }
    if (isSetApart) row += PLAIN;
  }
  end(style.prefix);
  return { rows, hidden: [...hidden, ...ends] };
}

function lineEndsOf({ text }: VisiblePart): readonly HiddenCharacter[] {
  return Array.from(text.matchAll(/\n/g), ({ index }) => ({ index, length: 1, kind: "control" }));
}
