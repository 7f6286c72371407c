import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from "oauth4webapi";
import { readScopes } from "./read_challenge.ts";
import type { ServerSignIn } from "./sign_in_store.ts";

/** Longer lifetimes are as good as none. */
const MAX_LIFETIME_S = 10 * 365 * 86_400;

/**
 * What a stored sign-in is renewed and revoked with.
 *
 * @param signIn The sign-in.
 */
export function serviceOf(
  { issuer, tokenEndpoint, revocationEndpoint, clientId }: ServerSignIn,
): { readonly service: AuthorizationServer; readonly client: Client } {
  return {
    service: {
      issuer,
      token_endpoint: tokenEndpoint,
      ...(revocationEndpoint === undefined ? {} : { revocation_endpoint: revocationEndpoint }),
    },
    client: { client_id: clientId },
  };
}

/**
 * How a client says who it is.
 *
 * @param signIn What is known of the client.
 */
export async function clientAuthOf(
  { clientAuth, clientSecret = "" }: Pick<ServerSignIn, "clientAuth" | "clientSecret">,
): Promise<ClientAuth> {
  if (clientAuth === "client_secret_basic") return basicAuth(clientSecret);
  const { ClientSecretPost, None } = await import("oauth4webapi");
  return clientAuth === "client_secret_post" ? ClientSecretPost(clientSecret) : None();
}

/**
 * The library encodes hyphens too, which services that decode nothing take for another client. What
 * a form leaves as it is counts at both kinds.
 */
function basicAuth(secret: string): ClientAuth {
  return (_service, { client_id: id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formText(id)}:${formText(secret)}`)}`);
  };
}

function formText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/**
 * The part of a sign-in that a service answers. Pure.
 *
 * @param answer The answer, checked.
 * @param before What was granted or asked for, where the answer does not say.
 * @param issuedAt When the request was made, in milliseconds since 1970.
 */
export function readTokenAnswer(
  { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInS, scope }:
    TokenEndpointResponse,
  before: Pick<ServerSignIn, "scopes" | "refreshToken">,
  issuedAt: number,
): Pick<ServerSignIn, "accessToken" | "refreshToken" | "expiresAt" | "issuedAt" | "scopes"> {
  const refresh = refreshToken ?? before.refreshToken;
  const hasEnd = expiresInS !== undefined && expiresInS < MAX_LIFETIME_S;
  return {
    accessToken,
    ...(refresh === undefined ? {} : { refreshToken: refresh }),
    ...(hasEnd ? { expiresAt: issuedAt + expiresInS * 1_000 } : {}),
    issuedAt,
    scopes: scope === undefined ? before.scopes : readScopes(scope),
  };
}
