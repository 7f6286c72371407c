import assert from "node:assert/strict";
import { ProviderError, type ProviderErrorCode } from "@alisio/sdk";
import { createOpenAiProvider } from "../../../plugins/openai_compatible/openai_provider.ts";
import {
  chatChunk,
  chatFinish,
  chatReply,
  sse,
  SSE_DONE,
  streamReply,
} from "../../support/stub_replies.ts";
import {
  jsonReply,
  startStubServer,
  type StubReply,
  textReply,
} from "../../support/stub_server.ts";
import { answer, collect, failure, request, withServer } from "./support.ts";

/** What an error says: code, whether it may be tried again, and words of the message. */
type Verdict = readonly [ProviderErrorCode, boolean, RegExp?];

interface StatusRow {
  readonly name: string;
  readonly reply: StubReply;
  readonly verdict: Verdict;
}

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

const STATUS_ROWS: readonly StatusRow[] = [
  {
    name: "401 (field case 27)",
    reply: jsonReply(error("Incorrect API key provided", { code: "invalid_api_key" }), 401),
    verdict: ["authentication", false, /wants an API key.*set the API key/],
  },
  {
    name: "a refused key with status 400 (field case 27)",
    reply: jsonReply([error("API key not valid. Please pass a valid API key.")], 400),
    verdict: ["authentication", false],
  },
  {
    name: "403",
    reply: jsonReply(error("Country not supported"), 403),
    verdict: ["permission", false, /"Country not supported"/],
  },
  {
    name: "404 that names the model",
    reply: jsonReply(error('model "stub-model" not found, try pulling it first'), 404),
    verdict: ["model_not_found", false, /does not offer the model "stub-model"/],
  },
  {
    name: "404 with a code for the model",
    reply: jsonReply(error("Nope", { code: "model_not_found" }), 404),
    verdict: ["model_not_found", false],
  },
  {
    name: "403 with a code for the model",
    reply: jsonReply(error("No access to model", { code: "model_not_found" }), 403),
    verdict: ["model_not_found", false],
  },
  {
    name: "400 for a model id that is not valid",
    reply: jsonReply(error("foo is not a valid model ID"), 400),
    verdict: ["model_not_found", false],
  },
  {
    name: "404 of an address",
    reply: textReply("404 page not found", 404),
    verdict: ["not_found", false, /check the base URL "http:.*\/v1"/],
  },
  {
    name: "405",
    reply: jsonReply({ detail: "Method Not Allowed" }, 405),
    verdict: ["not_found", false, /check the base URL/],
  },
  {
    name: "400 (field case 27)",
    reply: jsonReply(error("Unknown parameter: tools"), 400),
    verdict: [
      "invalid_request",
      false,
      /refuses the request \(HTTP 400\): "Unknown parameter: tools"/,
    ],
  },
  {
    name: "422 with a list of details",
    reply: jsonReply({ detail: [{ msg: "field required" }, { msg: "too short" }] }, 422),
    verdict: ["invalid_request", false, /"field required; too short"/],
  },
  {
    name: "413 of a proxy",
    reply: textReply("<html>Too large</html>", 413, { "content-type": "text/html" }),
    verdict: ["invalid_request", false, /HTTP 413/],
  },
  {
    name: "402",
    reply: jsonReply(error("Add money"), 402),
    verdict: ["quota_exceeded", false, /add credit/],
  },
  {
    name: "429 that says out of credit (field case 27)",
    reply: jsonReply(error("You are out of credits"), 429),
    verdict: ["quota_exceeded", false],
  },
  {
    name: "429 with a code for the quota (field case 27)",
    reply: jsonReply(error("Slow down", { code: "insufficient_quota" }), 429),
    verdict: ["quota_exceeded", false],
  },
  {
    name: "429 for a quota by the minute, which names a wait",
    reply: jsonReply(error("You exceeded your current quota. Please retry in 21.5s."), 429),
    verdict: ["rate_limited", true],
  },
  {
    name: "429",
    reply: jsonReply(error("Too many requests"), 429),
    verdict: ["rate_limited", true],
  },
  {
    name: "429 that forbids another try",
    reply: jsonReply(error("Too many requests"), 429, { "x-should-retry": "false" }),
    verdict: ["rate_limited", false],
  },
  {
    name: "408",
    reply: jsonReply(error("Timeout"), 408),
    verdict: ["server_error", true],
  },
  { name: "409", reply: jsonReply(error("Conflict"), 409), verdict: ["server_error", true] },
  {
    name: "500 (field case 27)",
    reply: jsonReply(error("Oh no"), 500),
    verdict: ["server_error", true, /"Oh no"/],
  },
  {
    name: "500 without a body (field case 27)",
    reply: textReply("", 500),
    verdict: ["server_error", true, /failed \(HTTP 500\): try again later/],
  },
  {
    name: "501",
    reply: jsonReply(error("Not implemented"), 501),
    verdict: ["server_error", false],
  },
  {
    name: "502 of a proxy (field case 27)",
    reply: textReply("<html>Bad gateway</html>", 502, { "content-type": "text/html" }),
    verdict: ["server_error", true, /failed \(HTTP 502\)/],
  },
  {
    name: "503 while a model loads (field case 27)",
    reply: jsonReply(error("Loading model", { code: 503, type: "unavailable_error" }), 503),
    verdict: ["overloaded", true, /"Loading model"/],
  },
  {
    name: "529",
    reply: jsonReply(error("Overloaded", { type: "overloaded_error" }), 529),
    verdict: ["overloaded", true],
  },
  {
    name: "429 of an overloaded engine",
    reply: jsonReply(error("Busy", { type: "engine_overloaded_error" }), 429),
    verdict: ["overloaded", true],
  },
  {
    name: "an output limit that is spent on reasoning",
    reply: jsonReply(
      error("Could not finish the message because max_tokens or model output limit was reached."),
      400,
    ),
    verdict: ["output_truncated", false],
  },
  {
    name: "200 with a web page",
    reply: textReply("<!doctype html><title>Hi</title>", 200, { "content-type": "text/html" }),
    verdict: ["invalid_response", false, /answered with a web page.*check the base URL/],
  },
  {
    name: "200 with a web page that claims to be a stream",
    reply: { headers: { "content-type": "text/event-stream" }, steps: ["\n<html></html>"] },
    verdict: ["invalid_response", false, /web page/],
  },
  {
    name: "200 with plain text",
    reply: textReply("Welcome to the proxy"),
    verdict: [
      "invalid_response",
      false,
      /neither a stream of events nor JSON: "Welcome to the proxy"/,
    ],
  },
  {
    name: "404 with a web page",
    reply: textReply("<html>Not here</html>", 404, { "content-type": "text/html" }),
    verdict: ["invalid_response", false, /web page \(HTTP 404\)/],
  },
  {
    name: "403 with a page that has no content type",
    reply: { status: 403, headers: {}, steps: ["<html>Blocked</html>"] },
    verdict: ["invalid_response", false, /web page \(HTTP 403\)/],
  },
  {
    name: "401 with a web page",
    reply: textReply("<html>Sign in</html>", 401, { "content-type": "text/html" }),
    verdict: ["authentication", false],
  },
];

