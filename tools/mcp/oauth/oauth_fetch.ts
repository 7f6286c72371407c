import { McpError } from "../../../core/mcp/mcp_connection.ts";
import { readBoundedBody } from "../http/bounded_body.ts";
import { explainNetworkFailure } from "../http/http_errors.ts";
import { judgeDiscoveredUrl } from "./judge_discovered_url.ts";

const MAX_BODY_BYTES = 262_144;
const REQUEST_LIMIT_MS = 15_000;
const MAX_REDIRECTS = 3;

/** Makes the requests of a sign-in. */
export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Creates what makes the requests of a sign-in: every address is judged before, only a plain request
 * follows a redirect and only within its origin, and answers are short and do not take long.
 *
 * @param server The server that the person configured.
 * @param signal Ends every request.
 */
export function createOAuthFetch(server: URL, signal: AbortSignal): OAuthFetch {
  return async (given, init = {}) => {
    let target = await judgeDiscoveredUrl(String(given), server);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]);
    for (let hops = 0;; hops++) {
      const response = await fetch(target, { ...init, redirect: "manual", signal: limit })
        .catch((error) => {
          throw signal.aborted ? signal.reason : explainNetworkFailure(error, target.host);
        });
      if (response.status >= 300 && response.status <= 399) {
        await response.body?.cancel();
        target = await nextTarget(target, response, { server, init, hops });
        continue;
      }
      return await bounded(response);
    }
  };
}

async function nextTarget(
  from: URL,
  { headers }: Response,
  { server, init, hops }: {
    readonly server: URL;
    readonly init: RequestInit;
    readonly hops: number;
  },
): Promise<URL> {
  const next = URL.parse(headers.get("location") ?? "", from);
  const isPlain = (init.method ?? "GET") === "GET";
  if (next === null || !isPlain || next.origin !== from.origin || hops >= MAX_REDIRECTS) {
    throw new McpError("refused", `${from.origin} leads elsewhere, which is not followed`);
  }
  return await judgeDiscoveredUrl(next.href, server);
}

/** The same response, all of it here. */
async function bounded(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await readBoundedBody(response, MAX_BODY_BYTES));
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? bytes : null, { status, headers });
}
