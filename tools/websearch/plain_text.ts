/** More of a title or a snippet is never shown. */
const MAX_MARKUP_CHARS = 8_192;

/** A closing tag, or a character that is written by its name or number. */
const MARKUP_REGEXP =
  /<\/[a-z][a-z0-9]*\s*>|<(?:br|wbr)\s*\/?>|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/i;

const SILENT_ELEMENTS: ReadonlySet<string> = new Set(["script", "style"]);

/**
 * A title or a snippet as text. Some services send it as HTML; what holds no markup stays as it is,
 * so that a text about `<div>` keeps its word.
 *
 * @param text What the service sent.
 */
export async function toPlainText(text: string): Promise<string> {
  const given = text.slice(0, MAX_MARKUP_CHARS);
  if (!MARKUP_REGEXP.test(given)) return given;
  const { Parser } = await import("../_html_parser.ts");
  let plain = "";
  let silent = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (SILENT_ELEMENTS.has(name)) silent++;
      else if (name === "br" || name === "p") plain += " ";
    },
    ontext(part) {
      if (silent === 0) plain += part;
    },
    onclosetag(name) {
      if (SILENT_ELEMENTS.has(name)) silent--;
    },
  });
  parser.write(given);
  parser.end();
  return plain;
}
