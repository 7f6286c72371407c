import assert from "node:assert/strict";
import { type CliScene, withCli } from "../support/cli_harness.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../support/tmux.ts";

function tmuxTest(
  name: string,
  turns: readonly Record<string, unknown>[],
  fn: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = `${cli.dir}/script.json`;
        await Deno.writeTextFile(script, JSON.stringify({ turns }));
        await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
        await tmux.sees(/Workspace/);
        await fn(tmux, cli);
      });
    },
  });
}

const ECHO = { calls: [{ name: "shell", arguments: { command: "echo made > made" } }] };

tmuxTest(
  "openInterface() asks before a call, shows the answer, and prints the conversation at the end",
  [ECHO, { text: "It is done." }],
  async (tmux, cli) => {
    await tmux.type("Make it");
    await tmux.press("Enter");
    await tmux.sees(/Allow shell \(process\)\?[^]*echo made > made[^]*Enter choose/);
    await tmux.type("y");
    await tmux.sees(/It is done\./);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/made`), "made\n");
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
    assert.match(await tmux.sees(/The session is kept/), /Make it[^]*It is done\./);
  },
);

tmuxTest(
  "openInterface() stops a run at Esc and goes on",
  [{ calls: [{ name: "shell", arguments: { command: "sleep 60" } }] }, { text: "Again." }],
  async (tmux) => {
    await tmux.type("Wait");
    await tmux.press("Enter");
    await tmux.sees(/Enter choose/);
    await tmux.type("y");
    await tmux.sees(/running shell/);
    await tmux.press("Escape");
    await tmux.sees(/Stopped/);
    await tmux.type("Go on");
    await tmux.press("Enter");
    await tmux.sees(/Again\./);
    await tmux.press("C-c");
    await tmux.sees(/again to leave/);
    await tmux.press("C-c");
    assert.equal(await tmux.ended(), 0);
  },
);

const BACKGROUND = {
  calls: [
    { name: "bg_run", arguments: { command: "sleep 4; echo built", label: "build" } },
    { name: "bg_run", arguments: { command: "sleep 300", label: "server" } },
  ],
};

tmuxTest(
  "openInterface() wakes the model when a background task ends, and stops what runs when it is left",
  [BACKGROUND, { text: "Both run." }, { text: "I heard of the build." }],
  async (tmux) => {
    await tmux.type("Build");
    await tmux.press("Enter");
    await tmux.sees(/Allow bg_run[^]*Enter choose/);
    await tmux.type("a");
    await tmux.sees(/Both run\./);
    await tmux.type("/tasks");
    await tmux.press("Enter");
    await tmux.sees(/Background tasks[^]*server +running[^]*build +running/);
    await tmux.type("q");
    await tmux.type("/reload");
    await tmux.press("Enter");
    await tmux.sees(/Cannot reload[^]*background tasks? run/);
    await tmux.sees(/Background task finished: build \(succeeded\)[^]*I heard of the build\./);
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
  },
);
