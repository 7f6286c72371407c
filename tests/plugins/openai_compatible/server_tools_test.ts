import assert from "node:assert/strict";
import { sse, streamReply } from "../../support/stub_replies.ts";
import { jsonReply, type StubReply } from "../../support/stub_server.ts";
import { answer, failure, withServer } from "./support.ts";

const RESPONSES = { profile: { apiMode: "responses" } } as const;
const SEARCH = [{ type: "web_search" }] as const;

const CITED = "Deno asks first [docs.example](https://docs.example/perm?a=1).";
const ANNOTATIONS = [
  {
    type: "url_citation",
    start_index: 16,
    end_index: 60,
    url: "https://docs.example/perm?a=1",
    title: "Permissions",
  },
  {
    type: "url_citation",
    start_index: 0,
    end_index: 4,
    url: "https://b.example/",
    title: "B [x](y)",
  },
  { type: "url_citation", start_index: 0, end_index: 4, url: "https://b.example/", title: "again" },
  { type: "url_citation", url: "javascript:alert(1)", title: "bad" },
  { type: "url_citation", url: "https://c.example/ \u202e>", title: "bad" },
  { type: "file_citation", url: "https://d.example/", title: "no page" },
  { type: "url_citation", url: "https://e.example/", title: 7 },
  null,
];
const MESSAGE = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: CITED, annotations: ANNOTATIONS }],
};
const WANTED = `${CITED}\n\nSources:\n- B x (y): <https://b.example/>\n- <https://e.example/>`;

/** As the server of the Responses API streams an answer for which it searched. */
function searchedReply(): StubReply {
  const reasoning = (id: string) => ({
    type: "reasoning",
    id,
    summary: [],
    encrypted_content: `opaque ${id}`,
  });
  const search = {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "deno permissions" },
  };
  const items = [reasoning("rs_1"), search, reasoning("rs_2"), MESSAGE];
  return streamReply([
    sse({ type: "response.created", response: { status: "in_progress" } }),
    sse({ type: "response.output_item.done", output_index: 0, item: items[0] }),
    sse({
      type: "response.output_item.added",
      output_index: 1,
      item: { type: "web_search_call", id: "ws_1", status: "in_progress" },
    }),
    sse({ type: "response.web_search_call.in_progress", output_index: 1, item_id: "ws_1" }),
    sse({ type: "response.web_search_call.searching", output_index: 1, item_id: "ws_1" }),
    sse({ type: "response.web_search_call.completed", output_index: 1, item_id: "ws_1" }),
    sse({ type: "response.output_item.done", output_index: 1, item: search }),
    sse({ type: "response.output_item.done", output_index: 2, item: items[2] }),
    sse({
      type: "response.output_text.delta",
      output_index: 3,
      item_id: "msg_1",
      content_index: 0,
      delta: CITED,
    }),
    ...ANNOTATIONS.map((annotation, index) =>
      sse({
        type: "response.output_text.annotation.added",
        output_index: 3,
        item_id: "msg_1",
        content_index: 0,
        annotation_index: index,
        annotation,
      })
    ),
    sse({ type: "response.output_item.done", output_index: 3, item: MESSAGE }),
    sse({ type: "response.completed", response: { status: "completed", output: items } }),
  ]);
}

Deno.test("stream() in responses mode passes on what the server carries out, behind the tools", async () => {
  await withServer([searchedReply(), searchedReply()], RESPONSES, async (provider, server) => {
    assert.equal(provider.acceptsServerTools, true);
    await answer(provider, { serverTools: SEARCH });
    await answer(provider, { serverTools: SEARCH, tools: [] });
    const [first, second] = server.requests.map(({ json }) =>
      (json as { readonly tools: readonly { readonly type: string }[] }).tools
    );
    assert.deepEqual(first?.map(({ type }) => type), [
      "function",
      "function",
      "function",
      "web_search",
    ]);
    assert.deepEqual([first?.at(-1), second], [{ type: "web_search" }, [{ type: "web_search" }]]);
  });
});

Deno.test("stream() in chat mode sends nothing that a server would have to carry out", async () => {
  const reply = streamReply([
    sse({ choices: [{ index: 0, delta: { content: "Hi" } }] }),
    sse({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    "data: [DONE]\n\n",
  ]);
  await withServer([reply], {}, async (provider, server) => {
    assert.notEqual(provider.acceptsServerTools, true);
    await answer(provider, { serverTools: SEARCH });
    assert.doesNotMatch(server.requests[0]?.body ?? "", /web_search/);
  });
});

Deno.test("stream() in responses mode lists the sources that an answer cites and does not name", async () => {
  await withServer([searchedReply()], RESPONSES, async (provider) => {
    const { text, completed } = await answer(provider, { serverTools: SEARCH });
    assert.equal(text, WANTED);
    assert.equal(completed.message.text, WANTED);
  });
  const document = jsonReply({ status: "completed", output: [MESSAGE] });
  await withServer([document], RESPONSES, async (provider) => {
    const { completed } = await answer(provider, { serverTools: SEARCH });
    assert.equal(completed.message.text, WANTED);
  });
});

Deno.test("stream() in responses mode sends a search back between the reasoning that it belongs to", async () => {
  await withServer([searchedReply(), searchedReply()], RESPONSES, async (provider, server) => {
    const { completed } = await answer(provider, { serverTools: SEARCH });
    await answer(provider, { messages: [completed.message], serverTools: SEARCH });
    const { input } = server.requests[1]?.json as { readonly input: readonly unknown[] };
    assert.deepEqual(input, [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "opaque rs_1" },
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "deno permissions" },
      },
      { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "opaque rs_2" },
      { role: "assistant", content: WANTED },
    ]);
  });
});

Deno.test("stream() in responses mode bounds the list of sources", async () => {
  const annotations = Array.from({ length: 500 }, (_, index) => ({
    type: "url_citation",
    url: `https://a.example/${index}${index === 3 ? "x".repeat(5_000) : ""}`,
    title: "t".repeat(5_000),
  }));
  const message = { ...MESSAGE, content: [{ type: "output_text", text: "Hi", annotations }] };
  await withServer(
    [jsonReply({ status: "completed", output: [message] })],
    RESPONSES,
    async (provider) => {
      const { completed } = await answer(provider);
      assert.equal(completed.message.text.match(/^- /gm)?.length, 20);
      assert.ok(completed.message.text.length < 6_000);
    },
  );
});

Deno.test("stream() in responses mode reports a tool that the server refuses like any mistake", async () => {
  const refusal = jsonReply({
    error: {
      message: "Invalid value: 'web_search'. Supported values are: 'function'.",
      type: "invalid_request_error",
      param: "tools[3].type",
      code: "invalid_value",
    },
  }, 400);
  await withServer([refusal], RESPONSES, async (provider) => {
    const error = await failure(provider, { serverTools: SEARCH });
    assert.deepEqual([error.code, error.status, error.retryable], ["invalid_request", 400, false]);
    assert.match(error.message, /Invalid value: 'web_search'/);
  });
});
