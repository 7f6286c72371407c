import assert from "node:assert/strict";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";
import { writeTree } from "../../support/temp.ts";

const COLOURS = { COLORTERM: "truecolor", NO_COLOR: "" } as const;

function onScreen(
  name: string,
  theme: string,
  env: Readonly<Record<string, string>>,
  test: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = `${cli.dir}/script.json`;
        await Deno.writeTextFile(script, JSON.stringify({ turns: [{ text: "Done." }] }));
        await cli.configure({ tui: { theme } });
        await writeTree(cli.configHome, {
          "themes/sea.json": JSON.stringify({ roles: { accent: "#123456" } }),
          "themes/broken.json": JSON.stringify({ roles: { acent: "#123456" } }),
        });
        await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`], env });
        await tmux.sees(/Workspace/);
        await test(tmux, cli);
        await tmux.press("C-d");
        assert.equal(await tmux.ended(), 0);
      });
    },
  });
}

onScreen(
  "openTheme() colours the screen as the person's theme says",
  "sea",
  COLOURS,
  async (tmux) => {
    await tmux.settled();
    assert.match(await tmux.colouredScreen(), /\[(?:\d+;)*38;2;18;52;86m/);
  },
);

onScreen("openTheme() says what is wrong with a theme", "broken", COLOURS, async (tmux) => {
  await tmux.sees(/"roles\.acent" is not known; did you mean "accent"\?/);
});

onScreen("createTheme() colours nothing under NO_COLOR", "sea", { NO_COLOR: "1" }, async (tmux) => {
  await tmux.settled();
  assert.doesNotMatch(await tmux.colouredScreen(), /\[(?:\d+;)*[349]\d/);
});

onScreen(
  "askBackground() follows a terminal that changes its colours",
  "auto",
  COLOURS,
  async (tmux) => {
    for (const [style, name] of [["bg=#fafafa", "light"], ["bg=#101010", "dark"]] as const) {
      await tmux.set("window-style", style);
      // What a terminal reports then.
      await tmux.type(`\x1b[?997;${name === "light" ? 2 : 1}n`);
      const [start = ""] = createTheme({ depth: "true", unicode: true, background: name })
        .paint("dim", "x").split("x");
      await untilColoured(tmux, start.slice(1));
    }
  },
);

async function untilColoured(tmux: TmuxTerminal, sequence: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await tmux.colouredScreen()).includes(sequence)) {
    assert.ok(performance.now() < end, await tmux.colouredScreen());
    // A terminal tells nobody that it changed.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
