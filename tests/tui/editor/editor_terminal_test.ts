import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import { SAMPLE_IMAGES } from "../../support/sample_images.ts";
import { HAS_TMUX, startTmux, type TmuxOptions, type TmuxTerminal } from "../../support/tmux.ts";

function tmuxTest(
  name: string,
  options: TmuxOptions,
  fn: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = `${cli.dir}/script.json`;
        await Deno.writeTextFile(script, JSON.stringify({ turns: [{ text: "Answered." }] }));
        const args = ["--model", `scripted/${script}`];
        await using tmux = await startTmux(cli, { args, ...options });
        await tmux.sees(/Workspace/);
        await fn(tmux, cli);
      });
    },
  });
}

for (const [columns, rows] of [[80, 24], [40, 15]] as const) {
  tmuxTest(
    `PromptEditor takes lines, a paste and completions in a terminal of ${columns}×${rows}`,
    { columns, rows },
    async (tmux) => {
      await tmux.type("first 한글 👍");
      await tmux.press("C-j");
      await tmux.type("second");
      await tmux.press("M-Enter");
      await tmux.paste(Array.from({ length: 42 }, (_, index) => `line ${index}`).join("\n"));
      await tmux.sees(/› first 한글 👍\n +second\n +\[paste #1 \+42 lines\]/);
      await tmux.press("C-u", "C-c");
      await tmux.seesNo(/first/);
      await tmux.type("/he");
      await tmux.sees(/› \/help \[word\]/);
      await tmux.press("Escape");
      await tmux.seesNo(/› \/help \[word\]/);
    },
  );
}

tmuxTest("PromptEditor keeps prompts for the next conversation", {}, async (tmux, cli) => {
  await tmux.type("remember me");
  await tmux.press("Enter");
  await tmux.sees(/Answered\./);
  await tmux.press("C-d");
  assert.equal(await tmux.ended(), 0);
  const args = ["--model", `scripted/${cli.dir}/script.json`];
  await using again = await startTmux(cli, { args });
  await again.sees(/Workspace/);
  await again.type("draft");
  await again.press("Up", "Up");
  await again.sees(/› remember me/);
  await again.press("Down");
  await again.sees(/› draft/);
});

tmuxTest("PromptEditor pastes lines as text without brackets too", {}, async (tmux) => {
  await tmux.type("one\rtwo\rthree\r");
  await tmux.sees(/› one\n +two\n +three/);
});

tmuxTest("A letter alone copies the last answer, and begins a word otherwise", {}, async (tmux) => {
  await tmux.type("can you?");
  await tmux.press("Enter");
  await tmux.sees(/Answered\./);
  await tmux.press("c");
  await tmux.sees(/Copied \(OSC 52, unverified\)/);
  await tmux.type("yes");
  await tmux.sees(/› yes/);
});

tmuxTest("PromptEditor sends images that were pasted by their paths", {}, async (tmux, cli) => {
  await Deno.writeFile(`${cli.workspace}/shot.png`, SAMPLE_IMAGES.png);
  await tmux.type("what is it?");
  await tmux.paste("shot.png");
  await tmux.sees(/^ *\[1\] image\/png 3x2, 0\.0 KB$/m);
  await tmux.press("Enter");
  const screen = await tmux.sees(/Answered\./);
  assert.match(screen, /what is it\?\n *\[1 image\]/);
  await tmux.press("C-d");
  await tmux.ended();
  const db = new DatabaseSync(`${cli.stateHome}/sessions.sqlite`);
  const row = db.prepare("SELECT message FROM messages WHERE role = 'user'").get();
  db.close();
  const image = { type: "image", mimeType: "image/png", data: SAMPLE_IMAGES.png.toBase64() };
  const { content } = JSON.parse(String(row?.message));
  assert.deepEqual(content.at(-1), image);
});

Deno.test({
  name: "tui.keys binds other keys, and what is wrong in it is told",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      await Deno.writeTextFile(script, JSON.stringify({ turns: [{ text: "Answered." }] }));
      await cli.configure({ tui: { keys: { send: ["f2"], newLine: "enter", sned: "f3" } } });
      const args = ["--model", `scripted/${script}`];
      await using tmux = await startTmux(cli, { args, columns: 100 });
      await tmux.sees(
        /Cannot bind "sned" of "tui\.keys": there is no such action; did you mean "send"\?/,
      );
      await tmux.type("one");
      await tmux.press("Enter");
      await tmux.type("two");
      await tmux.sees(/› one\n +two/);
      await tmux.press("F2");
      await tmux.sees(/Answered\./);
    });
  },
});

Deno.test({
  name: "PromptEditor keeps the prompt and the image that a model does not take",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const models = [{ id: `scripted/${script}`, inputModalities: ["text"] }];
      await Deno.writeTextFile(script, JSON.stringify({ turns: [{ text: "Answered." }], models }));
      await Deno.writeFile(`${cli.workspace}/shot.png`, SAMPLE_IMAGES.png);
      await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
      await tmux.sees(/Workspace/);
      await tmux.type("what is it?");
      await tmux.paste("shot.png");
      await tmux.sees(/\[1\] image\/png/);
      await tmux.press("Enter");
      await tmux.sees(/takes only\s+text[^]*\[1\] image\/png[^]*› what is it\?/);
      await tmux.press("C-r", "Enter");
      await tmux.sees(/Answered\./);
    });
  },
});

tmuxTest("Ctrl+C ends a paste that the terminal never ends", {}, async (tmux) => {
  await tmux.type("\x1b[200~stuck\r");
  // The key counts where it comes by itself, as a person presses it; a busy machine reads several
  // at once, and the person presses it again.
  for (let tries = 0; tries < 20; tries++) {
    await tmux.settled();
    await tmux.press("C-c");
    await tmux.settled();
    await tmux.type("alive");
    if (/› alive/.test(await tmux.settled())) break;
  }
  await tmux.sees(/› alive/);
  await tmux.press("Enter");
  await tmux.sees(/Answered\./);
});
