import assert from "node:assert/strict";
import { join } from "node:path";
import { SignInError } from "../../../../core/provider/auth/sign_in_error.ts";
import type { SignInPorts } from "../../../../core/provider/auth/sign_in.ts";
import { readSignIn, writeSignIn } from "../../../../tools/mcp/oauth/sign_in_store.ts";
import { signInToServer } from "../../../../tools/mcp/oauth/sign_in_to_server.ts";
import { signOutOfServer } from "../../../../tools/mcp/oauth/sign_out_of_server.ts";
import type { McpServerSettings } from "../../../../core/config/configuration.ts";
import { withTempDir } from "../../../support/temp.ts";
import {
  callText,
  connect,
  failureOf,
  NO_LIMIT,
  serverSettings,
  withConnection,
} from "../_connect.ts";
import { callsTool, startHttpServer } from "../_http_server.ts";
import { type OAuthScene, startOAuthScene } from "../_oauth_service.ts";

function settingsOf(url: string, more: Partial<McpServerSettings> = {}): McpServerSettings {
  return serverSettings({ transport: "http", url, callTimeoutMs: 10_000, ...more });
}

function requestFor(url: string, folder: string, more: Partial<McpServerSettings> = {}) {
  return {
    name: "test",
    settings: settingsOf(url, more),
    env: {},
    folder,
    hideSecrets: () => {},
  };
}

/** A person who opens the address in a browser on this machine. */
function browserPorts(scene: Pick<OAuthScene, "visit">): SignInPorts {
  return {
    hasBrowser: true,
    signal: new AbortController().signal,
    show(step) {
      if (step.type !== "auth_url") return;
      void scene.visit(step.url).then(async (back) => {
        await (await fetch(back)).body?.cancel();
      });
    },
  };
}

async function signedIn(scene: OAuthScene, folder: string): Promise<void> {
  await signInToServer(requestFor(scene.server.url, folder), browserPorts(scene));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

async function whySignInFails(request: ReturnType<typeof requestFor>): Promise<string> {
  const shown: string[] = [];
  try {
    await signInToServer(request, {
      hasBrowser: true,
      signal: new AbortController().signal,
      show: (step) => void shown.push(step.type),
    });
  } catch (error) {
    assert(error instanceof SignInError);
    assert(!shown.includes("auth_url"), "nobody was sent anywhere");
    return error.message;
  }
  throw new Error("It did not fail");
}

Deno.test("signInToServer() signs in with a browser on this machine, and requests use it", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    const { service, scopes } = await signInToServer(
      requestFor(scene.server.url, join(folder, "sign-in")),
      browserPorts(scene),
    );
    assert.deepEqual([service, scopes], [new URL(scene.service.url).origin, ["read"]]);
    const [{ form } = { form: new URLSearchParams() }] = scene.forms;
    assert.equal(form.get("resource"), scene.server.url);
    const [entry] = await namesIn(join(folder, "sign-in"));
    const file = join(folder, "sign-in", entry ?? "");
    assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    const signInFolder = join(folder, "sign-in");
    await withConnection(settingsOf(scene.server.url), async (connection, told) => {
      assert.equal(await callText(connection, "echo", { value: 1 }), "echo 1");
      assert.deepEqual(told.hidden, scene.tokens);
    }, { options: { signInFolder } });
  });
});

Deno.test("signInToServer() takes a secret of a service that leaves out when it ends", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    scene.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"];
    scene.registration = { client_secret: "a-secret-of-the-client" };
    await signedIn(scene, folder);
    assert.equal(scene.forms[0]?.form.get("client_secret"), "a-secret-of-the-client");
    scene.registration = { client_id: "" };
    await assert.rejects(signedIn(scene, folder), /without an id/);
  });
});

