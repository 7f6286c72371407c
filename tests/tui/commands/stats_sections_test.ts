import assert from "node:assert/strict";
import { formatTime } from "../../../core/text/format_time.ts";
import { layOutSections } from "../../../tui/commands/layout.ts";
import { gatherStats, statsSections } from "../../../tui/commands/stats_sections.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { calls, PlayedProvider, says } from "../../support/run_harness.ts";
import { withCommands } from "./_command_scene.ts";

const theme = createTheme({ depth: "none", unicode: true, background: "dark" });
const CREATED_AT = Date.UTC(2026, 10, 30, 12);

Deno.test("statsSections() tells all of a session, 80 columns wide", () => {
  const sections = statsSections({
    session: {
      id: "1d7faa57",
      model: "qwen",
      createdAt: CREATED_AT,
      context: "9,900 / 32,000 (31%)",
      stats: {
        runs: { completed: 3, turns_exceeded: 1 },
        turns: 1_234,
        uncountedTurns: 1,
        tokens: { input: 1_234_567, output: 890, cachedInput: 617_284 },
        durationMs: 3_723_000,
        modelMs: 61_500,
        firstTokenMs: 850,
        tools: [
          { name: "read_file", calls: 1, errors: 0, refused: 0, durationMs: 5 },
          { name: "shell", calls: 12, errors: 1, refused: 2, durationMs: 4_200 },
        ],
        models: [
          {
            model: "qwen",
            turns: 1_233,
            tokens: { input: 1_234_567, output: 890, cachedInput: 617_284 },
          },
          { model: "gemma", turns: 1, tokens: { input: 0, output: 0, cachedInput: 0 } },
        ],
        retries: 2,
        warnings: ["The server is \x1b[31modd"],
      },
    },
    plugins: [{ name: "acme 1.0.0", text: "1 tool, 0 commands" }],
    statuses: [{ name: "acme", text: "mem 3: of 10" }],
    extensions: [{ name: "mascot", text: "from acme" }],
    diagnostics: [{ name: "extension_conflict", text: "mascot: a/x stands before b/y" }],
  });
  assert.equal(
    layOutSections(sections, { width: 80, theme }).map((row) => row.trimEnd()).join("\n"),
    `Session
  id                  1d7faa57
  model               qwen
  began               ${formatTime(CREATED_AT)}
  prompts             3 completed, 1 turns exceeded
  turns               1,234
  context             9,900 / 32,000 (31%)
  time                1 h 2 min, of it 1 min 1 s for the model
  first token         850 ms (median)
  sent again          2

Tokens
  input               1,234,567 (50% from a cache)
  output              890
  not counted         1 turn of the server's

Models
  qwen                1,233 turns, in 1,234,567 (50% from a cache), out 890
  gemma               1 turn, in 0, out 0

Tools
  read_file           1 call, 5 ms
  shell               12 calls, 1 error, 2 refused, 4.2 s

Plugins
  acme 1.0.0          1 tool, 0 commands

Status of plugins
  acme                mem 3: of 10

Extensions
  mascot              from acme

Diagnostics
  run                 The server is \\x1b[31modd
  extension_conflict  mascot: a/x stands before b/y`,
  );
});

Deno.test("/stats tells what is stored, also by an earlier process", async () => {
  const provider = new PlayedProvider([calls([["read_file", { path: "a" }]]), says("done")]);
  const options = { provider, model: "m", files: { "ws/a": "text" } };
  await withCommands(options, async ({ stage, type, open }) => {
    const empty = type("/stats");
    assert.equal(
      await stage.screen(40),
      "Statistics\nSession\n  none\n    It begins with a prompt\nEsc close",
    );
    await stage.press("q");
    await empty;
    const session = await stage.application.createSession();
    await session.run("go", { signal: new AbortController().signal, observers: [] });
    await session.close();
    const application = await open({ provider, model: "m" });
    const opened = await application.openSession(session.id);
    const [, , , tools] = statsSections(await gatherStats(application, opened));
    assert.equal(tools?.heading, "Tools");
    assert.deepEqual(tools?.entries.map(({ name, text }) => `${name}: ${text.split(",")[0]}`), [
      "read_file: 1 call",
    ]);
  });
});
