import assert from "node:assert/strict";
import type { SearchProvider } from "@alisio/sdk";
import type { SearchExtensions } from "../../../core/plugins/search_extensions.ts";
import { jsonAnswer, search, type Searched } from "./_search_scene.ts";

/** A plugin that searches with a function, and what is told of its failures. */
function plugin(
  run: (query: string, options?: { readonly signal?: AbortSignal }) => unknown,
  timeoutMs = 5_000,
): { readonly extensions: SearchExtensions; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const provider = { id: "own", search: run } as SearchProvider;
  return {
    failures,
    extensions: {
      chosen: () => ({ point: "websearch", plugin: "acme.search", provider, priority: 0 }),
      timeoutMs,
      failed: (id, error) => void failures.push(`${id}: ${String(error)}`),
    },
  };
}

const FOUND = { results: [{ url: "https://b.example/", title: "B", content: "b" }] };

async function withPlugin(extensions: SearchExtensions): Promise<Searched> {
  return await search({ isOwnInstance: true, extensions, service: [jsonAnswer(FOUND)] });
}

Deno.test("websearch asks the plugin that searches, and nobody else", async () => {
  const asked: unknown[] = [];
  const { extensions, failures } = plugin((query, options) => {
    asked.push(query, options?.signal instanceof AbortSignal);
    return [
      { title: "<b>A</b> &amp; B", url: "https://a.example/", snippet: "a" },
      { url: "https://c.example/" },
    ];
  });
  const found = await withPlugin(extensions);
  assert.deepEqual(found.json, {
    results: [
      { title: "A & B", url: "https://a.example/", snippet: "a" },
      { title: "c.example", url: "https://c.example/", snippet: "" },
    ],
    source: "acme.search/own",
  });
  assert.deepEqual(asked, ["deno permissions", true]);
  assert.deepEqual([found.requests.length, failures], [0, []]);
});

Deno.test("websearch takes the word of a plugin that there is nothing", async () => {
  const { extensions } = plugin(() => Promise.resolve([]));
  const found = await withPlugin(extensions);
  assert.deepEqual(found.json, { results: [], source: "acme.search/own" });
});

Deno.test("websearch falls back to the built-in services where a plugin fails, and says why", async () => {
  const hostile = new Proxy({}, {
    get() {
      throw new Error("no touching");
    },
  });
  const rows: readonly (readonly [() => unknown, RegExp])[] = [
    [() => {
      throw new Error("no wind\u202e\x1b[2J");
    }, /no wind\\u202e\\x1b\[2J$/],
    [() => Promise.reject(new Error("later")), /later$/],
    [() => Promise.reject(undefined), /failed: /],
    [() => undefined, /no list of results$/],
    [() => ({ results: [] }), /no list of results$/],
    [() => "https://a.example", /no list of results$/],
    [() => [null], /a result of it is no object$/],
    [() => [["https://a.example"]], /a result of it/],
    [() => [{ title: "x" }], /no title, url and snippet, all texts$/],
    [() => [{ title: 3, url: "https://a.example", snippet: "" }], /all texts$/],
    [
      () => [{ title: "", url: "javascript:1", snippet: "" }],
      /no http:\/\/ or https:\/\/ address$/,
    ],
    [() => [hostile], /no touching$/],
    [() => Array(2_000).fill({}), /2000 results; 1000 are allowed$/],
  ];
  for (const [run, reason] of rows) {
    const { extensions, failures } = plugin(run);
    const { isError, json, text } = await withPlugin(extensions);
    assert.ok(!isError, text);
    const { results, source, diagnostic } = json as Record<string, unknown>;
    assert.deepEqual(results, [{ title: "B", url: "https://b.example/", snippet: "b" }]);
    assert.equal(source, "searxng");
    assert.match(String(diagnostic), /^acme\.search\/own failed: /);
    assert.match(String(diagnostic), reason);
    assert.equal(failures.length, 1);
  }
});

Deno.test("websearch waits for a plugin no longer than its time, and tells it to stop", async () => {
  const stopped = Promise.withResolvers<void>();
  const { extensions } = plugin((_query, options) => {
    options?.signal?.addEventListener("abort", () => stopped.resolve());
    return new Promise(() => {});
  }, 100);
  const { json } = await withPlugin(extensions);
  const { diagnostic } = json as Record<string, unknown>;
  assert.equal(diagnostic, "acme.search/own failed: it did not end within 100 ms");
  await stopped.promise;
});

Deno.test("websearch counts no failure of a plugin where the call was stopped", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const { extensions, failures } = plugin(() => {
    controller.abort(reason);
    return new Promise(() => {});
  });
  const searching = search({ extensions, signal: controller.signal, service: [] });
  await assert.rejects(searching, reason);
  assert.deepEqual(failures, []);
});

Deno.test("websearch names both failures where a plugin and the service behind it fail", async () => {
  const { extensions } = plugin(() => null);
  const { isError, text } = await search({
    isOwnInstance: true,
    extensions,
    service: [jsonAnswer({}, 500)],
  });
  assert.ok(isError);
  assert.match(
    text,
    /status 500 \(before that, acme\.search\/own failed: it returned no list of results\)$/,
  );
});

Deno.test("websearch has nothing to fall back to where the model's server searches", async () => {
  const { extensions } = plugin(() => null);
  const { isError, text } = await search({
    settings: { provider: "native" },
    extensions,
    service: [],
  });
  assert.ok(isError);
  assert.match(text, /so the server of the model searches, .* \(before that, acme\.search/);
});

Deno.test("websearch refuses an empty query before anybody is asked", async () => {
  const { extensions } = plugin(() => []);
  const { isError, text } = await search({ extensions, query: "  \n", service: [] });
  assert.deepEqual([isError, text], [true, 'Cannot search the web: "query" is empty']);
});
