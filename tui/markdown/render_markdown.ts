import type { Token, Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { layoutTable } from "../text/layout_table.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { cellsOfLine, wrapAnywhere, wrapWords } from "../text/wrap.ts";
import type { Highlighter } from "./highlighter.ts";
import type { MarkdownParser } from "./markdown_parser.ts";
import { type InlineStyle, renderInline } from "./render_inline.ts";

/** What Markdown is drawn with. */
export interface MarkdownLook {
  /** The colours. */
  readonly theme: Theme;
  /** Colours code. */
  readonly highlighter: Highlighter;
  /** Reads Markdown. */
  readonly parser: MarkdownParser;
}

interface BlockStyle extends InlineStyle {
  readonly look: MarkdownLook;
  readonly width: number;
}

/** Longer parts are shown as they stand: to read them could hold up the screen. */
const MAX_PART_CHARS = 8_000;
const MAX_TABLE_CHARS = 64_000;
/** Marks of quotes and lists that stand in one line; more of them mean nothing to anyone. */
const TOO_DEEP_REGEXP = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s))){12}/m;

/** Marks of emphasis and links, of which a parser looks at each in the light of all others. */
const MARK_REGEXP = /[*_[]/g;
const MAX_MARKS = 500;

const MAX_RULE_CELLS = 80;

/**
 * Rows of a Markdown text.
 *
 * @param source Safe text, a part of an answer as a rule.
 * @param look What it is drawn with.
 * @param width Columns, at least 1.
 * @param definitions Where the links lead that are explained in another part.
 */
export function renderMarkdown(
  source: string,
  look: MarkdownLook,
  width: number,
  definitions = "",
): readonly Line[] {
  if (isTooMuch(source)) return asItStands(source, width);
  try {
    const hasMore = definitions !== "" && source.includes("[");
    const read = look.parser.tokens(hasMore ? `${source}\n\n${definitions}` : source);
    if (read === undefined) return asItStands(source, width);
    const tokens = hasMore ? startOf(read, source.length) : read;
    return renderBlocks(trimSpace(tokens), { look, width });
  } catch {
    // Whatever the parser cannot read is still what the model wrote.
    return asItStands(source, width);
  }
}

/**
 * Rows of source code, two columns in.
 *
 * @param code Safe text.
 * @param language Its language, as a fence or a file name has it.
 * @param look What it is drawn with.
 * @param width Columns, at least 1.
 */
export function renderCode(
  code: string,
  language: string,
  look: MarkdownLook,
  width: number,
): readonly Line[] {
  const lines = look.highlighter.lines(code, language);
  return indented(lines.flatMap((line) => wrapAnywhere(line, Math.max(1, width - 2))), width);
}

/** Cells of a table are read one by one, so that a large table is still quick to read. */
function isTooMuch(source: string): boolean {
  if (source.startsWith("|")) return source.length > MAX_TABLE_CHARS;
  if (source.length > MAX_PART_CHARS || TOO_DEEP_REGEXP.test(source)) return true;
  return (source.match(MARK_REGEXP)?.length ?? 0) > MAX_MARKS;
}

/** Tokens of the first characters. */
function startOf(tokens: readonly Token[], chars: number): readonly Token[] {
  let end = 0;
  return tokens.filter(({ raw }) => {
    const start = end;
    end += raw.length;
    return start < chars;
  });
}

function renderBlocks(tokens: readonly Token[], style: BlockStyle): readonly Line[] {
  return tokens.flatMap((token) => renderBlock(token, style));
}

function renderBlock(token: Token, style: BlockStyle): readonly Line[] {
  const { look, width } = style;
  switch (token.type) {
    case "space":
      return [[]];
    case "heading":
      return paragraph(token.tokens ?? [], { ...style, role: "heading", bold: true }, [
        { text: `${"#".repeat(token.depth)} `, role: "heading", bold: true },
      ]);
    case "code":
      return renderCode(token.text, token.lang ?? "", look, width);
    case "list":
      return (token as Tokens.List).items.flatMap((item) => renderItem(item, style));
    case "table":
      return renderTable(token as Tokens.Table, style);
    case "blockquote":
      return renderQuote(token as Tokens.Blockquote, style);
    case "hr":
      return [
        lineOf(look.theme.glyph("horizontal").repeat(Math.min(width, MAX_RULE_CELLS)), "border"),
      ];
    case "html":
      return asItStands(token.raw.trimEnd(), width);
    case "def":
      return asItStands(token.raw.trimEnd(), width);
    default:
      return paragraph("tokens" in token && token.tokens ? token.tokens : [token], style);
  }
}

function paragraph(
  tokens: readonly Token[],
  style: BlockStyle,
  prefix: Line = [],
): readonly Line[] {
  const { look, width, ...inline } = style;
  return renderInline(tokens, look.theme, inline)
    .flatMap((line, index) => wrapWords(index === 0 ? [...prefix, ...line] : line, width));
}

function renderItem(item: Tokens.ListItem, style: BlockStyle): readonly Line[] {
  const { theme } = style.look;
  const number = /^ {0,3}(\d{1,9}[.)])/.exec(item.raw)?.[1];
  const box = item.task ? `[${item.checked ? "x" : " "}] ` : "";
  const mark: Line = [span(`${number ?? theme.glyph("bullet")} `, "accent"), span(box)];
  const taken = cellsOfLine(mark);
  const width = Math.max(1, style.width - taken);
  const tokens = item.tokens.filter(({ type }) => type !== "checkbox");
  const rows = renderBlocks(trimSpace(tokens), { ...style, width });
  // Where there is no room for an indentation, there is none.
  if (style.width <= taken) return [mark, ...rows];
  return (rows.length === 0 ? [[]] : rows).map((row, index) =>
    index === 0 ? [...mark, ...row] : row.length === 0 ? row : [span(" ".repeat(taken)), ...row]
  );
}

function renderTable({ header, rows, align }: Tokens.Table, style: BlockStyle): readonly Line[] {
  const { look, width, ...inline } = style;
  const cell = ({ tokens }: Tokens.TableCell) => renderInline(tokens, look.theme, inline);
  const table = { head: header.map(cell), rows: rows.map((row) => row.map(cell)), align };
  return layoutTable(table, look.theme, width);
}

function renderQuote(token: Tokens.Blockquote, style: BlockStyle): readonly Line[] {
  const bar = span(`${style.look.theme.glyph("vertical")} `, "quote");
  if (style.width < 4) return renderBlocks(trimSpace(token.tokens), style);
  const inner = { ...style, width: style.width - 2, role: "quote", italic: true } as const;
  return renderBlocks(trimSpace(token.tokens), inner).map((row) => [bar, ...row]);
}

function asItStands(source: string, width: number): readonly Line[] {
  return source.trimEnd().split("\n").flatMap((line) => wrapWords(lineOf(line), width));
}

function indented(rows: readonly Line[], width: number): readonly Line[] {
  return width <= 4 ? rows : rows.map((row) => row.length === 0 ? row : [span("  "), ...row]);
}

/** Tokens without the empty lines around them. */
function trimSpace(tokens: readonly Token[]): readonly Token[] {
  const isSpace = (token: Token | undefined) => token?.type === "space";
  let start = 0;
  let end = tokens.length;
  while (start < end && isSpace(tokens[start])) start++;
  while (end > start && isSpace(tokens[end - 1])) end--;
  return tokens.slice(start, end);
}
