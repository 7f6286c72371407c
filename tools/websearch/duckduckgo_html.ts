import { VERSION } from "../../core/version.ts";
import { readResultPage } from "./read_result_page.ts";
import { SearchFailure } from "./search_failure.ts";
import type { Found, Search } from "./search_provider.ts";

/** Where it is asked. */
export const DUCKDUCKGO_HTML_URL = "https://html.duckduckgo.com/html/";

const LIMITATION =
  "Read from a page of DuckDuckGo, which may change or ask for a person at any time";

const CHECKED = "it takes this search for a robot's and wants to see a person";

/**
 * Searches with the page of DuckDuckGo that works without scripts, which needs no key.
 *
 * @param endpoint Where it is asked.
 */
export function createDuckDuckGoHtmlSearch(endpoint: string = DUCKDUCKGO_HTML_URL): Search {
  return async ({ query, request }) => {
    const url = new URL(endpoint);
    const html = await request({
      url,
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "text/html",
        "user-agent": `Mozilla/5.0 (compatible; alisio/${VERSION})`,
      },
      body: new URLSearchParams({ q: query, b: "" }).toString(),
      // The page that asks for a person comes with a status of its own.
      advise: (status) => [202, 403, 418, 429].includes(status) ? adviceFor(CHECKED) : undefined,
    });
    return await readAnswer(html, url.host);
  };
}

async function readAnswer(html: string, host: string): Promise<Found> {
  const page = await readResultPage(html, host);
  switch (page.kind) {
    case "results":
      return { pages: page.pages, limitation: LIMITATION };
    case "challenge":
      throw new SearchFailure(`${host} refused: ${adviceFor(CHECKED)}`);
    case "unknown":
      throw new SearchFailure(
        `${host} answered with a page that holds neither results nor word that there are none; ` +
          'choose another "websearch.provider"',
      );
    default:
      return page satisfies never;
  }
}

function adviceFor(reason: string): string {
  return `${reason}; wait a while, or choose another "websearch.provider"`;
}
