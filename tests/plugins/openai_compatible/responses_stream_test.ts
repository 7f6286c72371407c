import assert from "node:assert/strict";
import type { AssistantMessage } from "@alisio/sdk";
import {
  oneByteAtATime,
  responsesDocument,
  responsesReply,
  sse,
  SSE_DONE,
  streamReply,
} from "../../support/stub_replies.ts";
import type { StubStep } from "../../support/stub_server.ts";
import { answer, collect, failure, request, withServer } from "./support.ts";

const RESPONSES = { profile: { apiMode: "responses" } } as const;

const COMPLETED = sse({
  type: "response.completed",
  response: { status: "completed", output: [] },
});

function textDelta(delta: string, at: object = { output_index: 0, item_id: "msg_1" }): string {
  return sse({ type: "response.output_text.delta", ...at, delta });
}

Deno.test("stream() in responses mode yields deltas and one completion with usage", async () => {
  const reply = responsesReply({
    reasoning: "Which file?",
    text: "Reading the file now.",
    calls: [
      { id: "call_1", name: "read_file", arguments: { path: "a.txt" } },
      { id: "call_2", name: "list_files", arguments: {} },
    ],
    usage: { input: 120, output: 30, cached: 100 },
  });
  await withServer([reply], RESPONSES, async (provider, server) => {
    const { completed, text, reasoning } = await answer(provider);
    assert.equal(server.requests[0]?.path, "/v1/responses");
    assert.equal(provider.id, `openai-compatible:responses:${server.baseUrl}`);
    assert.deepEqual([text, reasoning], ["Reading the file now.", "Which file?"]);
    assert.deepEqual(completed, {
      type: "completed",
      message: {
        role: "assistant",
        text: "Reading the file now.",
        calls: [
          { id: "call_1", name: "read_file", arguments: '{"path":"a.txt"}' },
          { id: "call_2", name: "list_files", arguments: "{}" },
        ],
        continuation: {
          provider: provider.id,
          items: [{
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text: "Which file?" }],
            encrypted_content: "opaque",
          }],
        },
      },
      usage: { input: 120, output: 30, cachedInput: 100 },
    });
  });
});

Deno.test("stream() in responses mode reads an answer that is not streamed", async () => {
  const reply = responsesDocument({
    reasoning: "Why",
    text: "Hi",
    calls: [{ id: "a", name: "read_file", arguments: { path: "a" } }],
  });
  await withServer([reply], RESPONSES, async (provider) => {
    const { completed, text, reasoning } = await answer(provider);
    assert.deepEqual([text, reasoning], ["Hi", "Why"]);
    assert.equal(completed.message.text, "Hi");
    assert.deepEqual(completed.message.calls, [
      { id: "a", name: "read_file", arguments: '{"path":"a"}' },
    ]);
  });
});

interface ItemRow {
  readonly name: string;
  readonly steps: readonly string[];
  readonly message: Partial<AssistantMessage>;
}

const call = (fields: object) => ({ type: "function_call", id: "fc_1", ...fields });
const added = (index: number, item: object) =>
  sse({ type: "response.output_item.added", output_index: index, item });
const done = (index: number, item: object) =>
  sse({ type: "response.output_item.done", output_index: index, item });
const args = (index: number, delta: unknown) =>
  sse({ type: "response.function_call_arguments.delta", output_index: index, delta });
const completed = (output: readonly unknown[]) =>
  sse({ type: "response.completed", response: { status: "completed", output } });

const message = (text: string, id = "msg_1") => ({
  type: "message",
  id,
  content: [{ type: "output_text", text }],
});

