import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { SUMMARY } from "../../core/compaction/_summarising_model.ts";
import { withCli } from "../../support/cli_harness.ts";
import { messagesOf, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

Deno.test({
  name: "/compact summarises on the screen, says so, and can be stopped with Esc",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        chatReply({ text: `one ${"x ".repeat(500)}END-1` }),
        chatReply({ text: `two ${"x ".repeat(500)}END-2` }),
        { steps: [{ do: "hang" }] },
        chatReply({ text: SUMMARY }),
        chatReply({ text: "END-3" }),
      ]);
      await useModel(cli, model, { compaction: { keepTurns: 1 } });
      await using tmux = await startTmux(cli, { args: ["--no-banner"] });
      await tmux.sees(/ready/);
      const send = async (line: string) => {
        await tmux.type(line);
        await tmux.press("Enter");
      };
      await send("/compact");
      await tmux.sees(/There is nothing to summarise yet/);
      await send("first");
      await tmux.sees(/END-1/);
      await tmux.sees(/ready/);
      await send("second");
      await tmux.sees(/END-2/);
      await tmux.sees(/ready/);
      await send("/compact");
      await model.chat(2);
      await tmux.press("Escape");
      await tmux.sees(/could not be compacted: Stopped/);
      await tmux.sees(/ready/);
      await send("/compact the port");
      await tmux.sees(/Context compacted: [\d,]+ → [\d,]+ tokens, 2 messages summarised/);
      await tmux.sees(/ready/);
      await send("third");
      await tmux.sees(/END-3/);
      const request = JSON.stringify(messagesOf(await model.chat(4)));
      assert.match(request, /FACT-1: the port is 4317/);
      assert.doesNotMatch(request, /END-1/);
      assert.deepEqual(model.violations, []);
    }),
});
