import type { AuthorizationServer } from "oauth4webapi";
import { isObject } from "../../../core/config/is_object.ts";
import { McpError } from "../../../core/mcp/mcp_connection.ts";
import { judgeDiscoveredUrl } from "./judge_discovered_url.ts";
import type { OAuthFetch } from "./oauth_fetch.ts";
import { type BearerChallenge, readScopes } from "./read_challenge.ts";

/** Services that a server may name. */
const MAX_SERVICES = 4;

/** How a server can be signed in to. */
export interface SignInPlan {
  /** What tokens are asked for: the server, or a part of its origin that it belongs to. */
  readonly resource: string;
  /** The service that hands tokens out, as it describes itself. */
  readonly service: AuthorizationServer;
  /** Whether it does not describe itself, so that its endpoints are where they once had to be. */
  readonly isGuessed: boolean;
  /** Rights that are asked for. */
  readonly scopes: readonly string[];
}

/**
 * Finds out how a server can be signed in to: what it says of itself (RFC 9728), or, where it says
 * nothing, whether its own origin hands tokens out; and what that service says of itself (RFC 8414,
 * or OpenID Connect discovery). Where neither says anything, the service is taken to be at the
 * server's origin, with the endpoints that the protocol of 2025-03-26 gave it there.
 *
 * @param server The server that the person configured.
 * @param challenge What it refused a request with.
 * @param fetchOAuth Makes the requests.
 * @throws {Error} If there is no way to sign in that Alisio takes.
 */
export async function discoverSignIn(
  server: URL,
  challenge: BearerChallenge,
  fetchOAuth: OAuthFetch,
): Promise<SignInPlan> {
  const described = await describeResource(server, challenge, fetchOAuth);
  if (described === null) return await planOfOlder(server, challenge, fetchOAuth);
  const { issuers } = described;
  const failures: unknown[] = [];
  for (const issuer of issuers.slice(0, MAX_SERVICES)) {
    try {
      const service = await describeService(issuer, fetchOAuth);
      if (service === null) throw saysNothing(issuer);
      await assertUsable(service, server);
      return {
        resource: described.resource,
        service,
        isGuessed: false,
        scopes: challenge.scopes.length > 0 ? challenge.scopes : described.scopes,
      };
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0] ?? new McpError("protocol", "it names no service that could be signed in at");
}

/** The plan for a server that says nothing of itself. */
async function planOfOlder(
  server: URL,
  { scopes }: BearerChallenge,
  fetchOAuth: OAuthFetch,
): Promise<SignInPlan> {
  const origin = new URL(server.origin);
  const described = await describeService(origin, fetchOAuth, { isGuessed: true });
  if (described !== null) await assertUsable(described, server);
  const service = described ?? {
    issuer: server.origin,
    authorization_endpoint: new URL("/authorize", origin).href,
    token_endpoint: new URL("/token", origin).href,
    registration_endpoint: new URL("/register", origin).href,
    token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
  };
  return { resource: server.href, service, isGuessed: described === null, scopes };
}

/**
 * The error for a service that describes itself nowhere.
 *
 * @param service Its address.
 */
export function saysNothing(service: URL): McpError {
  return new McpError("protocol", `${service.origin} says nothing of how to sign in`);
}

interface DescribedResource {
  readonly resource: string;
  readonly issuers: readonly URL[];
  readonly scopes: readonly string[];
}

/** Null where the server says nothing of itself. */
async function describeResource(
  server: URL,
  { resourceMetadata }: BearerChallenge,
  fetchOAuth: OAuthFetch,
): Promise<DescribedResource | null> {
  const path = server.pathname === "/" ? "" : server.pathname.replace(/\/$/, "");
  const usual = "/.well-known/oauth-protected-resource";
  const places = resourceMetadata === undefined
    ? [...new Set([`${usual}${path}`, usual])].map((place) => new URL(place, server).href)
    : [resourceMetadata];
  for (const place of places) {
    const value = await fetchJson(place, fetchOAuth);
    if (value === null) continue;
    const { resource, authorization_servers: named, scopes_supported: scopes } = value;
    if (typeof resource !== "string" || !isPartOf(server, resource)) {
      throw new McpError("protocol", "what it says of its sign-in is about another server");
    }
    const given: readonly unknown[] = Array.isArray(named) ? named : [];
    const issuers = await Promise.all(
      given.slice(0, MAX_SERVICES).map((each) => judgeDiscoveredUrl(each, server)),
    );
    return {
      resource,
      issuers: issuers.length === 0 ? [new URL(server.origin)] : issuers,
      scopes: readScopes(scopes),
    };
  }
  return null;
}

/** Whether a server lies at an address or below it, so that a token for the one is for the other. */
function isPartOf(server: URL, resource: string): boolean {
  const url = URL.parse(resource);
  if (url === null || url.origin !== server.origin) return false;
  const folder = url.pathname.replace(/\/$/, "");
  return server.pathname === url.pathname || server.pathname === folder ||
    server.pathname.startsWith(`${folder}/`);
}

/** Null where it says nothing. */
async function describeService(
  issuer: URL,
  fetchOAuth: OAuthFetch,
  { isGuessed = false } = {},
): Promise<AuthorizationServer | null> {
  const { processDiscoveryResponse } = await import("oauth4webapi");
  const path = issuer.pathname.replace(/\/$/, "");
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  for (const place of new Set(places)) {
    const response = await fetchOAuth(new URL(place, issuer), HEADERS);
    if (response.status !== 200) continue;
    const named = isGuessed ? await issuerIn(response.clone(), issuer) : issuer;
    return await processDiscoveryResponse(named, response);
  }
  return null;
}

/** A name that nobody gave is taken from the document, for the origin that this was read at alone. */
async function issuerIn(response: Response, guessed: URL): Promise<URL> {
  const value: unknown = await response.json().catch(() => null);
  const issuer = isObject(value) ? URL.parse(String(value["issuer"])) : null;
  return issuer?.origin === guessed.origin ? issuer : guessed;
}

async function assertUsable(service: AuthorizationServer, server: URL): Promise<void> {
  const where = new URL(service.issuer).origin;
  for (const name of ["authorization_endpoint", "token_endpoint"] as const) {
    if (service[name] === undefined) {
      throw new McpError("protocol", `${where} has no "${name}"`);
    }
    await judgeDiscoveredUrl(service[name], server);
  }
  for (const name of ["registration_endpoint", "revocation_endpoint"] as const) {
    if (service[name] !== undefined) await judgeDiscoveredUrl(service[name], server);
  }
  if (service.code_challenge_methods_supported?.includes("S256") !== true) {
    throw new McpError("protocol", `${where} does not say that it protects codes (PKCE, S256)`);
  }
}

const HEADERS = { headers: { accept: "application/json" } } as const;

/** Null where there is no such document. */
async function fetchJson(
  place: string,
  fetchOAuth: OAuthFetch,
): Promise<Readonly<Record<string, unknown>> | null> {
  const response = await fetchOAuth(place, HEADERS);
  if (response.status !== 200) return null;
  try {
    const value: unknown = await response.json();
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
