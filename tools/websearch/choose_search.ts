import type { WebsearchProvider, WebsearchSettings } from "../../core/config/configuration.ts";
import { apiKeyVariable } from "../../core/config/websearch_key.ts";
import { SearchFailure } from "./search_failure.ts";
import type { Search } from "./search_provider.ts";
import { readServiceKey } from "./service_key.ts";

/** Where each service is asked, for those that are not asked at their usual address. */
export type SearchEndpoints = Readonly<Partial<Record<WebsearchProvider, string>>>;

/** What a service is chosen from. */
export interface SearchChoice {
  readonly settings: WebsearchSettings;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default Each service has its own. */
  readonly endpoints?: SearchEndpoints;
}

/** A service that was chosen. */
export interface ChosenSearch {
  readonly source: WebsearchProvider;
  readonly search: Search;
  /** What nobody may see. */
  readonly secrets: readonly string[];
}

/**
 * The service that the configuration names, or a public one. Only its code is loaded.
 *
 * @param choice What it is chosen from.
 * @throws {SearchFailure} If it cannot be used as it is configured.
 */
export async function chooseSearch(
  { settings, env, endpoints = {} }: SearchChoice,
): Promise<ChosenSearch> {
  const { provider: source = "searxng", searxngUrl } = settings;
  const endpoint = endpoints[source];
  const keyless = (search: Search): ChosenSearch => ({ source, search, secrets: [] });
  const variable = apiKeyVariable(settings);
  const readKey = () => readServiceKey(env, variable ?? "");
  switch (source) {
    case "searxng": {
      const { createSearxngSearch, PUBLIC_SEARXNG_URL } = await import("./searxng.ts");
      const address = searxngUrl ?? endpoint ?? PUBLIC_SEARXNG_URL;
      return keyless(createSearxngSearch({ address, isPublic: searxngUrl === undefined }));
    }
    case "duckduckgo-instant": {
      const { createDuckDuckGoInstantSearch } = await import("./duckduckgo_instant.ts");
      return keyless(createDuckDuckGoInstantSearch(endpoint));
    }
    case "duckduckgo-html": {
      const { createDuckDuckGoHtmlSearch } = await import("./duckduckgo_html.ts");
      return keyless(createDuckDuckGoHtmlSearch(endpoint));
    }
    case "tavily": {
      const key = readKey();
      const { createTavilySearch } = await import("./tavily.ts");
      return { source, search: createTavilySearch(key, endpoint), secrets: [key.value] };
    }
    case "brave": {
      const key = readKey();
      const { createBraveSearch } = await import("./brave.ts");
      return { source, search: createBraveSearch(key, endpoint), secrets: [key.value] };
    }
    case "serpapi": {
      const key = readKey();
      const { createSerpApiSearch } = await import("./serpapi.ts");
      return { source, search: createSerpApiSearch(key, endpoint), secrets: [key.value] };
    }
    case "native":
      throw new SearchFailure(
        '"websearch.provider" is "native", so the server of the model searches, and there is no ' +
          "other search to fall back to",
      );
    default:
      return source satisfies never;
  }
}
