import assert from "node:assert/strict";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { onlySession, useModel } from "./_support.ts";

const SKILL_TOOLS = ["skill_load", "skill_search", "skill_resource"];

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\n\nThe way of ${name}.\n`;
}

function toolsOf({ json }: RecordedRequest): readonly string[] {
  const tools: readonly { readonly function: { readonly name: string } }[] =
    (json as Record<string, never>).tools ?? [];
  return tools.map((tool) => tool.function.name).filter((name) => SKILL_TOOLS.includes(name));
}

function systemOf(request: RecordedRequest): string {
  return String(messagesOf(request)[0]?.content);
}

Deno.test("A run without skills hears nothing of them", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Hi" })]);
    await useModel(cli, model);
    const run = await cli.run(["run", "hi"]);
    assert.deepEqual([run.status, run.stdout, run.stderr], [0, "Hi\n", ""], shown(run));
    const request = await model.chat(0);
    assert.deepEqual(toolsOf(request), []);
    assert.doesNotMatch(systemOf(request), /skill/i);
  });
});

Deno.test("A model is told of skills of all places, and loads, finds and reads them", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([
      callTurn(
        ["skill_load", { name: "own" }],
        ["skill_search", { query: "linked" }],
        ["skill_resource", { name: "project", path: "more/help.md" }],
        ["skill_resource", { name: "project", path: "../../../secret" }],
        ["skill_load", { name: "projet" }],
        ["skill_load", { name: "off" }],
      ),
      chatReply({ text: "Done" }),
    ]);
    await useModel(cli, model, {
      skills: ["./mine"],
      skillOverrides: { off: { enabled: false } },
    });
    await writeTree(cli.dir, {
      "elsewhere/linked/SKILL.md": skill("linked"),
      "plugin/p.js": pluginSource("acme.p", 'api.resources.skills("./skills");'),
      "plugin/skills/brought/SKILL.md": skill("brought"),
    });
    await writeTree(cli.workspace, {
      ".claude/skills/project/SKILL.md": skill("project"),
      ".claude/skills/project/more/help.md": "Help\n",
      ".agents/skills/broken/SKILL.md": "no fields",
      "secret": "x",
    });
    await writeTree(cli.configHome, {
      "mine/own/SKILL.md": skill("own"),
      "skills/off/SKILL.md": skill("off"),
      "skills/project/SKILL.md": skill("project").replace("About", "Not about"),
    });
    await writeTree(cli.dir, { ".agents/skills/keep": "" });
    await Deno.symlink(`${cli.dir}/elsewhere/linked`, `${cli.dir}/.agents/skills/linked`);
    const run = await cli.run(["run", "go", "--trust-project", "--plugin", "../plugin/p.js"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(
      run.stderr,
      /Left out skill ".*\.agents\/skills\/broken\/SKILL\.md": its first line is not "---"/,
    );
    const [first, second] = [await model.chat(0), await model.chat(1)];
    assert.deepEqual(toolsOf(first), SKILL_TOOLS);
    assert.match(
      systemOf(first),
      /\n- brought: About brought\n- linked: About linked\n- own: About own\n- project: About project$/,
    );
    const results = toolResults(second).map((text) => JSON.parse(text));
    assert.deepEqual(results.slice(0, 3), [
      { name: "own", folder: `${cli.configHome}/mine/own`, content: "The way of own." },
      { skills: [{ name: "linked", description: "About linked" }] },
      { name: "project", path: "more/help.md", content: "Help\n" },
    ]);
    assert.deepEqual(results.slice(3).map(({ error }) => error), [
      'Cannot read "../../../secret" of skill "project": the path must be relative to the folder ' +
      "of the skill, and stay in it",
      'There is no skill "projet": did you mean "project"?',
      'Skill "off" is switched off by the person',
    ]);
  });
});

Deno.test("Skills and templates of a project that is not trusted are not looked at", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Hi" })]);
    await useModel(cli, model);
    await writeTree(cli.workspace, {
      ".agents/skills/x/SKILL.md": skill("x"),
      ".alisio/prompts/x.md": "---\ndescription: x\n---\nInjected",
    });
    const refused = await cli.run(["run", "/skill:x go"]);
    assert.equal(refused.status, 2, shown(refused));
    assert.match(refused.stderr, /alisio: There is no skill "x": there are none\n$/);
    const run = await cli.run(["run", "/x go"]);
    assert.equal(run.status, 0, shown(run));
    const request = await model.chat(0);
    assert.deepEqual(toolsOf(request), []);
    assert.equal(messagesOf(request)[1]?.content, "/x go");
  });
});

Deno.test("Skills of the folders around the directory are those of the repository, if it is trusted", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([1, 2].map((n) => chatReply({ text: `${n}` })));
    await useModel(cli, model);
    const own = `${cli.workspace}/pkg/.claude/skills`;
    await writeTree(cli.workspace, {
      ".git/HEAD": "",
      ".agents/skills/a/SKILL.md": skill("a"),
      "pkg/.claude/skills/b/SKILL.md": skill("b"),
    });
    const cwd = `${cli.workspace}/pkg`;
    const untrusted = await cli.run(["run", "hi"], { cwd });
    assert.equal(untrusted.status, 0, shown(untrusted));
    assert.match(
      untrusted.stderr,
      /^Left out skills in ".*work\/\.agents\/skills": the project is not trusted; review it with /m,
    );
    assert.deepEqual(toolsOf(await model.chat(0)), []);
    const run = await cli.run(["run", "hi", "--trust-project"], { cwd });
    assert.deepEqual([run.status, run.stderr], [0, ""], shown(run));
    assert.match(systemOf(await model.chat(1)), /\n- a: About a\n- b: About b$/);
    const list = await cli.run(["skills", "list", "--trust-project", "--json"], { cwd });
    assert.deepEqual(jsonLines(list).map(({ data }) => [data.name, data.path]), [
      ["b", `${own}/b/SKILL.md`],
      ["a", `${cli.workspace}/.agents/skills/a/SKILL.md`],
    ]);
  });
});

Deno.test("/skill:name sends the text of a skill, and the session shows what was typed", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Done" })]);
    await useModel(cli, model);
    await writeTree(cli.configHome, {
      "skills/pdf/SKILL.md": skill("pdf"),
      "skills/pdf/form.md": "x",
    });
    const slip = await cli.run(["run", "/skill:pfd fill it"]);
    assert.match(slip.stderr, /^alisio: There is no skill "pfd": did you mean "pdf"\?\n$/);
    const run = await cli.run(["run", "/skill:pdf fill it"]);
    assert.deepEqual([run.status, run.stdout, run.stderr], [0, "Done\n", ""], shown(run));
    assert.equal(
      messagesOf(await model.chat(0))[1]?.content,
      `Follow the skill "pdf" of the folder "${cli.configHome}/skills/pdf":\n\nThe way of pdf.\n\n` +
        "Its other files, which skill_resource reads: form.md\n\nThe request:\n\nfill it",
    );
    const session = await onlySession(cli);
    assert.match((await cli.run(["sessions", "show", session])).stdout, /\n\/skill:pdf fill it\n/);
    assert.match((await cli.run(["sessions", "list"])).stdout, / {2}\/skill:pdf fill it {2}/);
  });
});

Deno.test("/skill: without a name says how it is used, and sends nothing", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Done" })]);
    await useModel(cli, model);
    const usage = 'alisio: Cannot use a skill: "/skill:" is followed by no name; write ' +
      "/skill:<name> <request>; there ";
    for (const prompt of ["/skill:", "/skill: pdf fill it", " /skill:\n"]) {
      const run = await cli.run(["run", prompt]);
      assert.deepEqual([run.status, run.stderr], [2, `${usage}is none here\n`], shown(run));
    }
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    await writeTree(
      cli.configHome,
      Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skill(name)])),
    );
    const run = await cli.run(["run", "/skill:"]);
    assert.equal(run.stderr, `${usage}are "a", "b", "c", "d", "e" and 2 more\n`, shown(run));
    assert.equal(model.chats.length, 0);
  });
});

Deno.test("/name sends a template, resume too, and an unknown /name as it is", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([1, 2, 3, 4].map((n) => chatReply({ text: `${n}` })));
    await useModel(cli, model);
    await writeTree(cli.configHome, {
      "prompts/compare.md": "---\ndescription: Compare\n---\nCompare $1 with $2.",
    });
    await writeTree(cli.dir, {
      "p/alisio-plugin.json": `{ "apiVersion": 1, "entry": "./src/p.js" }`,
      "p/src/p.js": pluginSource(
        "acme.p",
        `api.resources.prompts("../prompts");
        api.commands.register("hi", async () => "from the command");`,
      ),
      "p/prompts/brought.md": "---\ndescription: x\n---\nBrought.",
    });
    const plugin = ["--plugin", "../p"];
    const last = async (at: number) => messagesOf(await model.chat(at)).at(-1)?.content;
    const run = await cli.run(["run", "/compare 'a b' c", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(await last(0), "Compare a b with c.");
    const session = await onlySession(cli);
    await cli.run(["resume", session, "/brought now", ...plugin]);
    assert.equal(await last(1), "Brought.\n\nnow");
    await cli.run(["resume", session, "/etc/hosts is what?", ...plugin]);
    assert.equal(await last(2), "/etc/hosts is what?");
    await cli.run(["resume", session, "/nothing here", ...plugin]);
    assert.equal(await last(3), "/nothing here");
    const doctor = await cli.run(["plugins", "doctor", ...plugin]);
    assert.ok(doctor.stdout.includes(`\n  prompts in "${cli.dir}/p/prompts"\n`), shown(doctor));
    const command = await cli.run(["run", "/acme.p:hi", ...plugin]);
    assert.equal(command.stdout, "from the command\n");
    const { stdout } = await cli.run(["sessions", "show", session]);
    assert.match(
      stdout,
      /\[user\] \(message \d+\)\n\/compare 'a b' c\n[\s\S]*\[user\] \(message \d+\)\n\/brought now\n/,
    );
  });
});

Deno.test("/init needs to be able to write, and says how that is permitted", async () => {
  await withCli(async (cli) => {
    await using model = await startModel([chatReply({ text: "Done" })]);
    await useModel(cli, model);
    const refused = await cli.run(["run", "/init tests", "--json"]);
    assert.equal(refused.status, 2, shown(refused));
    assert.deepEqual(jsonLines(refused).map(({ type, data }) => [type, data]), [["error", {
      code: "usage",
      error: 'Cannot run "/init": it changes files, and nobody can be asked; pass --allow-write',
    }]]);
    const closed = await cli.run(["run", "/init", "--read-only", "--allow-write"]);
    assert.match(closed.stderr, /"\/init": it changes files, and "--read-only" was given\n$/);
    assert.equal(model.chats.length, 0);
    const run = await cli.run(["run", "/init the tests", "--allow-write"]);
    assert.equal(run.status, 0, shown(run));
    const sent = String(messagesOf(await model.chat(0))[1]?.content);
    assert.match(sent, /AGENTS\.md[\s\S]*at most 150 lines[\s\S]*follows: the tests$/);
  });
});

Deno.test("skills list and validate name what there is and what is wrong, by exit status", async () => {
  await withCli(async (cli) => {
    await writeTree(cli.configHome, {
      "skills/a/SKILL.md": skill("a"),
      "skills/b/SKILL.md": skill("c"),
      "config.json": '{"skillOverrides": {"a": {"enabled": false}}}',
    });
    await writeTree(cli.dir, { "fine/SKILL.md": skill("fine") });
    const list = await cli.run(["skills", "list"]);
    assert.deepEqual([list.status, list.stdout, list.stderr], [
      0,
      "a  user  ~13 tokens  (switched off) About a\nc  user  ~13 tokens  About c\n",
      `"${cli.configHome}/skills/b/SKILL.md": its name "c" is not the one of its folder, "b"\n`,
    ]);
    const json = await cli.run(["skills", "list", "--json"]);
    assert.deepEqual(jsonLines(json).map(({ type }) => type), [
      "skill",
      "skill",
      "skill_diagnostic",
    ]);
    const wrong = await cli.run(["skills", "validate"]);
    assert.deepEqual([wrong.status, wrong.stdout, wrong.stderr], [1, list.stderr, ""]);
    const fine = await cli.run(["skills", "validate", "../fine/SKILL.md"]);
    assert.deepEqual([fine.status, fine.stdout], [0, "1 skill, nothing wrong\n"]);
    const none = await cli.run(["skills", "validate", "../none"]);
    assert.equal(none.status, 1);
    assert.match(
      none.stdout,
      /"\/.*\/none": Skipped: it is not there, or its link leads nowhere\n/,
    );
    const slip = await cli.run(["skills", "lits"]);
    assert.deepEqual([slip.status, slip.stderr], [
      2,
      'alisio: Unknown action "lits": did you mean "list"?\n',
    ]);
  });
});

Deno.test({
  name: "A conversation sends templates and skills by their names, and knows slips from them",
  ignore: !HAS_TERMINAL,
  async fn() {
    await withCli(async (cli) => {
      await using model = await startModel([1, 2].map((n) => chatReply({ text: `${n}` })));
      await useModel(cli, model);
      await writeTree(cli.configHome, {
        "prompts/ask.md": "---\ndescription: x\n---\nAnswer: $1?",
        "prompts/exit.md": "---\ndescription: x\n---\nNever sent",
        "skills/pdf/SKILL.md": skill("pdf"),
      });
      const person = new Person(cli.start([], IN_TERMINAL));
      await person.atPrompt();
      await person.type("/ask why\r");
      await person.atPrompt();
      await person.type("/skill:pdf now\r");
      await person.atPrompt();
      await person.type("/asl why\r");
      await person.atPrompt();
      await person.type("/exit\r");
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /Unknown command "\/asl"/);
      const sent = async (at: number) => messagesOf(await model.chat(at)).at(-1)?.content;
      assert.equal(await sent(0), "Answer: why?");
      assert.match(String(await sent(1)), /^Follow the skill "pdf"[\s\S]*\n\nnow$/);
      const { stdout } = await cli.run(["sessions", "show", await onlySession(cli)]);
      assert.match(
        stdout,
        /\[user\] \(message \d+\)\n\/ask why\n[\s\S]*\[user\] \(message \d+\)\n\/skill:pdf now\n/,
      );
    });
  },
});
