import assert from "node:assert/strict";
import type { ModelToolCall } from "@alisio/sdk";
import {
  chatChunk,
  chatDocument,
  chatFinish,
  chatReply,
  oneByteAtATime,
  sse,
  SSE_DONE,
  streamReply,
} from "../../support/stub_replies.ts";
import type { StubReply, StubStep } from "../../support/stub_server.ts";
import {
  answer,
  collect,
  failure,
  request,
  withServer,
  type WithServerOptions,
} from "./support.ts";

/** One chunk for each entry, which is what stands in `tool_calls`. */
function toolChunks(...entries: readonly unknown[]): string[] {
  return entries.map((entry) => chatChunk({ tool_calls: [entry] }));
}

const fn = (name: string | null | undefined, args: unknown) => ({ name, arguments: args });
const read = (path: string) => `{"path":"${path}"}`;

interface CallRow {
  readonly name: string;
  readonly steps: readonly string[];
  readonly calls: readonly ModelToolCall[];
}

const CALL_ROWS: readonly CallRow[] = [
  {
    name: "keeps a call that has no id (field case 1)",
    steps: toolChunks({ index: 0, function: fn("read_file", read("a")) }),
    calls: [{ id: "", name: "read_file", arguments: read("a") }],
  },
  {
    name: "takes an id that is null or blank for none (field case 1)",
    steps: toolChunks(
      { index: 0, id: null, function: fn("read_file", read("a")) },
      { index: 1, id: "  ", function: fn("read_file", read("b")) },
    ),
    calls: [
      { id: "", name: "read_file", arguments: read("a") },
      { id: "", name: "read_file", arguments: read("b") },
    ],
  },
  {
    name: "reads calls whose index is null in every delta (field case 3)",
    steps: toolChunks(
      { index: null, id: "a", function: fn("read_file", "") },
      { index: null, function: fn(null, '{"path":') },
      { index: null, function: fn(null, '"a"}') },
      { index: null, id: "b", function: fn("list_files", "") },
      { index: null, id: "b", function: fn(undefined, '{"path":"b"}') },
    ),
    calls: [
      { id: "a", name: "read_file", arguments: read("a") },
      { id: "b", name: "list_files", arguments: read("b") },
    ],
  },
  {
    name: "reads interleaved fragments that only ids tell apart (field case 3)",
    steps: toolChunks(
      { id: "a", function: fn("read_file", '{"path":') },
      { id: "b", function: fn("read_file", '{"path":') },
      { id: "a", function: fn(null, '"a"}') },
      { id: "b", function: fn(null, '"b"}') },
    ),
    calls: [
      { id: "a", name: "read_file", arguments: read("a") },
      { id: "b", name: "read_file", arguments: read("b") },
    ],
  },
  {
    name: "joins fragments under an index that the call did not begin with (field case 3)",
    steps: toolChunks(
      { id: "a", function: fn("read_file", "") },
      { index: 0, function: fn(null, read("a")) },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "opens a call for every id under one index (field case 4)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_file", read("a")) },
      { index: 0, id: "b", function: fn("read_file", read("b")) },
      { index: 0, id: "c", function: fn("read_file", read("c")) },
    ),
    calls: ["a", "b", "c"].map((id) => ({ id, name: "read_file", arguments: read(id) })),
  },
  {
    name: "opens a call for every whole set of arguments under one index (field case 4)",
    steps: toolChunks(
      { index: 0, function: fn("read_file", read("a")) },
      { index: 0, function: fn("read_file", read("b")) },
      { index: 0, function: fn("list_files", "") },
    ),
    calls: [
      { id: "", name: "read_file", arguments: read("a") },
      { id: "", name: "read_file", arguments: read("b") },
      { id: "", name: "list_files", arguments: "" },
    ],
  },
  {
    name: "sets a name once that comes with every delta (field case 6)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_file", '{"pa') },
      { index: 0, id: "a", function: fn("read_file", 'th":') },
      { index: 0, id: "a", function: fn("read_file", '"a"}') },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "joins a name that comes in fragments (field case 6)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_", "") },
      { index: 0, function: fn("file", read("a")) },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "follows a name that grows with every delta (field case 6)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read", "") },
      { index: 0, id: "a", function: fn("read_file", read("a")) },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "accepts arguments that are an object (field case 7)",
    steps: toolChunks({
      index: 0,
      id: "a",
      function: fn("write_file", { path: "a", content: "b" }),
    }),
    calls: [{ id: "a", name: "write_file", arguments: '{"path":"a","content":"b"}' }],
  },
  {
    name: "passes arguments of another type on as their JSON (field case 7)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_file", []) },
      { index: 1, id: "b", function: fn("read_file", 7) },
      { index: 2, id: "c", function: fn("read_file", true) },
    ),
    calls: [
      { id: "a", name: "read_file", arguments: "[]" },
      { id: "b", name: "read_file", arguments: "7" },
      { id: "c", name: "read_file", arguments: "true" },
    ],
  },
  {
    name: "leaves empty arguments empty (field case 9)",
    steps: toolChunks({ index: 0, id: "a", function: fn("list_files", "") }),
    calls: [{ id: "a", name: "list_files", arguments: "" }],
  },
  {
    name: "takes arguments that are null or absent for empty ones (field case 9)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("list_files", null) },
      { index: 1, id: "b", function: { name: "list_files" } },
    ),
    calls: [
      { id: "a", name: "list_files", arguments: "" },
      { id: "b", name: "list_files", arguments: "" },
    ],
  },
  {
    name: "passes on arguments that are no object (field case 10)",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("list_files", "[]") },
      { index: 1, id: "b", function: fn("list_files", '"x"') },
    ),
    calls: [
      { id: "a", name: "list_files", arguments: "[]" },
      { id: "b", name: "list_files", arguments: '"x"' },
    ],
  },
  {
    name: "replaces an empty object that only opens a call",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_file", "{}") },
      { index: 0, function: fn(null, '{"path":') },
      { index: 0, function: fn(null, '"a"}') },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "keeps two calls that have one id (field case 33)",
    steps: toolChunks(
      { index: 0, id: "call_0", function: fn("read_file", read("a")) },
      { index: 1, id: "call_0", function: fn("read_file", read("b")) },
    ),
    calls: [
      { id: "call_0", name: "read_file", arguments: read("a") },
      { id: "call_0", name: "read_file", arguments: read("b") },
    ],
  },
  {
    name: "keeps two calls that have one id and no index (field case 33)",
    steps: toolChunks(
      { id: "call_0", function: fn("read_file", read("a")) },
      { id: "call_0", function: fn("read_file", read("b")) },
    ),
    calls: [
      { id: "call_0", name: "read_file", arguments: read("a") },
      { id: "call_0", name: "read_file", arguments: read("b") },
    ],
  },
  {
    name: "counts a call once that is sent whole again at the end",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("read_file", read("a")) },
      { index: 0, id: "a", function: fn("read_file", read("a")) },
    ),
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "reads a legacy function call",
    steps: [
      chatChunk({ function_call: { name: "read_file", arguments: "" } }),
      chatChunk({ function_call: { arguments: '{"path":' } }),
      chatChunk({ function_call: { name: null, arguments: '"a"}' } }),
    ],
    calls: [{ id: "", name: "read_file", arguments: read("a") }],
  },
  {
    name: "reads one call where a list belongs, and null where nothing does",
    steps: [
      chatChunk({ tool_calls: null }),
      chatChunk({ tool_calls: { id: "a", function: fn("read_file", read("a")) } }),
      chatChunk({ tool_calls: null, content: null }),
    ],
    calls: [{ id: "a", name: "read_file", arguments: read("a") }],
  },
  {
    name: "reads a call that has no function object",
    steps: toolChunks({ index: 0, id: 12, name: "read_file", arguments: read("a") }),
    calls: [{ id: "12", name: "read_file", arguments: read("a") }],
  },
  {
    name: "finds the tool behind a name with leaked markup",
    steps: toolChunks(
      { index: 0, id: "a", function: fn("functions.read_file", read("a")) },
      { index: 1, id: "b", function: fn("read_file<|channel|>commentary", read("b")) },
      { index: 2, id: "c", function: fn("functions.unknown", read("c")) },
    ),
    calls: [
      { id: "a", name: "read_file", arguments: read("a") },
      { id: "b", name: "read_file", arguments: read("b") },
      { id: "c", name: "functions.unknown", arguments: read("c") },
    ],
  },
];