Deno.test("signInToServer() takes the address that a person pastes", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    const opened = Promise.withResolvers<string>();
    const asked: string[] = [];
    await signInToServer(requestFor(scene.server.url, folder), {
      hasBrowser: false,
      signal: new AbortController().signal,
      show: (step) => step.type === "auth_url" && opened.resolve(step.url),
      async prompt({ message }) {
        asked.push(message);
        const back = await scene.visit(await opened.promise);
        // The first one is of another sign-in.
        return asked.length === 1 ? back.replace(/state=[^&]+/, "state=other") : ` ${back} `;
      },
    });
    assert.equal(asked.length, 2);
    assert.match(asked[1] ?? "", /That is not the address/);
    assert.notEqual(await readSignIn(folder, new URL(scene.server.url)), null);
  });
});

Deno.test("signInToServer() gives up where nobody is there, and when it is cancelled", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    const request = requestFor(scene.server.url, folder);
    const nobody = signInToServer(request, {
      hasBrowser: false,
      signal: new AbortController().signal,
      show: () => {},
    });
    await assert.rejects(nobody, /nobody pasted the address/);
    const stop = new AbortController();
    const cancelled = signInToServer(request, {
      hasBrowser: true,
      signal: stop.signal,
      show: (step) => step.type === "auth_url" && stop.abort(),
    });
    await assert.rejects(cancelled, { reason: "cancelled" });
    const late = signInToServer(request, {
      hasBrowser: true,
      signal: new AbortController().signal,
      limitMs: 300,
      show: () => {},
    });
    await assert.rejects(late, { reason: "expired" });
    assert.equal(await readSignIn(folder, new URL(scene.server.url)), null);
  });
});

Deno.test("signInToServer() says what the service refuses", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    const request = requestFor(scene.server.url, folder);
    const denied = signInToServer(request, {
      ...browserPorts({
        visit(url) {
          const { searchParams } = new URL(url);
          const state = searchParams.get("state");
          const back = searchParams.get("redirect_uri");
          return Promise.resolve(`${back}?error=access_denied&state=${state}`);
        },
      }),
    });
    await assert.rejects(denied, /access_denied/);
    scene.tokenAnswer = () =>
      Response.json({ error: "invalid_grant", error_description: "No \x1b[31m" }, { status: 400 });
    await assert.rejects(
      signInToServer(request, browserPorts(scene)),
      /the service answered invalid_grant: No \\x1b\[31m/,
    );
    assert.equal(await readSignIn(folder, new URL(scene.server.url)), null);
  });
});

Deno.test("signInToServer() goes nowhere that a server or a service has no business with", async () => {
  await using catcher = startHttpServer(() => Response.json({ issuer: "x" }));
  const caught = new URL(catcher.url).origin;
  const rows: readonly [string, (scene: OAuthScene) => void, RegExp][] = [
    [
      "a resource that is another server",
      (scene) => scene.resource["resource"] = "https://bank.example/mcp",
      /about another server/,
    ],
    [
      "a service in a cloud's own network",
      (scene) => scene.resource["authorization_servers"] = ["https://169.254.169.254"],
      /private network/,
    ],
    [
      "a service without encryption",
      (scene) => scene.resource["authorization_servers"] = ["http://service.invalid"],
      /not encrypted/,
    ],
    [
      "a service that is a file",
      (scene) => scene.resource["authorization_servers"] = ["file:///etc/passwd"],
      /none that can be used/,
    ],
    [
      "an issuer that says it is another one",
      (scene) => scene.metadata["issuer"] = caught,
      /issuer/,
    ],
    [
      "a place for codes in a cloud's own network",
      (scene) => scene.metadata["authorization_endpoint"] = "https://[fe80::1]/authorize",
      /private network/,
    ],
    [
      "a place for tokens without encryption",
      (scene) => scene.metadata["token_endpoint"] = "http://tokens.invalid/token",
      /not encrypted/,
    ],
    [
      "a place for clients with a password",
      (scene) => scene.metadata["registration_endpoint"] = "https://a:b@service.example/",
      /user name or a password/,
    ],
    [
      "a service that does not protect codes",
      (scene) => scene.metadata["code_challenge_methods_supported"] = ["plain"],
      /PKCE, S256/,
    ],
    [
      "a service that registers nobody",
      (scene) => scene.metadata["registration_endpoint"] = undefined,
      /lets no program register itself/,
    ],
    [
      "a script in place of a page",
      (scene) => scene.metadata["authorization_endpoint"] = "javascript:alert(1)",
      /none that can be used/,
    ],
  ];
  for (const [name, change, reason] of rows) {
    await using scene = startOAuthScene();
    change(scene);
    await withTempDir(async (folder) => {
      assert.match(await whySignInFails(requestFor(scene.server.url, folder)), reason, name);
      assert.deepEqual(await namesIn(folder), [], name);
    });
  }
  assert.deepEqual(catcher.seen, []);
});

