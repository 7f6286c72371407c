import assert from "node:assert/strict";
import { VERSION } from "../../../core/version.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { withCommands } from "./_command_scene.ts";

Deno.test("/changelog shows what a version brought", async () => {
  await withCommands({}, async ({ stage, type }) => {
    for (const line of ["/changelog", `/changelog v${VERSION}`]) {
      const run = type(line);
      assert.match(await stage.screen(40), new RegExp(`^What is new\\b.*\nAlisio ${VERSION}\n\n`));
      await stage.press(KEYS.escape);
      await run;
    }
    await type("/changelog 0.0.0-none");
    assert.deepEqual(stage.log, [
      'warning: There is no version "0.0.0-none" in the list of changes',
    ]);
  });
});
