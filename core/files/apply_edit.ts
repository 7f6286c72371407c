import { lineEndingAt, type LineFeedView, viewLineFeeds } from "./line_endings.ts";
import type { TextForm } from "./text_encoding.ts";
import { fromTextUnits, textToUnits, toTextUnits } from "./text_units.ts";

/** A replacement of one piece of text by another. */
export interface Edit {
  /** What to replace; must occur exactly once. */
  readonly oldText: string;
  /** What to put there, character by character as given. */
  readonly newText: string;
}

/** What became of an edit. */
export type EditOutcome =
  | { readonly kind: "edited"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "no_match" }
  /** The lines are those that the first matches start on. */
  | { readonly kind: "several_matches"; readonly count: number; readonly lines: readonly number[] }
  /** The encoding of the file is unknown and the texts are not plain ASCII. */
  | { readonly kind: "not_ascii" }
  /** The match may start inside a character of an encoding that is not known. */
  | { readonly kind: "inside_character" };

const MAX_REPORTED_LINES = 10;
const NOT_ASCII_REGEXP = /[^\0-\x7f]/;

/**
 * Applies an edit to the bytes of a file. Every byte outside the change stays as it is: line ends,
 * byte-order mark, NUL and invalid bytes included.
 *
 * A `\n` of `oldText` also matches `\r\n`, and new lines take the line end of their surroundings;
 * a `newText` that holds `\r\n` itself is taken as it is. Text of an unknown 8-bit encoding can be
 * edited where both texts are ASCII.
 *
 * @param bytes The whole file.
 * @param form How it holds its text.
 * @param edit The edit; its texts are well-formed and `oldText` is not empty.
 */
export function applyEdit(bytes: Uint8Array, form: TextForm, edit: Edit): EditOutcome {
  const { oldText, newText } = withoutByteOrderMark(edit, form);
  const unknown = form.encoding === "unknown-8bit";
  if (unknown && (NOT_ASCII_REGEXP.test(oldText) || NOT_ASCII_REGEXP.test(newText))) {
    return { kind: "not_ascii" };
  }
  const { units, rest } = toTextUnits(bytes, form);
  const found = findOnly(units, textToUnits(oldText, form));
  if (found.kind !== "found") return found;
  if (unknown && mayStartInsideCharacter(units, found.start)) return { kind: "inside_character" };
  const change = narrowChange(units, found, textToUnits(newText, form));
  const edited = units.slice(0, change.start) + change.inserted + units.slice(change.end);
  const bom = bytes.subarray(0, form.bomBytes);
  return { kind: "edited", bytes: fromTextUnits({ units: edited, rest }, form, bom) };
}

interface Found {
  readonly kind: "found";
  /** Range in the units. */
  readonly start: number;
  readonly end: number;
  /** Range in the view. */
  readonly viewStart: number;
  readonly viewEnd: number;
  readonly view: LineFeedView;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

/** The mark is hidden from view, but a copied first line may still carry it. */
function withoutByteOrderMark(edit: Edit, form: TextForm): Edit {
  if (form.bomBytes === 0 || !edit.oldText.startsWith("\ufeff") || edit.oldText.length === 1) {
    return edit;
  }
  const newText = edit.newText.startsWith("\ufeff") ? edit.newText.slice(1) : edit.newText;
  return { oldText: edit.oldText.slice(1), newText };
}

function findOnly(units: string, oldUnits: string): Found | EditOutcome {
  const view = viewLineFeeds(units);
  const wanted = oldUnits.replaceAll("\r\n", "\n");
  const starts = findAll(view.text, wanted);
  const first = starts[0];
  if (first === undefined) return findVerbatim(units, oldUnits);
  if (starts.length > 1) return reportSeveral(view.text, starts);
  const viewEnd = first + wanted.length;
  return {
    kind: "found",
    start: view.originalIndex(first),
    end: view.originalIndex(viewEnd),
    viewStart: first,
    viewEnd,
    view,
  };
}

/** Text that cuts a `\r\n` in two occurs only in the units themselves. */
function findVerbatim(units: string, oldUnits: string): Found | EditOutcome {
  const starts = findAll(units, oldUnits);
  const start = starts[0];
  if (start === undefined) return { kind: "no_match" };
  if (starts.length > 1) return reportSeveral(units, starts);
  const end = start + oldUnits.length;
  const view: LineFeedView = { text: units, originalIndex: (index) => index };
  return { kind: "found", start, end, viewStart: start, viewEnd: end, view };
}

/** Overlapping matches count too: each of them could be the one that was meant. */
function findAll(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    starts.push(at);
  }
  return starts;
}

function reportSeveral(text: string, starts: readonly number[]): EditOutcome {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (const start of starts.slice(0, MAX_REPORTED_LINES)) {
    for (
      let at = text.indexOf("\n", from);
      at !== -1 && at < start;
      at = text.indexOf("\n", from)
    ) {
      line++;
      from = at + 1;
    }
    lines.push(line);
  }
  return { kind: "several_matches", count: starts.length, lines };
}

/**
 * Multi-byte encodings such as GBK and Shift-JIS use ASCII digits and letters as later bytes of a
 * character, always after a byte outside ASCII.
 */
function mayStartInsideCharacter(units: string, start: number): boolean {
  const before = start > 0 ? units.charCodeAt(start - 1) : 0;
  const first = units.charCodeAt(start);
  const mayFollow = (first >= 0x30 && first <= 0x39) || (first >= 0x40 && first <= 0x7e);
  return before >= 0x80 && mayFollow;
}

/** Leaves out what both texts begin and end with, so that its line ends stay as they are. */
function narrowChange(units: string, found: Found, newUnits: string): Change {
  if (newUnits.includes("\r\n")) {
    return { start: found.start, end: found.end, inserted: newUnits };
  }
  const { view, viewStart, viewEnd } = found;
  const matched = view.text.slice(viewStart, viewEnd);
  const shorter = Math.min(matched.length, newUnits.length);
  let prefix = 0;
  while (prefix < shorter && matched[prefix] === newUnits[prefix]) prefix++;
  let suffix = 0;
  while (
    suffix < shorter - prefix &&
    matched[matched.length - 1 - suffix] === newUnits[newUnits.length - 1 - suffix]
  ) suffix++;
  const start = view.originalIndex(viewStart + prefix);
  const end = view.originalIndex(viewEnd - suffix);
  const inserted = newUnits.slice(prefix, newUnits.length - suffix);
  return { start, end, inserted: inserted.replaceAll("\n", lineEndingAt(units, start)) };
}