const ITEM_ROWS: readonly ItemRow[] = [
  {
    name: "reads text that only the last event holds",
    steps: [completed([message("Hi")])],
    message: { text: "Hi" },
  },
  {
    name: "reads text that only an item event holds",
    steps: [done(0, message("Hi")), COMPLETED],
    message: { text: "Hi" },
  },
  {
    name: "adds what the deltas left out, once",
    steps: [
      textDelta("Hi "),
      sse({ type: "response.output_text.done", output_index: 0, text: "Hi there" }),
      done(0, message("Hi there")),
      completed([message("Hi there")]),
    ],
    message: { text: "Hi there" },
  },
  {
    name: "counts text once whose ids and positions change from event to event",
    steps: [
      added(0, { type: "reasoning", id: "rs_1", summary: [] }),
      added(1, message("", "msg_1")),
      textDelta("Hi", { output_index: 1, item_id: "msg_other" }),
      done(1, message("Hi", "msg_third")),
      completed([message("Hi", "msg_fourth")]),
    ],
    message: { text: "Hi" },
  },
  {
    name: "counts text once that has neither id nor position",
    steps: [textDelta("Hi", {}), completed([message("Hi")])],
    message: { text: "Hi" },
  },
  {
    name: "separates two messages",
    steps: [
      textDelta("One."),
      textDelta("Two.", { output_index: 1, item_id: "msg_2" }),
      completed([message("One."), message("Two.", "msg_2")]),
    ],
    message: { text: "One.\n\nTwo." },
  },
  {
    name: "shows a refusal as text",
    steps: [
      sse({ type: "response.refusal.delta", output_index: 0, delta: "I can " }),
      sse({ type: "response.refusal.done", output_index: 0, refusal: "I can not" }),
      COMPLETED,
    ],
    message: { text: "I can not" },
  },
  {
    name: "reads a call that no last event repeats",
    steps: [
      added(0, call({ call_id: "a", name: "read_file", arguments: "" })),
      args(0, '{"path":'),
      args(0, '"a"}'),
      COMPLETED,
    ],
    message: { calls: [{ id: "a", name: "read_file", arguments: '{"path":"a"}' }] },
  },
  {
    name: "reads a call that only the last event holds",
    steps: [completed([call({ call_id: "a", name: "read_file", arguments: "{}" })])],
    message: { calls: [{ id: "a", name: "read_file", arguments: "{}" }] },
  },
  {
    name: "uses the item's id where the call has none (field case 1)",
    steps: [done(0, call({ name: "read_file", arguments: "{}" })), COMPLETED],
    message: { calls: [{ id: "fc_1", name: "read_file", arguments: "{}" }] },
  },
  {
    name: "accepts arguments that are an object (field case 7)",
    steps: [
      done(0, call({ call_id: "a", name: "read_file", arguments: { path: "a" } })),
      COMPLETED,
    ],
    message: { calls: [{ id: "a", name: "read_file", arguments: '{"path":"a"}' }] },
  },
  {
    name: "passes on arguments that are no object (field case 10)",
    steps: [done(0, call({ call_id: "a", name: "read_file", arguments: [] })), COMPLETED],
    message: { calls: [{ id: "a", name: "read_file", arguments: "[]" }] },
  },
  {
    name: "keeps empty arguments empty (field case 9)",
    steps: [done(0, call({ call_id: "a", name: "list_files", arguments: null })), COMPLETED],
    message: { calls: [{ id: "a", name: "list_files", arguments: "" }] },
  },
  {
    name: "keeps two calls that have one id (field case 33)",
    steps: [
      added(0, call({ call_id: "x", name: "read_file", arguments: "" })),
      args(0, '{"path":"a"}'),
      added(1, call({ call_id: "x", name: "read_file", arguments: "" })),
      args(1, '{"path":"b"}'),
      completed([
        call({ call_id: "x", name: "read_file", arguments: '{"path":"a"}' }),
        call({ call_id: "x", name: "read_file", arguments: '{"path":"b"}' }),
      ]),
    ],
    message: {
      calls: [
        { id: "x", name: "read_file", arguments: '{"path":"a"}' },
        { id: "x", name: "read_file", arguments: '{"path":"b"}' },
      ],
    },
  },
  {
    name: "leaves out reasoning that cannot be replayed and items that it does not know",
    steps: [
      done(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: null }),
      done(1, { type: "web_search_call", id: "ws_1", status: "completed" }),
      done(2, message("Hi")),
      sse({ type: "response.something_new", output_index: 2, delta: "no" }),
      COMPLETED,
    ],
    message: { text: "Hi" },
  },
];

for (const row of ITEM_ROWS) {
  Deno.test(`stream() in responses mode ${row.name}`, async () => {
    await withServer([streamReply(row.steps)], RESPONSES, async (provider) => {
      const outcome = await answer(provider);
      const expected = { role: "assistant", text: "", calls: [], ...row.message };
      assert.deepEqual(outcome.completed.message, expected);
      assert.equal(outcome.text, outcome.completed.message.text);
    });
  });
}

Deno.test("stream() in responses mode reads every form of visible reasoning (field case 16)", async () => {
  const types = [
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary.delta",
    "response.reasoning.delta",
  ];
  for (const type of types) {
    const steps = [sse({ type, output_index: 0, delta: "why" }), textDelta("Hi"), COMPLETED];
    await withServer([streamReply(steps)], RESPONSES, async (provider) => {
      const { reasoning, text } = await answer(provider);
      assert.deepEqual([reasoning, text], ["why", "Hi"]);
    });
  }
});

Deno.test("stream() in responses mode shows reasoning that only an item holds (field case 16)", async () => {
  const item = { type: "reasoning", summary: [{ text: "one" }], content: [{ text: "two" }] };
  const steps = [done(0, item), textDelta("Hi", { output_index: 1 }), completed([item])];
  await withServer([streamReply(steps)], RESPONSES, async (provider) => {
    assert.equal((await answer(provider)).reasoning, "one\n\ntwo");
  });
});