for (const row of CALL_ROWS) {
  Deno.test(`stream() in chat mode ${row.name}`, async () => {
    const reply = streamReply([...row.steps, chatFinish("tool_calls"), SSE_DONE]);
    await withServer([reply], {}, async (provider) => {
      const { completed, events } = await answer(provider);
      assert.deepEqual(completed.message, { role: "assistant", text: "", calls: row.calls });
      assert.ok(events.some((event) => event.type === "tool_delta"));
    });
  });
}

Deno.test("stream() in chat mode yields deltas and one completion with usage", async () => {
  const reply = chatReply({
    text: "Reading the file now.",
    reasoning: "Which file?",
    calls: [{ id: "call_1", name: "read_file", arguments: { path: "a.txt" } }],
    usage: { input: 120, output: 30, cached: 100 },
  });
  await withServer([reply], {}, async (provider, server) => {
    const { completed, text, reasoning, events } = await answer(provider);
    assert.equal(text, "Reading the file now.");
    assert.equal(reasoning, "Which file?");
    assert.deepEqual(completed, {
      type: "completed",
      message: {
        role: "assistant",
        text: "Reading the file now.",
        calls: [{ id: "call_1", name: "read_file", arguments: '{"path":"a.txt"}' }],
      },
      usage: { input: 120, output: 30, cachedInput: 100 },
    });
    assert.deepEqual(events[0], { type: "activity" }, "response headers");
    assert.equal(server.requests[0]?.path, "/v1/chat/completions");
  });
});

