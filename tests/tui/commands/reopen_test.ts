import assert from "node:assert/strict";
import { reopenKeepingChoices } from "../../../tui/commands/reopen.ts";
import { withCommands } from "./_command_scene.ts";

Deno.test("reopenKeepingChoices() keeps the mode, also where two of them meet", async () => {
  await withCommands({}, async ({ stage, open }) => {
    stage.application.setPermissionMode("auto");
    stage.onReopen = async () => {
      stage.application = await open({ approve: () => Promise.resolve("deny") });
      // The screen goes on meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    };
    await Promise.all([reopenKeepingChoices(stage), reopenKeepingChoices(stage)]);
    assert.deepEqual([stage.log, stage.application.permissionMode()], [
      ["reopen {}", "reopen {}"],
      "auto",
    ]);
  });
});

Deno.test("reopenKeepingChoices() goes on after one that failed", async () => {
  await withCommands({}, async ({ stage }) => {
    stage.onReopen = () => Promise.reject(new Error("No"));
    const first = reopenKeepingChoices(stage);
    const second = reopenKeepingChoices(stage);
    await assert.rejects(first, /No/);
    await assert.rejects(second, /No/);
  });
});
