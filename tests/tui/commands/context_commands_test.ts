import assert from "node:assert/strict";
import { PlayedProvider, says } from "../../support/run_harness.ts";
import { withCommands } from "./_command_scene.ts";

Deno.test("/compact makes the conversation shorter, or says why it does not", async () => {
  const long = "word ".repeat(2_000);
  const provider = new PlayedProvider([
    says(long),
    says(long),
    says("Short"),
    says("The person wants the tests fixed."),
  ]);
  const options = {
    provider,
    model: "m",
    files: { "config/config.json": '{"compaction":{"keepTurns":1}}' },
  };
  await withCommands(options, async ({ stage, type }) => {
    await type("/compact");
    stage.opened = await stage.application.createSession();
    await type("/compact");
    for (const prompt of ["a", "b", "c"]) {
      await stage.opened.run(prompt, { signal: new AbortController().signal, observers: [] });
    }
    await type("/compact the tests");
    assert.equal(stage.log[0], "info: There is nothing to make shorter yet");
    assert.match(stage.log[1] ?? "", /^info: Nothing to make shorter: /);
    assert.match(
      stage.log[2] ?? "",
      /^success: Summarised \d+ messages: about \d+ tokens became \d+/,
    );
    assert.match(JSON.stringify(provider.requests.at(-1)), /the tests/);
  });
});
