import assert from "node:assert/strict";
import { type ModelInfo, ProviderError } from "@alisio/sdk";
import { parseModelCatalog } from "../../../plugins/openai_compatible/model_catalog.ts";
import { jsonReply, type StubReply, textReply } from "../../support/stub_server.ts";
import { withServer } from "./support.ts";

const ENTRIES: readonly (readonly [string, object, Partial<ModelInfo>])[] = [
  ["OpenAI", { id: "m", object: "model", owned_by: "openai" }, {}],
  ["a plain window", { id: "m", context_window: 8_192 }, { contextWindow: 8_192 }],
  [
    "OpenRouter",
    {
      id: "m",
      name: "Model M",
      context_length: 200_000,
      architecture: { input_modalities: ["text", "image"] },
      top_provider: { context_length: 128_000, max_completion_tokens: 16_384 },
      pricing: {
        prompt: "0.00000125",
        completion: "0.00001",
        input_cache_read: "0.000000125",
        request: "0",
        image: "0.005",
      },
    },
    {
      name: "Model M",
      price: { inputPerMillion: 1.25, outputPerMillion: 10, cachedInputPerMillion: 0.125 },
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
      inputModalities: ["text", "image"],
    },
  ],
  ["vLLM", { id: "m", max_model_len: 32_768 }, { contextWindow: 32_768 }],
  [
    "LM Studio",
    {
      id: "m",
      type: "vlm",
      max_context_length: 131_072,
      loaded_context_length: 4_096,
    },
    { contextWindow: 4_096, inputModalities: ["text", "image"] },
  ],
  ["LM Studio before it loads", { id: "m", max_context_length: 131_072 }, {
    contextWindow: 131_072,
  }],
  ["llama.cpp", { id: "m", meta: { n_ctx: 8_192, n_ctx_train: 131_072 } }, {
    contextWindow: 8_192,
  }],
  ["llama.cpp, older", { id: "m", meta: { n_ctx_train: 131_072 } }, { contextWindow: 131_072 }],
  ["llama.cpp bindings", { id: "m", n_ctx: 2_048 }, { contextWindow: 2_048 }],
  ["a catalog of limits", { id: "m", limit: { context: 9_000, output: 900 } }, {
    contextWindow: 9_000,
    maxOutputTokens: 900,
  }],
  ["output limits", { id: "m", max_output_tokens: "4096", max_completion_tokens: 1 }, {
    maxOutputTokens: 4_096,
  }],
  ["prices as numbers", { id: "m", pricing: { prompt: 1e-7, completion: 0 } }, {
    price: { inputPerMillion: 0.1, outputPerMillion: 0 },
  }],
  ["a price that varies", { id: "m", pricing: { prompt: "-1", completion: "-1" } }, {}],
  ["half a price", { id: "m", pricing: { prompt: "0.1" } }, {}],
  ["prices that are none", { id: "m", pricing: { prompt: "0x1", completion: " 1" } }, {}],
  ["a price without end", { id: "m", pricing: { prompt: 1, completion: "1e99" } }, {}],
  ["more than a dollar a token", { id: "m", pricing: { prompt: "1.1", completion: "0" } }, {}],
  ["effort", { id: "m", supported_reasoning_levels: ["low", "high"] }, {
    effort: { supportedLevels: ["low", "high"] },
  }],
  [
    "effort as objects",
    {
      slug: "m",
      display_name: "M",
      supported_reasoning_levels: [{ effort: "low", description: "x" }, { effort: "high" }],
      default_reasoning_level: "low",
    },
    { name: "M", effort: { supportedLevels: ["low", "high"], defaultLevel: "low" } },
  ],
  ["effort of this product", {
    id: "m",
    effort: { supportedLevels: ["low"], defaultLevel: "low" },
  }, { effort: { supportedLevels: ["low"], defaultLevel: "low" } }],
  ["no effort", { id: "m", reasoning: false }, { effort: { supportedLevels: [] } }],
  ["no effort among capabilities", { id: "m", capabilities: { reasoning: false } }, {
    effort: { supportedLevels: [] },
  }],
  ["reasoning of unknown levels", { id: "m", reasoning: true }, {}],
  ["Ollama", { name: "m", model: "m" }, {}],
  ["values that are none", {
    id: "m",
    context_length: "many",
    max_output_tokens: -1,
    architecture: null,
    top_provider: null,
    meta: "x",
    input_modalities: [1],
    supported_reasoning_levels: "low",
  }, {}],
];

