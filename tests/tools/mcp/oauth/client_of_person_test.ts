import assert from "node:assert/strict";
import { freePort } from "../../../support/free_port.ts";
import { withTempDir } from "../../../support/temp.ts";
import type { SignInPorts } from "../../../../core/provider/auth/sign_in.ts";
import { readSignIn } from "../../../../tools/mcp/oauth/sign_in_store.ts";
import { signInToServer } from "../../../../tools/mcp/oauth/sign_in_to_server.ts";
import type { McpServerSettings } from "../../../../core/config/configuration.ts";
import { serverSettings } from "../_connect.ts";
import { type HttpServer, type SeenRequest, startHttpServer } from "../_http_server.ts";

const TOKENS = { access_token: "access-of-test", token_type: "Bearer", expires_in: 3_600 };

/** A server whose own origin hands out tokens, as services of the protocol of 2025-03-26 do. */
function startOlder(
  metadata: ((origin: string) => Record<string, unknown>) | null,
  registers = true,
): HttpServer {
  const server: HttpServer = startHttpServer(({ path }) => {
    const origin = new URL(server.url).origin;
    if (path === "/.well-known/oauth-authorization-server" && metadata !== null) {
      return Response.json(metadata(origin));
    }
    if (path.endsWith("/register") && registers) {
      return Response.json({ client_id: "registered" }, { status: 201 });
    }
    if (path.endsWith("/token")) return Response.json(TOKENS);
    return path === "/mcp"
      ? new Response("{}", { status: 401 })
      : new Response(null, { status: 404 });
  });
  return server;
}

function requestFor(
  { url }: HttpServer,
  folder: string,
  settings: Partial<McpServerSettings> = {},
  env: Readonly<Record<string, string>> = {},
) {
  return {
    name: "test",
    settings: serverSettings({ transport: "http", url, ...settings }),
    env,
    folder,
    hideSecrets: () => {},
  };
}

/** A person whose browser comes straight back with a code. */
function browser(opened: URL[]): SignInPorts {
  return {
    hasBrowser: true,
    signal: new AbortController().signal,
    show(step) {
      if (step.type !== "auth_url") return;
      const url = new URL(step.url);
      opened.push(url);
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", "code-of-test");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      void fetch(back).then((response) => response.body?.cancel());
    },
  };
}

function tokenForm(
  { seen }: HttpServer,
): { readonly form: URLSearchParams; readonly seen: SeenRequest } {
  const found = seen.find(({ path }) => path.endsWith("/token"));
  assert.ok(found !== undefined);
  return { form: new URLSearchParams(found.text), seen: found };
}

Deno.test("signInToServer() takes the endpoints of 2025-03-26 where nothing describes the service", async () => {
  await using server = startOlder(null);
  await withTempDir(async (folder) => {
    const opened: URL[] = [];
    await signInToServer(requestFor(server, folder), browser(opened));
    const { origin } = new URL(server.url);
    assert.equal(opened[0]?.origin, origin);
    assert.equal(opened[0]?.pathname, "/authorize");
    assert.equal(opened[0]?.searchParams.get("code_challenge_method"), "S256");
    assert.ok((tokenForm(server).form.get("code_verifier") ?? "").length > 40);
    assert.equal((await readSignIn(folder, new URL(server.url)))?.accessToken, "access-of-test");
  });
});

Deno.test("signInToServer() says that a service says nothing where it registers nobody either", async () => {
  await using server = startOlder(null, false);
  await withTempDir(async (folder) => {
    const opened: URL[] = [];
    await assert.rejects(
      () => signInToServer(requestFor(server, folder), browser(opened)),
      /says nothing of how to sign in/,
    );
    assert.deepEqual(opened, []);
  });
});

Deno.test("signInToServer() takes the name that a guessed service gives itself, of its origin alone", async () => {
  const described = (issuer: string, at: string) => ({
    issuer,
    authorization_endpoint: `${at}/authorize`,
    token_endpoint: `${at}/token`,
    registration_endpoint: `${at}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  });
  await withTempDir(async (folder) => {
    await using own = startOlder((origin) => described(`${origin}/oauth`, `${origin}/oauth`));
    const opened: URL[] = [];
    await signInToServer(requestFor(own, folder), browser(opened));
    assert.equal(opened[0]?.pathname, "/oauth/authorize");
    await using other = startOlder((origin) => described("https://other.example", origin));
    await assert.rejects(
      () => signInToServer(requestFor(other, folder), browser(opened)),
      /issuer/,
    );
    assert.equal(opened.length, 1);
  });
});

Deno.test("signInToServer() uses the client that the person registered, at the port that it has", async () => {
  await using server = startOlder((origin) => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  }));
  const callbackPort = freePort();
  const oauth = { clientId: "by hand", clientSecretEnv: "TEST_CLIENT_SECRET", callbackPort };
  await withTempDir(async (folder) => {
    const opened: URL[] = [];
    await assert.rejects(
      () => signInToServer(requestFor(server, folder, { oauth }), browser(opened)),
      /TEST_CLIENT_SECRET is not set/,
    );
    const env = { TEST_CLIENT_SECRET: "secret-of-client" };
    await signInToServer(requestFor(server, folder, { oauth }, env), browser(opened));
    const query = opened[0]?.searchParams;
    assert.equal(query?.get("client_id"), "by hand");
    assert.equal(query?.get("redirect_uri"), `http://127.0.0.1:${callbackPort}/callback`);
    const header = tokenForm(server).seen.headers.get("authorization") ?? "";
    assert.equal(atob(header.replace("Basic ", "")), "by+hand:secret-of-client");
    assert.ok(!server.seen.some(({ path }) => path === "/register"));
  });
});