for (const row of STATUS_ROWS) {
  const [code, retryable, message] = row.verdict;
  Deno.test(`stream() classifies ${row.name} as ${code}`, async () => {
    await withServer(() => row.reply, {}, async (provider, server) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], [code, retryable], failed.message);
      assert.equal(failed.status, row.reply.status ?? 200);
      assert.match(failed.message, message ?? /./);
      assert.ok(!/<html/.test(failed.message), "a page is not quoted");
      assert.equal(server.requests.length, 1, "the provider never retries");
    });
  });
}

interface ContextRow {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly fields?: object;
  readonly limit?: number;
  readonly code?: ProviderErrorCode;
}

const OVERFLOW_ROWS: readonly ContextRow[] = [
  {
    name: "OpenAI",
    message: "This model's maximum context length is 8192 tokens. However, your messages " +
      "resulted in 9000 tokens.",
    fields: { code: "context_length_exceeded" },
    limit: 8192,
  },
  {
    name: "OpenAI Responses",
    message: "Your input exceeds the context window of this model. Please adjust your input.",
  },
  {
    name: "vLLM",
    message: "This model's maximum context length is 16384 tokens. However, you requested 122946 " +
      "tokens (112946 in the messages, 10000 in the completion).",
    limit: 16384,
  },
  {
    name: "vLLM, newer",
    message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    limit: 4096,
  },
  {
    name: "vLLM, the output on top",
    message: "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum " +
      "context length is 4096 tokens and your request has 3500 input tokens",
    limit: 4096,
  },
  {
    name: "llama.cpp",
    message: "request (4390 tokens) exceeds the available context size (4096 tokens), try " +
      "increasing it",
    fields: { code: 400, type: "exceed_context_size_error", n_prompt_tokens: 4390, n_ctx: 4096 },
    limit: 4096,
  },
  {
    name: "llama.cpp, older",
    message: "the request exceeds the available context size. try increasing the context size",
    status: 500,
    fields: { code: 500, type: "server_error" },
  },
  {
    name: "llama.cpp, while it answers",
    message: "Context size has been exceeded.",
    status: 500,
    fields: { code: 500, type: "server_error" },
  },
  {
    name: "llama.cpp bindings",
    message: "Requested tokens (2285) exceed context window of 2048",
    limit: 2048,
  },
  { name: "Ollama", message: "the input length exceeds the context length" },
  {
    name: "Ollama, newer",
    message: "prompt too long; exceeded max context length by 123 tokens",
  },
  {
    name: "LM Studio",
    message: "Trying to keep the first 15857 tokens when context the overflows. However, the " +
      "model is loaded with context length of only 4096 tokens, which is not enough. Try to load " +
      "the model with a larger context length, or provide a shorter input.",
    limit: 4096,
  },
  {
    name: "a gateway to Anthropic",
    message: "prompt is too long: 210,000 tokens > 200,000 maximum",
    limit: 200_000,
  },
  {
    name: "Gemini",
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed " +
      "(1048576).",
    limit: 1_048_576,
  },
  {
    name: "xAI",
    message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    limit: 131_072,
  },
  {
    name: "Mistral",
    message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    limit: 32_768,
  },
  {
    name: "Groq by the minute",
    message: "Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 7000",
    status: 413,
    limit: 6_000,
  },
];

