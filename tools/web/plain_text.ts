import { type QuoteType, Tokenizer } from "../_html_parser.ts";
import { tidyLines } from "./tidy_lines.ts";

const SILENT: ReadonlySet<string> = new Set([
  ...["script", "style", "template", "noscript", "svg", "math", "iframe", "object", "title"],
]);
const INLINE: ReadonlySet<string> = new Set([
  ...[
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "cite",
    "code",
    "data",
    "dfn",
    "em",
    "font",
    "i",
    "img",
    "kbd",
  ],
  ...["label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time"],
  ...["tt", "u", "var", "wbr"],
]);

/**
 * The text of a page, found without a tree, in time that grows with its length alone: for pages that
 * are too deep or too large for anything better.
 *
 * @param html The page.
 */
export function plainText(html: string): string {
  const parts: string[] = [];
  let name = "";
  /** The silent element that is open, and how many of its name. */
  let silent = "";
  let open = 0;
  const text = (start: number, end: number) => {
    if (silent === "") parts.push(html.slice(start, end).replaceAll(/\s+/g, " "));
  };
  const breakLine = (tag: string) => {
    if (silent === "" && !INLINE.has(tag)) parts.push(tag === "td" || tag === "th" ? "\t" : "\n");
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer({ decodeEntities: true }, {
    ontext: text,
    ontextentity(codepoint) {
      if (silent === "") parts.push(String.fromCodePoint(codepoint));
    },
    onopentagname(start, end) {
      name = html.slice(start, Math.min(end, start + 40)).toLowerCase();
      if (silent === "" && SILENT.has(name)) {
        silent = name;
        open = 0;
      }
      if (name === silent) open++;
      breakLine(name);
    },
    onselfclosingtag() {
      if (name === silent && --open === 0) silent = "";
    },
    onclosetag(start, end) {
      const tag = html.slice(start, Math.min(end, start + 40)).trim().toLowerCase();
      if (tag === silent && --open === 0) silent = "";
      else breakLine(tag);
    },
    onattribdata: ignore,
    onattribentity: ignore,
    onattribend: (_quote: QuoteType) => {},
    onattribname: ignore,
    oncdata: text,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onprocessinginstruction: ignore,
  });
  tokenizer.write(html);
  tokenizer.end();
  return tidyLines(parts.join(""));
}
