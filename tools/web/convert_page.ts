import { cleanPage, textOf } from "./clean_page.ts";
import { extractArticle } from "./extract_article.ts";
import { pageToMarkdown } from "./page_to_markdown.ts";
import { parsePage } from "./page_dom.ts";

/** What is converted. */
export interface PageSource {
  /** The page. */
  readonly html: string;
  /** Its address. */
  readonly url: string;
  /** What it is converted to. */
  readonly format: "markdown" | "text";
}

/** A page as a reader gets it. */
export interface ConvertedPage {
  /** Its title; empty where it has none. */
  readonly title: string;
  /** Its text. */
  readonly content: string;
  /** How much of the page it is. */
  readonly part: "article" | "page";
  /** What a reader should know of it. */
  readonly notes: readonly string[];
}

/**
 * Converts a page. Time and stack are bounded by the limits of {@linkcode parsePage}, the rest by
 * whoever calls.
 *
 * @param source The page.
 * @throws {TooComplexError} If it cannot be converted within the limits.
 */
export function convertPage({ html, url, format }: PageSource): ConvertedPage {
  const page = parsePage(html);
  const { title, notes } = cleanPage(page, url);
  const body = page.body ?? page.documentElement;
  if (format === "text") return { title, content: textOf(body), part: "page", notes };
  // The article is looked for in a copy, because it is taken out of it.
  const copy = parsePage(`<!doctype html><title>x</title><body>${body.innerHTML}`);
  const article = extractArticle(copy, url);
  const content = pageToMarkdown(article ?? body);
  return { title, content, part: article === null ? "page" : "article", notes };
}