/** The neighbours: the same words about something else. */
const NO_OVERFLOW_ROWS: readonly ContextRow[] = [
  {
    name: "a model that does not load",
    message: "Failed to load model: context length 131072 exceeds available memory limit",
    status: 500,
    code: "server_error",
  },
  {
    name: "a model that does not load, in the words of an overflow",
    message: "Loading the model failed: the request exceeds the available context size of the GPU",
    status: 500,
    code: "server_error",
  },
  {
    name: "an image that is too large",
    message: "Image size limit exceeded: length of the longest side is 9000 pixels, limit 8000",
    code: "invalid_request",
  },
  {
    name: "a name that is too long",
    message: "Invalid 'tools[0].function.name': string too long. Maximum length is 64",
    code: "invalid_request",
  },
  {
    name: "an output limit above the model's",
    message: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    code: "invalid_request",
  },
  {
    name: "an output limit above the whole context",
    message: "This model's maximum context length is 8192 tokens. However, you requested 20100 " +
      "tokens (100 in the messages, 20000 in the completion).",
    code: "invalid_request",
  },
  {
    name: "an output limit above the whole context of vLLM",
    message: "'max_tokens' or 'max_completion_tokens' is too large: 9999. This model's maximum " +
      "context length is 8192 tokens and your request has 100 input tokens",
    code: "invalid_request",
  },
  {
    name: "a rate limit by tokens",
    message: "Rate limit reached for tokens per minute. Limit: 30000. Try again in 2s.",
    status: 429,
    code: "rate_limited",
  },
  {
    name: "a body that is too long for a field",
    message: "Value error, length limit exceeded for field metadata",
    status: 422,
    code: "invalid_request",
  },
];

