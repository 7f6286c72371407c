import assert from "node:assert/strict";
import { parseCommandLine, runCommandLine } from "../../../tui/commands/run_command_line.ts";
import { createCommandTable } from "../../../tui/commands/command_table.ts";
import type { SlashCommand } from "../../../tui/commands/slash_command.ts";
import { withScene } from "../../support/application_scene.ts";
import { FakeStage, KEYS } from "../../support/fake_stage.ts";

for (
  const [line, expected] of [
    ["/help", { name: "help", argument: "" }],
    ["/resume  1d7faa57 ", { name: "resume", argument: "1d7faa57" }],
    ["/acme.hello:greet me\nand you", { name: "acme.hello:greet", argument: "me\nand you" }],
    ["/skill:deploy now", { name: "skill:deploy", argument: "now" }],
    ["/", { name: "", argument: "" }],
    ["/etc/hosts is odd", null],
    ["// a comment", null],
    ["/** a comment */", null],
    ["/*.ts", null],
    [" /help", null],
    ["help", null],
    ["", null],
  ] as const
) {
  Deno.test(`parseCommandLine() reads ${JSON.stringify(line)}`, () => {
    assert.deepEqual(parseCommandLine(line), expected);
  });
}

/** Types lines on a stage whose application has a plugin, and answers what became of them. */
async function type(
  lines: readonly string[],
  prepare: (stage: FakeStage) => void = () => {},
  further: readonly SlashCommand[] = [],
): Promise<{ readonly taken: readonly boolean[]; readonly log: readonly string[] }> {
  const taken: boolean[] = [];
  let log: readonly string[] = [];
  await withScene({ "ws/greet.js": PLUGIN }, async ({ open, folder, env }) => {
    const stage = new FakeStage(await open({ plugin: [`${folder}/ws/greet.js`] }), env);
    prepare(stage);
    const table = createCommandTable(stage, () => further);
    for (const line of lines) taken.push(await runCommandLine(line, stage, table));
    log = stage.log;
  });
  return { taken, log };
}

const PLUGIN = `export default {
  apiVersion: 1,
  id: "acme.greet",
  version: "1.0.0",
  setup(api) {
    api.commands.register("hello", (args) => Promise.resolve("Hello " + args), {
      description: "Greet\\x1b[31m somebody",
      argumentHint: "<name>",
    });
    api.commands.register("wait", () => new Promise(() => {}));
  },
};`;

Deno.test("runCommandLine() leaves prompts to the caller", async () => {
  assert.deepEqual(await type(["/etc/hosts", "hello", "/tmp is full"]), {
    taken: [false, false, false],
    log: [],
  });
});

Deno.test("runCommandLine() names the command that was meant", async () => {
  const unknown = (name: string, advice: string) =>
    `warning: Unknown command "/${name}": ${advice}\n` +
    "With a space before the slash it is sent as a prompt";
  assert.deepEqual(await type(["/exitt", "/acme.greet:helo x", "/tmp", "/zzzzzz", "/"]), {
    taken: [true, true, true, true, true],
    log: [
      unknown("exitt", "did you mean /exit?"),
      unknown("acme.greet:helo", "did you mean /acme.greet:hello?"),
      unknown("tmp", "/help shows what there is"),
      unknown("zzzzzz", "/help shows what there is"),
      "info: Write the name of a command after the slash; /help shows what there is",
    ],
  });
});

Deno.test("runCommandLine() lets what has to wait wait for the end of a run", async () => {
  const { log } = await type(["/new", "/quit"], (stage) => void (stage.running = true));
  assert.deepEqual(log, [
    "warning: /new has to wait for the end of the run; press Esc to stop it first",
    "exit",
  ]);
});

Deno.test("runCommandLine() runs commands of plugins, in both spellings", async () => {
  const lines = ["/acme.greet:hello you", "/command acme.greet:hello all", "/command"];
  assert.deepEqual((await type(lines)).log, [
    "info: Hello you",
    "info: Hello all",
    "info: Usage: /command <plugin.id>:<name> [arguments]",
  ]);
});

Deno.test("runCommandLine() says what a command throws", async () => {
  const failing: SlashCommand = {
    name: "fail",
    description: "Fails",
    source: "prompt",
    duringRun: "live",
    run: () => Promise.reject(new Error("Cannot fail: it did")),
  };
  const { log } = await type(["/fail", "/command acme.greet:nothing"], () => {}, [failing]);
  assert.deepEqual(log, [
    "error: Cannot fail: it did",
    'error: Plugin "acme.greet" has no command "/acme.greet:nothing": it has "/acme.greet:hello", ' +
    '"/acme.greet:wait"',
  ]);
});

Deno.test("runCommandLine() gives up a command of a plugin at Esc", async () => {
  await withScene({ "ws/greet.js": PLUGIN }, async ({ open, folder }) => {
    const stage = new FakeStage(await open({ plugin: [`${folder}/ws/greet.js`] }));
    const run = runCommandLine("/acme.greet:wait", stage, createCommandTable(stage));
    assert.equal(await stage.screen(80), "Running /acme.greet:wait\nEsc stops it");
    assert.equal(await stage.screen(12), "Running /ac…\nEsc stops it");
    await stage.press(KEYS.escape);
    assert.equal(await run, true);
    assert.deepEqual([stage.log, stage.hasPanel], [[], false]);
  });
});