Deno.test("stream() in chat mode reads an answer that is not streamed", async () => {
  const reply = chatDocument({
    text: "Hi",
    reasoning: "Greet",
    calls: [{ id: "a", name: "read_file", arguments: { path: "a" } }],
    usage: { input: 3, output: 2 },
  });
  await withServer([reply], {}, async (provider) => {
    const { completed, text, reasoning } = await answer(provider);
    assert.deepEqual([text, reasoning], ["Hi", "Greet"]);
    assert.deepEqual(completed.message.calls, [
      { id: "a", name: "read_file", arguments: '{"path":"a"}' },
    ]);
    assert.deepEqual(completed.usage, { input: 3, output: 2 });
  });
});

Deno.test("stream() in chat mode reads a whole message where a delta belongs", async () => {
  const choice = { index: 0, message: { content: "Hi" }, finish_reason: "stop" };
  await withServer([streamReply([sse({ choices: [choice] }), SSE_DONE])], {}, async (provider) => {
    assert.equal((await answer(provider)).completed.message.text, "Hi");
  });
});

Deno.test("stream() in chat mode ignores a message that repeats the deltas", async () => {
  const repeated = { index: 0, delta: {}, message: { content: "Hi there" }, finish_reason: "stop" };
  const steps = [chatChunk({ content: "Hi " }), chatChunk({ content: "there" })];
  await withServer(
    [streamReply([...steps, sse({ choices: [repeated] }), SSE_DONE])],
    {},
    async (provider) => {
      assert.equal((await answer(provider)).completed.message.text, "Hi there");
    },
  );
});

interface TextRow {
  readonly name: string;
  readonly steps: readonly string[];
  readonly text: string;
  readonly reasoning?: string;
}

const TEXT_ROWS: readonly TextRow[] = [
  {
    name: "survives chunks without choices (field case 15)",
    steps: [
      sse({ choices: [] }),
      chatChunk({ content: "Hi" }),
      sse({ choices: null }),
      sse({ id: "x" }),
      sse({ choices: [null] }),
      sse({ choices: [{ index: 0 }] }),
      sse({ choices: [{ index: 0, delta: null }] }),
      chatChunk({ content: null, tool_calls: [] }),
      chatChunk({ content: "!" }),
    ],
    text: "Hi!",
  },
  ...["reasoning_content", "reasoning", "reasoning_text", "thinking"].map((field): TextRow => ({
    name: `keeps ${field} apart from the answer (field case 16)`,
    steps: [
      ...Array.from({ length: 20 }, (_, at) => chatChunk({ content: null, [field]: `r${at} ` })),
      chatChunk({ content: "Hi" }),
    ],
    text: "Hi",
    reasoning: Array.from({ length: 20 }, (_, at) => `r${at} `).join(""),
  })),
  {
    name: "takes reasoning once that is sent under two names (field case 16)",
    steps: [
      chatChunk({
        reasoning: "why",
        reasoning_content: "why",
        reasoning_details: [{ type: "reasoning.text", text: "why" }],
      }),
      chatChunk({ content: "Hi" }),
    ],
    text: "Hi",
    reasoning: "why",
  },
  {
    name: "reads reasoning details where there is nothing else (field case 16)",
    steps: [
      chatChunk({ reasoning_details: [{ type: "reasoning.summary", summary: "why" }] }),
      chatChunk({ content: "Hi" }),
    ],
    text: "Hi",
    reasoning: "why",
  },
  {
    name: "leaves think tags in the text alone (field case 16)",
    steps: [chatChunk({ content: "<think>why</think>Hi" })],
    text: "<think>why</think>Hi",
  },
  {
    name: "reads content that is a list of parts",
    steps: [
      chatChunk({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "why" }] },
          { type: "text", text: "Hi" },
          { type: "output_text", text: " there" },
        ],
      }),
    ],
    text: "Hi there",
    reasoning: "why",
  },
  {
    name: "shows a refusal as text",
    steps: [chatChunk({ refusal: "I can " }), chatChunk({ refusal: "not", content: null })],
    text: "I can not",
  },
  {
    name: "leaves out the further choices of a server that sends several",
    steps: [
      sse({
        choices: [
          { index: 0, delta: { content: "one" } },
          { index: 1, delta: { content: "two" } },
        ],
      }),
      sse({ choices: [{ index: 1, delta: { content: "two" } }] }),
    ],
    text: "one",
  },
  {
    name: "reads events without blank lines between them",
    steps: [
      'data: {"choices":[{"delta":{"content":"a"}}]}\n',
      'data: {"choices":[{"delta":{"content":"b"}}]}\n',
    ],
    text: "ab",
  },
];

