import assert from "node:assert/strict";
import type { ModelTool } from "@alisio/sdk";
import {
  mayBecomeTextToolCall,
  parseTextToolCalls,
} from "../../../plugins/openai_compatible/text_tool_calls.ts";
import {
  chatChunk,
  chatFinish,
  responsesReply,
  SSE_DONE,
  streamReply,
} from "../../support/stub_replies.ts";
import { answer, TOOLS, withServer } from "./support.ts";

const READ = '{"name":"read_file","arguments":{"path":"a"}}';
const read = { id: "", name: "read_file", arguments: '{"path":"a"}' };

const CALLS: readonly (readonly [string, string, readonly object[]])[] = [
  ["a tag with JSON", `<tool_call>${READ}</tool_call>`, [read]],
  ["a tag with JSON on lines of its own", `\n<tool_call>\n${READ}\n</tool_call>\n`, [read]],
  ["two tags", `<tool_call>${READ}</tool_call>\n<tool_call>${READ}</tool_call>`, [read, read]],
  ["a tag that is not closed", `<tool_call>\n${READ}`, [read]],
  ["another tag", `<function_call>${READ}</function_call>`, [read]],
  ["a function tag with JSON", '<function=read_file>{"path":"a"}</function>', [read]],
  [
    "a function tag with parameters",
    "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n" +
    "<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>",
    [{ id: "", name: "read_file", arguments: '{"path":"a","limit":5}' }],
  ],
  ["a function tag without parameters", "<function=list_files></function>", [
    { id: "", name: "list_files", arguments: "{}" },
  ]],
  ["bare JSON", READ, [read]],
  ["bare JSON with other words", '{"name":"read_file","parameters":{"path":"a"}}', [read]],
  ["bare JSON in the form of the protocol", `{"type":"function","function":${READ}}`, [read]],
  [
    "bare JSON with arguments as text",
    '{"name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}',
    [read],
  ],
  ["a list of bare JSON", `[${READ},${READ}]`, [read, read]],
];

/** The neighbours: text that shows such markup, or that only looks like it. */
const NO_CALLS: readonly (readonly [string, string])[] = [
  ["an explanation around a tag", `A call looks like this: <tool_call>${READ}</tool_call>`],
  ["an explanation after a tag", `<tool_call>${READ}</tool_call> is how it calls.`],
  [
    "an explanation between tags",
    `<tool_call>${READ}</tool_call> and <tool_call>${READ}</tool_call>`,
  ],
  ["a fenced call", `\`\`\`json\n${READ}\n\`\`\``],
  ["a call in thoughts", `<think>I call</think><tool_call>${READ}</tool_call>`],
  ["a tool that was not offered", '{"name":"delete_all","arguments":{}}'],
  ["one tool of two that was not offered", `[${READ},{"name":"delete_all","arguments":{}}]`],
  ["JSON without arguments", '{"name":"read_file"}'],
  ["JSON with arguments that are no object", '{"name":"read_file","arguments":[1]}'],
  ["JSON with further fields", '{"name":"read_file","arguments":{},"version":"1.0"}'],
  ["an empty list", "[]"],
  ["broken JSON", '{"name":"read_file","arguments":{'],
  ["a broken tag", "<tool_call>read_file a</tool_call>"],
  ["parameters with text between them", "<function=read_file>path: a</function>"],
  ["nothing", ""],
];

for (const [name, text, calls] of CALLS) {
  Deno.test(`parseTextToolCalls() reads ${name} (field case 34)`, () => {
    assert.deepEqual(parseTextToolCalls(text, TOOLS), calls);
    for (let end = 0; end <= text.length; end++) {
      assert.ok(mayBecomeTextToolCall(text.slice(0, end)), text.slice(0, end));
    }
  });
}

for (const [name, text] of NO_CALLS) {
  Deno.test(`parseTextToolCalls() takes ${name} for no call (field case 34)`, () => {
    assert.equal(parseTextToolCalls(text, TOOLS), undefined);
  });
}

