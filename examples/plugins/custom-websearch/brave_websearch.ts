import { definePlugin, type SearchProvider, type SearchResult } from "@alisio/sdk";

const BRAVE = "https://api.search.brave.com/res/v1/web/search";
const MAX_RESULTS = 20;

/**
 * Searches with Brave, with a key of the person's own.
 *
 * @param key The key.
 * @param address Where the engine answers.
 */
export function braveSearch(key: string, address: string = BRAVE): SearchProvider {
  return {
    id: "brave",
    async search(query, options) {
      const url = new URL(address);
      url.searchParams.set("q", query);
      const response = await fetch(url, {
        headers: { accept: "application/json", "x-subscription-token": key },
        ...(options?.signal === undefined ? {} : { signal: options.signal }),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`Cannot search with Brave: it answered with status ${response.status}`);
      }
      return resultsOf(await response.json());
    },
  };
}

/** What comes from a server is looked at before it is used. */
function resultsOf(answer: unknown): readonly SearchResult[] {
  const found = field(field(answer, "web"), "results");
  if (!Array.isArray(found)) return [];
  return found.slice(0, MAX_RESULTS).map((each) => ({
    title: text(field(each, "title")),
    url: text(field(each, "url")),
    snippet: text(field(each, "description")),
  }));
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export default definePlugin({
  id: "brave-websearch",
  name: "Brave search",
  description: "Searches the web with Brave",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["search"],
  setup(api) {
    const key = Deno.env.get("BRAVE_SEARCH_API_KEY");
    if (!key) throw new Error("set the variable BRAVE_SEARCH_API_KEY to your key");
    api.extensions.register("websearch", braveSearch(key), { priority: 10 });
  },
});
