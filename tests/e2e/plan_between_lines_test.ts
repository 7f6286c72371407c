import assert from "node:assert/strict";
import { withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

const PLAN = "# Greet\n\n## Steps\n1. Write it\n";

Deno.test({
  name: "A plan is revised, approved, implemented and compared between lines",
  ignore: !HAS_TERMINAL,
  async fn() {
    await withCli(async (cli) => {
      await using model = await startModel([
        callTurn(["exit_plan", { plan: PLAN }]),
        callTurn(["exit_plan", { plan: `${PLAN}2. Look\n` }]),
        chatReply({ text: "Handed over." }),
        chatReply({ text: "Implemented." }),
      ]);
      await useModel(cli, model, {
        agents: { active: "plan" },
        // The summary at the end would be one request more.
        builtinPlugins: { memory: { autoSummary: false } },
      });
      const person = new Person(cli.start([], IN_TERMINAL));
      await person.atPrompt();
      await person.type("Plan it\r");
      await person.asked();
      await person.sees(/│ 1\. Write it[^]*Plan complete\. What would you like to do\?/);
      await person.type("nonsense\r");
      await person.answer("3");
      await person.answer("look at it");
      await person.sees(/Plan, revision 2: Greet/);
      await person.answer("1");
      await person.sees(/Implement the approved plan: Greet[^]*Implemented\./);
      await person.atPrompt();
      await person.type("/plan diff\r");
      await person.sees(/\+2\. Look/);
      await person.atPrompt();
      await person.type("/exit\r");
      const { status } = await person.run.ended;
      assert.equal(status, 0);
      assert.equal(model.chats.length, 4);
      const [second, third, fourth] = await Promise.all([1, 2, 3].map((at) => model.chat(at)));
      assert.ok(second !== undefined && third !== undefined && fourth !== undefined);
      assert.match(toolResults(second)[0] ?? "", /"feedback":"look at it"/);
      assert.match(toolResults(third)[1] ?? "", /"decision":"approved"/);
      const prompt = messagesOf(fourth).findLast(({ role }) => role === "user")?.content;
      assert.match(String(prompt), /^<approved_plan [^]*2\. Look/);
      assert.deepEqual(model.violations, []);
    });
  },
});
