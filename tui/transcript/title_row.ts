import { cellsOf } from "../text/cells.ts";
import { clipText } from "../text/clip_text.ts";
import { type Line, lineOf, type Span } from "../text/span.ts";
import { clipLine } from "../text/wrap.ts";
import type { Role } from "../theme/theme.ts";

/** What stands at the end of a heading, the first thing that has no room last. */
export interface HeadingEnd {
  /** How it went. */
  readonly words?: string | undefined;
  /** How long it took. */
  readonly time?: string | undefined;
  /** Whether there is more to see. */
  readonly mark?: string | undefined;
}

/** Columns that a name has at least, before anything stands behind it. */
const MIN_NAME_CELLS = 8;

/** What a heading of calls says. */
export interface Heading {
  /** How it goes, in a sign of one column. */
  readonly sign: Span;
  /** What was called. */
  readonly name: string;
  /** What the call is about; empty where there is nothing to say. */
  readonly about: string;
  /** What stands behind that. */
  readonly end: HeadingEnd;
  /** How the end looks. */
  readonly endRole: Role;
}

/**
 * The one row that is the heading of calls. Its end says how it went, and what it is about is what is
 * cut for that.
 *
 * @param heading What it says.
 * @param width Columns.
 */
export function titleRow({ sign, name, about, end, endRole }: Heading, width: number): Line {
  const head: Span[] = [{ ...sign, text: `${sign.text} ` }, { text: name, bold: true }];
  const shownEnd = fittingEnd(end, width - 2 - Math.min(cellsOf(name), MIN_NAME_CELLS));
  const room = width - 2 - cellsOf(name) - cellsOf(shownEnd) - 1;
  const shown = about === "" || room < 4 ? "" : ` ${clipText(about, room)}`;
  const left = Math.max(2, width - cellsOf(shownEnd));
  const start = clipLine([...head, ...lineOf(shown, "code")], left, "…");
  return clipLine([...start, ...lineOf(shownEnd, endRole)], width);
}

function fittingEnd({ words = "", time = "", mark = "" }: HeadingEnd, room: number): string {
  const ends = [words + time + mark, words + mark, words, mark];
  return ends.find((end) => cellsOf(end) <= room) ?? "";
}
