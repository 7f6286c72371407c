import assert from "node:assert/strict";
import { type CompletionRequest, ProviderError } from "@alisio/sdk";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { SideQuestions } from "../../../core/side_questions/side_questions.ts";
import { withTempDir } from "../../support/temp.ts";

const { signal } = new AbortController();
const ABOUT = { sessionId: "s1", model: "qwen", signal } as const;

/** Side questions of a session that holds two messages. */
async function withQuestions(
  complete: (request: CompletionRequest) => Promise<string>,
  body: (questions: SideQuestions, store: SessionStore) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const store = openSessionStore(`${dir}/sessions.sqlite`);
    try {
      for (const id of ["s1", "s2"]) {
        store.createSession({ id, workspace: dir, model: "qwen", provider: "p", createdAt: 1 });
      }
      store.appendMessage("s1", { role: "user", content: [{ type: "text", text: "Fix it" }] }, 1);
      store.appendMessage("s1", { role: "assistant", text: "It is fixed.", calls: [] }, 2);
      await body(new SideQuestions({ store, complete, maxContextChars: 1_000 }), store);
    } finally {
      store.close();
    }
  });
}

Deno.test("SideQuestions asks about the conversation and leaves the session as it is", async () => {
  const requests: CompletionRequest[] = [];
  const complete = (request: CompletionRequest) => {
    requests.push(request);
    return Promise.resolve(" Because it was broken. \n");
  };
  await withQuestions(complete, async (questions, store) => {
    const before = [store.messagesPage("s1"), store.eventsOf("s1"), store.runs("s1")];
    const answer = await questions.ask(" Why? ", ABOUT);
    assert.deepEqual(answer, {
      question: "Why?",
      answer: "Because it was broken.",
      model: "qwen",
      askedAt: answer.askedAt,
    });
    assert.deepEqual([store.messagesPage("s1"), store.eventsOf("s1"), store.runs("s1")], before);
    assert.deepEqual(questions.list("s1"), [answer]);
    assert.deepEqual(questions.list("s2"), []);
    assert.deepEqual(requests.map(({ messages, model }) => ({ messages, model })), [{
      messages: [{
        role: "user",
        text: "# The conversation so far\n\n## The person\nFix it\n\n## The assistant\n" +
          "It is fixed.\n\n# The question\n\nWhy?",
      }],
      model: "qwen",
    }]);
  });
});

Deno.test("SideQuestions keeps the last 20 answers, and forgets them with the session", async () => {
  await withQuestions(() => Promise.resolve("Yes"), async (questions, store) => {
    for (let at = 0; at < 22; at++) await questions.ask(`${at}?`, ABOUT);
    assert.deepEqual(
      questions.list("s1").map(({ question }) => question),
      Array.from({ length: 20 }, (_, at) => `${at + 2}?`),
    );
    await questions.ask("Other?", { ...ABOUT, sessionId: "s2" });
    store.deleteSession("s1");
    assert.deepEqual([questions.list("s1").length, questions.list("s2").length], [0, 1]);
  });
});

Deno.test("SideQuestions tells less where the model can hold no more", async () => {
  const sizes: number[] = [];
  const complete = ({ messages: [message] }: CompletionRequest) => {
    sizes.push(message?.text.length ?? 0);
    return sizes.length < 3
      ? Promise.reject(new ProviderError("Too long", { code: "context_overflow" }))
      : Promise.resolve("Short enough");
  };
  await withQuestions(complete, async (questions) => {
    assert.equal((await questions.ask("Why?", ABOUT)).answer, "Short enough");
    assert.equal(sizes.length, 3);
    assert.ok((sizes[0] ?? 0) > (sizes[1] ?? 0), `${sizes}`);
  });
});

Deno.test("SideQuestions keeps nothing of a question that fails", async () => {
  const failing = () => Promise.reject(new Error("The server is away"));
  await withQuestions(failing, async (questions) => {
    await assert.rejects(questions.ask("Why?", ABOUT), /The server is away/);
    for (const question of ["", "  ", "?".repeat(8_001)]) {
      await assert.rejects(questions.ask(question, ABOUT), { code: "usage" });
    }
    assert.deepEqual(questions.list("s1"), []);
  });
});

Deno.test("SideQuestions takes no damaged answers for answers", async () => {
  await withQuestions(() => Promise.resolve(""), (questions, store) => {
    store.setPluginState("core:btw", "s1", [{ question: "Why?" }, 3, null]);
    assert.deepEqual(questions.list("s1"), []);
    return Promise.resolve();
  });
});