for (const row of [...OVERFLOW_ROWS, ...NO_OVERFLOW_ROWS]) {
  const code = row.code ?? "context_overflow";
  Deno.test(`stream() classifies the words of ${row.name} as ${code} (field cases 42, 43)`, async () => {
    const body = error(row.message, row.fields);
    await withServer(() => jsonReply(body, row.status ?? 400), {}, async (provider) => {
      const failed = await failure(provider);
      assert.equal(failed.code, code, failed.message);
      assert.equal(failed.contextLimit, row.limit);
      if (row.limit !== undefined) assert.ok(failed.message.includes(`${row.limit} tokens`));
    });
  });

  Deno.test(`stream() classifies the words of ${row.name} inside a stream as an overflow or not (field case 25)`, async () => {
    await withServer(
      () => streamReply([sse(error(row.message, row.fields))]),
      {},
      async (provider) => {
        const isOverflow = (await failure(provider)).code === "context_overflow";
        assert.equal(isOverflow, code === "context_overflow");
      },
    );
  });
}

const ENVELOPES: readonly (readonly [string, readonly string[], Verdict])[] = [
  [
    "an error object",
    [sse(error("Oh no", { type: "server_error" })), SSE_DONE],
    ["server_error", true, /reports an error: "Oh no"/],
  ],
  [
    "a quota",
    [sse(error("Pay", { code: "insufficient_quota" })), SSE_DONE],
    ["quota_exceeded", false],
  ],
  [
    "an overload after some text",
    [chatChunk({ content: "Hi" }), sse(error("Busy", { type: "overloaded_error" }))],
    ["overloaded", true],
  ],
  [
    "an HTTP status in the code",
    [sse(error("Slow", { code: 429 }))],
    ["rate_limited", true, /HTTP 429/],
  ],
  ["a named event", [sse({ message: "Oh no", code: 400 }, "error")], ["invalid_request", false]],
  [
    "a field named error",
    [`error: ${JSON.stringify({ code: 500, message: "Oh no", type: "server_error" })}\n\n`],
    ["server_error", true, /"Oh no"/],
  ],
  ["text", [sse({ error: "Oh no" })], ["server_error", true, /"Oh no"/]],
  ["an error object of vLLM", [
    sse({ object: "error", message: "Oh no", type: "BadRequestError", code: 400 }),
  ], ["invalid_request", false]],
  ["an error beside choices", [
    sse({ error: { code: 502, message: "Oh" }, choices: [{ delta: {}, finish_reason: "error" }] }),
  ], ["server_error", true]],
  [
    "an error inside a choice",
    [sse({ choices: [{ error: { code: 503, message: "Oh" }, delta: {} }] })],
    ["overloaded", true],
  ],
  ["what a router passes on", [
    sse({
      error: { message: "Provider returned error", code: 400, metadata: { raw: "bad tool" } },
    }),
  ], ["invalid_request", false, /"Provider returned error: bad tool"/]],
  ["a detail", [sse({ detail: "Oh no" })], ["server_error", true, /"Oh no"/]],
  ["a finish reason", [chatFinish("error")], ["stream_interrupted", true]],
  [
    "a request that is not valid",
    [sse(error("Bad", { type: "invalid_request_error" }))],
    ["invalid_request", false],
  ],
];

