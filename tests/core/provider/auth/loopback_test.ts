import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import type { Loopback } from "@alisio/sdk";
import { openLoopback } from "../../../../core/provider/auth/loopback.ts";

const STATE = "0123456789abcdef";

async function listening(
  use: (loopback: Loopback, visit: (query: string) => Promise<number>) => Promise<void>,
): Promise<void> {
  const end = new AbortController();
  const loopback = openLoopback({ port: 0, path: "/callback", state: STATE }, end.signal);
  const visit = async (query: string): Promise<number> => {
    const response = await fetch(`${loopback.redirectUri}${query}`);
    await response.body?.cancel();
    return response.status;
  };
  try {
    await use(loopback, visit);
  } finally {
    end.abort(new Error("over"));
    await loopback.closed;
  }
}

Deno.test("openLoopback() answers with the code of the request that brings the state", async () => {
  await listening(async (loopback, visit) => {
    match(loopback.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const wait = loopback.wait();
    equal(await visit("?code=stolen&state=another-one-here"), 400);
    equal(await visit("?code=stolen"), 400);
    equal(await visit(`?code=stolen&state=${STATE}&state=${STATE}`), 400);
    equal(await visit(`?state=${STATE}`), 400);
    equal(await visit(`/other?code=stolen&state=${STATE}`), 404);
    equal(await visit(`?code=abc&state=${STATE}&scope=x`), 200);
    equal(await visit(`?code=late&state=${STATE}`), 200);
    deepEqual(await wait, { code: "abc", params: { code: "abc", state: STATE, scope: "x" } });
  });
});

Deno.test("openLoopback() takes no answer by another method, or a huge one", async () => {
  await listening(async ({ redirectUri }, visit) => {
    const posted = await fetch(`${redirectUri}?code=a&state=${STATE}`, { method: "POST" });
    await posted.body?.cancel();
    equal(posted.status, 405);
    ok(await visit(`?code=${"a".repeat(9_000)}&state=${STATE}`) >= 400);
    const many = Array.from({ length: 40 }, (_, index) => `&p${index}=1`).join("");
    equal(await visit(`?code=a&state=${STATE}${many}`), 400);
  });
});

Deno.test("openLoopback() says what the service reports, with nothing hidden in it", async () => {
  await listening(async (loopback, visit) => {
    const wait = rejects(loopback.wait(), /access_denied: no\\x1b\[2J/);
    const said = encodeURIComponent("no\x1b[2J");
    equal(await visit(`?error=access_denied&error_description=${said}&state=${STATE}`), 200);
    await wait;
  });
});

Deno.test("openLoopback() shows the browser a page that loads nothing", async () => {
  await listening(async ({ redirectUri }) => {
    const response = await fetch(`${redirectUri}?code=%3Cscript%3E&state=${STATE}`);
    equal(response.headers.get("content-security-policy"), "default-src 'none'");
    equal((await response.text()).includes("script"), false);
  });
});

Deno.test("openLoopback() ends the wait and frees the port when its signal aborts", async () => {
  const end = new AbortController();
  const loopback = openLoopback({ port: 0, path: "/", state: STATE }, end.signal);
  const { port } = new URL(loopback.redirectUri);
  const wait = rejects(loopback.wait(), /thought better/);
  // A client that never comes to an end must not hold it open.
  const silent = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  await silent.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\n"));
  end.abort(new Error("thought better of it"));
  await wait;
  await loopback.closed;
  silent.close();
  Deno.listen({ hostname: "127.0.0.1", port: Number(port) }).close();
});

Deno.test("openLoopback() fails where the port is taken", () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { signal } = new AbortController();
  throws(
    () => openLoopback({ port: taken.addr.port, path: "/", state: STATE }, signal),
    Deno.errors.AddrInUse,
  );
});

const UNUSABLE = [
  { port: -1, path: "/", state: STATE },
  { port: 70_000, path: "/", state: STATE },
  { port: 0, path: "callback", state: STATE },
  { port: 0, path: "/a?b", state: STATE },
  { port: 0, path: "/", state: "short" },
];

for (const options of UNUSABLE) {
  Deno.test(`openLoopback() refuses ${JSON.stringify(options)}`, () => {
    throws(() => openLoopback(options, new AbortController().signal), TypeError);
  });
}
