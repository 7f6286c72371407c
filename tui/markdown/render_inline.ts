import type { Token, Tokens } from "marked";
import type { Role, Theme } from "../theme/theme.ts";
import { safeText } from "../text/safe_text.ts";
import type { Line, Span } from "../text/span.ts";

/** How text looks where nothing else is said. */
export interface InlineStyle {
  /** What it is. */
  readonly role?: Role;
  /** Whether it stands out. */
  readonly bold?: boolean;
  /** Whether it is slanted. */
  readonly italic?: boolean;
}

const ENTITY_REGEXP = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Lines of the tokens inside a paragraph, a heading or a cell, not broken to a width yet. A line end
 * of the source is a line end here: people and models break lines where they mean it.
 *
 * @param tokens The tokens.
 * @param theme The colours, which decide whether code needs marks to be told apart.
 * @param style How they look.
 */
export function renderInline(
  tokens: readonly Token[],
  theme: Theme,
  style: InlineStyle = {},
): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const { text, ...look } of spansOf(tokens, theme, style)) {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push({ text: piece, ...look });
    }
  }
  return lines;
}

function* spansOf(tokens: readonly Token[], theme: Theme, style: InlineStyle): Iterable<Span> {
  for (const token of tokens) {
    switch (token.type) {
      case "strong":
        yield* spansOf(token.tokens ?? [], theme, { ...style, bold: true });
        break;
      case "em":
        yield* spansOf(token.tokens ?? [], theme, { ...style, italic: true });
        break;
      case "del":
        yield { text: "~~", ...style };
        yield* spansOf(token.tokens ?? [], theme, style);
        yield { text: "~~", ...style };
        break;
      case "codespan":
        // Without colours, nothing else would show where code begins and ends.
        yield { ...style, text: codeText(token.text, theme), role: "code" };
        break;
      case "link":
        yield* linkSpans(token as Tokens.Link, theme, style);
        break;
      case "image":
        yield { ...style, text: `[image: ${decoded(token.text)}] (${token.href})`, role: "link" };
        break;
      case "br":
        yield { text: "\n", ...style };
        break;
      case "html":
        yield { text: token.raw, ...style };
        break;
      case "checkbox":
        break;
      default:
        if ("tokens" in token && token.tokens !== undefined) {
          yield* spansOf(token.tokens, theme, style);
        } else {
          yield { text: decoded("text" in token ? String(token.text) : token.raw), ...style };
        }
    }
  }
}

function* linkSpans(token: Tokens.Link, theme: Theme, style: InlineStyle): Iterable<Span> {
  yield* spansOf(token.tokens, theme, { ...style, role: "link" });
  // Where a link leads is always seen: a text can claim anything.
  const target = token.href.replace(/^mailto:/, "");
  if (decoded(token.text) !== target) yield { ...style, text: ` (${token.href})`, role: "dim" };
}

function codeText(text: string, theme: Theme): string {
  return theme.look.depth === "none" ? `\`${text}\`` : text;
}

/** A character that was spelled as an entity is as foreign as any other. */
function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY_REGEXP, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0x10ffff ? whole : safeText(String.fromCodePoint(code)).replace("\n", " ");
  });
}
