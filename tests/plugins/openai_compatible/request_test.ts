import assert from "node:assert/strict";
import type { AssistantMessage, ModelMessage, ModelRequest, ToolMessage } from "@alisio/sdk";
import { chatReply, responsesReply } from "../../support/stub_replies.ts";
import { strictChat, strictResponses } from "../../support/strict_chat.ts";
import { ChatRequestEncoder } from "../../../plugins/openai_compatible/chat_request.ts";
import { ResponsesRequestEncoder } from "../../../plugins/openai_compatible/responses_request.ts";
import { type ApiMode, parseProfile } from "../../../plugins/openai_compatible/profile.ts";
import { answer, request, TOOLS, user, withServer } from "./support.ts";

type Body = Readonly<Record<string, unknown>>;

/** The body that a profile sends. */
function encode(
  overrides: Partial<ModelRequest>,
  profile: Readonly<Record<string, string | boolean>> = {},
): Body {
  return JSON.parse(encoder(profile)(request(overrides)));
}

function encoder(profile: Readonly<Record<string, string | boolean>>): (r: ModelRequest) => string {
  const parsed = parseProfile({ baseURL: "http://localhost/v1", ...profile });
  const encoder = parsed.apiMode === "chat"
    ? new ChatRequestEncoder(parsed)
    : new ResponsesRequestEncoder(parsed, "this");
  const decoder = new TextDecoder();
  return (one) => decoder.decode(encoder.encode(one));
}

function assistant(
  text: string,
  calls: readonly (readonly [string, string, string])[] = [],
  more: Partial<AssistantMessage> = {},
): ModelMessage {
  return {
    role: "assistant",
    text,
    calls: calls.map(([id, name, args]) => ({ id, name, arguments: args })),
    ...more,
  };
}

function result(callId: string, text = "done"): ToolMessage {
  return { role: "tool", callId, name: "read_file", text, isError: false };
}

const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

