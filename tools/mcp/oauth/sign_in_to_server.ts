import type { ProviderAuthContext } from "@alisio/sdk";
import type { Client } from "oauth4webapi";
import type { McpServerSettings } from "../../../core/config/configuration.ts";
import { isObject } from "../../../core/config/is_object.ts";
import { SignInDesk, type SignInPorts } from "../../../core/provider/auth/sign_in.ts";
import { VERSION } from "../../../core/version.ts";
import { explainNetworkFailure } from "../http/http_errors.ts";
import { configuredHeaders, hasOwnAuthorization } from "../request_headers.ts";
import { discoverSignIn, saysNothing, type SignInPlan } from "./discover_sign_in.ts";
import { explainOAuthFailure } from "./explain_oauth_failure.ts";
import { isLoopback } from "./judge_discovered_url.ts";
import { createOAuthFetch, type OAuthFetch } from "./oauth_fetch.ts";
import { readChallenge, readScopes } from "./read_challenge.ts";
import { readSignIn, secretsOfSignIn, type ServerSignIn, writeSignIn } from "./sign_in_store.ts";
import { requestOptions } from "./request_options.ts";
import { clientAuthOf, readTokenAnswer } from "./token_answer.ts";

const CALLBACK_PATH = "/callback";
const PROBE_LIMIT_MS = 15_000;
/** Ports that the system gives out, where nobody listens and the person pastes the address. */
const FIRST_FREE_PORT = 49_152;
const LAST_PORT = 65_535;

/** What a sign-in at a server works with. */
export interface ServerSignInRequest {
  /** Name of the server in the configuration. */
  readonly name: string;
  readonly settings: McpServerSettings;
  /** Environment of Alisio. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of sign-ins. */
  readonly folder: string;
  /** Keeps values out of everything that is stored and sent from now on. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
}

/** What a person is told of a sign-in that is done. */
export interface ServerSignedIn {
  /** Origin of the service. */
  readonly service: string;
  /** Rights that were granted, if the service says. */
  readonly scopes: readonly string[];
}

/**
 * Signs in at a server, at the wish of a person: finds out how, has this client registered, sends
 * the person to a browser, and stores what comes back. Never starts by itself.
 *
 * @param request The server.
 * @param ports Show the person what to do, and ask them.
 * @throws {SignInError} If that fails. Nothing is stored then.
 */
export async function signInToServer(
  request: ServerSignInRequest,
  ports: SignInPorts,
): Promise<ServerSignedIn> {
  const done: ServerSignIn[] = [];
  await new SignInDesk().run({
    id: "mcp",
    label: `MCP server "${request.name}"`,
    kind: "oauth",
    async start(context) {
      const signIn = await performSignIn(request, context);
      done.push(signIn);
      return { type: "oauth", access: signIn.accessToken };
    },
  }, ports);
  const [signIn] = done;
  if (signIn === undefined) throw new TypeError("Cannot store a sign-in: there is none");
  request.hideSecrets(secretsOfSignIn(signIn));
  await writeSignIn(request.folder, signIn);
  return { service: new URL(signIn.issuer).origin, scopes: signIn.scopes };
}

async function performSignIn(
  request: ServerSignInRequest,
  context: ProviderAuthContext,
): Promise<ServerSignIn> {
  const server = serverAddress(request.settings);
  const fetchOAuth = createOAuthFetch(server, context.signal);
  try {
    const challenge = await probe(request, server, context.signal);
    const plan = await discoverSignIn(server, challenge, fetchOAuth);
    const before = await readSignIn(request.folder, server);
    const wanted = before?.issuer === plan.service.issuer
      ? [...before.scopes, ...before.wantedScopes ?? []]
      : [];
    const scopes = readScopes([...plan.scopes, ...wanted, ...offlineScope(plan)]);
    const own = ownClient(request);
    return await authorize({ ...plan, scopes }, { server, context, fetchOAuth, ...own });
  } catch (error) {
    context.signal.throwIfAborted();
    // What is behind it may hold tokens, so it goes no further.
    throw new Error((await explainOAuthFailure(error, [])).reason);
  }
}

function serverAddress(settings: McpServerSettings): URL {
  const server = URL.parse(settings.url ?? "");
  if (settings.transport === "stdio" || server === null) {
    throw new Error("it is a program, which has no sign-in of this kind");
  }
  if (hasOwnAuthorization(settings)) {
    throw new Error(
      'the configuration gives it a token with "bearerTokenEnv" or "headers", which is used instead',
    );
  }
  if (server.protocol !== "https:" && !isLoopback(server)) {
    throw new Error("its address is not encrypted, so a token would be open to others; use https");
  }
  return server;
}

/** Has the server refuse a request, for it then says what it wants. */
async function probe(
  { settings, env }: ServerSignInRequest,
  server: URL,
  signal: AbortSignal,
): Promise<ReturnType<typeof readChallenge>> {
  const headers = configuredHeaders(settings, env);
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "alisio", version: VERSION },
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_LIMIT_MS)]);
  const response = await fetch(server, {
    method: settings.transport === "sse" ? "GET" : "POST",
    headers,
    ...(settings.transport === "sse"
      ? {}
      : { body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }) }),
    redirect: "manual",
    signal: limit,
  }).catch((error) => {
    throw explainNetworkFailure(error, server.host);
  });
  await response.body?.cancel();
  return readChallenge(response.headers.get("www-authenticate") ?? "");
}