for (const [name, steps, [code, retryable, message]] of ENVELOPES) {
  Deno.test(`stream() surfaces an error in a stream that comes as ${name} (field case 25)`, async () => {
    await withServer([streamReply(steps)], {}, async (provider) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], [code, retryable], failed.message);
      assert.match(failed.message, message ?? /./);
    });
  });
}

const RESPONSES_ENVELOPES: readonly (readonly [string, unknown, Verdict])[] = [
  [
    "response.failed",
    { type: "response.failed", response: { error: { code: "server_error", message: "Oh no" } } },
    ["server_error", true, /"Oh no"/],
  ],
  [
    "response.failed for the rate",
    { type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "x" } } },
    ["rate_limited", true],
  ],
  [
    "response.failed for the context",
    {
      type: "response.failed",
      response: { error: { code: "context_length_exceeded", message: "Too long" } },
    },
    ["context_overflow", false],
  ],
  [
    "response.failed for the prompt",
    { type: "response.failed", response: { error: { code: "invalid_prompt", message: "x" } } },
    ["invalid_request", false],
  ],
  ["response.failed without a reason", { type: "response.failed", response: {} }, [
    "stream_interrupted",
    true,
  ]],
  [
    "an error event",
    { type: "error", code: "insufficient_quota", message: "Pay" },
    ["quota_exceeded", false],
  ],
  [
    "an error event with an object",
    { type: "error", error: { type: "overloaded_error", message: "Busy" } },
    ["overloaded", true],
  ],
];

for (const [name, event, [code, retryable, message]] of RESPONSES_ENVELOPES) {
  Deno.test(`stream() in responses mode surfaces ${name} (field case 25)`, async () => {
    const options = { profile: { apiMode: "responses" } };
    await withServer([streamReply([sse(event)])], options, async (provider) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], [code, retryable], failed.message);
      assert.match(failed.message, message ?? /./);
    });
  });
}

Deno.test("stream() surfaces an error that comes as a document with status 200 (field case 25)", async () => {
  for (const apiMode of ["chat", "responses"]) {
    const reply = jsonReply(error("Pay", { code: "insufficient_quota" }));
    await withServer([reply], { profile: { apiMode } }, async (provider) => {
      assert.equal((await failure(provider)).code, "quota_exceeded");
    });
  }
});

Deno.test("stream() takes an error field without content for none (field case 25)", async () => {
  for (const none of [null, "", {}, false]) {
    const chunk = { error: none, choices: [{ index: 0, delta: { content: "Hi" } }] };
    await withServer(
      [streamReply([sse(chunk), chatFinish("stop"), SSE_DONE])],
      {},
      async (provider) => {
        assert.equal((await answer(provider)).text, "Hi");
      },
    );
  }
});

