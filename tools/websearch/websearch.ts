import { textResult, type ToolResult } from "@alisio/sdk";
import type { WebsearchSettings } from "../../core/config/configuration.ts";
import type { SearchExtensions } from "../../core/plugins/search_extensions.ts";
import { redactConfigured } from "../../core/redact.ts";
import type { HostTool, HostToolContext } from "../../core/tools/host_tool.ts";
import { jsonResult } from "../_json_result.ts";
import { WEBSEARCH } from "../tool_definitions.ts";
import { chooseSearch, type SearchEndpoints } from "./choose_search.ts";
import { cleanResults, MAX_RESULTS } from "./clean_results.ts";
import { SearchFailure } from "./search_failure.ts";
import { MAX_ANSWER_BYTES, requestText, SEARCH_TIMEOUT_MS } from "./search_request.ts";
import { searchWithExtension } from "./search_with_extension.ts";

/** What {@linkcode createWebsearchTool} needs. */
export interface WebsearchPorts {
  readonly settings: WebsearchSettings;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What plugins offer; absent where there are none. */
  readonly extensions?: SearchExtensions;
  /** @default Each service is asked at its usual address. */
  readonly endpoints?: SearchEndpoints;
  /**
   * How long a service may take.
   *
   * @default SEARCH_TIMEOUT_MS
   */
  readonly timeoutMs?: number;
}

/**
 * Creates `websearch`: what a plugin offers, or else the service of the configuration, or else a
 * public one. A plugin that fails is replaced by the others, and the result says so; a service of
 * the configuration that fails is not, because the query would go to somebody else unasked.
 *
 * @param ports What it works with.
 */
export function createWebsearchTool(ports: WebsearchPorts): HostTool {
  return { ...WEBSEARCH, execute: (input, context) => search(ports, input, context) };
}

async function search(
  ports: WebsearchPorts,
  input: Record<string, unknown>,
  { signal }: HostToolContext,
): Promise<ToolResult> {
  const query = typeof input["query"] === "string" ? input["query"].trim() : "";
  if (query === "") return textResult('Cannot search the web: "query" is empty', true);
  const { extensions } = ports;
  const chosen = extensions?.chosen();
  if (extensions === undefined || chosen === undefined) {
    return await searchBuiltin(ports, query, signal);
  }
  const { timeoutMs, failed } = extensions;
  const outcome = await searchWithExtension(chosen, { query, timeoutMs, signal, failed });
  if (outcome.kind === "failed") {
    return await searchBuiltin(ports, query, signal, outcome.diagnostic);
  }
  const { source, results } = outcome;
  return jsonResult({ results, source });
}

async function searchBuiltin(
  ports: WebsearchPorts,
  query: string,
  signal: AbortSignal,
  diagnostic?: string,
): Promise<ToolResult> {
  let secrets: readonly string[] = [];
  const hide = (text: string) => redactConfigured(text, secrets);
  const { timeoutMs = SEARCH_TIMEOUT_MS } = ports;
  try {
    const chosen = await chooseSearch(ports);
    secrets = chosen.secrets;
    const { pages, limitation } = await chosen.search({
      query,
      maxResults: MAX_RESULTS,
      request: (request) => requestText(request, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, signal }),
    });
    const results = (await cleanResults(pages)).map(({ title, url, snippet }) => ({
      title: hide(title),
      url: hide(url),
      snippet: hide(snippet),
    }));
    return jsonResult({
      results,
      source: chosen.source,
      ...(limitation === undefined ? {} : { limitation: hide(limitation) }),
      ...(diagnostic === undefined ? {} : { diagnostic }),
    });
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    const before = diagnostic === undefined ? "" : ` (before that, ${diagnostic})`;
    return textResult(`Cannot search the web: ${hide(error.message)}${before}`, true);
  }
}
