import assert from "node:assert/strict";
import { join } from "node:path";
import { formatTime } from "../../../core/text/format_time.ts";
import { REWIND_COMMANDS } from "../../../tui/commands/rewind_commands.ts";
import { calls, PlayedProvider, says } from "../../support/run_harness.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { type CommandScene, withCommands } from "./_command_scene.ts";

/** Opens a session with two prompts, of which the second creates `a.txt`. */
async function withTwoPrompts(
  body: (scene: CommandScene & { readonly id: string }) => Promise<void>,
): Promise<void> {
  const provider = new PlayedProvider([
    says("Looked"),
    calls([["write_file", { path: "a.txt", content: "a", expectedHash: null }]]),
    says("Written"),
  ]);
  await withCommands({ provider, model: "qwen3-coder", allowWrite: true }, async (scene) => {
    const session = await scene.stage.application.createSession();
    scene.stage.opened = session;
    const options = { signal: new AbortController().signal, observers: [] };
    await session.run("look around", options);
    await session.run("write a.txt\nplease", options);
    await body({ ...scene, id: session.id });
  });
}

const fileOf = (scene: CommandScene) => join(scene.stage.application.workspace, "a.txt");

const textsOf = ({ stage }: CommandScene, id: string) =>
  stage.application.store.loadMessages(id).map(({ role }) => role);

Deno.test("/rewind shows prompts and what goes back, and puts the prompt into the editor", async () => {
  await withTwoPrompts(async (scene) => {
    const { stage, type, screens, id } = scene;
    const run = type("/rewind");
    const [point] = stage.application.store.messagesPage(id);
    const time = formatTime(point?.createdAt ?? 0);
    const [wide = ""] = (await screens()).split("=".repeat(40));
    assert.equal(
      wide.replaceAll(time, "TIME"),
      `Go back to before which prompt? (1/2)
› write a.txt  TIME · 1 file changed since
  look around  TIME · 1 file changed since
Message 3, TIME, 1 file changed since

Enter choose · Esc close · type to search
`,
    );
    await stage.press(KEYS.enter);
    assert.match(
      await stage.shows("What is put back?"),
      /Conversation and files +0 put back, 1 rem/,
    );
    await stage.press(KEYS.enter);
    const sure = await stage.shows('Go back to before "write a.txt"?');
    assert.match(sure, /Conversation: back to before message 3, 4 messages put aside/);
    assert.match(sure, /Removed, since it was not there: a\.txt/);
    assert.equal(await Deno.readTextFile(fileOf(scene)), "a");
    await stage.press("y");
    await run;
    await assert.rejects(Deno.stat(fileOf(scene)), Deno.errors.NotFound);
    assert.equal(stage.draft(), "write a.txt\nplease");
    assert.equal(stage.session()?.id, id);
    assert.deepEqual(textsOf(scene, id), ["user", "assistant"]);
    assert.deepEqual(stage.log.slice(0, 2), ["switch to a new session", `switch to ${id}`]);

    const undo = type("/rewind undo");
    await stage.shows("Undo the rewind?");
    await stage.press("y");
    await undo;
    assert.equal(await Deno.readTextFile(fileOf(scene)), "a");
    assert.equal(textsOf(scene, id).length, 6);
  });
});

Deno.test("/rewind leaves everything as it is where the person stays", async () => {
  await withTwoPrompts(async (scene) => {
    const { stage, type, id } = scene;
    const steps = [
      ["Go back to before which prompt?", KEYS.enter, KEYS.escape],
      ["What is put back?", KEYS.enter, KEYS.escape],
      ['Go back to before "write a.txt"?', "y", "n"],
    ] as const;
    for (const last of steps.keys()) {
      const run = type("/rewind");
      for (const [index, [title, on, off]] of steps.slice(0, last + 1).entries()) {
        await stage.shows(title);
        await stage.press(index === last ? off : on);
      }
      await run;
    }
    assert.deepEqual(stage.log, []);
    assert.equal(textsOf(scene, id).length, 6);
    assert.equal(await Deno.readTextFile(fileOf(scene)), "a");
  });
});

Deno.test("/rewind offers the conversation alone where other hands changed a file", async () => {
  await withTwoPrompts(async (scene) => {
    const { stage, type, id } = scene;
    await Deno.writeTextFile(fileOf(scene), "mine");
    const run = type("/rewind last");
    assert.match(
      await stage.shows("Files stay as they are"),
      /it was changed by other hands than Alisio's/,
    );
    await stage.press("y");
    await run;
    assert.equal(await Deno.readTextFile(fileOf(scene)), "mine");
    assert.equal(textsOf(scene, id).length, 2);
  });
});

Deno.test("/fork goes on in a copy, and the original keeps what came later", async () => {
  await withTwoPrompts(async (scene) => {
    const { stage, type, id } = scene;
    await type("/fork 3");
    const copy = stage.session()?.id ?? "";
    assert.notEqual(copy, id);
    assert.deepEqual(textsOf(scene, copy), ["user", "assistant"]);
    assert.equal(textsOf(scene, id).length, 6);
    assert.equal(stage.draft(), "write a.txt\nplease");
    await type("/fork");
    assert.notEqual(stage.session()?.id, copy);
    assert.equal(textsOf(scene, stage.session()?.id ?? "").length, 2);
    assert.match(stage.log.at(-1) ?? "", /This is a copy; \/resume .{8} goes back/);
  });
});

Deno.test("/rewind and /fork say what they do not find, and complete what there is", async () => {
  await withTwoPrompts(async ({ stage, type, id }) => {
    await type("/rewind 99");
    await type("/fork x");
    await type("/rewind undo");
    assert.equal(stage.log.length, 3);
    assert.match(stage.log[0] ?? "", /error: Cannot find message "99"/);
    assert.match(stage.log[1] ?? "", /error: Cannot find message "x"/);
    assert.match(stage.log[2] ?? "", /error: .*none to undo/);
    assert.equal(stage.session()?.id, id);
    const [rewind, fork] = REWIND_COMMANDS;
    const values = async (command: typeof rewind, typed: string) =>
      (await command?.complete?.(typed, stage))?.map(({ value }) => value);
    assert.deepEqual(await values(rewind, ""), ["3", "1", "undo"]);
    assert.deepEqual(await values(fork, "3"), ["3"]);
    await stage.switchSession();
    await type("/rewind");
    assert.equal(stage.log.at(-1), "info: The conversation has no prompt yet");
  });
});
