import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { withCli } from "../../support/cli_harness.ts";
import { messagesOf, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import type { RecordedRequest } from "../../support/stub_server.ts";
import { writeTree } from "../../support/temp.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\nDo it.\n`;
}

function systemOf(request: RecordedRequest): string {
  return String(messagesOf(request)[0]?.content);
}

/** Goes down a list until a line is selected, and chooses it. */
async function choose(tmux: TmuxTerminal, label: string): Promise<void> {
  const selected = new RegExp(`^ *› (?:\\W )?${label}`, "m");
  for (let steps = 0; steps < 12; steps++) {
    if (selected.test(await tmux.settled())) return await tmux.press("Enter");
    await tmux.press("Down");
  }
  assert.fail(`No line ${label}:\n${await tmux.screen()}`);
}

Deno.test({
  name:
    "/skills switches a skill off for the project and for the next prompt, behind the second wall",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      await writeTree(cli.configHome, {
        "skills/release/SKILL.md": skill("release"),
        "skills/pdf/SKILL.md": skill("pdf"),
      });
      await using model = await startModel([chatReply({ text: "Hello there" })]);
      await useModel(cli, model);
      await using tmux = await startTmux(cli, { columns: 80, args: ["--no-banner"] });
      await tmux.sees(/ready/);
      await tmux.type("/skills");
      await tmux.press("Enter");
      await tmux.sees(/Skills by name \(1\/2\)/);
      await tmux.press("End");
      await tmux.sees(/› \[x\] release/);
      await tmux.press("Space");
      await tmux.sees(/› \[ \] release/);
      await tmux.press("Escape");
      await tmux.seesNo(/Skills by name/);
      await tmux.type("Hello");
      await tmux.press("Enter");
      await tmux.sees(/Hello there/);
      const system = systemOf(await model.chat(0));
      assert.match(system, /About pdf/);
      assert.doesNotMatch(system, /About release/);
      assert.deepEqual(
        JSON.parse(await Deno.readTextFile(`${cli.workspace}/.alisio/config.json`)),
        { skillOverrides: { release: { enabled: false } } },
      );
      const list = await cli.run(["skills", "list"]);
      assert.match(list.stdout, /release .*\(switched off\) About release/);
    }),
});

Deno.test({
  name:
    "/agents new has an agent written, changed in an editor, saved and tried, behind the second wall",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      const draft = JSON.stringify({
        id: "release-notes",
        name: "Release Notes",
        description: "Writes notes",
        instructions: "You write notes.",
      });
      await using model = await startModel([
        chatReply({ text: draft }),
        chatReply({ text: "Hello there" }),
      ]);
      await useModel(cli, model);
      await writeTree(cli.dir, { "editor.sh": 'printf "\\nBriefly.\\n" >>"$1"\n' });
      await using tmux = await startTmux(cli, {
        columns: 80,
        args: ["--no-banner"],
        env: { VISUAL: `sh ${cli.dir}/editor.sh` },
      });
      await tmux.sees(/ready/);
      await tmux.type("/agents new writes the notes of a release");
      await tmux.press("Enter");
      await tmux.sees(/Create an agent \(1\/\d+\)/);
      await choose(tmux, "Instructions");
      await tmux.sees(/Ctrl\+S done/);
      await tmux.press("C-g");
      await tmux.sees(/Briefly\./);
      await tmux.press("C-s");
      await tmux.sees(/2 lines: You write notes\./);
      await choose(tmux, "Save$");
      await tmux.sees(/Agent release-notes is saved/);
      await tmux.press("Enter");
      await tmux.sees(/Agent: Release Notes, in a new session/);
      await tmux.type("Hello");
      await tmux.press("Enter");
      await tmux.sees(/Hello there/);
      const [first, second] = [await model.chat(0), await model.chat(1)];
      assert.equal((first.json as { readonly tools?: unknown }).tools, undefined);
      assert.match(
        systemOf(second),
        /You work as the agent "Release Notes"\.\n\nYou write notes\.\nBriefly\.$/,
      );
      const file = `${cli.workspace}/.agents/agents/release-notes.md`;
      assert.match(await Deno.readTextFile(file), /^---\ndescription: Writes notes\nmode: all\n/);
      // Who saved it has decided about it: nothing is asked at the next start.
      const show = await cli.run(["agents", "show", "release-notes"]);
      assert.deepEqual([show.status, show.stderr], [0, ""]);
      assert.match(show.stdout, /\nmode +all\n[^]*\n\nYou write notes\.\nBriefly\.\n$/);
    }),
});

Deno.test({
  name: "Shift+Tab goes one agent on at each press, however fast, and the choice is remembered",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      const agent = (name: string) => `---\ndescription: About ${name}\nmode: primary\n---\nBe.\n`;
      await writeTree(cli.configHome, {
        "agents/first.md": agent("first"),
        "agents/second.md": agent("second"),
      });
      await using model = await startModel([chatReply({ text: "Hello there" })]);
      await useModel(cli, model);
      await using tmux = await startTmux(cli, { columns: 100, args: ["--no-banner"] });
      await tmux.sees(/ready/);
      // build, plan, first, second, build, plan, first
      await tmux.press(...Array.from({ length: 6 }, () => "BTab"));
      await tmux.type("Hello");
      await tmux.press("Enter");
      await tmux.sees(/Hello there/);
      assert.match(systemOf(await model.chat(0)), /You work as the agent "first"/);
      const config = await Deno.readTextFile(`${cli.configHome}/config.json`);
      assert.equal(JSON.parse(config).agents.active, "first");
      await tmux.type("/skill:");
      await tmux.press("Enter");
      await tmux.sees(/"\/skill:" is followed by no name/);
    }),
});