const WAIT_ROWS:
  readonly (readonly [string, Record<string, string>, string, number | undefined])[] = [
    ["seconds", { "retry-after": "3" }, "", 3_000],
    ["a part of a second", { "retry-after": "0.25" }, "", 250],
    ["milliseconds, which are exact", { "retry-after": "9", "retry-after-ms": "1500" }, "", 1_500],
    ["no wait at all", { "retry-after": "0" }, "", 0],
    [
      "a date that has passed",
      { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" },
      "",
      undefined,
    ],
    ["less than nothing", { "retry-after": "-5" }, "", undefined],
    ["less than nothing in milliseconds", { "retry-after-ms": "-5" }, "", undefined],
    ["more than can be counted", { "retry-after": "9".repeat(400) }, "", Number.MAX_SAFE_INTEGER],
    ["words", {}, "Rate limit reached. Please try again in 1m2.5s.", 62_500],
    ["words in milliseconds", {}, "Please try again in 20ms.", 20],
    ["nothing that can be read", { "retry-after": "soon" }, "Later.", undefined],
  ];

for (const [name, headers, message, expected] of WAIT_ROWS) {
  Deno.test(`stream() reports the wait that a server gives as ${name}`, async () => {
    await withServer(() => jsonReply(error(message), 429, headers), {}, async (provider) => {
      assert.equal((await failure(provider)).retryAfterMs, expected);
    });
  });
}

Deno.test("stream() reports the wait that a server gives as a date to come", async () => {
  const headers = { "retry-after": new Date(Date.now() + 60_000).toUTCString() };
  await withServer(() => jsonReply(error("x"), 503, headers), {}, async (provider) => {
    const { retryAfterMs } = await failure(provider);
    assert.ok(retryAfterMs !== undefined && retryAfterMs > 50_000 && retryAfterMs <= 60_000);
  });
});

Deno.test("stream() reports no wait for an error that is not to be tried again", async () => {
  const reply = jsonReply(error("x"), 400, { "retry-after": "3" });
  await withServer([reply], {}, async (provider) => {
    assert.equal((await failure(provider)).retryAfterMs, undefined);
  });
});

async function failureAt(baseURL: string): Promise<ProviderError> {
  const provider = await createOpenAiProvider({
    profile: { baseURL },
    credentials: {},
    userAgent: "alisio/test",
  });
  return await failure(provider);
}

Deno.test("stream() names host and port of a server that refuses the connection", async () => {
  const server = await startStubServer([]);
  await server.close();
  const failed = await failureAt(server.baseUrl);
  assert.deepEqual([failed.code, failed.retryable, failed.status], ["network", true, undefined]);
  assert.equal(
    failed.message,
    `Cannot reach the model server at "127.0.0.1:${server.port}": the connection is refused: ` +
      `start the server, or check host and port (base URL "${server.baseUrl}")`,
  );
});

Deno.test("stream() names a host that cannot be found", async () => {
  const failed = await failureAt("https://no-such-host.invalid/v1");
  assert.deepEqual([failed.code, failed.retryable], ["network", true]);
  assert.match(failed.message, /"no-such-host\.invalid:443": the host name cannot be found/);
});

Deno.test("stream() names a server that closes or resets before it answers (field case 27)", async () => {
  for (const action of ["cut", "reset"] as const) {
    const reply: StubReply = { framing: "raw", steps: [{ do: action }] };
    await withServer(() => reply, {}, async (provider) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], ["network", true]);
      assert.match(failed.message, /the server closed the connection without an answer/);
    });
  }
});

Deno.test("stream() names a server that does not speak HTTP, or not the encrypted kind", async () => {
  await withServer(
    () => ({ framing: "raw", steps: ["hello\r\n\r\n"] }),
    {},
    async (provider, server) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], ["network", false]);
      assert.match(failed.message, /does not speak HTTP/);
      const secure = await failureAt(server.baseUrl.replace("http:", "https:"));
      assert.deepEqual([secure.code, secure.retryable], ["network", false]);
      assert.match(secure.message, /no secure connection can be made/);
    },
  );
});

Deno.test({
  name: "stream() reports a network that this run may not use",
  permissions: { net: false, read: true },
  async fn() {
    const failed = await failureAt("http://127.0.0.1:40123/v1");
    assert.deepEqual([failed.code, failed.retryable], ["permission", false]);
    assert.match(failed.message, /"127\.0\.0\.1:40123": this run may not connect to it/);
  },
});

Deno.test("stream() gives up on the body of an error that never ends", async () => {
  const rows: readonly StubReply[] = [
    { status: 400, steps: ['{"error":', { do: "hang" }] },
    { status: 400, steps: [...Array(80).fill("x".repeat(1_024)), { do: "hang" }] },
  ];
  for (const reply of rows) {
    await withServer([reply], { limits: { errorBodyWaitMs: 50 } }, async (provider, server) => {
      const failed = await failure(provider);
      assert.equal(failed.code, "invalid_request");
      assert.ok(failed.message.length < 900, "a quote is bounded");
      await server.requests[0]?.closed;
    });
  }
});

