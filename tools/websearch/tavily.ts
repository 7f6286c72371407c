import { readJsonObject, readResults, textAt, toText } from "./read_json.ts";
import { adviseAboutKey, type ServiceKey } from "./service_key.ts";
import type { Search } from "./search_provider.ts";

/** Where it is asked. */
export const TAVILY_URL = "https://api.tavily.com/search";

/**
 * Searches with Tavily.
 *
 * @param key The person's key.
 * @param endpoint Where it is asked.
 */
export function createTavilySearch(key: ServiceKey, endpoint: string = TAVILY_URL): Search {
  return async ({ query, maxResults, request }) => {
    const url = new URL(endpoint);
    const text = await request({
      url,
      method: "POST",
      headers: {
        authorization: `Bearer ${key.value}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: JSON.stringify({ query, max_results: maxResults, search_depth: "basic" }),
      explain: (body) => textAt(body, "detail", "error") ?? textAt(body, "detail"),
      // Two statuses of its own say that a plan, or what was paid ahead, is used up.
      advise: (status) =>
        status === 432 || status === 433
          ? "the plan of the key is used up"
          : adviseAboutKey(key, status),
    });
    const { results } = readJsonObject(text, url.host);
    return {
      pages: readResults(results, url.host).map((result) => ({
        title: toText(result["title"]),
        url: toText(result["url"]),
        snippet: toText(result["content"]),
      })),
    };
  };
}
