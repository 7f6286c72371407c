import assert from "node:assert/strict";
import { join } from "node:path";
import { WaitingPrompts } from "../../tui/waiting_prompts.ts";
import { type CliScene, withCli } from "../support/cli_harness.ts";
import { PLAIN_THEME } from "../support/panel_scene.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../support/tmux.ts";

Deno.test("WaitingPrompts.take() joins what waits, once", () => {
  const waiting = new WaitingPrompts();
  assert.equal(waiting.take(), undefined);
  waiting.add({ prompt: "one" });
  assert.deepEqual(waiting.take(), { prompt: "one" });
  assert.equal(waiting.take(), undefined);
  waiting.add({ prompt: "a\nb", display: "[paste #1]" });
  waiting.add({ prompt: "two" });
  assert.deepEqual(waiting.take(), {
    prompt: "a\nb\n\ntwo",
    display: "[paste #1]\n\ntwo",
  });
});

Deno.test("WaitingPrompts.rows() shows a row of each, and counts the rest", () => {
  const waiting = new WaitingPrompts();
  const rows = (columns: number, key = "↑") => waiting.rows(PLAIN_THEME, { columns, key });
  assert.deepEqual(rows(40), []);
  waiting.add({ prompt: "first\nline \x1b[2J\u259e" });
  assert.deepEqual(rows(60), ["Next: first line \\x1b[2J\\u259e  (↑ to change)"]);
  assert.deepEqual(rows(30), ["Next: first li…  (↑ to change)"]);
  assert.deepEqual(rows(30, ""), ["Next: first line \\x1b[2J\\u259e"]);
  for (const prompt of ["second", "third", "fourth", "fifth"]) waiting.add({ prompt });
  assert.deepEqual(rows(60).slice(1), ["      second", "      third", "      … 2 more"]);
});

/** A run that goes on until the file `go` is there, in a terminal. */
function whileRunning(
  name: string,
  fn: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = join(cli.dir, "script.json");
        const command = "until [ -e go ]; do sleep 0.02; done";
        const turns = [
          { calls: [{ name: "shell", arguments: { command } }] },
          { text: "The first answer." },
          { expect: { promptIncludes: "and then this" }, text: "The second answer." },
        ];
        await Deno.writeTextFile(script, JSON.stringify({ turns }));
        const args = ["--no-banner", "--allow-process", "--model", `scripted/${script}`];
        await using tmux = await startTmux(cli, { args });
        await tmux.sees(/ready/);
        await tmux.type("begin");
        await tmux.press("Enter");
        await tmux.sees(/running shell/);
        await tmux.type("and then this");
        await tmux.settled();
        await tmux.press("Enter");
        await tmux.sees(/Next: and then this {2}\(↑ to change\)/);
        await fn(tmux, cli);
      });
    },
  });
}

whileRunning("A prompt that is sent during a run follows it", async (tmux, cli) => {
  await Deno.writeTextFile(join(cli.workspace, "go"), "");
  const screen = await tmux.sees(/The second answer\./);
  assert.match(screen, /› begin[^]*The first answer\.[^]*› and then this/);
  assert.doesNotMatch(screen, /Next:/);
});

whileRunning(
  "A prompt that waits comes back into the editor where the run is stopped",
  async (tmux) => {
    await tmux.type("typed since");
    await tmux.settled();
    await tmux.press("Escape");
    const screen = await tmux.sees(/› and then this\s+typed since[^]*ready/);
    assert.doesNotMatch(screen, /Next:|The second answer/);
  },
);

whileRunning("A prompt that waits can be changed", async (tmux, cli) => {
  await tmux.press("Up");
  await tmux.sees(/› and then this/);
  assert.doesNotMatch(await tmux.settled(), /Next:/);
  await tmux.type(", please");
  await tmux.settled();
  await tmux.press("Enter");
  await tmux.sees(/Next: and then this, please/);
  await Deno.writeTextFile(join(cli.workspace, "go"), "");
  await tmux.sees(/› and then this, please[^]*The second answer\./);
});
