import assert from "node:assert/strict";
import { hangs, PlayedProvider, says } from "../../support/run_harness.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "./_command_scene.ts";

/** A stage with a session in which one prompt was answered, and a model that plays turns. */
async function withSession(
  turns: ConstructorParameters<typeof PlayedProvider>[0],
  body: (scene: CommandScene) => Promise<void>,
): Promise<void> {
  const provider = new PlayedProvider([says("Hello"), ...turns]);
  await withCommands({ provider, model: "m" }, async (scene) => {
    const session = await scene.stage.application.createSession();
    await session.run("go", { signal: new AbortController().signal, observers: [] });
    scene.stage.opened = session;
    await body(scene);
  });
}

Deno.test("/btw asks beside the conversation, and keeps what was answered", async () => {
  await withSession([says("Because."), says("Twice.")], async (scene) => {
    const { stage, type } = scene;
    stage.running = true;
    const first = type("/btw Why?");
    assert.equal(await stage.screen(40), "By the way: Why?\nThinking…\nEsc close");
    assert.equal(await scene.stage.shows("Because."), "By the way: Why?\nBecause.\nEsc close");
    await stage.press(KEYS.escape);
    await first;
    const second = type("/btw How often does it have to be said?");
    await scene.stage.shows("Twice.");
    assert.equal(
      await scene.screens(),
      `By the way 2/2: How often does it have to be said?
Twice.
Esc close · left older · right newer
========================================
By the way 2/2: How often does it have …
Twice.
Esc close · left older · right newer
`,
    );
    await stage.press(KEYS.left);
    assert.match(await stage.screen(40), /^By the way 1\/2: Why\?\nBecause\.\n/);
    await stage.press(KEYS.left, KEYS.right);
    assert.match(await stage.screen(40), /^By the way 2\/2: How often/);
    await stage.press(KEYS.escape);
    await second;
    const again = type("/btw");
    assert.match(await stage.screen(40), /^By the way 2\/2: How often.*\nTwice\.\n/);
    await stage.press(KEYS.escape);
    await again;
    assert.deepEqual(stage.log, []);
    assert.equal(stage.application.store.loadMessages(stage.opened?.id ?? "").length, 2);
  });
});

Deno.test("/btw gives up at Esc, and keeps nothing then", async () => {
  await withSession([hangs()], async (scene) => {
    const run = scene.type("/btw Why?");
    await scene.stage.shows("Thinking…");
    await scene.stage.press(KEYS.escape);
    await run;
    const questions = await scene.stage.application.sideQuestions();
    assert.deepEqual(questions.list(scene.stage.opened?.id ?? ""), []);
  });
});

Deno.test("/btw says what is missing", async () => {
  await withSession([], async ({ stage, type }) => {
    await type("/btw");
    stage.opened = undefined;
    await type("/btw Why?");
    assert.deepEqual(stage.log, [
      "info: Usage: /btw <question>",
      "info: There is no conversation yet; a side question is about one",
    ]);
  });
});

Deno.test("/ask has the model ask, and shows what was typed", async () => {
  await withSession([], async ({ stage, type }) => {
    await type("/ask");
    await type("/ask tabs or spaces");
    assert.equal(stage.log[0], "info: Usage: /ask <question>");
    assert.match(
      stage.log[1] ?? "",
      /^submit: Call ask_user_question now .*\n\ntabs or spaces as \/ask tabs or spaces$/s,
    );
  });
});