for (const row of TEXT_ROWS) {
  Deno.test(`stream() in chat mode ${row.name}`, async () => {
    const reply = streamReply([...row.steps, chatFinish("stop"), SSE_DONE]);
    await withServer([reply], {}, async (provider) => {
      const { completed, text, reasoning, warnings } = await answer(provider);
      assert.equal(text, row.text);
      assert.equal(reasoning, row.reasoning ?? "");
      assert.deepEqual(completed.message, { role: "assistant", text: row.text, calls: [] });
      assert.deepEqual(warnings, []);
    });
  });
}

const FINISH_ROWS: readonly (readonly [string, boolean])[] = [
  ["stop", false],
  ["tool_calls", false],
  ["function_call", false],
  ["eos", false],
  ["something_new", false],
  ["length", true],
  ["LENGTH", true],
  ["max_tokens", true],
  ["max_output_tokens", true],
  ["model_context_window_exceeded", true],
];

for (const [reason, truncated] of FINISH_ROWS) {
  Deno.test(`stream() in chat mode ${truncated ? "marks" : "does not mark"} the finish reason ${reason} as truncated (field case 12)`, async () => {
    const steps = [chatChunk({ content: "Hi" }), chatFinish(reason), SSE_DONE];
    await withServer([streamReply(steps)], {}, async (provider) => {
      assert.equal((await answer(provider)).completed.truncated ?? false, truncated);
    });
  });
}

Deno.test("stream() in chat mode keeps the half call of a cut answer as it came (field cases 12, 13)", async () => {
  for (const reason of ["length", "tool_calls"]) {
    const steps = toolChunks({ index: 0, id: "a", function: fn("write_file", '{"content":"ha') });
    await withServer(
      [streamReply([...steps, chatFinish(reason), SSE_DONE])],
      {},
      async (provider) => {
        const { completed } = await answer(provider);
        assert.deepEqual(completed.message.calls, [
          { id: "a", name: "write_file", arguments: '{"content":"ha' },
        ]);
        assert.equal(completed.truncated ?? false, reason === "length");
      },
    );
  }
});

Deno.test("stream() in chat mode keeps a cut a cut when another reason follows it", async () => {
  const steps = [chatChunk({ content: "Hi" }), chatFinish("length"), chatFinish("stop"), SSE_DONE];
  await withServer([streamReply(steps)], {}, async (provider) => {
    assert.equal((await answer(provider)).completed.truncated, true);
  });
});

Deno.test("stream() in chat mode completes a filtered answer with a warning", async () => {
  const steps = [chatChunk({ content: "Hi" }), chatFinish("content_filter"), SSE_DONE];
  await withServer([streamReply(steps)], {}, async (provider) => {
    const { completed, warnings } = await answer(provider);
    assert.equal(completed.message.text, "Hi");
    assert.deepEqual(warnings, [
      "The server's content filter ended the answer: it may be incomplete",
    ]);
  });
});

