import assert from "node:assert/strict";
import { join } from "node:path";
import { useModel } from "../../e2e/_support.ts";
import { withCli } from "../../support/cli_harness.ts";
import { callTurn, messagesOf, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

Deno.test({
  name: "/rewind takes a prompt and its file back on the screen, behind the second wall",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        chatReply({ text: "END-1" }),
        callTurn(["write_file", { path: "a.txt", content: "a", expectedHash: null }]),
        chatReply({ text: "END-2" }),
        chatReply({ text: "END-3" }),
      ]);
      await useModel(cli, model);
      const database = join(cli.dir, "own", "work.sqlite");
      await Deno.mkdir(join(cli.dir, "own"));
      const args = ["--no-banner", "--allow-write", "--db", database];
      await using tmux = await startTmux(cli, { args });
      await tmux.sees(/ready/);
      const send = async (line: string) => {
        await tmux.type(line);
        await tmux.press("Enter");
      };
      await send("first prompt");
      await tmux.sees(/END-1/);
      await tmux.sees(/ready/);
      await send("second prompt");
      await tmux.sees(/END-2/);
      await tmux.sees(/ready/);
      const file = join(cli.workspace, "a.txt");
      assert.equal(await Deno.readTextFile(file), "a");
      await send("/rewind");
      await tmux.sees(/› second prompt .*1 file changed since/);
      await tmux.press("Enter");
      await tmux.sees(/What is put back\?/);
      await tmux.press("Enter");
      await tmux.sees(/Removed, since it was not there: a\.txt/);
      await tmux.type("y");
      await tmux.sees(/\/rewind undo takes it back/);
      await tmux.seesNo(/END-2/);
      await tmux.sees(/END-1/);
      await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
      // The prompt stands in the editor, and goes on from there.
      await tmux.sees(/second prompt/);
      await tmux.type(" again");
      await tmux.press("Enter");
      await tmux.sees(/END-3/);
      const request = JSON.stringify(messagesOf(await model.chat(3)));
      assert.match(request, /second prompt again/);
      assert.doesNotMatch(request, /write_file/);
      assert.deepEqual(model.violations, []);
    }),
});
