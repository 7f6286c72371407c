import { isObject } from "../../core/config/is_object.ts";
import { readJsonObject, readResults, textAt, toText } from "./read_json.ts";
import { adviseAboutKey, type ServiceKey } from "./service_key.ts";
import type { Search } from "./search_provider.ts";

/** Where it is asked. */
export const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";

/**
 * Searches with Brave.
 *
 * @param key The person's key.
 * @param endpoint Where it is asked.
 */
export function createBraveSearch(key: ServiceKey, endpoint: string = BRAVE_URL): Search {
  return async ({ query, maxResults, request }) => {
    const url = new URL(endpoint);
    url.searchParams.set("q", query);
    url.searchParams.set("count", String(maxResults));
    const text = await request({
      url,
      headers: { accept: "application/json", "x-subscription-token": key.value },
      explain: (body) => textAt(body, "error", "detail") ?? textAt(body, "message"),
      // A key that it does not know makes the request one that it cannot process.
      advise: (status) => adviseAboutKey(key, status === 422 ? 401 : status),
    });
    const answer = readJsonObject(text, url.host);
    const { web } = answer;
    // Where nothing was found on the web, that part is missing.
    if (web === undefined && answer["type"] === "search") return { pages: [] };
    return {
      pages: readResults(isObject(web) ? web["results"] : undefined, url.host).map((result) => ({
        title: toText(result["title"]),
        url: toText(result["url"]),
        snippet: toText(result["description"]),
      })),
    };
  };
}