Deno.test("stream() in chat mode sends a whole conversation in the form of the protocol", () => {
  const body = encode({
    messages: [
      user("Read a"),
      assistant("", [["c1", "read_file", '{"path":"a"}']]),
      result("c1", "content"),
      assistant("Done"),
      { role: "user", content: [{ type: "text", text: "And this?" }, IMAGE] },
    ],
    tools: TOOLS.slice(0, 1),
    effort: "low",
  });
  assert.deepEqual(body, {
    model: "stub-model",
    tools: [{
      type: "function",
      function: {
        name: "read_file",
        description: "The tool read_file.",
        parameters: TOOLS[0]?.inputSchema,
      },
    }],
    messages: [
      { role: "system", content: "You are a test." },
      { role: "user", content: "Read a" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{
          id: "c1",
          type: "function",
          function: { name: "read_file", arguments: '{"path":"a"}' },
        }],
      },
      { role: "tool", tool_call_id: "c1", content: "content" },
      { role: "assistant", content: "Done" },
      {
        role: "user",
        content: [
          { type: "text", text: "And this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    ],
    stream: true,
    max_tokens: 1_000,
    reasoning_effort: "low",
  });
});

Deno.test("stream() in responses mode sends a whole conversation in the form of the protocol", () => {
  const item = { type: "reasoning", summary: [], encrypted_content: "x" };
  const continuation = { provider: "this", items: [item] };
  const body = encode({
    messages: [
      user("Read a"),
      assistant("Reading", [["c1", "read_file", '{"path":"a"}']], { continuation }),
      result("c1", "content"),
      { role: "user", content: [{ type: "text", text: "And this?" }, IMAGE] },
    ],
    tools: TOOLS.slice(0, 1),
    effort: "low",
  }, { apiMode: "responses" });
  assert.deepEqual(body, {
    model: "stub-model",
    tools: [{
      type: "function",
      name: "read_file",
      description: "The tool read_file.",
      parameters: TOOLS[0]?.inputSchema,
      strict: false,
    }],
    instructions: "You are a test.",
    input: [
      { role: "user", content: "Read a" },
      item,
      { role: "assistant", content: "Reading" },
      { type: "function_call", call_id: "c1", name: "read_file", arguments: '{"path":"a"}' },
      { type: "function_call_output", call_id: "c1", output: "content" },
      {
        role: "user",
        content: [
          { type: "input_text", text: "And this?" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
        ],
      },
    ],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 1_000,
    reasoning: { effort: "low" },
  });
});

Deno.test("stream() names the output limit as the profile says and asks for usage only then", () => {
  assert.equal(encode({}).max_tokens, 1_000);
  const modern = encode({}, { tokenParameter: "max_completion_tokens", streamUsage: true });
  assert.equal(modern.max_completion_tokens, 1_000);
  assert.equal(modern.max_tokens, undefined);
  assert.deepEqual(modern.stream_options, { include_usage: true });
  const without = encode({}, { tokenParameter: "omit" });
  assert.deepEqual(Object.keys(without), ["model", "tools", "messages", "stream"]);
});

Deno.test("stream() leaves out tools, system text and effort that are not there", () => {
  const chat = encode({ tools: [], system: " " });
  assert.deepEqual(chat.messages, [{ role: "user", content: "Hello" }]);
  assert.ok(!("tools" in chat) && !("reasoning_effort" in chat));
  const responses = encode({ tools: [], system: "" }, { apiMode: "responses" });
  assert.ok(!("tools" in responses) && !("instructions" in responses));
  assert.ok(!("reasoning" in responses));
});

Deno.test("stream() asks for the style of an answer in the words of each protocol", () => {
  const all = { reasoningSummary: "auto", verbosity: "low", format: "json_object" };
  const chat = encode({ answer: all });
  assert.deepEqual(
    [chat.verbosity, chat.response_format, chat.reasoning],
    ["low", { type: "json_object" }, undefined],
  );
  const rows = [
    [{ answer: all, effort: "high" }, { effort: "high", summary: "auto" }, {
      verbosity: "low",
      format: { type: "json_object" },
    }],
    [{ answer: { reasoningSummary: "concise" } }, { summary: "concise" }, undefined],
    [{ answer: { verbosity: "high" } }, undefined, { verbosity: "high" }],
    [{ answer: {} }, undefined, undefined],
  ] as const;
  for (const [request, reasoning, text] of rows) {
    const body = encode(request, { apiMode: "responses" });
    assert.deepEqual([body.reasoning, body.text], [reasoning, text]);
    assert.ok(!("verbosity" in body) && !("response_format" in body));
  }
});

const MODES: readonly ApiMode[] = ["chat", "responses"];

/** What must never reach a server, by what stands in the history. */
const HISTORIES: readonly (readonly [string, readonly ModelMessage[]])[] = [
  ["empty arguments (field case 9)", [
    user("a"),
    assistant("", [["c1", "list_files", ""]]),
    result("c1"),
  ]],
  ["arguments that are a list, text, null or broken (field case 10)", [
    user("a"),
    assistant("", [["c1", "a", "[]"], ["c2", "a", '"x"'], ["c3", "a", "null"], ["c4", "a", '{"a'], [
      "c5",
      "a",
      "7",
    ]]),
    ...["c1", "c2", "c3", "c4", "c5"].map((id) => result(id)),
  ]],
  ["an empty assistant message (field case 30)", [user("a"), assistant(""), user("b")]],
  ["a blank assistant message (field case 30)", [user("a"), assistant(" \n"), user("b")]],
  ["an assistant message of reasoning alone (field case 30)", [
    user("a"),
    assistant("", [], {
      reasoning: "why",
      continuation: { provider: "this", items: [{ type: "reasoning", summary: [] }] },
    }),
    user("b"),
  ]],
  ["user messages in a row (field case 31)", [user("a"), user("b"), assistant("c"), user("d")]],
  ["user messages in a row with an image (field case 31)", [user("a"), {
    role: "user",
    content: [IMAGE],
  }]],
  ["an interrupted answer before the next one (field case 31)", [
    user("a"),
    assistant("half"),
    assistant("whole", [["c1", "read_file", "{}"]]),
    result("c1"),
  ]],
  ["a blank user message", [user("a"), assistant("b"), user(" "), user("c")]],
  ["names that no server accepts", [
    user("a"),
    assistant("", [["c1", "functions.read file", "{}"], ["c2", "", "{}"], [
      "c3",
      "x".repeat(80),
      "{}",
    ]]),
    ...["c1", "c2", "c3"].map((id) => result(id)),
  ]],
];

for (const [name, messages] of HISTORIES) {
  for (const apiMode of MODES) {
    Deno.test(`stream() in ${apiMode} mode sends ${name} in a form that a strict server takes`, async () => {
      const check = apiMode === "chat" ? strictChat : strictResponses;
      const reply = apiMode === "chat" ? chatReply({ text: "Hi" }) : responsesReply({ text: "Hi" });
      await withServer([reply], { check, profile: { apiMode } }, async (provider, server) => {
        await answer(provider, { messages });
        assert.deepEqual(server.violations, []);
      });
    });
  }
}

Deno.test("stream() joins the texts of adjacent user messages (field case 31)", () => {
  const messages = [user("a"), assistant(""), user("b"), user("c")];
  assert.deepEqual(encode({ messages, system: "" }).messages, [
    { role: "user", content: "a\n\nb\n\nc" },
  ]);
});

Deno.test("stream() follows a history whose last user message is replaced (field case 31)", () => {
  const encodeOne = encoder({});
  const first = user("a");
  for (const last of ["b", "c"]) {
    const body = JSON.parse(encodeOne(request({ system: "", messages: [first, user(last)] })));
    assert.deepEqual(body.messages, [{ role: "user", content: `a\n\n${last}` }]);
  }
});

Deno.test("stream() sends reasoning back only for a profile that keeps it (field case 18)", async () => {
  const messages = [
    user("a"),
    assistant("", [["c1", "read_file", "{}"]], { reasoning: "" }),
    result("c1"),
    assistant("b", [], { reasoning: "why" }),
    user("c"),
  ];
  const check = (json: unknown) => strictChat(json, { reasoning: true });
  const options = { check, profile: { keepReasoning: true } };
  await withServer([chatReply({ text: "Hi" })], options, async (provider, server) => {
    await answer(provider, { messages });
    assert.deepEqual(server.violations, []);
  });
  assert.ok(!JSON.stringify(encode({ messages })).includes("reasoning_content"));
  const kept = encode({ messages }, { apiMode: "responses", keepReasoning: true }).input;
  assert.deepEqual(Array.isArray(kept) && kept[4], {
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: "why" }],
  });
  const dropped = encode({ messages }, { apiMode: "responses" });
  assert.ok(!JSON.stringify(dropped.input).includes("reasoning"));
});

Deno.test("stream() never sends opaque items of another provider", () => {
  const items = [{ type: "reasoning", summary: [], encrypted_content: "secret" }];
  const messages = [user("a"), assistant("b", [], { continuation: { provider: "other", items } })];
  for (const apiMode of MODES) {
    assert.ok(!JSON.stringify(encode({ messages }, { apiMode })).includes("secret"));
  }
});

Deno.test("stream() sends no half of a character (field case 24)", () => {
  const half = "a\ud83d";
  const messages: ModelMessage[] = [
    user(half),
    assistant(half, [["c1", "read_file", `{"path":"${half}"}`]]),
    result("c1", half),
  ];
  for (const apiMode of MODES) {
    const text = JSON.stringify(encode({ messages, system: half }, { apiMode }));
    assert.ok(!/\\ud83d/.test(text), "a lone surrogate is escaped by JSON and refused by servers");
    assert.equal(text.match(/a\ufffd/g)?.length, 5);
  }
});

/** A loop of reads: one user message, then a call and its result for each turn. */
function longHistory(messages: number): ModelMessage[] {
  const history: ModelMessage[] = [user("Read everything")];
  for (let turn = 0; history.length < messages; turn++) {
    history.push(assistant("", [[`c${turn}`, "read_file", `{"path":"file${turn}.ts"}`]]));
    history.push(result(`c${turn}`, `line ${turn}\n`.repeat(200)));
  }
  return history;
}

for (const apiMode of MODES) {
  Deno.test(`stream() in ${apiMode} mode sends bodies whose prefix stays the same from turn to turn`, () => {
    const encodeOne = encoder({ apiMode });
    const history = longHistory(41);
    let before: string | undefined;
    let closing = "";
    for (let count = 1; count <= history.length; count += 2) {
      const body = encodeOne(request({
        messages: history.slice(0, count),
        // The fields that may change from turn to turn stand behind the history.
        maxOutputTokens: 1_000 + count,
        effort: count % 4 === 1 ? "low" : "high",
      }));
      if (before !== undefined) {
        const prefix = before.slice(0, before.length - closing.length);
        assert.ok(body.startsWith(prefix), `turn ${count}`);
        assert.ok(prefix.length > 300);
      }
      const lastBracket = body.lastIndexOf('],"stream"');
      assert.ok(lastBracket > 0);
      closing = body.slice(lastBracket);
      before = body;
    }
  });

  Deno.test(`stream() in ${apiMode} mode encodes only new messages of a history of 1,000`, () => {
    const encodeOne = encoder({ apiMode });
    const history = longHistory(1_001);
    const whole = time(() => encodeOne(request({ messages: history })));
    const turns = Array.from({ length: 20 }, (_, turn) => {
      history.push(assistant("", [[`n${turn}`, "read_file", "{}"]]), result(`n${turn}`, "ok"));
      return time(() => encodeOne(request({ messages: history })));
    }).toSorted((a, b) => a.ms - b.ms);
    // The fastest turn is what the work costs; the others waited for the machine.
    const fastest = turns[0]?.ms ?? Infinity;
    assert.ok(turns.every((turn) => turn.value.length > whole.value.length));
    assert.ok(fastest < 5, `a turn costs ${fastest} ms`);
  });

  Deno.test(`stream() in ${apiMode} mode encodes a history the same whatever was sent before`, () => {
    const partial = assistant("the first half");
    const notice = user("go on");
    const history = [user("a"), partial];
    const next = [...history, assistant("", [["c1", "read_file", "{}"]]), result("c1", "text")];
    const used = encoder({ apiMode });
    used(request({ messages: [...history, notice] }));
    const after = used(request({ messages: next }));
    assert.equal(after, encoder({ apiMode })(request({ messages: next })));
    assert.equal(
      used(request({ messages: history })),
      encoder({ apiMode })(request({ messages: history })),
    );
  });

  Deno.test(`stream() in ${apiMode} mode does not read a message twice`, () => {
    const encodeOne = encoder({ apiMode });
    let reads = 0;
    const watched = new Proxy<ToolMessage>(result("c1", "text"), {
      get(target, key, receiver) {
        if (key === "text") reads++;
        return Reflect.get(target, key, receiver);
      },
    });
    const messages = [user("a"), assistant("", [["c1", "read_file", "{}"]]), watched];
    const first = encodeOne(request({ messages }));
    assert.equal(encodeOne(request({ messages: [...messages] })), first);
    assert.equal(reads, 1);
  });
}

function time<T>(fn: () => T): { readonly value: T; readonly ms: number } {
  const startedAt = performance.now();
  const value = fn();
  return { value, ms: performance.now() - startedAt };
}

Deno.test("stream() sends the key, the user agent and the content type", async () => {
  await withServer(
    [chatReply({ text: "Hi" })],
    { apiKey: " key-1 \n" },
    async (provider, server) => {
      await answer(provider);
      const headers = server.requests[0]?.headers;
      assert.equal(headers?.get("authorization"), "Bearer key-1");
      assert.equal(headers?.get("user-agent"), "alisio/test");
      assert.equal(headers?.get("content-type"), "application/json");
    },
  );
});

Deno.test("stream() sends no key where the profile has none or says so", async () => {
  for (const options of [{}, { apiKey: "" }, { apiKey: "key-1", profile: { auth: "none" } }]) {
    await withServer([chatReply({ text: "Hi" })], options, async (provider, server) => {
      await answer(provider);
      assert.equal(server.requests[0]?.headers.get("authorization"), null);
    });
  }
});

Deno.test("stream() keeps the query of the base URL and its path", async () => {
  await withServer([chatReply({ text: "Hi" })], {}, async (_provider, server) => {
    const { createOpenAiProvider } = await import(
      "../../../plugins/openai_compatible/openai_provider.ts"
    );
    const provider = await createOpenAiProvider({
      profile: { baseURL: `${server.origin}/deployments/x/?api-version=1` },
      credentials: {},
      userAgent: "alisio/test",
    });
    await answer(provider);
    assert.equal(server.requests[0]?.path, "/deployments/x/chat/completions?api-version=1");
    assert.equal(provider.id, `openai-compatible:chat:${server.origin}/deployments/x`);
  });
});