function redirect(status: number, location: string): StubReply {
  return { status, headers: { location }, steps: [] };
}

Deno.test("stream() follows a redirect within the origin and keeps the body", async () => {
  for (const status of [301, 302, 307, 308]) {
    const script = [redirect(status, "/v2/chat/completions"), chatReply({ text: "Hi" })];
    await withServer(script, { apiKey: "key-123456" }, async (provider, server) => {
      assert.equal((await answer(provider)).text, "Hi");
      const [first, second] = server.requests;
      assert.deepEqual([second?.method, second?.path], ["POST", "/v2/chat/completions"]);
      assert.equal(second?.body, first?.body);
      assert.equal(second?.headers.get("authorization"), "Bearer key-123456");
    });
  }
});

Deno.test("stream() sends nothing to another origin that a server redirects to (field case 109)", async () => {
  await using catcher = await startStubServer(() => chatReply({ text: "Caught" }));
  for (const status of [301, 302, 303, 307, 308]) {
    const script = [redirect(status, `${catcher.origin}/v1/chat/completions`)];
    await withServer(script, { apiKey: "key-123456" }, async (provider) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], ["invalid_response", false]);
      assert.ok(failed.message.includes(`it redirects to "${catcher.origin}" (HTTP ${status})`));
      assert.match(failed.message, /neither the key nor the conversation is sent/);
    });
  }
  assert.equal(catcher.requests.length, 0);
});

Deno.test("stream() stops a redirect that leads nowhere or in a circle", async () => {
  const rows = [
    [307, "http://[", /it redirects to nowhere \(HTTP 307\)/, 1],
    [307, "/v1/chat/completions", /it redirects in a loop \(HTTP 307\): check the base URL/, 6],
    [302, "", /it redirects in a loop \(HTTP 302\): check the base URL/, 6],
    [303, "/sign-in", /it redirects to a page \(HTTP 303\): check the base URL/, 1],
  ] as const;
  for (const [status, location, message, sent] of rows) {
    await withServer(() => redirect(status, location), {}, async (provider, server) => {
      const failed = await failure(provider);
      assert.deepEqual([failed.code, failed.retryable], ["invalid_response", false]);
      assert.match(failed.message, message);
      assert.equal(server.requests.length, sent);
    });
  }
});

Deno.test("stream() takes a response without content or without an object for a wrong answer", async () => {
  const events = { "content-type": "text/event-stream" };
  const rows: readonly (readonly [string, StubReply, RegExp])[] = [
    ["204", textReply("", 204), /it has no content \(HTTP 204\)/],
    ["205", textReply("", 205), /it has no content \(HTTP 205\)/],
    ["null", jsonReply(null), /neither a stream of events nor JSON: "null"/],
    ["null, labelled as a stream", textReply("null", 200, events), /nor JSON: "null"/],
    ["a number, labelled as a stream", textReply(" 42\n", 200, events), /nor JSON: "42"/],
    ["an event of null", streamReply(["data: null\n\n"]), /its stream holds no object/],
    ["an object, labelled as a stream", textReply('{"a":1}', 200, events), /"\{\\?"a/],
  ];
  for (const apiMode of ["chat", "responses"]) {
    for (const [name, reply, message] of rows) {
      await withServer([reply], { profile: { apiMode } }, async (provider) => {
        const failed = await failure(provider);
        assert.deepEqual([failed.code, failed.retryable], ["invalid_response", false], name);
        assert.match(failed.message, message, name);
      });
    }
    // What is missing may have been on its way.
    for (const reply of [streamReply([": hello\n\n"]), textReply("", 200, events)]) {
      await withServer([reply], { profile: { apiMode } }, async (provider) => {
        assert.equal((await failure(provider)).code, "stream_interrupted");
      });
    }
  }
});

