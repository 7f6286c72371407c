import assert from "node:assert/strict";
import { ProviderError } from "@alisio/sdk";
import { setUpPlugin } from "@alisio/sdk/testing";
import plugin, { ollamaProvider } from "./ollama_native.ts";

/** Calls `fn` with a server that answers as Ollama does, and what it was asked. */
async function withOllama(
  answer: (request: Request) => Response,
  fn: (address: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      asked.push(`${pathname} ${request.headers.get("authorization")} ${await request.text()}`);
      return answer(request);
    },
  );
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`, asked);
  } finally {
    await server.shutdown();
  }
}

Deno.test("ollama-native registers a provider that lists models and says what is wrong", async () => {
  await using host = await setUpPlugin(plugin);
  const [registration] = host.providers;
  assert.ok(registration !== undefined);
  const create = (baseURL: string) =>
    registration.create({ profile: { baseURL }, credentials: { apiKey: "k" }, userAgent: "test" });
  assert.throws(() => create("nowhere"), /^TypeError: "baseURL" is no address$/);
  await withOllama(
    () => Response.json({ models: [{ name: "a:1b" }, {}] }),
    async (address, asked) => {
      const provider = await create(`${address}/`);
      const signal = AbortSignal.timeout(10_000);
      assert.deepEqual(await provider.listModels?.({ signal }), [{ id: "a:1b" }]);
      assert.deepEqual(asked, ["/api/tags Bearer k "]);
    },
  );
});

Deno.test("The provider sends what was said and the tools, each as the server has them", async () => {
  await withOllama(
    () => new Response('{"message":{"content":"Hi"},"done":true}'),
    async (address, asked) => {
      const stream = ollamaProvider(address).stream({
        model: "m",
        system: "Be kind",
        messages: [
          {
            role: "user",
            content: [{ type: "text", text: "a" }, {
              type: "image",
              mimeType: "image/png",
              data: "AA==",
            }],
          },
          { role: "assistant", text: "", calls: [{ id: "1", name: "t", arguments: '{"x":1}' }] },
          { role: "tool", callId: "1", name: "t", text: "done", isError: false },
        ],
        tools: [{ name: "t", description: "d", inputSchema: { type: "object" } }],
        maxOutputTokens: 9,
        signal: new AbortController().signal,
      });
      const events = await Array.fromAsync(stream);
      assert.deepEqual(events, [
        { type: "text_delta", delta: "Hi" },
        { type: "completed", message: { role: "assistant", text: "Hi", calls: [] } },
      ]);
      assert.deepEqual(JSON.parse(asked[0]?.replace("/api/chat null ", "") ?? ""), {
        model: "m",
        messages: [
          { role: "system", content: "Be kind" },
          { role: "user", content: "a", images: ["AA=="] },
          {
            role: "assistant",
            content: "",
            tool_calls: [{ function: { name: "t", arguments: { x: 1 } } }],
          },
          { role: "tool", tool_name: "t", content: "done" },
        ],
        tools: [{
          type: "function",
          function: { name: "t", description: "d", parameters: { type: "object" } },
        }],
        options: { num_predict: 9 },
      });
    },
  );
});

Deno.test("The provider says what a server did wrong", async () => {
  const rows = [
    [new Response("no", { status: 404 }), "model_not_found"],
    [new Response("<html>"), "invalid_response"],
    [new Response('{"error":"no room"}'), "server_error"],
    [new Response('{"message":{"content":"cut'), "invalid_response"],
    [new Response('{"message":{"content":"cut"}}'), "stream_interrupted"],
  ] as const;
  for (const [response, code] of rows) {
    await withOllama(() => response, async (address) => {
      const request = {
        model: "m",
        system: "",
        messages: [],
        tools: [],
        maxOutputTokens: 9,
        signal: new AbortController().signal,
      };
      await assert.rejects(
        () => Array.fromAsync(ollamaProvider(address).stream(request)),
        (error) => error instanceof ProviderError && error.code === code,
        code,
      );
    });
  }
});
