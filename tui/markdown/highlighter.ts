import type { HLJSApi } from "highlight.js";
import type { Role } from "../theme/theme.ts";
import { type Line, lineOf, type Span, span } from "../text/span.ts";
import { findLanguage, LANGUAGES } from "./languages.ts";

/** Longer source is shown plain: to colour it would hold up the screen. */
const MAX_CHARS = 60_000;
const MAX_LINE_CHARS = 2_000;

const MARKUP_REGEXP = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** What the classes of highlight.js are, by their first word. */
const ROLES: Readonly<Record<string, Role>> = {
  addition: "added",
  attr: "function",
  attribute: "function",
  built_in: "type",
  bullet: "keyword",
  class: "type",
  code: "code",
  comment: "comment",
  deletion: "removed",
  doctag: "comment",
  formula: "code",
  keyword: "keyword",
  link: "link",
  literal: "number",
  meta: "comment",
  name: "keyword",
  number: "number",
  property: "function",
  quote: "quote",
  regexp: "string",
  section: "heading",
  "selector-attr": "string",
  "selector-class": "type",
  "selector-id": "type",
  "selector-pseudo": "keyword",
  "selector-tag": "keyword",
  string: "string",
  subst: "text",
  symbol: "string",
  tag: "keyword",
  "template-tag": "keyword",
  "template-variable": "number",
  title: "function",
  type: "type",
  variable: "number",
};

/**
 * Colours source code. Nothing is loaded before there is code to colour; until its language is
 * there, and for languages that nobody knows, code is plain.
 */
export class Highlighter {
  readonly #onLoaded: () => void;
  #core: HLJSApi | undefined;
  readonly #ready = new Set<string>();
  readonly #loading = new Map<string, Promise<void>>();
  #pending = 0;

  /** @param onLoaded Called whenever a language is there, or cannot be loaded. */
  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded;
  }

  /**
   * Lines of source code.
   *
   * @param code Safe text.
   * @param language Its language, as a fence or a file name has it.
   */
  lines(code: string, language: string): readonly Line[] {
    const name = findLanguage(language);
    if (name === undefined || code.length > MAX_CHARS || hasLongLine(code)) return plain(code);
    if (this.#core === undefined || !this.#ready.has(name)) {
      this.#start(name);
      return plain(code);
    }
    try {
      return parseMarkup(
        this.#core.highlight(code, { language: name, ignoreIllegals: true }).value,
      );
    } catch {
      // A grammar that gives up costs the colours, not the code.
      return plain(code);
    }
  }

  /** Whether a language is on its way. */
  get isLoading(): boolean {
    return this.#pending > 0;
  }

  /** Settles when every language that was asked for is there, or cannot be loaded. */
  async loaded(): Promise<void> {
    await Promise.all(this.#loading.values());
  }

  #start(name: string): void {
    if (this.#loading.has(name)) return;
    this.#pending += 1;
    const loading = this.#load(name).catch(() => {}).then(() => {
      this.#pending -= 1;
      this.#onLoaded();
    });
    this.#loading.set(name, loading);
  }

  async #load(name: string): Promise<void> {
    const [{ default: core }, language] = await Promise.all([
      import("highlight.js/lib/core"),
      LANGUAGES[name]?.(),
    ]);
    if (language === undefined) return;
    this.#core ??= core.newInstance();
    this.#core.registerLanguage(name, language.default);
    this.#ready.add(name);
  }
}

function plain(code: string): readonly Line[] {
  return code.split("\n").map((line) => lineOf(line, "code"));
}

function hasLongLine(code: string): boolean {
  return code.split("\n").some((line) => line.length > MAX_LINE_CHARS);
}

/** Reads the markup of highlight.js, which knows spans of a class and five entities. */
function parseMarkup(markup: string): readonly Line[] {
  const lines: Span[][] = [[]];
  const roles: (Role | undefined)[] = [];
  for (const [piece, classes] of markup.matchAll(MARKUP_REGEXP)) {
    if (classes !== undefined) {
      roles.push(roleOf(classes) ?? roles.at(-1));
      continue;
    }
    if (piece === "</span>") {
      roles.pop();
      continue;
    }
    const role = roles.at(-1) ?? "code";
    for (const [index, text] of (ENTITIES[piece] ?? piece).split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") append(lines, text, role);
    }
  }
  return lines;
}

function append(lines: Span[][], text: string, role: Role): void {
  const line = lines.at(-1) ?? [];
  const last = line.at(-1);
  if (last?.role === role) line[line.length - 1] = span(last.text + text, role);
  else line.push(span(text, role));
}

function roleOf(classes: string): Role | undefined {
  const [name = "", detail = ""] = classes.replaceAll("hljs-", "").split(" ");
  if (name === "title" && detail === "class_") return "type";
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}