for (const [name, entry, expected] of ENTRIES) {
  Deno.test(`parseModelCatalog() reads an entry of ${name}`, () => {
    assert.deepEqual(parseModelCatalog({ data: [entry] }), [{ id: "m", ...expected }]);
  });
}

Deno.test("parseModelCatalog() reads every form of list, each id once", () => {
  const models = [{ id: "a" }, { id: "b" }];
  for (const form of [{ data: models }, { models }, models, ["a", "b"]]) {
    assert.deepEqual(parseModelCatalog(form), models);
  }
  const odd = [{ id: "a" }, null, {}, { id: "" }, 7, { id: "a" }, { id: "b" }];
  assert.deepEqual(parseModelCatalog({ data: odd }), models);
  assert.deepEqual(parseModelCatalog({ data: [] }), []);
  for (const none of [undefined, null, {}, { data: "x" }, "x"]) {
    assert.equal(parseModelCatalog(none), undefined);
  }
});

const signal = (): AbortSignal => new AbortController().signal;

Deno.test("listModels() asks the server with the key", async () => {
  const reply = jsonReply({ object: "list", data: [{ id: "a", context_window: 9 }] });
  await withServer([reply], { apiKey: "key-123456" }, async (provider, server) => {
    assert.deepEqual(await provider.listModels?.({ signal: signal() }), [
      { id: "a", contextWindow: 9 },
    ]);
    const [request] = server.requests;
    assert.deepEqual([request?.method, request?.path], ["GET", "/v1/models"]);
    assert.equal(request?.headers.get("authorization"), "Bearer key-123456");
    assert.equal(request?.headers.get("user-agent"), "alisio/test");
  });
});

const FAILURES: readonly (readonly [string, StubReply, string])[] = [
  ["a refused key", jsonReply({ error: { message: "No" } }, 401), "authentication"],
  ["an address without a catalog", textReply("404 page not found", 404), "not_found"],
  [
    "a web page",
    textReply("<html></html>", 200, { "content-type": "text/html" }),
    "invalid_response",
  ],
  ["a web page without a type", textReply("<html></html>"), "invalid_response"],
  ["a document that is no catalog", jsonReply({ ok: true }), "invalid_response"],
  ["a document that is no JSON", textReply("oops"), "invalid_response"],
  ["a document that is too large", jsonReply({ data: ["x".repeat(2_000)] }), "invalid_response"],
  ["a connection that breaks", { steps: ["{", { do: "cut" }] }, "stream_interrupted"],
  ["an overload", jsonReply({}, 503), "overloaded"],
];

for (const [name, reply, code] of FAILURES) {
  Deno.test(`listModels() names ${name}`, async () => {
    await withServer([reply], { limits: { maxCatalogBytes: 1_000 } }, async (provider) => {
      await assert.rejects(
        async () => await provider.listModels?.({ signal: signal() }),
        (error) => error instanceof ProviderError && error.code === code,
      );
    });
  });
}

Deno.test("listModels() throws the signal's reason when it aborts", async () => {
  const replies: readonly StubReply[] = [
    { framing: "raw", steps: [{ do: "hang" }] },
    { headers: { "content-type": "application/json" }, steps: ["[", { do: "hang" }] },
  ];
  for (const reply of replies) {
    await withServer([reply], {}, async (provider, server) => {
      const controller = new AbortController();
      const reason = new Error("stopped");
      const models = Promise.resolve(provider.listModels?.({ signal: controller.signal }));
      const rejected = assert.rejects(models, (error) => error === reason);
      await server.request(0);
      setTimeout(() => controller.abort(reason), 20);
      await rejected;
    });
  }
});
