import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import { type ScriptedModel, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";

interface Scene {
  readonly cli: CliScene;
  readonly tmux: TmuxTerminal;
  readonly model: ScriptedModel;
  /** Types a line and sends it. */
  send(line: string): Promise<void>;
  /** Closes the panel that shows a text. A key that follows Esc at once would be another key. */
  close(shown: RegExp): Promise<void>;
}

/** The real program, behind the second wall, in a terminal of that size. */
async function onScreen(
  [columns, rows]: readonly [number, number],
  { answers = [], args = [] }: {
    readonly answers?: readonly string[];
    readonly args?: readonly string[];
  },
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  await withCli(async (cli) => {
    await using model = await startModel(answers.map((text) => chatReply({ text })));
    await useModel(cli, model);
    await using tmux = await startTmux(cli, { columns, rows, args: ["--no-banner", ...args] });
    await tmux.sees(/ready/);
    await body({
      cli,
      tmux,
      model,
      send: async (line) => {
        await tmux.type(line);
        // Enter in one piece with the line would belong to a paste.
        await tmux.sees(new RegExp(`^ › ${RegExp.escape(line)}$`, "m"));
        await tmux.press("Enter");
        // What comes in one piece with the next line would be a paste.
        if (line.startsWith("/")) await tmux.seesNo(new RegExp(`^ › ${RegExp.escape(line)}$`, "m"));
      },
      close: async (shown) => {
        await tmux.press("Escape");
        await tmux.seesNo(shown);
      },
    });
  });
}

for (const size of [[80, 24], [40, 15]] as const) {
  Deno.test({
    name: `Slash commands work on a screen of ${size.join("x")}, behind the second wall`,
    ignore: !HAS_TMUX,
    fn: () =>
      onScreen(size, { answers: ["Hello there", "Because it is."] }, async (scene) => {
        const { cli, tmux, send, close } = scene;
        await send("/helpp");
        await tmux.sees(/did\s+you mean\s+\/help\?/);
        await send("/help earlier");
        await tmux.sees(/Help[\s\S]*\/resume \[id or prefix\]/);
        await close(/\/resume \[id/);
        await send("/tools");
        await tmux.sees(/Enabled: runs without a question/);
        await close(/Enabled: runs/);
        await send("/permission auto");
        await tmux.sees(/Permission mode auto:\s+write\s+on/);
        await send("Say hello");
        await tmux.sees(/Hello there/);
        await tmux.sees(/ready/);
        await send("/btw Why?");
        await tmux.sees(/By the way[\s\S]*Because it is\./);
        await close(/By the way/);
        await send("/stats");
        await tmux.sees(/Statistics/);
        await close(/Statistics/);
        await send("/settings");
        await tmux.sees(/Settings:/);
        await tmux.type("max turns");
        await tmux.sees(/Max turns\s+100/);
        await tmux.press("Enter");
        await tmux.sees(/Max turns\s+5\b/);
        await close(/: max turns/);
        await close(/Settings:/);
        assert.deepEqual(
          JSON.parse(await Deno.readTextFile(`${cli.configHome}/config.json`)).limits,
          { maxTurns: 5 },
        );
        await send("/reload");
        await tmux.sees(/plugins: 0, unchanged/);
        await send("/permission status");
        await tmux.sees(/Permission mode auto:\s+write\s+on/);
        await send("/plugins");
        await tmux.sees(/Plugins \(/);
        await tmux.type("scripted");
        await tmux.sees(/Plugins: scripted/);
        await close(/Plugins: scripted/);
        await tmux.press("Space");
        await tmux.sees(/\[\*\]/);
        await close(/Plugins \(/);
        assert.deepEqual(
          JSON.parse(await Deno.readTextFile(`${cli.workspace}/.alisio/config.json`)),
          { builtinPlugins: { scripted: { enabled: false } } },
        );
        await send("/changelog");
        await tmux.sees(/What is new/);
        await close(/What is new/);
        await send("/clear");
        await tmux.sees(/\/resume\s+[0-9a-f]{8}/);
        await send("/resume");
        await tmux.sees(/Sessions of this workspace/);
        await tmux.press("Enter");
        await tmux.sees(/Hello there/);
        await send("/exit");
        assert.equal(await tmux.ended(), 0);
      }),
  });
}

/** A profile and an agent under which nothing can be changed. */
const ONLY_READING = {
  "--read-only": { args: ["--read-only"], config: {} },
  "a profile that only reads": {
    args: ["--risk-profile", "careful"],
    config: { riskProfiles: { careful: { level: "readonly" } } },
  },
} as const;

for (const [name, { args, config }] of Object.entries(ONLY_READING)) {
  Deno.test({
    name: `Menus write no configuration under ${name}`,
    ignore: !HAS_TMUX,
    fn: () =>
      withCli(async (cli) => {
        await using model = await startModel([]);
        await useModel(cli, model);
        const file = `${cli.configHome}/config.json`;
        const before = JSON.parse(await Deno.readTextFile(file));
        await Deno.writeTextFile(file, JSON.stringify({ ...before, ...config }));
        const text = await Deno.readTextFile(file);
        await using tmux = await startTmux(cli, { args: ["--no-banner", ...args] });
        await tmux.sees(/ready/);
        await tmux.type("/settings");
        await tmux.press("Enter");
        await tmux.sees(/Settings, read-only:/);
        await tmux.press("Enter", "Escape");
        await tmux.sees(/Settings are read-only: /);
        await tmux.seesNo(/Settings, read-only:/);
        assert.equal(await Deno.readTextFile(file), text);
        await tmux.type("/exit");
        await tmux.press("Enter");
        assert.equal(await tmux.ended(), 0);
      }),
  });
}
