import { isObject } from "../../../core/config/is_object.ts";
import { McpError } from "../../../core/mcp/mcp_connection.ts";
import { readBoundedBody } from "./bounded_body.ts";
import { explainNetworkFailure, HttpStatusError } from "./http_errors.ts";

const MAX_REDIRECTS = 3;
const MAX_ERROR_BYTES = 16_384;

/** What a server wants before it serves, as its refusal says. */
export interface Challenge {
  readonly status: 401 | 403;
  /** The header `WWW-Authenticate`, empty if there is none. */
  readonly header: string;
}

/** What requests are authorized with. */
export interface Authorization {
  /**
   * The header of the next request; undefined for none.
   *
   * @throws {McpError} If there should be one and is not.
   */
  header(signal: AbortSignal): Promise<string | undefined>;
  /**
   * The server refused a request.
   *
   * @param challenge What it wants.
   * @param sent The header that was sent.
   * @returns Whether to try once more; else why not.
   */
  refused(challenge: Challenge, sent: string | undefined): Promise<"retry" | McpError>;
}

/** What requests to one server are made with. */
export interface HttpClientPorts {
  /** Headers of each request, beside those of the protocol. */
  readonly headers: Headers;
  readonly authorization: Authorization;
  /** Makes a text that the server wrote safe and short. */
  readonly safe: (text: string) => string;
}

/** One request. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Makes requests to one server, and to no other: whatever leads to another origin is refused. */
export class HttpClient {
  readonly #ports: HttpClientPorts;

  /** @param ports What requests are made with. */
  constructor(ports: HttpClientPorts) {
    this.#ports = ports;
  }

  /**
   * Makes a request.
   *
   * @param url Where to.
   * @param request The request.
   * @returns Any response but one that leads elsewhere or wants a sign-in; its body is to be read
   * or cancelled.
   * @throws {McpError} If there is none.
   */
  async send(url: URL, request: HttpRequest): Promise<Response> {
    const { authorization } = this.#ports;
    for (let isRetry = false;; isRetry = true) {
      const sent = await authorization.header(request.signal);
      const response = await this.#follow(url, request, sent);
      const challenge = challengeOf(response);
      if (challenge === null) return response;
      const answer = await authorization.refused(challenge, sent);
      if (answer !== "retry" || isRetry) {
        const failure = await this.failure(response);
        throw answer === "retry" ? failure : answer;
      }
      await response.body?.cancel();
    }
  }

  /**
   * The error for a response that is a failure. Reads a little of its body, and cancels the rest.
   *
   * @param response The response.
   */
  async failure(response: Response): Promise<HttpStatusError> {
    const { status } = response;
    const said = await this.#said(response);
    const code = status === 401 ? "sign_in_needed" : "refused";
    return new HttpStatusError(
      status,
      code,
      `the server answered with status ${status}${said === "" ? "" : `: ${said}`}`,
    );
  }

  async #follow(url: URL, request: HttpRequest, authorization?: string): Promise<Response> {
    const headers = new Headers(this.#ports.headers);
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, value);
    if (authorization !== undefined) headers.set("authorization", authorization);
    const { method, body, signal } = request;
    let target = url;
    for (let hops = 0;; hops++) {
      const init = { method, headers, signal, redirect: "manual", ...(body && { body }) } as const;
      const response = await fetch(target, init).catch((error) => {
        throw signal.aborted ? signal.reason : explainNetworkFailure(error, target.host);
      });
      if (response.status < 300 || response.status > 399) return response;
      await response.body?.cancel();
      target = nextTarget(target, response, method, hops);
    }
  }

  async #said(response: Response): Promise<string> {
    try {
      const type = response.headers.get("content-type") ?? "";
      if (!/json|text\/plain/.test(type)) {
        await response.body?.cancel();
        return "";
      }
      const text = new TextDecoder().decode(await readBoundedBody(response, MAX_ERROR_BYTES));
      return this.#ports.safe(/json/.test(type) ? messageIn(text) : text.trim());
    } catch {
      return "";
    }
  }
}

function nextTarget(from: URL, response: Response, method: string, hops: number): URL {
  const { status } = response;
  const target = URL.parse(response.headers.get("location") ?? "", from);
  if (target === null) {
    throw new HttpStatusError(status, "refused", `it leads to no address (status ${status})`);
  }
  if (target.origin !== from.origin) {
    throw new HttpStatusError(
      status,
      "refused",
      `it leads to ${target.origin}, which is not followed; correct "url" if it has moved there`,
    );
  }
  if (method !== "GET" && status !== 307 && status !== 308) {
    throw new HttpStatusError(
      status,
      "refused",
      `it leads to ${target.pathname} (status ${status}); correct "url" if it has moved there`,
    );
  }
  if (hops >= MAX_REDIRECTS) {
    throw new HttpStatusError(status, "refused", `it leads on more than ${MAX_REDIRECTS} times`);
  }
  return target;
}

function challengeOf({ status, headers }: Response): Challenge | null {
  const header = headers.get("www-authenticate") ?? "";
  if (status === 401) return { status, header };
  return status === 403 && /insufficient_scope/i.test(header) ? { status, header } : null;
}

/** What a JSON text says of an error, in the forms that servers use. */
function messageIn(text: string): string {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return "";
  const { error, error_description: description, message } = value;
  const said = [isObject(error) ? error["message"] : undefined, description, message, error];
  return said.find((each) => typeof each === "string" && each !== "")?.toString() ?? "";
}

/**
 * An authorization that never changes: the headers that the person configured.
 *
 * @param variable Name of the variable that holds the token, if one is configured.
 */
export function fixedAuthorization(variable: string | undefined): Authorization {
  const what = variable === undefined ? "the configured headers" : `the token of ${variable}`;
  return {
    header: () => Promise.resolve(undefined),
    refused: ({ status }) =>
      Promise.resolve(
        new McpError(
          "sign_in_needed",
          status === 401
            ? `the server does not accept ${what}; replace the value`
            : `the server wants more rights than ${what} gives`,
        ),
      ),
  };
}
