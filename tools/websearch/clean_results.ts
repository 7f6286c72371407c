import type { SearchResult } from "@alisio/sdk";
import { visibleText } from "../../core/process/visible_text.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { replaceInvisible } from "../../core/text/invisible_characters.ts";
import { toPlainText } from "./plain_text.ts";
import type { FoundPage } from "./search_provider.ts";

/** Results that a search shows at most. */
export const MAX_RESULTS = 10;

const MAX_TITLE_CHARS = 200;
const MAX_SNIPPET_CHARS = 500;
const MAX_URL_CHARS = 2_000;

/** Entries that are looked at; a service sends a few dozen. */
const MAX_ENTRIES = 200;

/**
 * What a model is shown of what was found: pages of the web, each once, the best first, with titles
 * and snippets as short texts on one line. Anything in them that cannot be seen is gone.
 *
 * @param pages As the service gave them.
 */
export async function cleanResults(
  pages: readonly FoundPage[],
): Promise<readonly SearchResult[]> {
  const results = new Map<string, SearchResult>();
  for (const { title, url: address, snippet } of pages.slice(0, MAX_ENTRIES)) {
    if (results.size === MAX_RESULTS) break;
    const url = webAddress(address);
    if (url === null || results.has(keyOf(url))) continue;
    const name = await cleanText(title, MAX_TITLE_CHARS);
    results.set(keyOf(url), {
      title: name === "" ? url.host : name,
      url: url.href,
      snippet: await cleanText(snippet, MAX_SNIPPET_CHARS),
    });
  }
  return [...results.values()];
}

/** An address of the web, without a user and a password, which nobody needs to follow it. */
function webAddress(address: string): URL | null {
  const url = address.length > MAX_URL_CHARS ? null : URL.parse(address.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return null;
  url.username = "";
  url.password = "";
  return url.href.length > MAX_URL_CHARS ? null : url;
}

/** A page is the same whatever place in it is meant. */
function keyOf({ host, pathname, search }: URL): string {
  return `${host}${pathname.replace(/\/$/, "")}${search}`;
}

async function cleanText(text: string, maxChars: number): Promise<string> {
  const plain = await toPlainText(text);
  const line = replaceInvisible(plain, () => "").replace(/\s+/g, " ").trim();
  return previewText(visibleText(line), maxChars);
}
