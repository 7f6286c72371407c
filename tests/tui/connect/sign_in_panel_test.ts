import assert from "node:assert/strict";
import { BUILTIN_PLUGINS } from "../../../cli/open_application.ts";
import { PanelAsker } from "../../../tui/connect/panel_asker.ts";
import { SignInPanel } from "../../../tui/connect/sign_in_panel.ts";
import { KEYS } from "../../support/fake_stage.ts";
import {
  ASCII_THEME,
  assertDrawable,
  COLOUR_THEME,
  frameOf,
  HOSTILE_TEXTS,
  PLAIN_THEME,
  seen,
} from "../../support/panel_scene.ts";
import { withCommands } from "../commands/_command_scene.ts";

const ADDRESS = `https://auth.example.com/authorize?${"state=0123456789&".repeat(8)}`;

Deno.test("SignInPanel draws whatever a provider says, in any window", () => {
  for (const theme of [PLAIN_THEME, ASCII_THEME, COLOUR_THEME]) {
    for (const text of HOSTILE_TEXTS) {
      for (const width of [120, 80, 40, 12, 1]) {
        for (const rows of [1, 2, 4, 16]) {
          const panel = new SignInPanel({
            title: text,
            theme,
            frame: frameOf(rows),
            onCancel() {},
            copy() {},
          });
          panel.show({ type: "device_code", url: ADDRESS, userCode: text, instructions: text });
          panel.show({ type: "progress", message: text });
          assertDrawable(panel, { width, rows });
        }
      }
    }
  }
});

Deno.test("SignInPanel leaves nothing out of an address, and keeps it while something goes on", () => {
  const panel = new SignInPanel({
    title: "Acme",
    theme: PLAIN_THEME,
    frame: frameOf(16),
    onCancel() {},
    copy() {},
  });
  assert.equal(seen(panel, 40), "Acme\nStarting the sign-in\nEsc gives up");
  panel.show({ type: "auth_url", url: ADDRESS });
  panel.show({ type: "progress", message: "Still waiting" });
  const rows = seen(panel, 40).split("\n");
  assert.equal(rows.slice(1, -2).join(""), ADDRESS);
  assert.deepEqual(rows.slice(-2), ["Still waiting", "Esc gives up · c copies the address"]);
});

Deno.test("PanelAsker.signIn() shows the address beside a question of the provider", async () => {
  await withCommands({ plugins: BUILTIN_PLUGINS }, async ({ stage, screens }) => {
    const asked = Promise.withResolvers<void>();
    const signingIn = new PanelAsker(stage).signIn("Acme", async ({ show, prompt, signal }) => {
      show({ type: "auth_url", url: "https://auth.example.com/authorize" });
      const answer = prompt?.({ message: "Paste the code", secret: true }, signal);
      asked.resolve();
      return await answer;
    });
    await asked.promise;
    assert.equal(
      await screens(),
      `Paste the code
Open https://auth.example.com/authorize
› Answer
Enter submit · Esc cancel
========================================
Paste the code
Open https://auth.example.com/authorize
› Answer
Enter submit · Esc cancel
`,
    );
    await stage.press(..."code", KEYS.enter);
    assert.equal(await signingIn, "code");
    assert.equal(stage.hasPanel, false);
  });
});

Deno.test("PanelAsker.signIn() takes the question back when the sign-in is over", async () => {
  await withCommands({ plugins: BUILTIN_PLUGINS }, async ({ stage }) => {
    const over = new AbortController();
    const signingIn = new PanelAsker(stage).signIn("Acme", async ({ prompt }) => {
      const answer = prompt?.({ message: "Paste the code" }, over.signal);
      over.abort();
      return await answer ?? "nothing";
    });
    assert.equal(await signingIn, "nothing");
    assert.equal(stage.hasPanel, false);
  });
});