Deno.test("stream() takes an answer in one document that is labelled as a stream", async () => {
  const document = JSON.stringify({ choices: [{ message: { content: "Hi" } }] });
  const reply = textReply(document, 200, { "content-type": "text/event-stream" });
  await withServer([reply], {}, async (provider) => {
    assert.equal((await answer(provider)).text, "Hi");
  });
});

Deno.test("stream() says where to look when the address may lack its end", async () => {
  const missing = "The model does not exist or you do not have access to it";
  const rows: readonly (readonly [string, StubReply, string, RegExp])[] = [
    ["words for a page", textReply("404 page not found", 404), "not_found", /try ".*\d\/v1"$/],
    ["words for a model", jsonReply(error(missing), 404), "not_found", /try ".*\d\/v1"$/],
    [
      "the model",
      jsonReply(error('model "stub-model" not found'), 404),
      "model_not_found",
      /"stub-model"/,
    ],
    [
      "a code",
      jsonReply(error(missing, { code: "model_not_found" }), 404),
      "model_not_found",
      /"stub-model"/,
    ],
  ];
  for (const [name, reply, code, message] of rows) {
    await using server = await startStubServer([reply]);
    const failed = await failureAt(`${server.origin}/`);
    assert.equal(failed.code, code, name);
    assert.match(failed.message, message, name);
  }
  await withServer([jsonReply(error(missing), 404)], {}, async (provider) => {
    assert.equal((await failure(provider)).code, "model_not_found");
  });
  await withServer([textReply("404 page not found", 404)], {}, async (provider, server) => {
    const { message } = await failure(provider);
    assert.ok(message.endsWith(`: check the base URL "${server.baseUrl}"`), message);
  });
});

const KEY = "alisio-sentinel-KEY/42+x";

Deno.test("stream() never repeats a key that the server echoes (field case 117)", async () => {
  const echo = `Key ${KEY} or ${encodeURIComponent(KEY)}, sk-proj-ABCDEF123456, sk-ab***yz, ` +
    `Bearer abcdef123456 is wrong\u001b[31m\n${"x".repeat(2_000)}`;
  const replies: readonly StubReply[] = [
    jsonReply(error(echo), 401),
    textReply(echo, 500),
    jsonReply(error(echo, { code: KEY }), 400),
    redirect(307, `http://${encodeURIComponent(KEY)}.test/`),
    streamReply([sse(error(echo))]),
    streamReply([`data: ${echo.split("\n")[0]}\n\n`]),
    jsonReply({ answer: echo }),
    { headers: { "content-type": "application/json" }, steps: [`{${echo}}`] },
  ];
  for (const reply of replies) {
    await withServer([reply], { apiKey: KEY }, async (provider) => {
      const { error: failed, events } = await collect(provider.stream(request()));
      assert.ok(failed instanceof ProviderError);
      const seen = JSON.stringify([failed.message, failed.stack, String(failed.cause), events]);
      for (const secret of [KEY, "sentinel", "ABCDEF", "yz,", "abcdef123456"]) {
        assert.ok(!seen.includes(secret), `${secret} in ${failed.message}`);
      }
      assert.ok(!/\p{Cc}/u.test(failed.message), "a terminal is not driven by it");
      assert.ok(failed.message.length < 1_000, "a quote is bounded");
    });
  }
});

Deno.test("stream() says whether a key was sent when the server refuses it", async () => {
  for (const [apiKey, words] of [["key-123456", "refuses the API key"], ["", "none is set"]]) {
    await withServer([jsonReply(error("No"), 401)], { apiKey: apiKey ?? "" }, async (provider) => {
      assert.ok((await failure(provider)).message.includes(words ?? ""));
    });
  }
});

Deno.test("stream() in responses mode suggests chat mode to a server without that address", async () => {
  const options = { profile: { apiMode: "responses" } };
  await withServer([textReply("404 page not found", 404)], options, async (provider) => {
    assert.match((await failure(provider)).message, /or set "provider\.apiMode" to "chat"/);
  });
});
