import assert from "node:assert/strict";
import { shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { isGone, useModel } from "./_support.ts";

Deno.test({
  name: "A goal is set, paused by Ctrl+C, changed and cleared between lines",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        callTurn(["list_files", { path: "." }]),
        chatReply({ text: "STEP-1" }),
        { steps: [{ do: "hang" }] },
        callTurn(["update_goal", {
          status: "complete",
          summary: "All is well",
          evidence: [{ kind: "file", detail: "a.txt" }],
        }]),
        chatReply({ text: "STEP-2" }),
      ]);
      // The summary at the end would be one request more.
      await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
      const person = new Person(cli.start([], IN_TERMINAL));
      await person.atPrompt();
      await person.type("/goal\r");
      await person.sees(/\/goal <objective> \[budget=50k\]/);
      await person.atPrompt();
      await person.type("/goal Make it work budget=900k\r");
      await person.sees(/STEP-1/);
      await model.chat(2);
      await person.type("\x03");
      await person.sees(/Goal paused: you stopped it; 2 of 50 turns/);
      await person.sees(/Go on with: \/goal resume/);
      await person.atPrompt();
      await person.type("/goal\r");
      await person.sees(/Paused: you stopped it[^]*What you can do: \/goal resume, \/goal edit/);
      await person.atPrompt();
      await person.type("/goal budget=2M\r");
      await person.sees(/of 2M tokens\r\nWhat you can do/);
      await person.atPrompt();
      await person.type("/goal edit Make it work well\r");
      await person.sees(/Goal complete, not verified: the model finished it/);
      await person.sees(/file: a\.txt/);
      assert.match(JSON.stringify(messagesOf(await model.chat(3))), /Make it work well/);
      await person.atPrompt();
      await person.type("/goal Something else\r");
      await person.sees(/Replace the goal\?/);
      await person.answer("n");
      await person.sees(/The goal stays as it is/);
      await person.atPrompt();
      await person.type("/goal pause\r");
      await person.sees(/Cannot pause the goal: it is complete/);
      await person.atPrompt();
      await person.type("/goal clear\r");
      await person.sees(/The goal is forgotten/);
      await person.atPrompt();
      await person.type("/exit\r");
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.equal(model.chats.length, 5);
      assert.deepEqual(model.violations, []);
    }),
});

Deno.test({
  name:
    "Background tasks are listed, read and stopped between lines, and end with the conversation",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel((server) => [
        callTurn(
          ["bg_run", {
            command: `echo first-output; ${server.report("one")}; sleep 60`,
            label: "one",
          }],
          ["bg_run", { command: `${server.report("two")}; sleep 60`, label: "two" }],
        ),
        async () => {
          await Promise.all([server.reported("one"), server.reported("two")]);
          return chatReply({ text: "They run" });
        },
      ]);
      await useModel(cli, model);
      const person = new Person(cli.start(["--allow-process"], IN_TERMINAL));
      await person.atPrompt();
      await person.type("/tasks\r");
      await person.sees(/There are no background tasks in this session/);
      await person.atPrompt();
      await person.type("start them\r");
      await person.sees(/They run/);
      assert.match(toolResults(await model.chat(1))[0] ?? "", /runs on while the person stays/);
      await person.atPrompt();
      await person.type("/tasks\r");
      await person.sees(/ 1 {2}running · \S+ {2}two\r\n 2 {2}running · \S+ {2}one\r\n/);
      await person.atPrompt();
      await person.type("/tasks 2\r");
      await person.sees(/Status: running[^\n]*\nfirst-output\r\n/);
      await person.atPrompt();
      await person.type("/tasks stop 2\r");
      await person.sees(/stopped · by user: one/);
      assert.ok(await isGone(await model.reported("one")));
      await person.atPrompt();
      await person.type("/tasks 9\r");
      await person.sees(/with a number from 1 to 2/);
      await person.atPrompt();
      await person.type("/exit\r");
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /Stopped 1 background task with the conversation: two \(/);
      assert.ok(await isGone(await model.reported("two")));
      assert.deepEqual(model.violations, []);
    }),
});