Deno.test("signInToServer() follows no redirect of a service to another origin", async () => {
  await using catcher = startHttpServer();
  await using service = startHttpServer(() =>
    new Response(null, { status: 302, headers: { location: catcher.url } })
  );
  await using server = startHttpServer(({ path }) =>
    path.startsWith("/.well-known/oauth-protected-resource")
      ? Response.json({
        resource: server.url,
        authorization_servers: [new URL(service.url).origin],
      })
      : new Response(null, { status: 401 })
  );
  await withTempDir(async (folder) => {
    assert.match(await whySignInFails(requestFor(server.url, folder)), /leads elsewhere/);
  });
  assert.deepEqual(catcher.seen, []);
});

Deno.test("signInToServer() takes no answer of a service that does not end", async () => {
  await using server = startHttpServer(({ path }) => {
    if (!path.startsWith("/.well-known")) return new Response(null, { status: 401 });
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
    });
    return new Response(body);
  });
  await withTempDir(async (folder) => {
    assert.match(await whySignInFails(requestFor(server.url, folder)), /has more than/);
  });
});

Deno.test("signInToServer() refuses servers that have another way", async () => {
  await withTempDir(async (folder) => {
    const rows: readonly [string, Partial<McpServerSettings>, RegExp][] = [
      ["http://server.example/mcp", {}, /not encrypted/],
      ["https://server.example/mcp", { bearerTokenEnv: "TOKEN" }, /bearerTokenEnv/],
      ["https://server.example/mcp", { headers: { Authorization: "${TOKEN}" } }, /"headers"/],
      ["https://server.example/mcp", { transport: "stdio" }, /it is a program/],
    ];
    for (const [url, more, reason] of rows) {
      assert.match(await whySignInFails(requestFor(url, folder, more)), reason);
    }
    await using open = startHttpServer();
    assert.match(await whySignInFails(requestFor(open.url, folder)), /says nothing of how/);
  });
});

Deno.test("A connection renews a sign-in before its end, and once for all who use it", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    scene.seconds = 0;
    await signedIn(scene, folder);
    scene.seconds = 3_600;
    const options = { signInFolder: folder };
    const settings = settingsOf(scene.server.url);
    await withTempDir(async (workspace) => {
      const connections = await Promise.all(
        [1, 2, 3].map(() => connect(settings, workspace, { options })),
      );
      const renewals = scene.forms.filter(({ form }) => form.get("grant_type") === "refresh_token");
      assert.equal(renewals.length, 1);
      assert.equal(renewals[0]?.form.get("resource"), scene.server.url);
      // The service forgets the token before its time.
      scene.expire();
      const texts = await Promise.all(
        connections.map((connection) => callText(connection, "echo", { value: 2 })),
      );
      assert.deepEqual(texts, ["echo 2", "echo 2", "echo 2"]);
      assert.equal(scene.forms.length, 3);
      for (const connection of connections) await connection.close();
    });
  });
});

Deno.test("A connection says how to sign in again once a sign-in is over, and asks no more", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    await signedIn(scene, folder);
    const options = { signInFolder: folder };
    const settings = settingsOf(scene.server.url);
    await withConnection(settings, async (connection) => {
      scene.revoke();
      for (let round = 0; round < 3; round++) {
        const error = await failureOf(connection.callTool("echo", {}, NO_LIMIT));
        assert.equal(error.code, "sign_in_needed");
        assert.match(error.message, /sign in with: alisio mcp login test$/);
      }
      assert.equal(scene.forms.length, 2, "one renewal was tried");
      // Signing in again makes it good, without another connection.
      await signedIn(scene, folder);
      assert.equal(await callText(connection, "echo", { value: 3 }), "echo 3");
    }, { options });
  });
});