Deno.test("stream() in chat mode takes the last usage of a response (field cases 15, 45)", async () => {
  const usage = (prompt: number, completion: number, more: object = {}) =>
    sse({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, ...more } });
  const rows: readonly (readonly [readonly string[], object | undefined])[] = [
    [[usage(10, 1), usage(10, 2), usage(10, 3)], { input: 10, output: 3 }],
    [[usage(10, 1), sse({ choices: [], usage: null })], { input: 10, output: 1 }],
    [[usage(10, 1), usage(1e308, 1e308)], { input: 10, output: 1 }],
    [[usage(10, 1), usage(-1, 5)], { input: 10, output: 1 }],
    [[usage(10, 1e13)], { input: 10, output: 0 }],
    [[usage(1e12, 1)], { input: 1e12, output: 1 }],
    [
      [usage(10, 1, { prompt_tokens_details: { cached_tokens: 8 } })],
      { input: 10, output: 1, cachedInput: 8 },
    ],
    [
      [usage(10, 1, { prompt_cache_hit_tokens: 7, prompt_cache_miss_tokens: 3 })],
      { input: 10, output: 1, cachedInput: 7 },
    ],
    [
      [usage(10, 1, { prompt_tokens_details: { cached_tokens: 99 } })],
      { input: 10, output: 1, cachedInput: 10 },
    ],
    [[sse({ choices: [], usage: { total_tokens: 9, completion_tokens: 4 } })], {
      input: 5,
      output: 4,
    }],
    [[sse({ choices: [{ index: 0, usage: { prompt_tokens: 4, completion_tokens: 2 } }] })], {
      input: 4,
      output: 2,
    }],
    [[sse({ choices: [], usage: { prompt_tokens: "many" } })], undefined],
  ];
  for (const [steps, expected] of rows) {
    const all = [chatChunk({ content: "Hi" }), chatFinish("stop"), ...steps, SSE_DONE];
    await withServer([streamReply(all)], {}, async (provider) => {
      assert.deepEqual((await answer(provider)).completed.usage, expected);
    });
  }
});

Deno.test("stream() in chat mode gives empty reasoning only to a profile that keeps it (field case 18)", async () => {
  const call = { index: 0, id: "a", function: fn("read_file", read("a")) };
  const withField = () =>
    streamReply([
      chatChunk({ reasoning_content: "", tool_calls: [call] }),
      chatFinish("tool_calls"),
      SSE_DONE,
    ]);
  const without = () =>
    streamReply([...toolChunks(call), chatChunk({ reasoning_content: null }), chatFinish("stop")]);
  const rows: readonly (readonly [() => StubReply, boolean, string | undefined])[] = [
    [withField, true, ""],
    [withField, false, undefined],
    [without, true, undefined],
  ];
  for (const [reply, keepReasoning, expected] of rows) {
    const options = { profile: { keepReasoning }, limits: { finishWaitMs: 20 } };
    await withServer([reply()], options, async (provider) => {
      assert.equal((await answer(provider)).completed.message.reasoning, expected);
    });
  }
});

const CUTS: readonly (readonly [string, readonly StubStep[], StubReply["framing"]])[] = [
  ["in good order after some text", [chatChunk({ content: "Hi" })], "close"],
  ["within the framing after some text", [chatChunk({ content: "Hi" }), { do: "cut" }], "chunked"],
  ["by a reset after some text", [chatChunk({ content: "Hi" }), { do: "reset" }], "chunked"],
  [
    "within the arguments of a call",
    [...toolChunks({ index: 0, id: "a", function: fn("write_file", '{"path":') }), { do: "cut" }],
    "chunked",
  ],
  ["within an event", ['data: {"choices":[{"delta":{"content":"H'], "close"],
  ["before any event", [], "close"],
  ["in good order with the framing complete", [chatChunk({ content: "Hi" })], "chunked"],
];

for (const [name, steps, framing] of CUTS) {
  Deno.test(`stream() in chat mode reports a connection that ends ${name} (field case 19)`, async () => {
    const reply: StubReply = { steps, ...(framing === undefined ? {} : { framing }) };
    await withServer([reply], {}, async (provider) => {
      const error = await failure(provider);
      assert.equal(error.code, "stream_interrupted");
      assert.equal(error.retryable, true);
      assert.match(error.message, /stopped before its end: /);
    });
  });
}

Deno.test("stream() in chat mode accepts a connection that ends after the finish reason (field case 19)", async () => {
  for (const last of ["cut", "reset", "end"] as const) {
    const steps: StubStep[] = [chatChunk({ content: "Hi" }), chatFinish("stop")];
    if (last !== "end") steps.push({ do: last });
    await withServer([{ steps }], {}, async (provider) => {
      assert.equal((await answer(provider)).completed.message.text, "Hi");
    });
  }
});

Deno.test("stream() in chat mode accepts the end marker without a finish reason (field case 19)", async () => {
  const reply = streamReply([chatChunk({ content: "Hi" }), SSE_DONE]);
  await withServer([reply], {}, async (provider) => {
    assert.equal((await answer(provider)).completed.message.text, "Hi");
  });
});

