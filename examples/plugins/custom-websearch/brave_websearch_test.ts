import assert from "node:assert/strict";
import { setUpPlugin } from "@alisio/sdk/testing";
import plugin, { braveSearch } from "./brave_websearch.ts";

/** Answers as the engine does. */
async function withEngine(
  answer: (request: Request) => Response,
  fn: (address: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  try {
    await fn(`http://127.0.0.1:${server.addr.port}/search`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("braveSearch() asks with the key and returns what was found", async () => {
  const asked: string[] = [];
  await withEngine((request) => {
    asked.push(`${new URL(request.url).search} ${request.headers.get("x-subscription-token")}`);
    const results = [{ title: "Alisio", url: "https://x.example", description: "A wind" }, null];
    return Response.json({ web: { results } });
  }, async (address) => {
    assert.deepEqual(await braveSearch("k", address).search("trade winds"), [
      { title: "Alisio", url: "https://x.example", snippet: "A wind" },
      { title: "", url: "", snippet: "" },
    ]);
    assert.deepEqual(asked, ["?q=trade+winds k"]);
  });
});

Deno.test("braveSearch() says what failed, and stops when nobody waits", async () => {
  await withEngine(() => new Response("no", { status: 429 }), async (address) => {
    const { search } = braveSearch("k", address);
    await assert.rejects(
      () => search("x"),
      /Cannot search with Brave: it answered with status 429/,
    );
    await assert.rejects(() => search("x", { signal: AbortSignal.abort() }), /abort/i);
  });
  await withEngine(() => Response.json([]), async (address) => {
    assert.deepEqual(await braveSearch("k", address).search("x"), []);
  });
});

Deno.test("brave-websearch offers itself with a key, and says which variable it lacks", async () => {
  const before = Deno.env.get("BRAVE_SEARCH_API_KEY");
  try {
    Deno.env.delete("BRAVE_SEARCH_API_KEY");
    await assert.rejects(() => setUpPlugin(plugin), /set the variable BRAVE_SEARCH_API_KEY/);
    Deno.env.set("BRAVE_SEARCH_API_KEY", "k");
    await using host = await setUpPlugin(plugin);
    assert.deepEqual(host.extensions.map(({ point, priority }) => [point, priority]), [
      ["websearch", 10],
    ]);
  } finally {
    if (before === undefined) Deno.env.delete("BRAVE_SEARCH_API_KEY");
    else Deno.env.set("BRAVE_SEARCH_API_KEY", before);
  }
});
