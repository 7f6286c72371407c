/**
 * A service on loopback that hands out tokens for a server, and the server itself, on two origins.
 * As careful services do, it takes each token for renewals once.
 *
 * @module
 */
import { type Handler, type HttpServer, startHttpServer } from "./_http_server.ts";

/** How a service behaves, and what a test sees of it. */
export interface OAuthScene extends AsyncDisposable {
  readonly server: HttpServer;
  readonly service: HttpServer;
  /** Forms that the service was sent, in order, with where. */
  readonly forms: readonly { readonly path: string; readonly form: URLSearchParams }[];
  /** Tokens that the service gave out. */
  readonly tokens: readonly string[];
  /** How long the next tokens live. */
  seconds: number;
  /** Rights that the server wants. */
  scope: string;
  /** In place of the answer to the next request for a token. */
  tokenAnswer: (() => Response | Promise<Response>) | undefined;
  /** Changes what the server says of its sign-in. */
  resource: Record<string, unknown>;
  /** Changes what the service says of itself. */
  metadata: Record<string, unknown>;
  /** What else the service answers to a registration. */
  registration: Record<string, unknown>;
  /** Forgets tokens for requests, and keeps those for renewals. */
  expire(): void;
  /** Forgets every token. */
  revoke(): void;
  /** Opens an address as a browser would, and allows the access; answers where it is sent back to. */
  visit(url: string): Promise<string>;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
  readonly scope: string;
}

/** Starts both. */
export function startOAuthScene(handler: Handler = () => undefined): OAuthScene {
  const access = new Map<string, string>();
  const refresh = new Set<string>();
  const codes = new Map<string, Grant>();
  const forms: { path: string; form: URLSearchParams }[] = [];
  const tokens: string[] = [];

  const server = startHttpServer((seen, request) => {
    if (seen.path === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({
        resource: server.url,
        authorization_servers: [service.url.replace("/mcp", "")],
        ...scene.resource,
      });
    }
    const token = seen.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    const granted = access.get(token);
    const metadata = new URL("/.well-known/oauth-protected-resource/mcp", server.url);
    const challenge = (error: string) =>
      `Bearer resource_metadata="${metadata}", scope="${scene.scope}"${error}`;
    if (granted === undefined) {
      return new Response("{}", { status: 401, headers: { "www-authenticate": challenge("") } });
    }
    if (!scene.scope.split(" ").every((scope) => granted.split(" ").includes(scope))) {
      const header = challenge(', error="insufficient_scope"');
      return new Response("{}", { status: 403, headers: { "www-authenticate": header } });
    }
    return handler(seen, request);
  });

  const service = startHttpServer(async ({ path, text }) => {
    const origin = new URL(service.url).origin;
    if (path === "/.well-known/oauth-authorization-server") {
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        revocation_endpoint: `${origin}/revoke`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...scene.metadata,
      });
    }
    if (path === "/register") {
      const { redirect_uris: redirects } = JSON.parse(text);
      return Response.json(
        { client_id: `client of ${redirects[0]}`, ...scene.registration },
        { status: 201 },
      );
    }
    const form = new URLSearchParams(text);
    if (path === "/revoke" || path === "/token") forms.push({ path, form });
    if (path === "/revoke") return new Response(null, { status: 200 });
    if (path !== "/token") return new Response(null, { status: 404 });
    const answer = scene.tokenAnswer;
    scene.tokenAnswer = undefined;
    return await (answer?.() ?? issue(form));
  });

  async function issue(form: URLSearchParams): Promise<Response> {
    const invalid = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    let scope = scene.scope;
    if (form.get("grant_type") === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const digest = await crypto.subtle.digest(
        "SHA-256",
        new TextEncoder().encode(form.get("code_verifier") ?? ""),
      );
      const proof = new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
      if (code === undefined || code.challenge !== proof) return invalid();
      if (code.redirect !== form.get("redirect_uri")) return invalid();
      if (code.client !== form.get("client_id")) return invalid();
      scope = code.scope;
    } else if (!refresh.delete(form.get("refresh_token") ?? "")) return invalid();
    const made = [`access-${crypto.randomUUID()}`, `refresh-${crypto.randomUUID()}`] as const;
    access.set(made[0], scope);
    refresh.add(made[1]);
    tokens.push(...made);
    return Response.json({
      access_token: made[0],
      refresh_token: made[1],
      token_type: "Bearer",
      expires_in: scene.seconds,
      scope,
    });
  }

  const scene: OAuthScene = {
    server,
    service,
    forms,
    tokens,
    seconds: 3_600,
    scope: "read",
    tokenAnswer: undefined,
    resource: {},
    metadata: {},
    registration: {},
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    visit(url) {
      const { searchParams } = new URL(url);
      const code = crypto.randomUUID();
      const given = (name: string) => searchParams.get(name) ?? "";
      if (given("response_type") !== "code" || given("code_challenge_method") !== "S256") {
        throw new Error(`What is asked for is no code: ${url}`);
      }
      codes.set(code, {
        challenge: given("code_challenge"),
        redirect: given("redirect_uri"),
        client: given("client_id"),
        scope: given("scope"),
      });
      const back = new URL(given("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", given("state"));
      return Promise.resolve(back.href);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await service.stop();
    },
  };
  return scene;
}