Deno.test("stream() in chat mode ends with the end marker while the server keeps the socket (field case 21)", async () => {
  for (const end of [SSE_DONE, "data: [DONE]\n", "data: [DONE]\r\n\n", "data:[DONE]\r"]) {
    const steps: StubStep[] = [chatChunk({ content: "Hi" }), chatFinish("stop"), end, {
      do: "hang",
    }];
    await withServer([streamReply(steps)], {}, async (provider, server) => {
      const startedAt = performance.now();
      await answer(provider);
      assert.ok(performance.now() - startedAt < 1_000, "the end marker ends the turn at once");
      await server.requests[0]?.closed;
    });
  }
});

Deno.test("stream() releases the connection before it completes (field case 21)", async () => {
  const steps: StubStep[] = [chatFinish("stop"), SSE_DONE, { do: "hang" }];
  await withServer([streamReply(steps)], {}, async (provider, server) => {
    const events = provider.stream(request())[Symbol.asyncIterator]();
    while ((await events.next()).value?.type !== "completed");
    await server.requests[0]?.closed;
    await events.return?.();
  });
});

Deno.test("stream() keeps one connection for turns that a server ends in good order", async () => {
  const turn = () => streamReply([chatFinish("stop"), SSE_DONE, { waitMs: 3 }]);
  const limits = { releaseWaitMs: 2_000 };
  await withServer([turn(), turn(), turn()], { limits }, async (provider, server) => {
    for (let count = 0; count < 3; count++) await answer(provider);
    assert.equal(new Set(server.requests.map((one) => one.closed)).size, 1);
  });
});

Deno.test("stream() in chat mode waits only shortly after the finish reason (field case 21)", async () => {
  const comments: StubStep[] = Array.from({ length: 1_000 }, () => [": alive\n\n", { waitMs: 10 }])
    .flat();
  const steps: StubStep[] = [chatChunk({ content: "Hi" }), chatFinish("stop"), ...comments, {
    do: "hang",
  }];
  await withServer(
    [streamReply(steps)],
    { limits: { finishWaitMs: 60 } },
    async (provider, server) => {
      const startedAt = performance.now();
      await answer(provider);
      assert.ok(performance.now() - startedAt < 5_000, "comments do not extend the wait");
      await server.requests[0]?.closed;
    },
  );
});

Deno.test("stream() in chat mode waits for the usage that follows the finish reason (field case 21)", async () => {
  const usage = sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } });
  const steps: StubStep[] = [chatFinish("stop"), { waitMs: 30 }, usage, { do: "hang" }];
  await withServer([streamReply(steps)], { limits: { finishWaitMs: 300 } }, async (provider) => {
    assert.deepEqual((await answer(provider)).completed.usage, { input: 3, output: 1 });
  });
});

Deno.test("stream() in chat mode reports comments as activity and nothing else (field case 22)", async () => {
  const steps = [
    ":\n\n",
    ": OPENROUTER PROCESSING\n",
    ": again\n\n",
    chatChunk({ content: "Hi" }),
    "event: ping\n\n",
    "data:\n\n",
    ": \r\n\r\n",
    chatFinish("stop"),
    SSE_DONE,
  ];
  await withServer([streamReply(steps)], {}, async (provider) => {
    const { events, text, warnings } = await answer(provider);
    assert.equal(text, "Hi");
    assert.deepEqual(warnings, []);
    const before = events.slice(0, events.findIndex((event) => event.type === "text_delta"));
    assert.deepEqual(before, Array(4).fill({ type: "activity" }));
  });
});

Deno.test("stream() in chat mode tells of a comment before the answer comes (field case 22)", async () => {
  const seen = Promise.withResolvers<void>();
  const steps: StubStep[] = [": working\n\n", { wait: seen.promise }, chatFinish("stop"), SSE_DONE];
  await withServer([streamReply(steps)], {}, async (provider) => {
    const stream = provider.stream(request())[Symbol.asyncIterator]();
    assert.deepEqual((await stream.next()).value, { type: "activity" });
    assert.deepEqual((await stream.next()).value, { type: "activity" });
    seen.resolve();
    while (!(await stream.next()).done);
  });
});

