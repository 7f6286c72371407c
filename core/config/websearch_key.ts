import type { WebsearchSettings } from "./configuration.ts";

/** Variables of the services that need a key. */
const KEY_VARIABLES = {
  tavily: "TAVILY_API_KEY",
  brave: "BRAVE_SEARCH_API_KEY",
  serpapi: "SERPAPI_API_KEY",
} as const;

/**
 * The variable that holds the key of the search service, or null where it needs none.
 *
 * @param settings What the configuration says.
 */
export function apiKeyVariable(
  { provider, apiKeyEnv }: Pick<WebsearchSettings, "provider" | "apiKeyEnv">,
): string | null {
  switch (provider) {
    case "tavily":
    case "brave":
    case "serpapi":
      return apiKeyEnv ?? KEY_VARIABLES[provider];
    default:
      return null;
  }
}
