import type { Role } from "../theme/theme.ts";

/** A piece of a row that looks alike. Its text is safe: no control character, nothing invisible. */
export interface Span {
  /** The text. */
  readonly text: string;
  /** What it is; plain text otherwise. */
  readonly role?: Role;
  /** Whether it stands out. */
  readonly bold?: boolean;
  /** Whether it is slanted. */
  readonly italic?: boolean;
}

/** One row, or one line that is still to be broken into rows. */
export type Line = readonly Span[];

/**
 * A line that is one piece.
 *
 * @param text Safe text of one line.
 * @param role What it is.
 */
export function lineOf(text: string, role?: Role): Line {
  return text === "" ? [] : [span(text, role)];
}

/**
 * A piece of a line.
 *
 * @param text Safe text of one line.
 * @param role What it is.
 */
export function span(text: string, role?: Role): Span {
  return role === undefined ? { text } : { text, role };
}

/**
 * The text of a line, without its looks.
 *
 * @param line The line.
 */
export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join("");
}