Deno.test("stream() in chat mode skips data that is not JSON with a warning (field case 22)", async () => {
  const steps = [
    chatChunk({ content: "H" }),
    "data: : OPENROUTER PROCESSING\n\n",
    chatChunk({ content: "i" }),
    chatFinish("stop"),
    SSE_DONE,
  ];
  await withServer([streamReply(steps)], {}, async (provider) => {
    const { completed, warnings } = await answer(provider);
    assert.equal(completed.message.text, "Hi");
    assert.deepEqual(warnings, [
      'The server sent a piece that is not JSON, which was skipped: ": OPENROUTER PROCESSING"',
    ]);
  });
});

Deno.test("stream() in chat mode bounds the number of warnings (field case 22)", async () => {
  const steps = [...Array(50).fill("data: oops\n\n"), chatFinish("stop"), SSE_DONE];
  await withServer([streamReply(steps)], {}, async (provider) => {
    assert.equal((await answer(provider)).warnings.length, 8);
  });
});

const MULTI_BYTE = "日本語 👩‍👩‍👧 Ω — café";

Deno.test("stream() in chat mode joins characters that are cut at every byte (field case 24)", async () => {
  const calls = [{ id: "a", name: "write_file", arguments: { path: "a", content: MULTI_BYTE } }];
  const { steps } = chatReply({ text: MULTI_BYTE, calls });
  assert.ok(Array.isArray(steps));
  await withServer([streamReply(oneByteAtATime(steps.join("")))], {}, async (provider) => {
    const { completed, text } = await answer(provider);
    assert.equal(text, MULTI_BYTE);
    assert.equal(completed.message.text, MULTI_BYTE);
    const args: unknown = JSON.parse(completed.message.calls[0]?.arguments ?? "");
    assert.deepEqual(args, { path: "a", content: MULTI_BYTE });
  });
});

Deno.test("stream() in chat mode reads CRLF, CR and a missing last blank line", async () => {
  for (const lineEnd of ["\r\n", "\r"]) {
    const body = [chatChunk({ content: "Hi" }), chatFinish("stop")].join("").trimEnd()
      .replaceAll("\n", lineEnd);
    await withServer([streamReply(oneByteAtATime(body))], {}, async (provider) => {
      assert.equal((await answer(provider)).completed.message.text, "Hi");
    });
  }
});

const LIMIT_ROWS: readonly (readonly [string, readonly string[], WithServerOptions["limits"]])[] = [
  ["100 characters of text", [chatChunk({ content: "x".repeat(101) })], { maxTextChars: 100 }],
  [
    "100 characters of tool arguments",
    toolChunks({ index: 0, function: fn("read_file", "x".repeat(101)) }),
    { maxArgumentsChars: 100 },
  ],
  [
    "2 tool calls",
    toolChunks(...["a", "b", "c"].map((id) => ({ id, function: fn("read_file", "{}") }))),
    { maxCalls: 2 },
  ],
  ["1000 characters", [`data: ${"x".repeat(2_000)}`], { maxEventChars: 1_000 }],
  ["1000 bytes", Array(20).fill(`: ${"x".repeat(100)}\n\n`), { maxBytes: 1_000 }],
];

for (const [name, steps, limits] of LIMIT_ROWS) {
  Deno.test(`stream() in chat mode stops a response larger than ${name}`, async () => {
    const reply = streamReply([...steps, { do: "hang" }]);
    await withServer([reply], { limits: limits ?? {} }, async (provider, server) => {
      const error = await failure(provider);
      assert.equal(error.code, "invalid_response");
      assert.equal(error.retryable, false);
      assert.ok(error.message.includes(name), error.message);
      await server.requests[0]?.closed;
    });
  });
}

Deno.test("stream() stops a document larger than 1000 characters, however slowly it comes", async () => {
  const reply: StubReply = {
    headers: { "content-type": "application/json" },
    steps: ['{"choices":[', ...Array(20).fill(`"${"x".repeat(100)}",`), { do: "hang" }],
  };
  const limits = { maxEventChars: 1_000 };
  await withServer([reply], { limits }, async (provider, server) => {
    const error = await failure(provider);
    assert.equal(error.code, "invalid_response");
    assert.match(error.message, /it is larger than 1000 characters/);
    await server.requests[0]?.closed;
  });
});

Deno.test("stream() in chat mode reads one event of 12 MiB in linear time", async () => {
  const content = "x".repeat(12 * 1024 * 1024);
  const reply = streamReply([
    ...toolChunks({ index: 0, id: "a", function: fn("write_file", JSON.stringify({ content })) }),
    chatFinish("tool_calls"),
    SSE_DONE,
  ]);
  await withServer([reply], {}, async (provider) => {
    const startedAt = performance.now();
    const { completed } = await answer(provider);
    assert.equal(completed.message.calls[0]?.arguments.length, content.length + 14);
    // Quadratic decoding takes more than ten seconds.
    assert.ok(performance.now() - startedAt < 5_000);
  });
});

