import assert from "node:assert/strict";
import { SUMMARY } from "../../core/compaction/_summarising_model.ts";
import { useModel } from "../../e2e/_support.ts";
import { shown, withCli } from "../../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../../support/person.ts";
import { messagesOf, startModel } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";

Deno.test({
  name: "/compact summarises between two lines, and Ctrl+C stops it",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      const long = (name: string) => chatReply({ text: `${name} ${"x ".repeat(500)}` });
      await using model = await startModel([
        long("one"),
        long("two"),
        { steps: [{ do: "hang" }] },
        chatReply({ text: SUMMARY }),
      ]);
      await useModel(cli, model, { compaction: { keepTurns: 1 } });
      const person = new Person(cli.start([], IN_TERMINAL));
      await person.atPrompt();
      await person.type("/compact\r");
      await person.sees(/There is nothing to summarise yet\r\n/);
      for (const prompt of ["first", "second"]) {
        await person.atPrompt();
        await person.type(`${prompt}\r`);
      }
      await person.atPrompt();
      await person.type("/compact\r");
      await model.chat(2);
      await person.type("\x03");
      await person.sees(/alisio: Stopped by Ctrl\+C\r\n/);
      await person.atPrompt();
      await person.type("/compact the port\r");
      await person.sees(/Summarised 2 messages: about \d+ tokens of context are \d+ now; memory: /);
      await person.atPrompt();
      await person.type("third\r");
      await person.atPrompt();
      await person.type("/exit\r");
      const left = await person.run.ended;
      assert.equal(left.status, 0, shown(left));
      assert.match(JSON.stringify(messagesOf(await model.chat(4))), /FACT-1: the port is 4317/);
    }),
});
