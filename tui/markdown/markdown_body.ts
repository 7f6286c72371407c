import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import { VisibleStream } from "../../core/text/visible_stream.ts";
import type { Line } from "../text/span.ts";
import { mendTail } from "./mend_tail.ts";
import { type MarkdownLook, renderCode, renderMarkdown } from "./render_markdown.ts";
import { BlockSplitter, type MarkdownPart } from "./split_blocks.ts";

/** Lines of an open code block that are coloured together; earlier ones are not coloured again. */
const CODE_CHUNK_LINES = 40;

const DEFINITION_REGEXP = /^ {0,3}\[[^\]\n]+\]:[ \t]*\S.*$/gm;

/**
 * A Markdown text that may still grow. What is closed is laid out once for each width; only the part
 * that grows is read again.
 */
export class MarkdownBody<Row> {
  readonly #toRow: (line: Line) => Row;
  readonly #splitter = new BlockSplitter();
  readonly #stream = new VisibleStream();
  /** How much of the text was taken. */
  #taken = 0;
  #isComplete = false;
  #definitions = "";
  #width = 0;
  /** Rows of each closed part, for the width at hand. */
  #rows: (readonly Row[])[] = [];
  /** Rows of the lines of an open code block that are done. */
  #chunk: CodeChunk<Row> = NO_CHUNK;

  /** @param toRow Makes of a row what is kept of it, such as coloured text. */
  constructor(toRow: (line: Line) => Row) {
    this.#toRow = toRow;
  }

  /**
   * Takes what came since the last time.
   *
   * @param text The whole text so far, which only grows.
   */
  update(text: string): void {
    if (text.length <= this.#taken) return;
    this.#splitter.push(unmarked(this.#stream.push(text.slice(this.#taken))));
    this.#taken = text.length;
  }

  /** Says that nothing more will come. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#splitter.push(unmarked(this.#stream.end()));
    this.#splitter.end();
    const texts = this.#splitter.closed.filter(({ kind }) => kind === "text");
    this.#definitions = texts.flatMap(({ source }) => source.match(DEFINITION_REGEXP) ?? [])
      .join("\n");
    // A link may be explained anywhere, which is known only now.
    if (this.#definitions !== "") this.#rows = [];
  }

  /** Has everything drawn anew, because colours changed or a language was loaded. */
  invalidate(): void {
    this.#rows = [];
    this.#chunk = NO_CHUNK;
  }

  /**
   * Rows of the text.
   *
   * @param look What it is drawn with.
   * @param width Columns, at least 1.
   * @param from The first part that counts; those before are elsewhere already.
   */
  rows(look: MarkdownLook, width: number, from = 0): readonly Row[] {
    const rows = this.closedRows(look, width, from);
    if (this.#isComplete) return rows;
    return [...rows, ...this.#openRows(look, width, rows.length > 0)];
  }

  /**
   * Rows of the parts that will never change.
   *
   * @param look What they are drawn with.
   * @param width Columns, at least 1.
   * @param from The first part that counts.
   */
  closedRows(look: MarkdownLook, width: number, from = 0): readonly Row[] {
    if (width !== this.#width) this.invalidate();
    this.#width = width;
    const { closed } = this.#splitter;
    const rows: Row[] = [];
    for (const [index, part] of closed.entries()) {
      if (index < from) continue;
      const own = this.#rows[index] ??= this.#renderPart(part, look, width);
      if (part.hasGap && rows.length > 0) rows.push(this.#toRow([]));
      for (const row of own) rows.push(row);
    }
    return rows;
  }

  /** How many parts will never change. */
  get closedParts(): number {
    return this.#splitter.closed.length;
  }

  #renderPart(part: MarkdownPart, look: MarkdownLook, width: number): readonly Row[] {
    const lines = part.kind === "fence"
      ? renderCode(part.source, part.info ?? "", look, width)
      : renderMarkdown(part.source, look, width, this.#definitions);
    return lines.map(this.#toRow);
  }

  #openRows(look: MarkdownLook, width: number, hasBefore: boolean): readonly Row[] {
    const { part, rest } = this.#splitter.open();
    const rows = part.kind === "fence"
      ? this.#openCode(part, rest, look, width)
      : this.#openText(part, rest, look, width);
    if (rows.length === 0) return [];
    return part.hasGap && hasBefore ? [this.#toRow([]), ...rows] : rows;
  }

  #openText(part: MarkdownPart, rest: string, look: MarkdownLook, width: number): readonly Row[] {
    const lines = renderMarkdown(mendTail(part.source, rest), look, width);
    return lines.every((line) => line.length === 0) ? [] : lines.map(this.#toRow);
  }

  #openCode(part: MarkdownPart, rest: string, look: MarkdownLook, width: number): readonly Row[] {
    const language = part.info ?? "";
    const lines = part.source === "" ? [] : part.source.split("\n");
    // The start of the fence that closes the block is no code.
    if (rest !== "" && !/^ {0,3}(?:`+|~+)$/.test(rest)) lines.push(rest);
    let chunk = this.#chunk.part === this.closedParts ? this.#chunk : NO_CHUNK;
    while (lines.length - chunk.lines > CODE_CHUNK_LINES) {
      const end = chunk.lines + CODE_CHUNK_LINES;
      const code = lines.slice(chunk.lines, end).join("\n");
      const rows = [...chunk.rows, ...renderCode(code, language, look, width).map(this.#toRow)];
      chunk = { part: this.closedParts, lines: end, rows };
    }
    this.#chunk = chunk;
    if (lines.length === chunk.lines) return chunk.rows;
    const tail = lines.slice(chunk.lines).join("\n");
    return [...chunk.rows, ...renderCode(tail, language, look, width).map(this.#toRow)];
  }
}

/** Lines at the start of an open code block that are coloured, and how many they are. */
interface CodeChunk<Row> {
  readonly part: number;
  readonly lines: number;
  readonly rows: readonly Row[];
}

const NO_CHUNK = { part: -1, lines: 0, rows: [] } as const;

/** Nothing here looks at the characters around a piece: what came in pieces is not cut anew. */
function unmarked(shown: string): string {
  return withoutQuestionMark(shown).replaceAll("\r\n", "\n");
}
