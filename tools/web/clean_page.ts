import { isHidden } from "./is_hidden.ts";
import { tidyLines } from "./tidy_lines.ts";
import {
  elementsBelow,
  isElement,
  type PageDocument,
  type PageElement,
  type PageNode,
  walk,
} from "./page_dom.ts";

/** Elements whose content nobody reads. */
const SILENT: ReadonlySet<string> = new Set([
  ...["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "SVG", "MATH", "CANVAS", "IFRAME", "OBJECT"],
  ...["EMBED", "LINK", "META", "BASE", "INPUT", "SELECT", "DATALIST", "AUDIO", "VIDEO", "MAP"],
  ...["NOEMBED", "NOFRAMES", "FRAMESET", "PARAM", "SOURCE", "TRACK", "PROGRESS", "METER"],
]);

/** What was found while a page was cleaned. */
export interface CleanedPage {
  /** Its title. */
  readonly title: string;
  /** What a reader should know of it. */
  readonly notes: readonly string[];
}

/**
 * Takes out of a page what a person who looks at it does not read: scripts, styles, and whatever is
 * hidden, where text for models likes to stand. Links become absolute; those that run code, and those
 * into the page itself, become plain text.
 *
 * @param page The page, which is changed.
 * @param url Its address.
 */
export function cleanPage(page: PageDocument, url: string): CleanedPage {
  const notes: string[] = [];
  const elements = elementsBelow(page);
  const base = baseOf(elements, url);
  const refresh = elements.map(refreshOf).find((target) => target !== null);
  if (refresh !== undefined && refresh !== null) {
    const target = URL.parse(refresh, base)?.href ?? refresh;
    notes.push(
      `The page asks to go on to ${
        JSON.stringify(target.slice(0, 500))
      } (meta refresh), which was ` +
        "not followed",
    );
  }
  const title = page.title.replaceAll(/\s+/g, " ").trim().slice(0, 300);
  let hidden = 0;
  for (const element of elements) {
    if (SILENT.has(element.nodeName.toUpperCase())) remove(element);
    else if (isHidden(element.nodeName, (name) => element.getAttribute(name))) {
      if (element.textContent.trim() !== "") hidden++;
      remove(element);
    } else mendLinks(element, base);
  }
  removeComments(page);
  if (hidden > 0) notes.push(`Hidden elements with text were left out: ${hidden}`);
  return { title, notes };
}

function remove(node: PageNode): void {
  node.parentNode?.removeChild(node);
}

function removeComments(page: PageDocument): void {
  const comments: PageNode[] = [];
  for (const { node, phase } of walk(page)) {
    if (phase === "enter" && node.nodeType === 8) comments.push(node);
  }
  for (const comment of comments) remove(comment);
}

function baseOf(elements: readonly PageElement[], url: string): string {
  const href = elements.find(({ nodeName }) => nodeName === "BASE")?.getAttribute("href");
  const base = href === undefined || href === null ? null : URL.parse(href, url);
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : url;
}

function refreshOf(element: PageElement): string | null {
  if (element.nodeName !== "META") return null;
  if ((element.getAttribute("http-equiv") ?? "").trim().toLowerCase() !== "refresh") return null;
  const content = element.getAttribute("content") ?? "";
  return /^[\s\d.]*[;,]\s*(?:url\s*=)?\s*["']?([^"']+)/i.exec(content)?.[1]?.trim() ?? null;
}

function mendLinks(element: PageElement, base: string): void {
  if (element.nodeName === "A") {
    const href = element.getAttribute("href")?.trim() ?? "";
    const target = URL.parse(href, base);
    const isUseful = href !== "" && !href.startsWith("#") && target !== null &&
      /^(?:https?|mailto|tel|ftp):$/.test(target.protocol);
    if (isUseful) element.setAttribute("href", target.href);
    else element.removeAttribute("href");
    element.removeAttribute("title");
  }
  if (element.nodeName === "IMG") {
    const sources = ["src", "data-src"].map((name) => element.getAttribute(name)?.trim() ?? "");
    const target = sources.filter((source) => source !== "").map((source) =>
      URL.parse(source, base)
    )
      .find((each) => each !== null && /^https?:$/.test(each.protocol));
    if (target !== undefined && target !== null) element.setAttribute("src", target.href);
    else element.removeAttribute("src");
    element.removeAttribute("title");
  }
}

/** Ends a line of text. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...["ADDRESS", "ARTICLE", "ASIDE", "BLOCKQUOTE", "BODY", "CAPTION", "DD", "DETAILS", "DIV", "DL"],
  ...["DT", "FIELDSET", "FIGCAPTION", "FIGURE", "FOOTER", "FORM", "H1", "H2", "H3", "H4", "H5"],
  ...["H6", "HEADER", "HR", "LI", "MAIN", "NAV", "OL", "P", "PRE", "SECTION", "SUMMARY", "TABLE"],
  ...["TR", "UL"],
]);

/**
 * The text of a cleaned page, a line for each block; preformatted text stays as it is.
 *
 * @param root Where to begin.
 */
export function textOf(root: PageNode): string {
  const parts: string[] = [];
  let preformatted = 0;
  for (const { node, phase } of walk(root)) {
    const name = node.nodeName;
    if (isElement(node)) {
      if (name === "PRE") preformatted += phase === "enter" ? 1 : -1;
      if (name === "LI" && phase === "enter") parts.push("\n- ");
      else if (BLOCKS.has(name) || (name === "BR" && phase === "enter")) parts.push("\n");
      else if ((name === "TD" || name === "TH") && phase === "leave") parts.push("\t");
    } else if (node.nodeType === 3 && phase === "enter") {
      const text = node.nodeValue ?? "";
      parts.push(preformatted > 0 ? text : text.replaceAll(/\s+/g, " "));
    }
  }
  return tidyLines(parts.join(""));
}
