import { isObject } from "../../core/config/is_object.ts";
import { readJsonObject, toText } from "./read_json.ts";
import type { Found, FoundPage, Search } from "./search_provider.ts";

/** Where it is asked. */
export const DUCKDUCKGO_INSTANT_URL = "https://api.duckduckgo.com/";

const LIMITATION =
  "DuckDuckGo Instant Answer knows facts in the manner of an encyclopedia only; no result does " +
  "not mean that there is nothing on the web";

/**
 * Asks the Instant Answer API of DuckDuckGo, which needs no key.
 *
 * @param endpoint Where it is asked.
 */
export function createDuckDuckGoInstantSearch(endpoint: string = DUCKDUCKGO_INSTANT_URL): Search {
  return async ({ query, request }) => {
    const url = new URL(endpoint);
    const parameters = { q: query, format: "json", no_html: "1", no_redirect: "1" };
    for (const [name, value] of Object.entries({ ...parameters, skip_disambig: "1" })) {
      url.searchParams.set(name, value);
    }
    const text = await request({ url, headers: { accept: "application/json" } });
    return readAnswer(readJsonObject(text, url.host), query);
  };
}

function readAnswer(answer: Readonly<Record<string, unknown>>, query: string): Found {
  const heading = toText(answer["Heading"]) || query;
  const pages: readonly FoundPage[] = [
    // A calculation and the like stand on no page of their own.
    {
      title: heading,
      url: `https://duckduckgo.com/?q=${encodeURIComponent(query)}`,
      snippet: toText(answer["Answer"]),
    },
    { title: heading, url: toText(answer["AbstractURL"]), snippet: toText(answer["AbstractText"]) },
    {
      title: heading,
      url: toText(answer["DefinitionURL"]),
      snippet: toText(answer["Definition"]),
    },
    ...topicsOf(answer["Results"]),
    ...topicsOf(answer["RelatedTopics"]),
  ];
  return { pages: pages.filter(({ snippet }) => snippet !== ""), limitation: LIMITATION };
}

/** Topics, and groups of them. */
function topicsOf(value: unknown): readonly FoundPage[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((entry): readonly FoundPage[] => {
    const { Topics: group } = entry;
    const topics = Array.isArray(group) ? group.filter(isObject) : [entry];
    return topics.map(({ FirstURL, Text }) => {
      const text = toText(Text);
      // The name of the topic stands before a dash.
      const [name = ""] = text.split(" - ");
      return { title: name, url: toText(FirstURL), snippet: text };
    });
  });
}
