import { type QuoteType, Tokenizer } from "../_html_parser.ts";
import { isHidden } from "./is_hidden.ts";
import { tidyLines } from "./tidy_lines.ts";

const SILENT: ReadonlySet<string> = new Set([
  ...["script", "style", "template", "noscript", "svg", "math", "iframe", "object", "title"],
]);
const INLINE: ReadonlySet<string> = new Set([
  ...["a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "img"],
  ...["kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"],
  ...["time", "tt", "u", "var", "wbr"],
]);
/** Elements without content. */
const VOID: ReadonlySet<string> = new Set([
  ...[
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
  ],
  "wbr",
]);
/** Elements that end without a word, where the next of them begins or what they are in ends. */
const IMPLIED: ReadonlySet<string> = new Set([
  ...["p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "optgroup"],
]);
/** Attributes that hide an element, or show one. */
const HIDING: ReadonlySet<string> = new Set(["hidden", "aria-hidden", "style", "open"]);
const MAX_ATTRIBUTE_CHARS = 4_000;
const MAX_NAME_CHARS = 40;

/**
 * The text of a page, found without a tree, in time that grows with its length alone: for pages that
 * are too deep or too large for anything better. What an attribute hides is left out.
 *
 * @param html The page.
 */
export function plainText(html: string): string {
  const reader = new TextReader();
  const part = (start: number, end: number, max = Infinity) =>
    html.slice(start, Math.min(end, start + max));
  const ignore = () => {};
  const text = (start: number, end: number) => reader.addText(part(start, end));
  const tokenizer = new Tokenizer({ decodeEntities: true }, {
    ontext: text,
    ontextentity: (codepoint) => reader.addText(String.fromCodePoint(codepoint)),
    onopentagname: (start, end) => reader.openTag(part(start, end, MAX_NAME_CHARS).toLowerCase()),
    onattribname: (start, end) => reader.attribute(part(start, end, MAX_NAME_CHARS).toLowerCase()),
    onattribdata: (start, end) => reader.value(part(start, end, MAX_ATTRIBUTE_CHARS)),
    onattribentity: (codepoint) => reader.value(String.fromCodePoint(codepoint)),
    onattribend: (_quote: QuoteType) => {},
    onopentagend: () => reader.enter(),
    onselfclosingtag: () => reader.enter("closed"),
    onclosetag: (start, end) =>
      reader.closeTag(part(start, end, MAX_NAME_CHARS).trim().toLowerCase()),
    oncdata: text,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onprocessinginstruction: ignore,
  });
  tokenizer.write(html);
  tokenizer.end();
  return tidyLines(reader.parts.join(""));
}

/** Keeps the text that shows, as tags come by. */
class TextReader {
  readonly parts: string[] = [];
  /** The element whose tag is read, and its attributes that matter. */
  #name = "";
  readonly #attributes = new Map<string, string>();
  #attribute = "";
  /** The element that is open and does not show, and how many of its name. */
  #silent = "";
  #open = 0;
  /** What else is open in it, which matters where it may end without a word. */
  #inside = 0;

  addText(text: string): void {
    if (this.#silent === "") this.parts.push(text.replaceAll(/\s+/g, " "));
  }

  openTag(name: string): void {
    this.#name = name;
    this.#attributes.clear();
    if (name === this.#silent && IMPLIED.has(name) && this.#inside === 0) this.#silent = "";
    if (this.#silent === "" && SILENT.has(name)) this.#hush(0);
    if (name === this.#silent) this.#open++;
    else if (isContainer(name)) this.#inside++;
    this.#breakLine(name);
  }

  /** Of two of one name, the first one counts. */
  attribute(name: string): void {
    this.#attribute = HIDING.has(name) && !this.#attributes.has(name) ? name : "";
    if (this.#attribute !== "") this.#attributes.set(name, "");
  }

  value(text: string): void {
    const before = this.#attributes.get(this.#attribute);
    if (before === undefined || before.length > MAX_ATTRIBUTE_CHARS) return;
    this.#attributes.set(this.#attribute, before + text);
  }

  /** The tag is read. A stroke at its end closes nothing but what is no HTML. */
  enter(end: "open" | "closed" = "open"): void {
    const name = this.#name;
    if (end === "closed" && name === this.#silent && SILENT.has(name)) this.#leaveOne();
    const hides = this.#silent === "" && !VOID.has(name) && !SILENT.has(name) &&
      isHidden(name, (each) => this.#attributes.get(each) ?? null);
    if (hides) this.#hush(1);
  }

  closeTag(name: string): void {
    if (name === this.#silent) this.#leaveOne();
    else if (IMPLIED.has(this.#silent) && isContainer(name) && --this.#inside < 0) {
      this.#silent = "";
    }
    this.#breakLine(name);
  }

  #hush(open: number): void {
    this.#silent = this.#name;
    this.#open = open;
    this.#inside = 0;
  }

  #leaveOne(): void {
    if (--this.#open === 0) this.#silent = "";
  }

  #breakLine(tag: string): void {
    if (this.#silent !== "" || INLINE.has(tag)) return;
    this.parts.push(tag === "td" || tag === "th" ? "\t" : "\n");
  }
}

/** Whether it has an end of its own, with which what is in it ends too. */
function isContainer(name: string): boolean {
  return !VOID.has(name) && !INLINE.has(name) && !IMPLIED.has(name);
}