Deno.test("A connection goes on with a token that counts while the service cannot renew it", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    await signedIn(scene, folder);
    const options = { signInFolder: folder };
    await withConnection(settingsOf(scene.server.url), async (connection) => {
      await scene.server.until(({ method, path }) => method === "GET" && path === "/mcp");
      scene.expire();
      scene.tokenAnswer = () => new Response("busy", { status: 503 });
      const error = await failureOf(connection.callTool("echo", {}, NO_LIMIT));
      assert.equal(error.code, "unreachable");
      assert.match(error.message, /cannot be renewed now/);
      assert.equal(await callText(connection, "echo", { value: 4 }), "echo 4");
    }, { options });
  });
});

Deno.test("A connection uses a token to its end while the service cannot renew it before", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    await signedIn(scene, folder);
    const server = new URL(scene.server.url);
    const signIn = await readSignIn(folder, server);
    assert(signIn !== null);
    const now = Date.now();
    await writeSignIn(folder, { ...signIn, issuedAt: now - 3_600_000, expiresAt: now + 30_000 });
    scene.tokenAnswer = () => new Response("busy", { status: 503 });
    await withConnection(settingsOf(scene.server.url), async (connection) => {
      assert.equal(await callText(connection, "echo", { value: 6 }), "echo 6");
      assert.equal(scene.forms.length, 2, "it is not tried again at once");
    }, { options: { signInFolder: folder } });
  });
});

Deno.test("A sign-in that fails shows nothing of what the service answered", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    scene.tokenAnswer = () =>
      Response.json({ access_token: "sentinel-token", token_type: "bearer", expires_in: -1 });
    try {
      await signedIn(scene, folder);
      assert.fail("It did not fail");
    } catch (error) {
      assert(!Deno.inspect(error).includes("sentinel-token"));
    }
  });
});

Deno.test("A connection asks for more rights only when the person signs in again", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    await signedIn(scene, folder);
    const options = { signInFolder: folder };
    await withConnection(settingsOf(scene.server.url), async (connection) => {
      scene.scope = "read write";
      const before = scene.service.seen.length;
      const error = await failureOf(connection.callTool("echo", {}, NO_LIMIT));
      assert.match(error.message, /wants more rights \(write\) than the sign-in gives; sign in/);
      assert.equal(scene.service.seen.length, before);
      await signedIn(scene, folder);
      assert.equal(await callText(connection, "echo", { value: 5 }), "echo 5");
    }, { options });
  });
});

Deno.test("A connection begins no sign-in by itself, and sends no token to another server", async () => {
  await using scene = startOAuthScene();
  await using other = startHttpServer();
  await withTempDir(async (folder) => {
    const options = { signInFolder: folder };
    await withTempDir(async (workspace) => {
      const settings = settingsOf(scene.server.url);
      const error = await failureOf(connect(settings, workspace, { options }));
      assert.match(error.message, /it needs a sign-in; sign in with: alisio mcp login test$/);
    });
    assert.deepEqual(scene.service.seen, []);
    await signedIn(scene, folder);
    await withConnection(settingsOf(other.url), async (connection) => {
      await callText(connection, "echo");
    }, { options });
    assert.deepEqual(other.seen.flatMap(({ headers }) => headers.get("authorization") ?? []), []);
    assert.equal(other.seen.filter(callsTool("echo")).length, 1);
  });
});

Deno.test("signOutOfServer() forgets a sign-in, and has the service revoke it", async () => {
  await using scene = startOAuthScene();
  await withTempDir(async (folder) => {
    const server = new URL(scene.server.url);
    assert.equal(await signOutOfServer(folder, server), "none");
    await signedIn(scene, folder);
    assert.equal(await signOutOfServer(folder, server), "revoked");
    assert.equal(await readSignIn(folder, server), null);
    assert.equal(scene.forms.at(-1)?.form.get("token"), scene.tokens[1]);
  });
});
