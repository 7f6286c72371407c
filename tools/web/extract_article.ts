import { Readability } from "@mozilla/readability";
import { textOf } from "./clean_page.ts";
import {
  childrenOf,
  elementsBelow,
  type PageDocument,
  type PageElement,
  parsePage,
} from "./page_dom.ts";

/** Characters below which a text is no article. */
const MIN_ARTICLE_CHARS = 400;
/** Share of the text of a page that its article must have, menus and the like left out. */
const MIN_SHARE = 0.5;
/** The library compares the children of one element with each other. */
const MAX_CHILDREN = 4_000;
/** What surrounds an article. */
const AROUND: ReadonlySet<string> = new Set(["NAV", "HEADER", "FOOTER", "ASIDE", "FORM", "BUTTON"]);

/** What of the library is used here. */
type Extractor = new (
  page: PageDocument,
  options: Record<string, unknown>,
) => { parse(): { readonly content?: string | null } | null };

/**
 * Finds the article of a cleaned page, without menus, banners and footers.
 *
 * @param page The page. It is taken apart.
 * @param url Its address.
 * @returns The article; `null` where there is none, where too much of the page would be lost, or
 * where the search would take too long.
 */
export function extractArticle(page: PageDocument, url: string): PageElement | null {
  if (isTooWide(page)) return null;
  const before = measure(page);
  completePage(page, url);
  const content = findArticle(page);
  if (content === null) return null;
  const article = parsePage(content).body;
  if (article === null) return null;
  const after = measure(article);
  const isEnough = after.chars >= MIN_ARTICLE_CHARS && after.chars >= before.chars * MIN_SHARE &&
    after.codes * 2 >= before.codes && after.tables * 2 >= before.tables;
  return isEnough ? article : null;
}

/** What the library cannot take apart is no article. */
function findArticle(page: PageDocument): string | null {
  const extractor = Readability as unknown as Extractor;
  try {
    const options = { keepClasses: true, disableJSONLD: true };
    return new extractor(page, options).parse()?.content ?? null;
  } catch {
    return null;
  }
}

function isTooWide(page: PageDocument): boolean {
  const children = new Map<unknown, number>();
  for (const { parentNode } of elementsBelow(page)) {
    const count = (children.get(parentNode) ?? 0) + 1;
    if (count > MAX_CHILDREN) return true;
    children.set(parentNode, count);
  }
  return false;
}

interface Measure {
  readonly chars: number;
  readonly codes: number;
  readonly tables: number;
}

function measure(root: PageDocument | PageElement): Measure {
  const elements = elementsBelow(root);
  const around = elements.filter((each) => AROUND.has(each.nodeName) && !isWithinOther(each));
  const chars = (text: string) => text.replaceAll(/\s+/g, "").length;
  const outside = around.reduce((sum, each) => sum + chars(each.textContent), 0);
  return {
    chars: chars(textOf(root)) - outside,
    codes: elements.filter(({ nodeName }) => nodeName === "PRE").length,
    tables: elements.filter(({ nodeName }) => nodeName === "TH").length,
  };
}

function isWithinOther(element: PageElement): boolean {
  for (let parent = element.parentNode; parent !== null; parent = parent.parentNode) {
    if (AROUND.has(parent.nodeName)) return true;
  }
  return false;
}

/** What of a document the library calls. */
interface CalledDocument {
  readonly getElementsByTagName: (name: string) => object;
  readonly createElement: (name: string) => PageElement;
}

/**
 * The library asks a document for its address, goes through lists of elements, and takes children by
 * their number while it moves them; this implementation does none of it as a browser would.
 */
function completePage(page: PageDocument, url: string): void {
  const called = page as unknown as CalledDocument;
  const create = called.createElement.bind(page);
  for (const element of elementsBelow(page)) completeElement(element);
  for (const name of ["baseURI", "documentURI"]) Object.defineProperty(page, name, { value: url });
  Object.defineProperty(page, "createElement", {
    value: (name: string) => completeElement(create(name)),
  });
  const lists = Object.getPrototypeOf(called.getElementsByTagName("a"));
  if (Symbol.iterator in lists) return;
  Object.defineProperty(lists, Symbol.iterator, {
    value: function* (this: { readonly length: number; item(index: number): unknown }) {
      for (let index = 0; index < this.length; index++) yield this.item(index);
    },
  });
}

function completeElement(element: PageElement): PageElement {
  return Object.defineProperty(element, "children", { get: () => childrenOf(element) });
}
