import { visibleName } from "../../core/process/visible_text.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { readJsonObject, readResults, textAt, toText } from "./read_json.ts";
import { adviseAboutKey, type ServiceKey } from "./service_key.ts";
import { SearchFailure } from "./search_failure.ts";
import type { Search } from "./search_provider.ts";

/** Where it is asked. */
export const SERPAPI_URL = "https://serpapi.com/search.json";

/** It says so as an error, with a search that succeeded. */
const NOTHING_FOUND_REGEXP = /hasn't returned any results/i;

/**
 * Searches Google with SerpApi.
 *
 * @param key The person's key.
 * @param endpoint Where it is asked.
 */
export function createSerpApiSearch(key: ServiceKey, endpoint: string = SERPAPI_URL): Search {
  return async ({ query, maxResults, request }) => {
    const url = new URL(endpoint);
    const parameters = { engine: "google", q: query, num: String(maxResults) };
    for (const [name, value] of Object.entries({ ...parameters, api_key: key.value })) {
      url.searchParams.set(name, value);
    }
    const text = await request({
      url,
      headers: { accept: "application/json" },
      explain: (body) => textAt(body, "error"),
      advise: (status) => adviseAboutKey(key, status),
    });
    const { error, organic_results: results } = readJsonObject(text, url.host);
    if (results === undefined && typeof error === "string") {
      if (NOTHING_FOUND_REGEXP.test(error)) return { pages: [] };
      throw new SearchFailure(`${url.host} answered: ${visibleName(previewText(error, 300))}`);
    }
    return {
      pages: readResults(results, url.host).map((result) => ({
        title: toText(result["title"]),
        url: toText(result["link"]),
        snippet: toText(result["snippet"]),
      })),
    };
  };
}
