import { SearchFailure } from "./search_failure.ts";
import type { FoundPage } from "./search_provider.ts";

/** What a page of DuckDuckGo turned out to be. */
export type ResultPage =
  /** The list may be empty. */
  | { readonly kind: "results"; readonly pages: readonly FoundPage[] }
  /** It wants to see a person. */
  | { readonly kind: "challenge" }
  | { readonly kind: "unknown" };

/** Pages of results are some twenty levels deep; what is deeper costs more the deeper it is. */
const MAX_DEPTH = 256;

/** What is open at a point of the page. */
interface OpenPart {
  readonly part: "title" | "snippet";
  readonly depth: number;
}

/**
 * Reads the results from a page of `html.duckduckgo.com`. What was paid for is left out.
 *
 * @param html The page.
 * @param host Who sent it, for the message.
 * @throws {SearchFailure} If it is no page that anybody wrote.
 */
export async function readResultPage(html: string, host: string): Promise<ResultPage> {
  const { Parser } = await import("../_html_parser.ts");
  const pages: { title: string; url: string; snippet: string }[] = [];
  let depth = 0;
  let open: OpenPart | null = null;
  let saysNone = false;
  let isChallenge = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MAX_DEPTH) throw new SearchFailure(`${host} answered with a page of no sense`);
      const classes = new Set((attributes["class"] ?? "").split(/\s+/));
      saysNone ||= classes.has("no-results") || classes.has("result--no-result");
      isChallenge ||= attributes["id"] === "challenge-form" || classes.has("anomaly-modal__title");
      if (name === "a" && classes.has("result__a")) {
        pages.push({ title: "", url: targetOf(attributes["href"] ?? ""), snippet: "" });
        open = { part: "title", depth };
      } else if (classes.has("result__snippet") && pages.length > 0) {
        open = { part: "snippet", depth };
      }
    },
    ontext(text) {
      const page = pages.at(-1);
      if (open !== null && page !== undefined) page[open.part] += text;
    },
    onclosetag() {
      if (open?.depth === depth) open = null;
      depth--;
    },
  });
  parser.write(html);
  parser.end();
  const found = pages.filter(({ url }) => url !== "");
  if (found.length > 0) return { kind: "results", pages: found };
  if (isChallenge) return { kind: "challenge" };
  return saysNone ? { kind: "results", pages: [] } : { kind: "unknown" };
}

/** Links lead over an address of DuckDuckGo, which holds the real one; those of ads hold none. */
function targetOf(href: string): string {
  const url = URL.parse(href, "https://duckduckgo.com/");
  if (url === null) return "";
  if (!/(?:^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href;
  return url.pathname === "/l/" ? url.searchParams.get("uddg") ?? "" : "";
}
