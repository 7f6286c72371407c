import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { startStubServer, type StubStep } from "../../support/stub_server.ts";
import { jsonAnswer, pageAnswer, search } from "./_search_scene.ts";

const OWN = { isOwnInstance: true } as const;

Deno.test("websearch ends a search whose answer drips or never begins", async () => {
  async function* drip(): AsyncGenerator<StubStep> {
    for (;;) {
      yield " ";
      yield { waitMs: 20 };
    }
  }
  for (const steps of [drip(), [{ do: "hang" }] as const]) {
    const { isError, text } = await search({ ...OWN, timeoutMs: 300, service: [{ steps }] });
    assert.ok(isError);
    assert.match(text, /did not answer within 300 ms/);
  }
});

Deno.test("websearch gives up when its call is stopped", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const searching = search({
    ...OWN,
    signal: controller.signal,
    service: [() => {
      controller.abort(reason);
      return { steps: [{ do: "hang" }] };
    }],
  });
  await assert.rejects(searching, reason);
});

Deno.test("websearch reads no more of an answer than it may keep", async () => {
  const piece = "x".repeat(256 * 1024);
  let sent = 0;
  async function* flood(): AsyncGenerator<StubStep> {
    for (; sent < 400; sent++) yield await Promise.resolve(piece);
  }
  const { isError, text } = await search({ ...OWN, service: [{ steps: flood() }] });
  assert.ok(isError);
  assert.match(text, /answered with more than 2097152 bytes/);
  assert.ok(sent < 200, `${sent} pieces of 256 KiB were taken`);
});

Deno.test("websearch bounds an answer by what it unpacks to", async () => {
  const bomb = gzipSync(new Uint8Array(64 * 1024 * 1024));
  const { text } = await search({
    ...OWN,
    service: [{
      headers: { "content-encoding": "gzip", "content-type": "application/json" },
      steps: [bomb],
    }],
  });
  assert.match(text, /answered with more than 2097152 bytes/);
});

Deno.test("websearch follows a redirect on the same server alone, and not for ever", async () => {
  const redirect = (location: string, status = 302) => ({
    status,
    headers: { location },
    steps: [],
  });
  const followed = await search({
    ...OWN,
    service: [redirect("/elsewhere?q=x"), jsonAnswer({ results: [] })],
  });
  assert.ok(!followed.isError, followed.text);
  assert.deepEqual(followed.requests.map(({ path }) => path.split("?")[0]), [
    "/search",
    "/elsewhere",
  ]);
  const loop = await search({ ...OWN, service: () => redirect("/search") });
  assert.match(loop.text, /redirects more than 5 times/);
  assert.equal(loop.requests.length, 6);

  await using secret = await startStubServer([jsonAnswer({ results: [] })]);
  for (const location of [secret.origin, "http://169.254.169.254/latest", "file:///etc/passwd"]) {
    const { isError, text } = await search({ ...OWN, service: [redirect(location)] });
    assert.ok(isError);
    assert.match(text, /a search goes to no other server/);
    assert.doesNotMatch(text, /null/);
  }
  const keyed = await search({
    settings: { provider: "tavily" },
    service: [redirect(`${secret.origin}/search`, 307)],
  });
  assert.match(keyed.text, /a search goes to no other server/);
  const posted = await search({
    settings: { provider: "tavily" },
    service: [redirect("/x", 303)],
  });
  assert.match(posted.text, /redirects a search that was posted to it/);
  assert.equal(secret.requests.length, 0);
});

Deno.test("websearch says that an answer is none, whatever it is instead", async () => {
  for (
    const [provider, answer, says] of [
      ["searxng", pageAnswer("<!doctype html><p>Hello"), /a page where JSON is due/],
      ["searxng", jsonAnswer("[1, 2]"), /no JSON object/],
      ["searxng", jsonAnswer('{"results": ['), /no JSON object/],
      ["searxng", jsonAnswer(""), /no JSON object/],
      ["searxng", jsonAnswer({ results: "none" }), /no list of results/],
      ["searxng", jsonAnswer({}), /no list of results/],
      ["tavily", jsonAnswer({ results: { 0: {} } }), /no list of results/],
      ["brave", jsonAnswer({ web: { results: 3 } }), /no list of results/],
      ["brave", jsonAnswer({ hello: 1 }), /no list of results/],
      ["serpapi", jsonAnswer({ organic_results: null }), /no list of results/],
    ] as const
  ) {
    const found = await search({
      settings: { provider },
      service: [answer],
      isOwnInstance: provider === "searxng",
    });
    assert.ok(found.isError, found.text);
    assert.match(found.text, says);
  }
});

Deno.test("websearch leaves out entries of the wrong types and keeps the others", async () => {
  const good = { url: "https://a.example/", title: "A", content: "a" };
  const { json } = await search({
    ...OWN,
    service: [jsonAnswer({
      results: [
        null,
        7,
        "text",
        [],
        { url: 3, title: "x" },
        { title: "no address" },
        { url: "javascript:alert(1)", title: "x" },
        { url: "file:///etc/passwd", title: "x" },
        { url: "https://b.example/", title: { toString: 1 }, content: ["x"] },
        good,
      ],
    })],
  });
  assert.deepEqual(json, {
    results: [
      { title: "b.example", url: "https://b.example/", snippet: "" },
      { title: "A", url: "https://a.example/", snippet: "a" },
    ],
    source: "searxng",
  });
});

Deno.test("websearch says that a connection was broken off or refused, without the address", async () => {
  const cut = await search({ ...OWN, service: [{ steps: ['{"results"', { do: "reset" }] }] });
  assert.match(cut.text, /^Cannot search the web: 127\.0\.0\.1:\d+ broke the connection off$/);
  const server = await startStubServer([]);
  const { origin } = server;
  await server.close();
  const refused = await search({ settings: { searxngUrl: origin }, service: [] });
  assert.match(refused.text, /^Cannot search the web: 127\.0\.0\.1:\d+ takes no connections$/);
});

Deno.test("websearch gives a page of endless depth up at once", async () => {
  const startedAt = performance.now();
  const { isError, text } = await search({
    settings: { provider: "duckduckgo-html" },
    service: [pageAnswer('<div class="result__snippet">'.repeat(60_000))],
  });
  assert.ok(isError);
  assert.match(text, /a page of no sense/);
  assert.ok(performance.now() - startedAt < 10_000);
});

Deno.test("websearch does not ask another service when the one that is configured fails", async () => {
  const { isError, text, requests } = await search({
    settings: { provider: "brave" },
    service: () => jsonAnswer({}, 503),
  });
  assert.ok(isError);
  assert.match(text, /status 503$/);
  assert.equal(requests.length, 1);
});
