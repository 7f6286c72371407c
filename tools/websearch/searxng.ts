import { isLoopbackHost } from "../../core/config/loopback_host.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { readJsonObject, readResults, toText } from "./read_json.ts";
import { SearchFailure } from "./search_failure.ts";
import type { Found, Search } from "./search_provider.ts";

/** The public instance that is asked where none is configured. */
export const PUBLIC_SEARXNG_URL = "https://searx.be";

const PUBLIC_LIMITATION =
  "A public SearXNG instance, which may limit or block automated searches at any time";

const OWN_INSTANCE =
  'or run an instance of your own (docker run -d -p 8080:8080 searxng/searxng) and set "websearch.searxngUrl" to "http://localhost:8080"';

/** An instance of SearXNG. */
export interface SearxngInstance {
  /** Its address. */
  readonly address: string;
  /** Whether it is anybody's, and was not chosen by the person. */
  readonly isPublic: boolean;
}

/**
 * Searches with a SearXNG instance: `GET <url>/search?q=…&format=json`.
 *
 * @param instance The instance.
 * @throws {SearchFailure} If its address may not be asked.
 */
export function createSearxngSearch({ address, isPublic }: SearxngInstance): Search {
  const url = searchAddress(address);
  return async ({ query, request }) => {
    const asked = new URL(url);
    asked.searchParams.set("q", query);
    asked.searchParams.set("format", "json");
    try {
      const text = await request({
        url: asked,
        headers: { accept: "application/json" },
        advise: (status) => isPublic ? undefined : adviceFor(status),
      });
      return readAnswer(text, asked.host, isPublic);
    } catch (error) {
      if (!isPublic || !(error instanceof SearchFailure)) throw error;
      throw new SearchFailure(
        `${error.message}. Public SearXNG instances often limit or block automated searches: ` +
          'choose "duckduckgo-html" as the web search in /settings ("websearch.provider"), ' +
          OWN_INSTANCE,
      );
    }
  };
}

/**
 * Checks an address as the configuration does, because it may come from elsewhere, and completes it.
 *
 * @throws {SearchFailure} If it may not be asked.
 */
function searchAddress(address: string): URL {
  const url = URL.parse(address);
  const problem = url === null || !/^https?:$/.test(url.protocol)
    ? "it is no http:// or https:// address"
    : url.username !== "" || url.password !== ""
    ? "it holds credentials"
    : url.protocol === "http:" && !isLoopbackHost(url.hostname)
    ? "an address of another machine must start with https://"
    : null;
  if (url === null || problem !== null) {
    throw new SearchFailure(`"websearch.searxngUrl" cannot be used: ${problem}`);
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/search$/, "");
  return new URL(`${path}/search`, url.origin);
}

function adviceFor(status: number): string | undefined {
  if (status === 403) {
    return 'the instance may not offer JSON: add "json" to "search.formats" in its settings.yml';
  }
  return status === 429
    ? "its limiter refuses automated searches: switch it off in its settings.yml, or wait"
    : undefined;
}

function readAnswer(text: string, host: string, isPublic: boolean): Found {
  const answer = readJsonObject(text, host);
  const pages = readResults(answer["results"], host).map(({ title, url, content }) => ({
    title: toText(title),
    url: toText(url),
    snippet: toText(content),
  }));
  const silent = pages.length === 0 ? silentEngines(answer["unresponsive_engines"]) : "";
  const limitations = [
    ...(silent === "" ? [] : [`These engines of the instance did not answer: ${silent}`]),
    ...(isPublic ? [PUBLIC_LIMITATION] : []),
  ];
  return { pages, ...(limitations.length === 0 ? {} : { limitation: limitations.join(". ") }) };
}

/** Pairs of an engine and why it is silent. */
function silentEngines(value: unknown): string {
  if (!Array.isArray(value)) return "";
  const engines = value.slice(0, 20).flatMap((entry) => {
    const [name, reason] = Array.isArray(entry) ? entry : [entry];
    if (typeof name !== "string") return [];
    const why = typeof reason === "string" ? ` (${previewText(reason, 60)})` : "";
    return [`${previewText(name, 40)}${why}`];
  });
  return engines.join(", ");
}
