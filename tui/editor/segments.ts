import { getGraphemeSegmenter, visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { visibleName } from "../../core/process/visible_text.ts";

/** What the cursor passes in one step: a character as people see it, or the sign of a paste. */
export interface Segment {
  /** As it is sent. */
  readonly text: string;
  /** Where it begins in its line, in UTF-16 units. */
  readonly index: number;
  /** As it is drawn: what acts on a terminal or cannot be seen is spelled. */
  readonly display: string;
  /** Cells that it takes. */
  readonly cells: number;
  /** What it is to words and to the ends of rows. */
  readonly kind: "space" | "word" | "mark" | "sign";
}

/** Columns of a tab; tabs stay tabs in what is sent. */
const TAB = "    ";

/** Lines whose segments are kept. One that was not asked for lately makes room. */
const MAX_KEPT_LINES = 20_000;

const PLAIN_REGEXP = /^[\x20-\x7e]*$/;
const WORD_REGEXP = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}_]/u;

/** Cuts lines into segments, and remembers the lines that it has seen. */
export class LineSegmenter {
  readonly #signs: () => Iterable<string>;
  readonly #kept = new Map<string, readonly Segment[]>();

  /** @param signs The signs of pastes that count as one segment. */
  constructor(signs: () => Iterable<string> = () => []) {
    this.#signs = signs;
  }

  /**
   * The segments of a line, from its start to its end without a gap.
   *
   * @param line A text without line ends.
   */
  cut(line: string): readonly Segment[] {
    const known = this.#kept.get(line);
    if (known !== undefined) return known;
    const segments = this.#cut(line);
    if (this.#kept.size >= MAX_KEPT_LINES) this.#kept.clear();
    this.#kept.set(line, segments);
    return segments;
  }

  /** Called when there are other signs. */
  forget(): void {
    this.#kept.clear();
  }

  #cut(line: string): readonly Segment[] {
    const segments: Segment[] = [];
    let from = 0;
    for (const { start, sign } of findSigns(line, this.#signs())) {
      pushCharacters(segments, line.slice(from, start), from);
      segments.push({ text: sign, index: start, display: sign, cells: sign.length, kind: "sign" });
      from = start + sign.length;
    }
    pushCharacters(segments, line.slice(from), from);
    return segments;
  }
}

function findSigns(
  line: string,
  signs: Iterable<string>,
): readonly { readonly start: number; readonly sign: string }[] {
  const found: { readonly start: number; readonly sign: string }[] = [];
  for (const sign of signs) {
    let start = line.indexOf(sign);
    while (start !== -1) {
      found.push({ start, sign });
      start = line.indexOf(sign, start + sign.length);
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

function pushCharacters(segments: Segment[], text: string, offset: number): void {
  if (PLAIN_REGEXP.test(text)) {
    for (let index = 0; index < text.length; index++) {
      const character = text.charAt(index);
      segments.push({
        text: character,
        index: offset + index,
        display: character,
        cells: 1,
        kind: kindOf(character),
      });
    }
    return;
  }
  for (const { segment, index } of getGraphemeSegmenter().segment(text)) {
    const display = segment === "\t" ? TAB : visibleName(segment);
    segments.push({
      text: segment,
      index: offset + index,
      display,
      cells: visibleWidth(display),
      kind: kindOf(segment),
    });
  }
}

function kindOf(text: string): "space" | "word" | "mark" {
  if (/^\s+$/.test(text)) return "space";
  return WORD_REGEXP.test(text) ? "word" : "mark";
}
