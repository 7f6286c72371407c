import assert from "node:assert/strict";
import type { ToolResult } from "@alisio/sdk";
import type { HostToolContext } from "../../core/tools/host_tool.ts";
import type { Question } from "../../core/tools/user_question.ts";
import { createAskUserQuestionTool } from "../../tools/ask_user_question.ts";
import { createSchemaValidator } from "../../tools/schema_validator.ts";

const OPTIONS = [{ label: "npm" }, { label: "deno", description: "no install" }];
const QUESTION = { header: "Runtime", question: "Which one?", options: OPTIONS };

Deno.test("ask_user_question puts the questions to the person and returns the answers", async () => {
  const asked: (readonly Question[])[] = [];
  const answers = [{ header: "Runtime", skipped: false, selected: ["deno"] }];
  const tool = createAskUserQuestionTool({
    ask: (questions, call) => {
      const { callId, session, agentPath } = call;
      assert.deepEqual([callId, session, agentPath], ["call-1", "session-1", [
        "general",
        "explore",
      ]]);
      asked.push(questions);
      return Promise.resolve(answers);
    },
  });
  const result = await tool.execute({ questions: [QUESTION] }, {
    ...contextOf(),
    agentPath: ["general", "explore"],
  });
  assert.deepEqual(asked, [[{ ...QUESTION, multiSelect: false }]]);
  assert.deepEqual(result, { content: [{ type: "text", text: JSON.stringify({ answers }) }] });
});

Deno.test("ask_user_question fails at once where nobody can answer", async () => {
  const tool = createAskUserQuestionTool();
  assert.equal(tool.interactiveOnly, true);
  const result = await tool.execute({ questions: [QUESTION] }, contextOf());
  const { code, message } = errorOf(result) ?? {};
  assert.equal(code, "not_interactive");
  assert.match(message ?? "", /put the question into your reply as plain text/);
});

const OPTION = { label: "a" };
const MISTAKES: readonly {
  readonly options: readonly unknown[];
  readonly message: RegExp | null;
}[] = [
  { options: [{ label: "a" }, { label: "b" }], message: null },
  { options: [{ label: "a" }, { label: "a" }], message: /has the label "a" twice/ },
  { options: [{ label: "a" }, { label: " a " }], message: /has the label "a" twice/ },
  { options: [{ label: "a" }, { label: "A" }], message: null },
  { options: [{ label: "a" }, { label: "  " }], message: /has an empty label/ },
  { options: [{ label: "a", recommended: true }, { label: "b" }], message: null },
  {
    options: [{ label: "a", recommended: true }, { label: "b", recommended: true }],
    message: /recommends several options: recommend one at most$/,
  },
];

Deno.test("ask_user_question refuses what a schema cannot", async () => {
  const tool = createAskUserQuestionTool({ ask: () => Promise.resolve([]) });
  for (const { options, message } of MISTAKES) {
    const result = await tool.execute({ questions: [{ ...QUESTION, options }] }, contextOf());
    const error = errorOf(result);
    assert.equal(error === null, message === null, JSON.stringify(options));
    if (message !== null) assert.match(error?.message ?? "", message);
  }
});

const SHAPES: readonly { readonly name: string; readonly good: unknown; readonly bad: unknown }[] =
  [
    { name: "questions", good: [QUESTION, QUESTION, QUESTION, QUESTION], bad: [] },
    { name: "at most four", good: [QUESTION], bad: Array(5).fill(QUESTION) },
    {
      name: "header",
      good: [{ ...QUESTION, header: "x".repeat(40) }],
      bad: [{ ...QUESTION, header: "x".repeat(41) }],
    },
    {
      name: "options",
      good: [{ ...QUESTION, options: Array(4).fill(OPTION) }],
      bad: [{ ...QUESTION, options: [OPTION] }],
    },
    {
      name: "more options",
      good: [{ ...QUESTION, multiSelect: true }],
      bad: [{ ...QUESTION, options: Array(5).fill(OPTION) }],
    },
    {
      name: "no other field",
      good: [{ ...QUESTION, options: [OPTION, { label: "b", recommended: true }] }],
      bad: [{ ...QUESTION, multi: true }],
    },
  ];

Deno.test("ask_user_question declares its bounds in the schema", () => {
  const validate = createSchemaValidator();
  const { inputSchema } = createAskUserQuestionTool();
  for (const { name, good, bad } of SHAPES) {
    assert.deepEqual(validate(inputSchema, { questions: good }), [], name);
    assert.ok(validate(inputSchema, { questions: bad }).length > 0, name);
  }
});

function errorOf(result: ToolResult): { readonly code: string; readonly message: string } | null {
  if (result.isError !== true) return null;
  const [part] = result.content;
  assert.ok(part?.type === "text");
  return JSON.parse(part.text).error;
}

function contextOf(): HostToolContext {
  return {
    signal: new AbortController().signal,
    workspace: "/",
    session: "session-1",
    callId: "call-1",
    roots: ["/"],
    emit: () => {},
    path: () => {
      throw new TypeError("No path is declared");
    },
  };
}
