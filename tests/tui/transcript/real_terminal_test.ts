import assert from "node:assert/strict";
import { withCli } from "../../support/cli_harness.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

const ANSWER = [
  "# Done",
  "",
  "It is **well**:",
  "",
  "```ts",
  'const greeting: string = "hello"; // a comment',
  "```",
  "",
  "\x1b]0;owned\x07\x1b[2J after it",
].join("\n");

/** What highlight.js colours only once it is loaded, in the process that has the fewest rights. */
// deno-lint-ignore no-control-regex -- a word in a colour of its own
const COLOURED_REGEXP = /\x1b\[[\d;]*mconst\x1b\[[\d;]*m \x1b\[[\d;]*mgreeting/;

Deno.test({
  name: "A conversation is coloured, opened by key and kept in a real terminal",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");
      await Deno.writeTextFile(`${cli.workspace}/a.txt`, lines);
      const turns = [
        { calls: [{ name: "read_file", arguments: { path: "a.txt" } }] },
        { text: ANSWER },
      ];
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, {
        args: ["--read-only", "--no-banner", "--model", `scripted/${script}`],
        rows: 40,
        env: { COLORTERM: "truecolor" },
      });
      await tmux.sees(/agent: build/);
      await tmux.type("Read it");
      await tmux.press("Enter");
      const screen = await tmux.sees(/⎘ copy · \/copy/);
      assert.match(screen, /✓ Read File a\.txt · \d+ms \+\n +1: line 0\n[^]*… 6 more lines/);
      assert.match(screen, /\\x1b\]0;owned\\x07\\x1b\[2J after it/);
      assert.doesNotMatch(await tmux.tells("#{pane_title}"), /owned/);
      await tmux.settled();
      assert.match(await tmux.colouredScreen(), COLOURED_REGEXP);
      await tmux.press("x");
      await tmux.sees(/Read File a\.txt · \d+ms −[^]*9: line 8/);
      await tmux.press("C-d");
      assert.equal(await tmux.ended(), 0);
      assert.match(await tmux.history(), /Read it[^]*It is well:[^]*after it/);
    });
  },
});