Deno.test("parseTextToolCalls() keeps the text of parameters that are no values", () => {
  const tools: readonly ModelTool[] = [{
    name: "write_file",
    description: "",
    inputSchema: { properties: { content: { type: "string" }, mode: { type: "object" } } },
  }];
  const text = '<function=write_file><parameter=content>\n{"a": 1}\n\n</parameter>' +
    "<parameter=mode>{}</parameter><parameter=other>5</parameter></function>";
  assert.deepEqual(
    JSON.parse(parseTextToolCalls(text, tools)?.[0]?.arguments ?? ""),
    { content: '{"a": 1}\n', mode: {}, other: "5" },
  );
});

Deno.test("mayBecomeTextToolCall() lets ordinary text go at its first word", () => {
  for (const text of ["Hi", " The", "<think>", "<tool_calls", "`{", "<b"]) {
    assert.equal(mayBecomeTextToolCall(text), false, text);
  }
});

const WHOLE = `<tool_call>${READ}</tool_call>`;

function inPieces(text: string): ReturnType<typeof streamReply> {
  const steps = [...text].map((content) => chatChunk({ content }));
  return streamReply([...steps, chatFinish("stop"), SSE_DONE]);
}

Deno.test("stream() runs a call in the text only for a profile that says so (field case 34)", async () => {
  const options = { profile: { textToolCalls: true } };
  await withServer([inPieces(WHOLE)], options, async (provider) => {
    const { completed, text, warnings } = await answer(provider);
    assert.deepEqual(completed.message, { role: "assistant", text: "", calls: [read] });
    assert.equal(text, "", "the markup is not shown as an answer");
    assert.deepEqual(warnings, []);
  });
  await withServer([inPieces(WHOLE)], {}, async (provider) => {
    const { completed, text, warnings } = await answer(provider);
    assert.deepEqual(completed.message, { role: "assistant", text: WHOLE, calls: [] });
    assert.equal(text, WHOLE);
    assert.deepEqual(warnings, [
      'The model wrote a call of "read_file" as plain text, so nothing ran: if this model always ' +
      'does, set "provider.textToolCalls" to true',
    ]);
  });
});

Deno.test("stream() in responses mode runs a call in the text only for a profile that says so (field case 34)", async () => {
  for (const textToolCalls of [true, false]) {
    const options = { profile: { apiMode: "responses", textToolCalls } };
    await withServer([responsesReply({ text: WHOLE })], options, async (provider) => {
      const { completed, warnings } = await answer(provider);
      assert.deepEqual(completed.message.calls, textToolCalls ? [read] : []);
      assert.equal(warnings.length, textToolCalls ? 0 : 1);
    });
  }
});

Deno.test("stream() never runs markup that the text explains, and gives no hint (field case 34)", async () => {
  for (const textToolCalls of [true, false]) {
    for (const [, text] of NO_CALLS) {
      await withServer([inPieces(text)], { profile: { textToolCalls } }, async (provider) => {
        const outcome = await answer(provider);
        assert.deepEqual(outcome.completed.message, { role: "assistant", text, calls: [] });
        assert.equal(outcome.text, text);
        assert.deepEqual(outcome.warnings, []);
      });
    }
  }
});

Deno.test("stream() reads no call in the text where no tool was offered (field case 34)", async () => {
  await withServer([inPieces(WHOLE)], { profile: { textToolCalls: true } }, async (provider) => {
    const outcome = await answer(provider, { tools: [] });
    assert.deepEqual([outcome.completed.message.calls, outcome.text], [[], WHOLE]);
    assert.deepEqual(outcome.warnings, []);
  });
});

Deno.test("stream() lets text go that is too long for a call, in linear time", async () => {
  const text = `{"name": "${"0123456789abcdef".repeat(80 * 1024)}`;
  const pieces = text.match(/.{1,16}/g) ?? [];
  const reply = streamReply([
    pieces.map((content) => chatChunk({ content })).join(""),
    chatFinish("stop"),
    SSE_DONE,
  ]);
  await withServer([reply], { profile: { textToolCalls: true } }, async (provider) => {
    const startedAt = performance.now();
    const outcome = await answer(provider);
    assert.ok(outcome.text === text);
    assert.ok(outcome.completed.message.text === text);
    assert.equal(outcome.events.findIndex(({ type }) => type === "text_delta") > 1_000, true);
    // Looking at all of the text with each piece takes more than ten seconds.
    assert.ok(performance.now() - startedAt < 5_000);
  });
});