Deno.test("stream() in responses mode marks an incomplete answer (field case 12)", async () => {
  const incomplete = (reason: string | null) =>
    sse({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: reason && { reason }, output: [] },
    });
  const rows: readonly (readonly [string, boolean, number])[] = [
    [incomplete("max_output_tokens"), true, 0],
    [incomplete("max_tokens"), true, 0],
    [incomplete(null), true, 0],
    [incomplete("content_filter"), false, 1],
    [COMPLETED, false, 0],
  ];
  for (const [end, truncated, warnings] of rows) {
    await withServer([streamReply([textDelta("Hi"), end])], RESPONSES, async (provider) => {
      const outcome = await answer(provider);
      assert.equal(outcome.completed.truncated ?? false, truncated);
      assert.equal(outcome.warnings.length, warnings);
    });
  }
});

Deno.test("stream() in responses mode ends with response.completed while the server keeps the socket (field case 21)", async () => {
  for (const end of [COMPLETED, SSE_DONE]) {
    const steps: StubStep[] = [textDelta("Hi"), end, { do: "hang" }];
    await withServer([streamReply(steps)], RESPONSES, async (provider, server) => {
      const startedAt = performance.now();
      assert.equal((await answer(provider)).completed.message.text, "Hi");
      assert.ok(performance.now() - startedAt < 1_000, "the last event ends the turn at once");
      await server.requests[0]?.closed;
    });
  }
});

Deno.test("stream() in responses mode reports a connection that ends too early (field case 19)", async () => {
  const endings: readonly (readonly StubStep[])[] = [[], [{ do: "cut" }], [{ do: "reset" }]];
  for (const ending of endings) {
    const steps = [added(0, call({ call_id: "a", name: "read_file" })), args(0, "{}"), ...ending];
    await withServer([streamReply(steps)], RESPONSES, async (provider) => {
      const error = await failure(provider);
      assert.deepEqual([error.code, error.retryable], ["stream_interrupted", true]);
    });
  }
});

Deno.test("stream() in responses mode reports keep-alives as activity (field case 22)", async () => {
  const steps = [
    ": alive\n\n",
    sse({ type: "response.created", response: {} }),
    sse({ type: "keepalive" }),
    textDelta("Hi"),
    "data: : WAIT\n\n",
    COMPLETED,
  ];
  await withServer([streamReply(steps)], RESPONSES, async (provider) => {
    const { events, warnings } = await answer(provider);
    assert.deepEqual(events.slice(0, 4), Array(4).fill({ type: "activity" }));
    assert.equal(warnings.length, 1);
  });
});

Deno.test("stream() in responses mode joins characters that are cut at every byte (field case 24)", async () => {
  const { steps } = responsesReply({ text: "日本語 👩‍👩‍👧 Ω" });
  assert.ok(Array.isArray(steps));
  await withServer([streamReply(oneByteAtATime(steps.join("")))], RESPONSES, async (provider) => {
    assert.equal((await answer(provider)).text, "日本語 👩‍👩‍👧 Ω");
  });
});

Deno.test("stream() in responses mode keeps visible reasoning only for a profile that wants it (field case 18)", async () => {
  const item = { type: "reasoning", content: [{ type: "reasoning_text", text: "why" }] };
  for (const keepReasoning of [true, false]) {
    const options = { profile: { apiMode: "responses", keepReasoning } };
    const steps = [done(0, item), done(1, message("Hi")), COMPLETED];
    await withServer([streamReply(steps)], options, async (provider) => {
      const { completed } = await answer(provider);
      assert.equal(completed.message.reasoning, keepReasoning ? "why" : undefined);
    });
  }
});

Deno.test("stream() in responses mode stops a response that passes a bound", async () => {
  const rows = [
    [textDelta("x".repeat(101)), { maxTextChars: 100 }],
    [args(0, "x".repeat(101)), { maxArgumentsChars: 100 }],
    [args(0, "{}") + args(1, "{}"), { maxCalls: 1 }],
  ] as const;
  for (const [steps, limits] of rows) {
    await withServer([streamReply([steps])], { ...RESPONSES, limits }, async (provider) => {
      assert.equal((await failure(provider)).code, "invalid_response");
    });
  }
});

Deno.test("stream() in responses mode throws the signal's reason when it aborts", async () => {
  const reply = streamReply([textDelta("Hi"), { do: "hang" }]);
  await withServer([reply], RESPONSES, async (provider, server) => {
    const controller = new AbortController();
    const reason = new Error("stopped");
    const outcome = collect(provider.stream(request({ signal: controller.signal })));
    const received = await server.request(0);
    setTimeout(() => controller.abort(reason), 20);
    assert.equal((await outcome).error, reason);
    await received.closed;
  });
});
