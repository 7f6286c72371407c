import { isLoopback } from "./judge_discovered_url.ts";
import type { OAuthFetch } from "./oauth_fetch.ts";

type OAuth = typeof import("oauth4webapi");
/** What the library is handed with each request. */
export type OAuthRequestOptions =
  & { readonly signal: AbortSignal }
  & { readonly [name in OAuth["customFetch"]]: OAuthFetch }
  & { readonly [name in OAuth["allowInsecureRequests"]]: boolean };

/**
 * What the library makes a request with. Addresses of this machine need no encryption; every other
 * one is judged before.
 *
 * @param oauth The library.
 * @param service The service.
 * @param ports What makes the request, and ends it.
 */
export function requestOptions(
  oauth: OAuth,
  { issuer }: { readonly issuer: string },
  { signal, fetchOAuth }: { readonly signal: AbortSignal; readonly fetchOAuth: OAuthFetch },
): OAuthRequestOptions {
  return {
    signal,
    [oauth.customFetch]: fetchOAuth,
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer)),
  };
}
