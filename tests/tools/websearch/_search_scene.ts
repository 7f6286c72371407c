import assert from "node:assert/strict";
import type { SearchExtensions } from "../../../core/plugins/search_extensions.ts";
import type { WebsearchSettings } from "../../../core/config/configuration.ts";
import type { HostToolContext } from "../../../core/tools/host_tool.ts";
import { createWebsearchTool } from "../../../tools/websearch/websearch.ts";
import {
  type RecordedRequest,
  startStubServer,
  type StubHandler,
  type StubReply,
} from "../../support/stub_server.ts";

/** A key that no answer may hold. */
export const KEY = "key-0123456789abcdef";

/** What a search came to. */
export interface Searched {
  readonly isError: boolean;
  /** Its text as it is. */
  readonly text: string;
  /** Its text as JSON, undefined where it is none. */
  readonly json: unknown;
  readonly requests: readonly RecordedRequest[];
}

/** How a search is made. */
export interface SearchSetup {
  /** Where the services are asked: how the server answers. */
  readonly service: StubHandler | readonly (StubReply | StubHandler)[];
  readonly settings?: Partial<WebsearchSettings>;
  readonly env?: Readonly<Record<string, string>>;
  readonly extensions?: SearchExtensions;
  readonly query?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Whether the SearXNG of the configuration is meant, not the public one. */
  readonly isOwnInstance?: boolean;
}

/** Searches once with a service that a local server stands in for. */
export async function search(setup: SearchSetup): Promise<Searched> {
  await using server = await startStubServer(setup.service);
  const { settings = {}, query = "deno permissions", isOwnInstance = false } = setup;
  const endpoint = `${server.origin}/service`;
  const { provider = "searxng" } = settings;
  const tool = createWebsearchTool({
    settings: {
      nativeToolType: "web_search",
      ...settings,
      ...(isOwnInstance ? { searxngUrl: server.origin } : {}),
    },
    env: setup.env ?? {
      TAVILY_API_KEY: KEY,
      BRAVE_SEARCH_API_KEY: KEY,
      SERPAPI_API_KEY: KEY,
    },
    endpoints: { [provider]: provider === "searxng" ? server.origin : endpoint },
    ...(setup.extensions === undefined ? {} : { extensions: setup.extensions }),
    ...(setup.timeoutMs === undefined ? {} : { timeoutMs: setup.timeoutMs }),
  });
  const { signal } = setup.signal === undefined ? new AbortController() : setup;
  const result = await tool.execute({ query }, { signal } as HostToolContext);
  const [part] = result.content;
  assert.ok(part?.type === "text");
  assert.ok(!part.text.includes(KEY), "a result holds the key");
  return {
    isError: result.isError === true,
    text: part.text,
    json: parsed(part.text),
    requests: [...server.requests],
  };
}

/** An answer of JSON, or of a text as it is. */
export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): StubReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    steps: [typeof value === "string" ? value : JSON.stringify(value)],
  };
}

/** An answer of a page. */
export function pageAnswer(html: string, status = 200): StubReply {
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, steps: [html] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
