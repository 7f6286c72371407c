import { createOAuthFetch } from "./oauth_fetch.ts";
import { requestOptions } from "./request_options.ts";
import { readSignIn, removeSignIn } from "./sign_in_store.ts";
import { clientAuthOf, serviceOf } from "./token_answer.ts";

/** How long the service is told that its tokens are not needed any more. */
const REVOCATION_LIMIT_MS = 5_000;

/** What became of a sign-in that was forgotten. */
export type ServerSignedOut =
  /** There was none. */
  | "none"
  /** It is forgotten here, and the service has revoked it. */
  | "revoked"
  /** It is forgotten here; the service may still count it. */
  | "forgotten";

/**
 * Forgets the sign-in at a server, and has the service revoke it where it offers that.
 *
 * @param folder Folder of sign-ins.
 * @param server Address of the server.
 */
export async function signOutOfServer(folder: string, server: URL): Promise<ServerSignedOut> {
  const signIn = await readSignIn(folder, server);
  // Forgotten first: whatever the service does, it is not used any more.
  const wasThere = await removeSignIn(folder, server);
  if (signIn?.revocationEndpoint === undefined) return wasThere ? "forgotten" : "none";
  const oauth = await import("oauth4webapi");
  const { service, client } = serviceOf(signIn);
  const signal = AbortSignal.timeout(REVOCATION_LIMIT_MS);
  const options = requestOptions(oauth, service, {
    signal,
    fetchOAuth: createOAuthFetch(server, signal),
  });
  try {
    const auth = await clientAuthOf(signIn);
    const token = signIn.refreshToken ?? signIn.accessToken;
    const response = await oauth.revocationRequest(service, client, auth, token, options);
    await oauth.processRevocationResponse(response);
    return "revoked";
  } catch {
    return "forgotten";
  }
}
