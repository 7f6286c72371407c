import type { WebsearchProvider, WebsearchSettings } from "../core/config/configuration.ts";
import { quoted } from "../core/config/quoted.ts";
import { apiKeyVariable } from "../core/config/websearch_key.ts";

/** Who is asked when a model searches the web, unless a plugin takes that place. */
export interface SearchReport {
  /** What the configuration names, or `searxng` where it names nothing. */
  readonly provider: WebsearchProvider;
  /** Address of the SearXNG instance; absent for a public one, and for other services. */
  readonly address?: string;
  /** The variable that the key is read from, for a service that needs one. */
  readonly key?: { readonly variable: string; readonly isSet: boolean };
}

/**
 * Finds out who would be asked. Nobody is.
 *
 * @param settings What the configuration says.
 * @param env Environment variables.
 */
export function examineSearch(
  settings: WebsearchSettings,
  env: Readonly<Record<string, string | undefined>>,
): SearchReport {
  const { provider = "searxng", searxngUrl } = settings;
  const variable = apiKeyVariable(settings);
  return {
    provider,
    ...(provider === "searxng" && searxngUrl !== undefined ? { address: searxngUrl } : {}),
    ...(variable === null ? {} : { key: { variable, isSet: (env[variable] ?? "").trim() !== "" } }),
  };
}

/**
 * The same in words.
 *
 * @param report What was found out.
 */
export function formatSearch({ provider, address, key }: SearchReport): string {
  if (provider === "native") {
    return "native: the model's server searches, with --allow-external or in the mode full";
  }
  if (provider === "searxng") {
    return address === undefined
      ? "searxng, a public instance, which often blocks automated searches"
      : `searxng at ${quoted(address, 300)}`;
  }
  if (key === undefined) return provider;
  return `${provider}, variable ${quoted(key.variable)} is ${key.isSet ? "" : "not "}set`;
}
