import assert from "node:assert/strict";
import { type ProviderAuthStep, ProviderError, type ProviderOAuth } from "@alisio/sdk";
import { setUpPlugin } from "@alisio/sdk/testing";
import plugin, { acmeProvider, browserSignIn, deviceSignIn } from "./acme_account.ts";

/** Calls `fn` with a service that gives one answer after the other, and what it was asked. */
async function withAcme(
  answers: readonly (() => Response)[],
  fn: (address: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const answer = answers[asked.length] ?? (() => new Response(null, { status: 500 }));
      asked.push(`${new URL(request.url).pathname} ${await request.text()}`);
      return answer();
    },
  );
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`, asked);
  } finally {
    await server.shutdown();
  }
}

const TOKENS = () => Response.json({ access_token: "a", refresh_token: "r", expires_in: 60 });

Deno.test("acme.account registers a provider with two ways to sign in", async () => {
  await using host = await setUpPlugin(plugin, { options: { service: "http://127.0.0.1:9" } });
  const [registration] = host.providers;
  assert.deepEqual(registration?.hosts, ["http://127.0.0.1:9"]);
  assert.deepEqual(registration.auth?.map(({ id }) => id), ["browser", "device"]);
});

Deno.test("deviceSignIn() shows the code and waits for the person", async () => {
  const begun = () =>
    Response.json({
      device_code: "d",
      user_code: "AB-12",
      verification_uri: "https://acme.example/device",
      interval: 0,
    });
  const pending = () => Response.json({ error: "authorization_pending" }, { status: 400 });
  await withAcme([begun, pending, TOKENS], async (address, asked) => {
    const shown: ProviderAuthStep[] = [];
    const session = await deviceSignIn(address).start({
      signal: AbortSignal.timeout(10_000),
      show: (step) => void shown.push(step),
      prompt: () => Promise.resolve(undefined),
    });
    assert.deepEqual([session.access, session.refresh], ["a", "r"]);
    assert.ok((session.expires ?? 0) > Date.now());
    assert.equal(shown[0]?.type === "device_code" ? shown[0].userCode : "", "AB-12");
    assert.equal(asked.length, 3);
  });
});

Deno.test("browserSignIn() takes a pasted address with the right state, and no other", async () => {
  for (const isRight of [true, false]) {
    await withAcme([TOKENS], async (address, asked) => {
      let state = "";
      const signingIn = browserSignIn(address).start({
        signal: AbortSignal.timeout(10_000),
        show(step) {
          if (step.type === "auth_url") state = new URL(step.url).searchParams.get("state") ?? "";
        },
        prompt: () =>
          Promise.resolve(`${address}/oauth/code?code=c&state=${isRight ? state : "another"}`),
      });
      if (!isRight) return await assert.rejects(signingIn, /not the address/);
      assert.equal((await signingIn).access, "a");
      assert.match(asked[0] ?? "", /^\/oauth\/token .*code=c&code_verifier=/);
    });
  }
});

Deno.test("A renewal says whether its failure may pass", async () => {
  const busy = () => new Response(null, { status: 503 });
  const ended = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  await withAcme([busy, ended, TOKENS], async (address) => {
    const renew = () =>
      deviceSignIn(address).refresh?.(
        { type: "oauth", access: "a", refresh: "r" },
        AbortSignal.timeout(10_000),
      ) ?? assert.fail("It cannot renew");
    await assert.rejects(renew(), { retryable: true });
    await assert.rejects(renew(), { message: "Acme says invalid_grant" });
    assert.equal((await renew()).access, "a");
  });
});

Deno.test("acmeProvider() says that the service refused its session", async () => {
  await withAcme([() => new Response(null, { status: 401 })], async (address) => {
    const ended: string[] = [];
    const oauth: ProviderOAuth = {
      get: () => Promise.resolve({ type: "oauth", access: "a" }),
      invalidate: (reason) => Promise.resolve(void ended.push(reason)),
    };
    const listing = acmeProvider(address, oauth).listModels?.({
      signal: AbortSignal.timeout(10_000),
    });
    await assert.rejects(listing ?? assert.fail("It lists no models"), ProviderError);
    assert.deepEqual(ended, ["sign_in_required"]);
  });
});
