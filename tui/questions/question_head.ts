import { QUESTION_MARK } from "../../core/text/question_mark.ts";
import { fitText, oneLine, wrapText } from "../panels/fit_text.ts";
import type { Theme } from "../theme/theme.ts";

/** What takes the place of the sign where there is ASCII alone. */
const ASCII_MARK = "##";

/**
 * Draws the first rows of a question, with the sign that nothing else on the screen can hold.
 *
 * @param title What is asked.
 * @param place How wide and how high it may be, and in what colours.
 * @returns The rows, and whether the title had to be cut.
 */
export function questionHead(
  title: string,
  { width, rows, theme }: { readonly width: number; readonly rows: number; readonly theme: Theme },
): { readonly rows: readonly string[]; readonly isCut: boolean } {
  const mark = theme.look.unicode ? QUESTION_MARK : ASCII_MARK;
  const room = Math.max(1, width - mark.length - 1);
  const lines = wrapText(oneLine(asAscii(title, theme), theme), room);
  const shown = lines.slice(0, rows);
  const isCut = lines.length > rows;
  const last = shown.at(-1) ?? "";
  const cut = isCut
    ? [...shown.slice(0, -1), fitText(`${last}${theme.glyph("ellipsis")}`, room, theme)]
    : shown;
  return {
    rows: cut.map((line) => `${theme.paint("question", mark)} ${theme.bold(line)}`),
    isCut: isCut || title.length > MAX_TITLE_CHARS,
  };
}

/** Longer ones are not shown whole in one line of a panel. */
const MAX_TITLE_CHARS = 2_000;

/** The sign between agents. */
function asAscii(title: string, { look }: Theme): string {
  return look.unicode ? title : title.replaceAll("›", ">");
}
