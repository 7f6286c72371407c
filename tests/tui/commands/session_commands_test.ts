import assert from "node:assert/strict";
import type { Application } from "../../../core/application.ts";
import { formatTime } from "../../../core/text/format_time.ts";
import { SESSION_COMMANDS } from "../../../tui/commands/session_commands.ts";
import { PlayedProvider, says } from "../../support/run_harness.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { withCommands } from "./_command_scene.ts";

const MODEL = { provider: new PlayedProvider([says("done")]), model: "qwen3-coder" };
const AT = Date.UTC(2026, 10, 30, 12);
const TIME = formatTime(AT);

/** Stores two sessions of the workspace and one of another. */
function fill({ store, workspace }: Application): void {
  const base = { workspace, model: "qwen3-coder", provider: "played", createdAt: AT };
  store.createSession({ ...base, id: "aaaa1111-first" });
  store.appendMessage("aaaa1111-first", userSays("Fix the \x1b[31mslug"), AT);
  store.createSession({ ...base, id: "bbbb2222-second", model: "gemma" });
  store.createSession({ ...base, id: "cccc3333-other", workspace: "/elsewhere" });
}

function userSays(text: string) {
  return { role: "user", content: [{ type: "text", text }] } as const;
}

Deno.test("/resume lets one of the sessions of the workspace be chosen", async () => {
  await withCommands(MODEL, async ({ stage, type, screens }) => {
    fill(stage.application);
    const run = type("/resume");
    assert.equal(
      await screens(),
      `Sessions of this workspace (1/2)
› (no prompt yet)       ${TIME} gemma
  Fix the \\x1b[31mslug  ${TIME} qwen3-coder
bbbb2222: 0 messages, ${TIME}, gemma

Enter resume · Esc close · type to search
========================================
Sessions of this workspace (1/2)
› (no prompt yet)       ${TIME.slice(0, 15)}…
  Fix the \\x1b[31mslug  ${TIME.slice(0, 15)}…
bbbb2222: 0 messages, ${TIME},
gemma
Enter resume · Esc close
`,
    );
    for (const character of "slug") await stage.press(character);
    await stage.press(KEYS.enter);
    await run;
    assert.deepEqual(stage.log, ["switch to aaaa1111-first"]);
    assert.equal(stage.session()?.id, "aaaa1111-first");
  });
});

Deno.test("/resume takes the beginning of an id", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    fill(stage.application);
    for (const id of ["bbbb", "bbbb2222-second", "zzzz", "cccc3333"]) await type(`/resume ${id}`);
    assert.deepEqual(stage.log, [
      "switch to bbbb2222-second",
      "info: That session is open already",
      'error: Cannot find session "zzzz": give an id of "alisio sessions list", or at least 4 ' +
      "characters of one",
      "switch to cccc3333-other",
    ]);
  });
});

Deno.test("/resume waits for the end of a run, and /sessions shows them anyway", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    fill(stage.application);
    stage.running = true;
    await type("/resume aaaa1111");
    const run = type("/sessions");
    await stage.press(KEYS.enter);
    await run;
    assert.deepEqual(stage.log, [
      "warning: /resume has to wait for the end of the run; press Esc to stop it first",
      "warning: Another session has to wait for the end of the run: then write /resume bbbb2222",
    ]);
  });
});

Deno.test("/resume completes ids", async () => {
  await withCommands(MODEL, async ({ stage }) => {
    fill(stage.application);
    const [resume] = SESSION_COMMANDS;
    assert.deepEqual(await resume?.complete?.("aa", stage), [
      { value: "aaaa1111", label: "aaaa1111", description: `${TIME} Fix the \x1b[31mslug` },
    ]);
    assert.deepEqual(await resume?.complete?.("cccc", stage), []);
    assert.equal((await resume?.complete?.("", stage))?.length, 2);
  });
});

Deno.test("/sessions says where there is none", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    const run = type("/sessions");
    assert.equal(
      await stage.screen(80),
      "Sessions of this workspace (0/0)\n  There is no session yet\n" +
        "Enter resume · Esc close · type to search",
    );
    await stage.press(KEYS.escape);
    await run;
  });
});

Deno.test("/clear leaves the session, and says how to go back", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    fill(stage.application);
    await type("/clear");
    await type("/resume bbbb2222");
    await type("/new");
    assert.deepEqual(stage.log, [
      "switch to a new session",
      "switch to bbbb2222-second",
      "switch to a new session",
      "info: A new session begins; /resume bbbb2222 goes back",
    ]);
  });
});

Deno.test("/copy copies the last answer as it was written", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    await type("/copy");
    stage.answer = "**Done**\n";
    await type("/copy");
    assert.deepEqual(stage.log, [
      "info: There is no answer to copy yet",
      "copy: **Done**\n",
      "success: Copied (test)",
    ]);
  });
});

Deno.test("/compact passes on what is to be kept in view, and waits while a prompt runs", async () => {
  await withCommands(MODEL, async ({ stage, type }) => {
    await type("/compact the port numbers");
    await type("/compact");
    stage.running = true;
    await type("/compact");
    assert.deepEqual(stage.log.slice(0, 2), ["compact: the port numbers", "compact: "]);
    assert.match(stage.log[2] ?? "", /^warning: /);
  });
});