/** Where a service names it, it is what a token that can be renewed is asked for with. */
function offlineScope({ service }: SignInPlan): readonly string[] {
  return service.scopes_supported?.includes("offline_access") === true ? ["offline_access"] : [];
}

interface Authorizing {
  readonly server: URL;
  readonly context: ProviderAuthContext;
  readonly fetchOAuth: OAuthFetch;
  /** The client that the person registered by hand, if they did. */
  readonly client?: OwnClient;
  /** Port that the browser comes back to, where that is fixed. */
  readonly callbackPort?: number;
}

type OwnClient = Pick<ServerSignIn, "clientId" | "clientSecret">;

function ownClient(
  { settings: { oauth }, env }: ServerSignInRequest,
): Pick<Authorizing, "client" | "callbackPort"> {
  if (oauth === undefined) return {};
  const { clientId, clientSecretEnv: name, callbackPort } = oauth;
  const secret = name === undefined ? undefined : env[name]?.trim() ?? "";
  if (secret === "") throw new Error(`the environment variable ${name} is not set; export it`);
  return {
    client: { clientId, ...(secret === undefined ? {} : { clientSecret: secret }) },
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

async function authorize(
  plan: SignInPlan,
  { server, context, fetchOAuth, client: own, callbackPort }: Authorizing,
): Promise<ServerSignIn> {
  const oauth = await import("oauth4webapi");
  const { service, resource, scopes } = plan;
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const way = await wayBack(context, state, callbackPort);
  context.show({ type: "progress", message: `Signing in at ${new URL(service.issuer).origin}` });
  const registered = own === undefined
    ? await register(plan, way.redirectUri, { context, fetchOAuth })
    : knownClient(own, plan);
  const url = new URL(service.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: registered.clientId,
    redirect_uri: way.redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    ...(scopes.includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  context.show({
    type: "auth_url",
    url: url.href,
    instructions: "Open this address in a browser and allow the access.",
  });
  const answer = await way.wait();
  const client: Client = { client_id: registered.clientId };
  const callback = oauth.validateAuthResponse(service, client, answer, state);
  const issuedAt = Date.now();
  const options = requestOptions(oauth, service, { signal: context.signal, fetchOAuth });
  const response = await oauth.authorizationCodeGrantRequest(
    service,
    client,
    await clientAuthOf(registered),
    callback,
    way.redirectUri,
    verifier,
    { ...options, additionalParameters: { resource } },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(service, client, response);
  const { revocation_endpoint: revocationEndpoint } = service;
  return {
    server: server.href,
    issuer: service.issuer,
    tokenEndpoint: service.token_endpoint ?? "",
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    resource,
    ...registered,
    ...readTokenAnswer(tokens, { scopes }, issuedAt),
  };
}

type RegisteredClient = Pick<ServerSignIn, "clientId" | "clientSecret" | "clientAuth">;

/** The client that the person registered, in the way that the service lets it show its secret. */
function knownClient(own: OwnClient, { service }: SignInPlan): RegisteredClient {
  if (own.clientSecret === undefined) return { ...own, clientAuth: "none" };
  const methods = service.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isPost = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
  return { ...own, clientAuth: isPost ? "client_secret_post" : "client_secret_basic" };
}

/** Each sign-in registers anew, for each comes back to a port of its own. */
async function register(
  { service, scopes, isGuessed }: SignInPlan,
  redirectUri: string,
  ports: Pick<Authorizing, "context" | "fetchOAuth">,
): Promise<RegisteredClient> {
  const oauth = await import("oauth4webapi");
  if (service.registration_endpoint === undefined) {
    throw new Error(
      `${
        new URL(service.issuer).origin
      } lets no program register itself; register one there and name it in "oauth.clientId", ` +
        'or make a token there and name its variable in "bearerTokenEnv"',
    );
  }
  const methods = service.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const wanted = (["none", "client_secret_basic", "client_secret_post"] as const)
    .find((method) => methods.includes(method)) ?? "none";
  const response = await oauth.dynamicClientRegistrationRequest(service, {
    client_name: "Alisio",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: wanted,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
  }, requestOptions(oauth, service, { ...ports, signal: ports.context.signal }));
  if (isGuessed && response.status !== 200 && response.status !== 201) {
    await response.body?.cancel();
    throw saysNothing(new URL(service.issuer));
  }
  return await readRegistration(response, wanted);
}

/**
 * Reads what a service answers to a registration. The library wants members that services leave out
 * and nobody here needs, so it reads failures alone.
 */
async function readRegistration(
  response: Response,
  wanted: ServerSignIn["clientAuth"],
): Promise<RegisteredClient> {
  if (!response.ok) {
    const { processDynamicClientRegistrationResponse } = await import("oauth4webapi");
    await processDynamicClientRegistrationResponse(response);
  }
  const value: unknown = await response.json().catch(() => null);
  const {
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: given = wanted,
  }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  if (typeof clientId !== "string" || clientId === "") {
    throw new Error("the service registered this program without an id");
  }
  if (typeof clientSecret !== "string" || clientSecret === "" || given === "none") {
    return { clientId, clientAuth: "none" };
  }
  const isPost = given === "client_secret_post";
  const clientAuth = isPost ? "client_secret_post" : "client_secret_basic";
  return { clientId, clientSecret, clientAuth };
}

interface WayBack {
  readonly redirectUri: string;
  /** Waits for what the browser came back with. */
  wait(): Promise<URLSearchParams>;
}

/** The browser comes back by itself where it is on this machine, and by hand everywhere. */
async function wayBack(
  context: ProviderAuthContext,
  state: string,
  fixedPort?: number,
): Promise<WayBack> {
  const listener = await context.loopback?.({ port: fixedPort ?? 0, path: CALLBACK_PATH, state })
    .catch(() => undefined);
  const port = fixedPort ?? FIRST_FREE_PORT +
      (crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % (LAST_PORT - FIRST_FREE_PORT);
  const redirectUri = listener?.redirectUri ?? `http://127.0.0.1:${port}${CALLBACK_PATH}`;
  return {
    redirectUri,
    async wait() {
      const pasted = pastedAddress(context, { redirectUri, state });
      if (listener === undefined) {
        const found = await pasted;
        if (found === undefined) {
          throw new Error("there is no browser on this machine, and nobody pasted the address");
        }
        return found;
      }
      const listened = listener.wait().then(({ params }) => new URLSearchParams({ ...params }));
      // Nobody may paste anything; the browser comes back all the same.
      const typed = pasted.then((found) => found ?? listened);
      return await Promise.race([listened, typed]);
    },
  };
}

/** Asks until the address is the one that was waited for. Undefined where nobody answers. */
async function pastedAddress(
  { prompt, signal }: ProviderAuthContext,
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string },
): Promise<URLSearchParams | undefined> {
  let message = "If the browser cannot open the page at the end, paste its address here:";
  while (!signal.aborted) {
    const answer = await prompt({ message });
    if (answer === undefined) return undefined;
    const url = URL.parse(answer.trim());
    const isOurs = url !== null && url.href.startsWith(`${redirectUri}?`);
    if (isOurs && url.searchParams.get("state") === state) return url.searchParams;
    message =
      `That is not the address; it begins with ${redirectUri}? and belongs to this sign-in:`;
  }
  return undefined;
}
