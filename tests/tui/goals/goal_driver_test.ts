import { withCli } from "../../support/cli_harness.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

const COMPLETE = {
  calls: [{
    name: "update_goal",
    arguments: {
      status: "complete",
      summary: "It flies",
      evidence: [{ kind: "command", detail: "fly --high" }],
    },
  }],
};
const WAITING = { calls: [{ name: "list_files", arguments: {} }] };

Deno.test({
  name: "GoalDriver goes on between turns, and is paused by Esc",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const turns = [
        WAITING,
        { text: "First step." },
        { ...WAITING, delayMs: 60_000 },
        COMPLETE,
        { text: "All done." },
      ];
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
      await tmux.sees(/Workspace/);
      await tmux.type("/goal Make it fly");
      await tmux.press("Enter");
      await tmux.sees(/First step\.[^]*Goal: turn 2 of 50[^]*Active · Make it fly[^]*turn 1\/50/);
      await tmux.press("Escape");
      await tmux.sees(/Goal paused: you stopped it[^]*Paused · Make it fly/);
      await tmux.press("C-d");
    });
  },
});

Deno.test({
  name: "GoalDriver tells that a goal is complete, and what of it is not verified",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const turns = [{ text: "Step one." }, COMPLETE, { text: "All done." }];
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
      await tmux.sees(/Workspace/);
      await tmux.type("/goal Make it fly");
      await tmux.press("Enter");
      await tmux.sees(/All done\.[^]*Goal complete: It flies \(1 of its evidence not verified\)/);
      await tmux.sees(/Complete · Make it fly/);
      await tmux.press("C-d");
    });
  },
});

Deno.test({
  name: "GoalDriver waits while something is typed, and goes on once it is not",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const turns = [{ ...WAITING, delayMs: 1_500 }, { text: "First step." }, COMPLETE, {
        text: "All done.",
      }];
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
      await tmux.sees(/Workspace/);
      await tmux.type("/goal Make it fly");
      await tmux.press("Enter");
      await tmux.sees(/Active · Make it fly/);
      await tmux.type("but");
      await tmux.sees(/First step\.[^]*Waiting until you send or clear your text/);
      await tmux.press("BSpace", "BSpace", "BSpace");
      await tmux.sees(/All done\./);
      await tmux.press("C-d");
    });
  },
});
