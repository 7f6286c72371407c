import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { withCli } from "../../support/cli_harness.ts";
import { callTurn, messagesOf, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

Deno.test({
  name: "/goal is set, paused, changed and cleared from its menu on the screen",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        callTurn(["list_files", { path: "." }]),
        chatReply({ text: "STEP-1" }),
        { steps: [{ do: "hang" }] },
        callTurn(["update_goal", {
          status: "complete",
          summary: "All is well",
          evidence: [{ kind: "test", detail: "make test" }],
        }]),
        chatReply({ text: "STEP-2" }),
      ]);
      // The summary at the end would be one request more.
      await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
      await using tmux = await startTmux(cli, { args: ["--no-banner"] });
      await tmux.sees(/ready/);
      const send = async (line: string) => {
        await tmux.type(line);
        await tmux.press("Enter");
      };
      await send("/goal");
      await tmux.sees(/\/goal <objective> \[budget=50k\]/);
      await send("/goal Make it work budget=900k");
      await tmux.sees(/STEP-1/);
      await model.chat(2);
      await tmux.sees(/Active.*Make it work/);
      await send("/goal");
      await tmux.sees(/Stop after the turn at hand/);
      await tmux.press("Enter");
      await tmux.sees(/The goal is paused; the turn at hand goes on to its end/);
      await tmux.press("Escape");
      await tmux.sees(/Paused.*Make it work/);
      await tmux.sees(/ready/);
      await send("/goal");
      await tmux.sees(/Goal: Paused: you paused it/);
      await tmux.press("Down");
      await tmux.press("Down");
      await tmux.press("Enter");
      await tmux.sees(/Tokens, such as 50k, or clear/);
      await send("2M");
      await tmux.sees(/The goal may use 2M tokens/);
      await send("/goal");
      await tmux.sees(/Change the objective/);
      await tmux.press("Down");
      await tmux.press("Enter");
      await tmux.sees(/\/goal edit Make it work/);
      await send(" well");
      await tmux.sees(/The goal is another one: Make it work well/);
      await tmux.sees(/Goal complete: All is well \(1 of its evidence not verified\)/);
      assert.match(JSON.stringify(messagesOf(await model.chat(3))), /Make it work well/);
      await tmux.sees(/ready/);
      await send("/rewind last");
      await tmux.sees(/Go back to before/);
      await tmux.type("y");
      await tmux.sees(/\/rewind undo takes it back/);
      await tmux.sees(/Paused · Make it work well[^]*the conversation was put back/);
      await tmux.sees(/\/goal resume goes on with the goal from here/);
      await send("/goal Something else");
      await tmux.sees(/Replace the goal\?/);
      await tmux.type("n");
      await tmux.sees(/The goal stays as it is/);
      await send("/goal clear");
      await tmux.sees(/The goal is forgotten/);
      await tmux.seesNo(/Paused.*Make it work well/);
      assert.equal(model.chats.length, 5);
      assert.deepEqual(model.violations, []);
    }),
});