Deno.test("stream() reads a document of JSON whatever its content type and blank lines say", async () => {
  const document = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] };
  for (const type of ["application/json", "text/plain", "application/octet-stream"]) {
    const reply: StubReply = {
      headers: { "content-type": type },
      steps: ["\n\n", { waitMs: 5 }, JSON.stringify(document, null, 2)],
    };
    await withServer([reply], {}, async (provider) => {
      assert.equal((await answer(provider)).completed.message.text, "Hi");
    });
  }
});

Deno.test("stream() reads events that are labelled as JSON", async () => {
  const reply: StubReply = {
    headers: { "content-type": "application/json" },
    steps: [chatChunk({ content: "Hi" }), chatFinish("stop"), SSE_DONE],
  };
  await withServer([reply], {}, async (provider) => {
    assert.equal((await answer(provider)).completed.message.text, "Hi");
  });
});

Deno.test("stream() in chat mode names a document that is no completion", async () => {
  const rows: readonly (readonly [StubReply, string, RegExp])[] = [
    [
      { headers: { "content-type": "application/json" }, steps: ['{"ok":true}'] },
      "invalid_response",
      /it is no chat completion: "\{"ok":true\}"/,
    ],
    [
      { headers: { "content-type": "application/json" }, steps: ["{oops}"] },
      "invalid_response",
      /it is not valid JSON: "\{oops\}"/,
    ],
    [
      { headers: { "content-type": "application/json" }, steps: ['{"choices":[{"mess'] },
      "stream_interrupted",
      /the document is incomplete/,
    ],
  ];
  for (const [reply, code, message] of rows) {
    await withServer([reply], {}, async (provider) => {
      const error = await failure(provider);
      assert.equal(error.code, code);
      assert.match(error.message, message);
    });
  }
});

Deno.test("stream() throws the signal's reason and releases the connection when it aborts", async () => {
  const stages: readonly (readonly [string, StubReply])[] = [
    ["before the headers", { framing: "raw", steps: [{ do: "hang" }] }],
    ["before the first event", streamReply([": alive\n\n", { do: "hang" }])],
    ["within the answer", streamReply([chatChunk({ content: "Hi" }), { do: "hang" }])],
    [
      "within a call",
      streamReply([...toolChunks({ index: 0, function: fn("read_file", "{") }), { do: "hang" }]),
    ],
    ["after the finish reason", streamReply([chatFinish("stop"), { do: "hang" }])],
    ["within an error", { status: 500, steps: ["Oh", { do: "hang" }] }],
  ];
  for (const [stage, reply] of stages) {
    await withServer([reply], {}, async (provider, server) => {
      const controller = new AbortController();
      const reason = new Error(`stop ${stage}`);
      const outcome = collect(provider.stream(request({ signal: controller.signal })));
      const received = await server.request(0);
      setTimeout(() => controller.abort(reason), 30);
      assert.equal((await outcome).error, reason);
      await received.closed;
    });
  }
});

Deno.test("stream() sends nothing when the signal has aborted already", async () => {
  await withServer([], {}, async (provider, server) => {
    const reason = new Error("stopped");
    const { error } = await collect(
      provider.stream(request({ signal: AbortSignal.abort(reason) })),
    );
    assert.equal(error, reason);
    assert.equal(server.requests.length, 0);
  });
});

Deno.test("stream() releases the connection when the caller stops listening", async () => {
  const reply = streamReply([chatChunk({ content: "Hi" }), { do: "hang" }]);
  await withServer([reply], {}, async (provider, server) => {
    for await (const event of provider.stream(request())) if (event.type === "text_delta") break;
    await server.requests[0]?.closed;
  });
});

Deno.test("stream() has no limit of its own on the time that a server takes (field case 28)", async () => {
  const go = Promise.withResolvers<void>();
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
  const steps: StubStep[] = [
    { wait: go.promise },
    head,
    { waitMs: 200 },
    chatChunk({ content: "Hi" }),
    chatFinish("stop"),
    SSE_DONE,
  ];
  const limits = { finishWaitMs: 50, errorBodyWaitMs: 50 };
  await withServer([{ framing: "raw", steps }], { limits }, async (provider, server) => {
    const outcome = answer(provider);
    await server.request(0);
    setTimeout(() => go.resolve(), 200);
    assert.equal((await outcome).completed.message.text, "Hi");
  });
});
