import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { messagesOf, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, useModel } from "./_support.ts";

Deno.test("session.onStart adds its text once, to the first prompt of a session, and it stays", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "One" })]);
    await useModel(cli, model);
    await writeTree(cli.dir, {
      "p.js": pluginSource(
        "acme.one",
        `let calls = 0;
        api.session.onStart(async ({ workspace, reason, messages, model }) =>
          [++calls, workspace, reason, messages.length, model].join(" "));
        api.session.onStart(() => { throw new Error("offline"); });`,
      ),
    });
    const plugin = ["--plugin", "../p.js"];
    const run = await cli.run(["run", "hi there", "--json", ...plugin]);
    assert.equal(run.status, 0, shown(run));
    const expected = `# From plugin acme.one\n\n1 ${cli.workspace} start 0 stub\n\nhi there`;
    const sent = messagesOf(await model.chat(0)).filter(({ role }) => role === "user");
    assert.deepEqual(sent.map(({ content }) => content), [expected]);
    const told = jsonLines(run).filter(({ type }) => type === "plugin_hook_failed");
    assert.deepEqual(told.map(({ data }) => data), [
      { source: "acme.one", hook: "session.onStart", error: "offline", continued: true },
    ]);

    const session = sessionOf(run);
    const resumed = await assertResumes(cli, session, plugin);
    const again = messagesOf(resumed).filter(({ role }) => role === "user");
    assert.deepEqual(again.map(({ content }) => content), [expected, "go on"]);
    const list = await cli.run(["sessions", "list"]);
    assert.match(list.stdout, / {2}hi there {2}/);
  });
});

Deno.test("A hook of session.onStart that hangs is given up, and the run goes on", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "One" })]);
    await useModel(cli, model, { pluginHooks: { timeoutMs: 150 } });
    await writeTree(cli.dir, {
      "p.js": pluginSource("acme.one", `api.session.onStart(() => new Promise(() => {}));`),
    });
    const run = await cli.run(["run", "hi", "--plugin", "../p.js"]);
    assert.deepEqual([run.status, run.stdout], [0, "One\n"], shown(run));
    assert.match(
      run.stderr,
      /"acme\.one" failed in session\.onStart, .*: it did not end within 150/,
    );
  });
});

Deno.test({
  name: "session.onEnd is told what was said when a person leaves, and may ask the model",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        chatReply({ text: "One" }),
        chatReply({ text: "It said one" }),
      ]);
      await useModel(cli, model);
      await writeTree(cli.dir, {
        "p.js": pluginSource(
          "acme.one",
          `api.session.onEnd(async ({ reason, messages, model, signal }) => {
            const system = [reason, model, ...messages.map(({ role }) => role)].join(" ");
            const asked = { system, messages: [{ role: "user", text: "Summarize" }], signal };
            api.state.set("last", await api.model.complete(asked));
          });
          api.session.onEnd(() => { throw new Error("no disk"); });
          api.commands.register("last", async (_args, context) =>
            String(api.state.get("last")) + " " + String(context.sessionId));`,
        ),
      });
      const plugin = ["--plugin", join(cli.dir, "p.js")];
      const person = new Person(cli.start(plugin, IN_TERMINAL));
      await person.atPrompt();
      await person.type("hi\r");
      await person.atPrompt();
      await person.type("/acme.one:last\r");
      await person.sees(/\nundefined [0-9a-f-]{36}\r\n/);
      await person.atPrompt();
      await person.type("/exit\r");
      const left = await person.run.ended;
      assert.equal(left.status, 0, shown(left));
      assert.match(left.stdout, /"acme\.one" failed in session\.onEnd, .*: no disk\r\n/);
      const [system] = messagesOf(await model.chat(1));
      assert.equal(system?.content, "exit stub user assistant");
      const last = await cli.run(["run", "/acme.one:last", ...plugin]);
      assert.equal(last.stdout, "It said one undefined\n");
    }),
});

Deno.test({
  name: "A hook of session.onEnd that hangs is left with Ctrl+C",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([chatReply({ text: "One" })]);
      await useModel(cli, model);
      await writeTree(cli.dir, {
        "p.js": pluginSource("acme.one", `api.session.onEnd(() => new Promise(() => {}));`),
      });
      const begin = async () => {
        const person = new Person(cli.start(["--plugin", join(cli.dir, "p.js")], IN_TERMINAL));
        await person.atPrompt();
        await person.type("hi\r");
        await person.atPrompt();
        return person;
      };
      const patient = await begin();
      await patient.type("/exit\r");
      await patient.sees(/Plugins end their part of the session; Ctrl\+C leaves at once/);
      await patient.type("\x03");
      const left = await patient.run.ended;
      assert.equal(left.status, 0, shown(left));
      assert.match(left.stdout, /The session is kept/);
      assert.doesNotMatch(left.stdout, /failed in session\.onEnd/);
    }),
});

Deno.test({
  name: "ui.select asks the person while a command runs, and not while they write a prompt",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([chatReply({ text: "One" })]);
      await useModel(cli, model);
      await writeTree(cli.dir, {
        "p.js": pluginSource(
          "acme.one",
          `const pick = () => api.ui.select({ title: "Which wind?", options: [
            { value: "n", label: "North" }, { value: "s", label: "South", description: "warm" },
          ] });
          let later = Promise.resolve("none");
          api.commands.register("pick", async () => api.ui.interactive() + " " + await pick());
          api.commands.register("wait", async () => {
            const look = async () => {
              try { await Deno.stat("go"); } catch { return void setTimeout(look, 10); }
              later = pick();
              await later;
              console.error("looked");
            };
            void look();
            return "waiting";
          });
          api.commands.register("later", async () => "later " + await later);
          api.commands.register("wrong", async () => String(await api.ui.select({ title: "x" })));`,
        ),
      });
      const plugin = ["--plugin", join(cli.dir, "p.js")];
      const person = new Person(cli.start(plugin, IN_TERMINAL));
      await person.atPrompt();
      await person.type("/acme.one:pick\r");
      await person.sees(
        /▞▞ Question 1 of 1 from plugin acme\.one\r\n│ acme\.one: Which wind\?\r\n/,
      );
      await person.answer("2");
      await person.sees(/\ntrue s\r\n/);
      await person.atPrompt();
      await person.type("/acme.one:wait\r");
      await person.sees(/\nwaiting\r\n/);
      await person.atPrompt();
      // The person thinks about the next prompt while the plugin wants to ask.
      await writeTree(cli.workspace, { go: "" });
      await person.sees(/looked/);
      await person.type("/acme.one:later\r");
      await person.sees(/\nlater undefined\r\n/);
      await person.atPrompt();
      await person.type("/acme.one:wrong\r");
      await person.sees(/ui\.select needs \{ title, options: /);
      await person.atPrompt();
      await person.type("/exit\r");
      const { stdout, status } = await person.run.ended;
      assert.deepEqual([status, stdout.match(/Which wind/g)?.length], [0, 1]);
      const headless = await cli.run(["run", "/acme.one:pick", ...plugin]);
      assert.equal(headless.stdout, "false undefined\n");
    }),
});
