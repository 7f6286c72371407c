import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { Conversation, type ConversationPorts } from "../../tui/conversation.ts";
import { SummarisingModel, SUMMARY } from "../core/compaction/_summarising_model.ts";
import { withScene } from "../support/application_scene.ts";
import { hangs, type PlayedTurn, says } from "../support/run_harness.ts";

/** Opens a conversation, and notes the types of its events. */
async function withConversation(
  summary: PlayedTurn,
  body: (conversation: Conversation, types: string[], seen: Promise<void>) => Promise<void>,
): Promise<void> {
  const compaction = { keepTurns: 1 };
  const files = { "config/config.json": JSON.stringify({ compaction }) };
  await withScene(files, async (scene) => {
    const types: string[] = [];
    const seen = Promise.withResolvers<void>();
    const provider = new SummarisingModel([says("x".repeat(2_000))], [summary]);
    const conversation = new Conversation(
      {
        cwd: `${scene.folder}/ws`,
        signal: new AbortController().signal,
        open: () => scene.open({ provider, model: "m" }),
        assertFits: () => {},
        person: { onNotice: () => {} },
        observe: ({ type }: RunEvent) => {
          types.push(type);
          if (type === "compaction_started") seen.resolve();
        },
        drained: () => undefined,
        onSession: () => {},
      } as unknown as ConversationPorts,
    );
    await conversation.open();
    try {
      await body(conversation, types, seen.promise);
    } finally {
      await conversation.close();
    }
  });
}

Deno.test("Conversation.compact() summarises the session that is open, and shows its events", async () => {
  await withConversation(says(SUMMARY), async (conversation, types) => {
    assert.equal(await conversation.compact(""), false, "there is no session yet");
    for (const prompt of ["one", "two"]) await conversation.prompt(prompt);
    types.length = 0;
    assert.equal(await conversation.compact("the port"), true);
    assert.deepEqual(types, ["compaction_started", "compaction_completed"]);
    assert.equal(conversation.isRunning, false);
  });
});

Deno.test("Conversation.compact() can be stopped, and what runs keeps everything else out", async () => {
  await withConversation(hangs(), async (conversation, types, seen) => {
    for (const prompt of ["one", "two"]) await conversation.prompt(prompt);
    types.length = 0;
    const running = conversation.compact("");
    await seen;
    assert.equal(conversation.isRunning, true);
    assert.equal(await conversation.compact(""), false);
    assert.equal(await conversation.prompt("three"), null);
    conversation.interrupt();
    assert.equal(await running, true);
    assert.deepEqual(types, ["compaction_started", "compaction_failed"]);
    assert.equal(conversation.isRunning, false);
  });
});

Deno.test("Conversation.reopen() goes on in the session, with a prompt that came meanwhile", async () => {
  await withConversation(says(SUMMARY), async (conversation, types) => {
    await conversation.prompt("one");
    const { application, session } = conversation;
    const reopening = conversation.reopen();
    await Promise.all([conversation.prompt("two"), reopening]);
    assert.notEqual(conversation.application, application);
    assert.equal(conversation.session?.id, session?.id);
    assert.equal(types.filter((type) => type === "run_completed").length, 2);
    const messages = conversation.application?.store.loadMessages(session?.id ?? "") ?? [];
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  });
});

Deno.test("Conversation.reopen() that fails leaves the session and the application open", async () => {
  await withScene({}, async (scene) => {
    const provider = new SummarisingModel([says("x")], []);
    let opened = 0;
    const conversation = new Conversation(
      {
        cwd: `${scene.folder}/ws`,
        signal: new AbortController().signal,
        open: async () => {
          opened++;
          if (opened === 3) throw new Error("Broken");
          const application = await scene.open({ provider, model: "m" });
          if (opened === 2) application.openSession = () => Promise.reject(new Error("No session"));
          return application;
        },
        assertFits: () => {},
        person: { onNotice: () => {} },
        observe: () => {},
        drained: () => undefined,
        onSession: () => {},
      } as unknown as ConversationPorts,
    );
    await conversation.open();
    await conversation.prompt("one");
    const { application, session } = conversation;
    for (const reason of [/No session/, /Broken/]) {
      await assert.rejects(conversation.reopen(), reason);
      assert.equal(conversation.application, application);
      assert.equal(conversation.session?.id, session?.id);
      await conversation.prompt("again");
    }
    await conversation.close();
  });
});
