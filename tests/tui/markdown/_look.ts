import { Highlighter } from "../../../tui/markdown/highlighter.ts";
import { MarkdownBody } from "../../../tui/markdown/markdown_body.ts";
import { MarkdownParser } from "../../../tui/markdown/markdown_parser.ts";
import type { MarkdownLook } from "../../../tui/markdown/render_markdown.ts";
import { textOfLine } from "../../../tui/text/span.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import type { TerminalLook } from "../../../tui/theme/theme.ts";

/** What Markdown is drawn with, the parser loaded. */
export async function markdownLook(
  look: TerminalLook = { depth: "none", unicode: true, background: "dark" },
): Promise<MarkdownLook> {
  const parser = new MarkdownParser(() => {});
  parser.load();
  await parser.loaded();
  return { theme: createTheme(look), highlighter: new Highlighter(() => {}), parser };
}

/** Rows of a text that came in pieces, after each of them. */
export function streamedRows(
  pieces: readonly string[],
  look: MarkdownLook,
  width = 60,
): readonly (readonly string[])[] {
  const body = new MarkdownBody(textOfLine);
  let text = "";
  return pieces.map((piece) => {
    text += piece;
    body.update(text);
    return body.rows(look, width).map((row) => row.trimEnd());
  });
}

/** Rows of a text that is complete. */
export function markdownRows(text: string, look: MarkdownLook, width = 60): readonly string[] {
  const body = new MarkdownBody(textOfLine);
  body.update(text);
  body.complete();
  return body.rows(look, width).map((row) => row.trimEnd());
}
