import assert from "node:assert/strict";
import type { ModelEvent } from "@alisio/sdk";
import { BUILTIN_PLUGINS } from "../../../cli/open_application.ts";
import { AGENT_TEMPLATES } from "../../../core/agents/agent_templates.ts";
import { loadYamlEditor, loadYamlParser } from "../../../tools/standard_tools.ts";
import { AGENT_COMMANDS } from "../../../tui/agents/agent_commands.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { ASCII_THEME } from "../../support/panel_scene.ts";
import { PlayedProvider, says } from "../../support/run_harness.ts";
import { type CommandScene, withCommands } from "../commands/_command_scene.ts";

const CTRL_S = "\x13";

const OPTIONS = { trustProject: true, loadYamlParser, loadYamlEditor, model: "m" };

const SAVED = `---
# ours
description: Reviews changes   # when
mode: primary
x-other: {a: 1,   b: 2}
---

Look.
`;

const DRAFT = {
  id: "release-notes",
  name: "Release Notes",
  description: "Writes notes",
  instructions: "You write notes.",
};

async function read({ folder }: CommandScene, path: string): Promise<string> {
  const text = await Deno.readTextFile(`${folder}/${path}`);
  return text.replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "<time>");
}

/** What became of the stage, without the folder. */
function logOf({ stage, folder }: CommandScene): readonly string[] {
  return stage.log.map((line) => line.replaceAll(folder, ""));
}

/** Chooses the line of a list that begins with a text. */
async function choose({ stage }: CommandScene, label: string): Promise<void> {
  const cursor = stage.theme.glyph("cursor");
  for (let steps = 0; steps < 20; steps++) {
    const rows = (await stage.screen(80)).split("\n");
    if (rows.some((row) => row.startsWith(cursor) && isAbout(row.slice(2), label))) {
      return await stage.press(KEYS.enter);
    }
    await stage.press(KEYS.down);
  }
  throw new Error(`No line ${label}:\n${await stage.screen(80)}`);
}

function isAbout(row: string, label: string): boolean {
  const text = row.replace(/^\[.\] /, "");
  return text === label || text.startsWith(`${label} `) ||
    /^\W+ /.test(text) && text.endsWith(label);
}

Deno.test("/agents new asks how to begin, and a blank form is filled in line by line", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type, screens } = scene;
    const run = type("/agents new");
    await stage.shows("Create an agent (1/3)");
    await choose(scene, "Write it yourself");
    await stage.shows("(1/11)");
    assert.equal(
      (await screens()).replaceAll(scene.folder, "/f"),
      `Create an agent (1/11)
› Name                  (the id)
  Id                    agent
  Description           (when to use it; needed)
  Instructions          (none yet)
  Model                 (the one in use)
  Tools                 (all that the run has)
  Reasoning effort      (the one of the model)
  Only looks            no
  Saved for             this project
  ✦ Refine with Alisio
  Save
What people read in menus

Enter change · Esc close
========================================
Create an agent (1/11)
› Name                  (the id)
  Id                    agent
  Description           (when to use it…
  Instructions          (none yet)
  Model                 (the one in use)
  Tools                 (all that the r…
  Reasoning effort      (the one of the…
  Only looks            no
  Saved for             this project
  ✦ Refine with Alisio
  Save
What people read in menus

Enter change · Esc close
`,
    );
    await choose(scene, "Name");
    await stage.shows("Name\n");
    await stage.press(..."Öl Prüfer", KEYS.enter);
    await stage.shows("ol-prufer");
    await choose(scene, "Description");
    await stage.shows("One sentence");
    await stage.press(..."Checks: all", KEYS.enter);
    await stage.shows("Checks: all");
    await choose(scene, "Instructions");
    await stage.shows("Ctrl+S done");
    await stage.press(..."Look.", KEYS.enter, ..."Say.", CTRL_S);
    await stage.shows("2 lines: Look.");
    await choose(scene, "Only looks");
    await stage.shows("yes");
    await choose(scene, "Save");
    await stage.shows("Agent ol-prufer is saved");
    assert.equal(
      await read(scene, "ws/.agents/agents/ol-prufer.md"),
      `---
description: "Checks: all"
mode: all
readOnly: true
alisio:
  displayName: Öl Prüfer
  createdAt: <time>
  updatedAt: <time>
---

Look.
Say.
`,
    );
    assert.equal(
      await screens(),
      `Agent ol-prufer is saved (1/2)
› ▶ Try it in a new session
  Go on here
Enter choose · Esc close
========================================
Agent ol-prufer is saved (1/2)
› ▶ Try it in a new session
  Go on here
Enter choose · Esc close
`,
    );
    await stage.press(KEYS.enter);
    await run;
    assert.deepEqual(logOf(scene), [
      'success: Saved agent "ol-prufer" in /ws/.agents/agents/ol-prufer.md',
      "switch to a new session",
      "success: Agent: Öl Prüfer (read-only), in a new session and for this conversation",
    ]);
    assert.equal(stage.application.agents.active.id, "ol-prufer");
    // Trying an agent is no choice for every later conversation.
    await assert.rejects(Deno.stat(`${scene.folder}/config/config.json`), Deno.errors.NotFound);
  });
});

Deno.test("/agents new keeps the form where nothing can be saved, and warns before it is lost", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    const run = type("/agents new");
    await choose(scene, "Write it yourself");
    await stage.shows("(1/11)");
    await choose(scene, "Name");
    await stage.shows("Name\n");
    await stage.press("A", KEYS.enter);
    await stage.shows("Id                    a");
    await choose(scene, "Save");
    await stage.logs(1);
    await stage.shows("Create an agent (");
    await stage.press(KEYS.escape);
    await stage.shows("Leave without saving?");
    await stage.press("n");
    await stage.shows("Create an agent (");
    await stage.press(KEYS.escape);
    await stage.shows("Leave without saving?");
    await stage.press("y");
    await run;
    assert.deepEqual(logOf(scene), [
      'error: Cannot save agent "a": it has no "description", which says when to use it',
    ]);
    await assert.rejects(Deno.stat(`${scene.folder}/ws/.agents`), Deno.errors.NotFound);
  });
});

Deno.test("/agents new <description> has the model write the agent, and saves for the person too", async () => {
  const provider = new PlayedProvider([says(`Here: ${JSON.stringify(DRAFT)}`)]);
  await withCommands({ ...OPTIONS, provider }, async (scene) => {
    const { stage, type } = scene;
    const run = type("/agents new writes release notes");
    const form = await stage.shows("Release Notes");
    assert.match(form, /Id +release-notes\n/);
    await choose(scene, "Saved for");
    await stage.shows("everything you do");
    await choose(scene, "Save");
    await stage.shows("is saved");
    await choose(scene, "Go on here");
    await run;
    assert.match(
      await read(scene, ".agents/agents/release-notes.md"),
      /\n---\n\nYou write notes\.\n$/,
    );
    const [request] = provider.requests;
    assert.deepEqual(request?.tools ?? [], []);
    assert.deepEqual(logOf(scene), [
      'success: Saved agent "release-notes" in /.agents/agents/release-notes.md',
    ]);
  });
});

Deno.test("/agents new <description> is stopped with Esc, and says what the model failed at", async () => {
  const provider = new PlayedProvider([({ signal }) => waits(signal), says("I would rather not.")]);
  await withCommands({ ...OPTIONS, provider }, async (scene) => {
    const { stage, type } = scene;
    const run = type("/agents new notes");
    await stage.shows("Building with Alisio");
    await stage.press(KEYS.escape);
    await run;
    await type("/agents new notes");
    assert.deepEqual(logOf(scene), [
      "error: Cannot use the model's answer: it is no definition of an agent; try again, or write " +
      "it yourself",
    ]);
  });
});

Deno.test("/agents templates offers the twelve", async () => {
  await withCommands(OPTIONS, async (scene) => {
    const { stage, type } = scene;
    stage.rows = 20;
    const run = type("/agents templates");
    const screen = await stage.shows("Templates");
    assert.deepEqual(AGENT_TEMPLATES.map(({ displayName }) => displayName), [
      "Code Reviewer",
      "Test Writer",
      "Refactoring Assistant",
      "Documentation Writer",
      "Security Auditor",
      "Bug Triage & Debugger",
      "Migration Assistant",
      "Research Agent",
      "Customer Support Agent",
      "DevOps Assistant",
      "Meeting Assistant",
      "Analytics Agent",
    ]);
    for (const { displayName } of AGENT_TEMPLATES) assert.ok(screen.includes(displayName));
    await choose(scene, "Bug Triage & Debugger");
    assert.match(await stage.shows("Create an agent"), /Id +bug-triage-debugger\n/);
    await stage.press(KEYS.escape);
    await run;
    assert.deepEqual(stage.log, []);
  });
});

Deno.test("/agents edit changes what the person changes, and nothing else", async () => {
  const files = { "ws/.agents/agents/reviewer.md": SAVED };
  const provider = new PlayedProvider([says(JSON.stringify(DRAFT))]);
  await withCommands({ ...OPTIONS, provider, files }, async (scene) => {
    const { stage, type } = scene;
    let run = type("/agents edit rev");
    await stage.shows("Agent reviewer (1/9)");
    await choose(scene, "Model");
    await stage.shows("<profile>/<model>");
    await stage.press(..."far/big", KEYS.enter);
    await stage.shows("far/big");
    await choose(scene, "Save");
    await stage.shows("is saved");
    await choose(scene, "Go on here");
    await run;
    const model = SAVED.replace(
      "b: 2}\n",
      "b: 2}\nmodel: far/big\nalisio:\n  updatedAt: <time>\n",
    );
    assert.equal(await read(scene, "ws/.agents/agents/reviewer.md"), model);
    run = type("/agents edit reviewer project");
    await stage.shows("Agent reviewer (1/9)");
    await choose(scene, "Refine with Alisio");
    await stage.shows("What should be better");
    await stage.press(KEYS.enter);
    await stage.shows("Release Notes");
    await choose(scene, "Save");
    await stage.shows("is saved");
    await stage.press(KEYS.escape);
    await run;
    assert.equal(
      await read(scene, "ws/.agents/agents/reviewer.md"),
      model.replace("Reviews changes", "Writes notes").replace("Look.", "You write notes.")
        .replace("<time>\n", "<time>\n  displayName: Release Notes\n"),
    );
  });
});

Deno.test("/agents manage lists both places, and tries and deletes", async () => {
  const files = {
    "ws/.agents/agents/reviewer.md": SAVED,
    "ws/.agents/agents/broken.md": "no fields\n",
    ".agents/agents/mine.md": SAVED.replace("Reviews", "Mine \\x1b[2J"),
  };
  await withCommands({ ...OPTIONS, files }, async (scene) => {
    const { stage, type, screens } = scene;
    const run = type("/agents manage");
    await stage.shows("Saved agents");
    await stage.press(KEYS.down);
    assert.equal(
      await screens(),
      `Saved agents (2/3)
This project
  [!] broken    its first line is not "---", which begins the fields
› [x] reviewer  Reviews changes
Everything you do
  [x] mine      Mine \\x1b[2J changes
.agents/agents/reviewer.md

Enter change · Esc close · t try · d delete · c copy · / search
========================================
Saved agents (2/3)
This project
  [!] broken    its first line is not "…
› [x] reviewer  Reviews changes
Everything you do
  [x] mine      Mine \\x1b[2J changes
.agents/agents/reviewer.md

Enter change · Esc close · t try
`,
    );
    await stage.press(KEYS.home, KEYS.enter);
    await stage.logs(1);
    await stage.shows("Saved agents");
    await stage.press("d");
    await stage.shows("Delete agent broken?");
    await stage.press("n");
    await stage.shows("Saved agents (1/3)");
    await stage.press("d");
    await stage.shows("Delete agent broken?");
    await stage.press("y");
    await stage.shows("Saved agents (1/2)");
    await stage.press("c");
    await stage.shows("Saved agents (1/3)");
    await stage.press("c");
    await stage.logs(4);
    await stage.shows("Saved agents (1/3)");
    await stage.press("t");
    await run;
    assert.deepEqual(logOf(scene), [
      'warning: Cannot change agent "broken": its first line is not "---", which begins the ' +
      "fields; edit its file",
      'success: Deleted agent "broken"',
      'success: Copied agent "reviewer" to /.agents/agents/reviewer.md',
      'error: Cannot save agent "reviewer": there is one of that id already; edit it, or choose ' +
      "another id",
      "switch to a new session",
      "success: Agent: reviewer, in a new session and for this conversation",
    ]);
    for (let times = 0; times < 2; times++) {
      const done = type("/agents delete reviewer");
      await stage.shows("Delete agent reviewer?");
      await stage.press("y");
      await done;
    }
    assert.deepEqual(logOf(scene).slice(6), [
      'success: Deleted agent "reviewer"',
      "info: Agent: reviewer",
      'success: Deleted agent "reviewer"',
      "info: Agent: build",
    ]);
  });
});

Deno.test("/agents reload takes over what a file says now", async () => {
  const files = { "ws/.agents/agents/reviewer.md": SAVED };
  await withCommands({ ...OPTIONS, files }, async (scene) => {
    const { stage, type, folder } = scene;
    await type("/agent reviewer");
    await Deno.writeTextFile(`${folder}/ws/.agents/agents/reviewer.md`, `${SAVED}More.\n`);
    await type("/agents reload");
    assert.match(stage.application.agents.text ?? "", /Look\.\nMore\.$/);
    assert.equal(
      stage.log.at(-1),
      "success: Agents: 1 defined, reviewer goes on; something is wrong with 1, see /agents defs",
    );
    await Deno.remove(`${folder}/ws/.agents/agents/reviewer.md`);
    await type("/agents reload");
    assert.match(stage.log.at(-1) ?? "", /^error: Cannot change the agent: there is no agent /);
  });
});

Deno.test("/agents new in a project with nothing to trust yet is tried in an application opened anew", async () => {
  const { trustProject: _, ...options } = OPTIONS;
  await withCommands(options, async (scene) => {
    const { stage, type, open } = scene;
    stage.onReopen = async () => {
      stage.application = await open(options);
    };
    const run = type("/agents templates");
    await stage.press(KEYS.enter);
    await stage.shows("Create an agent");
    await choose(scene, "Save");
    await stage.shows("is saved");
    await stage.press(KEYS.enter);
    await run;
    assert.deepEqual(logOf(scene), [
      'success: Saved agent "code-reviewer" in /ws/.agents/agents/code-reviewer.md',
      "reopen {}",
      "switch to a new session",
      "success: Agent: Code Reviewer (read-only), in a new session and for this conversation",
    ]);
    assert.equal(stage.application.trust.state, "trusted");
  });
});

Deno.test("/agents says what it cannot do", async () => {
  const files = {
    "ws/.alisio/agents/other.md": SAVED,
    "ws/.agents/agents/aa.md": SAVED,
    "ws/.agents/agents/ab.md": SAVED,
  };
  await withCommands({ ...OPTIONS, readOnly: true, files }, async (scene) => {
    const lines = ["nonsense", "edit", "edit aa nowhere", "edit a", "edit other", "delete zz"];
    for (const line of [...lines, "new", "edit aa", "delete aa project"]) {
      await scene.type(`/agents ${line}`);
    }
    const readOnly = "this run changes nothing; start again without --read-only";
    assert.deepEqual(logOf(scene), [
      'warning: Unknown "nonsense": write /agents, or /agents list, /agents open <id>, ' +
      "/agents cancel <id>, /agents kill <id>, /agents resume <id> [message], /agents merge <id>, " +
      "/agents discard <id>, /agents new [description], /agents " +
      "templates, /agents manage, /agents edit <id> [project|global], /agents delete <id> " +
      "[project|global], /agents reload, /agents defs",
      "info: Usage: /agents edit <id> [project|global]",
      "info: Usage: /agents edit <id> [project|global]",
      'warning: Cannot edit agent "a": several begin with that: aa, ab',
      'warning: Cannot edit agent "other": it is defined in /ws/.alisio/agents/other.md, which is ' +
      "not written from here; edit that file",
      'warning: Cannot delete agent "zz": there is no saved agent of that id; see /agents manage',
      `warning: Cannot create an agent: ${readOnly}`,
      `warning: Cannot change agent "aa": ${readOnly}`,
      `warning: Cannot delete agent "aa": ${readOnly}`,
    ]);
  });
});

Deno.test("/agents draws ASCII alone where there is nothing else", async () => {
  await withCommands(
    { ...OPTIONS, files: { "ws/.agents/agents/rev.md": SAVED } },
    async (scene) => {
      const { stage, type, screens } = scene;
      stage.theme = ASCII_THEME;
      const run = type("/agents");
      const menu = await screens();
      await choose(scene, "+ Create agent...");
      await stage.shows("Create an agent (1/3)");
      const start = await screens();
      await choose(scene, "Write it yourself");
      await stage.shows("(1/11)");
      const form = await screens();
      await stage.press(KEYS.escape);
      await run;
      for (const screen of [menu, start, form]) assert.match(screen, /^[\n\x20-\x7e]+$/);
      assert.doesNotMatch(menu + start + form, /\?/);
    },
  );
});

Deno.test("/agents completes what may follow it, and saved agents", async () => {
  await withCommands(
    { ...OPTIONS, files: { "ws/.agents/agents/rev.md": SAVED } },
    async (scene) => {
      const complete = async (typed: string) =>
        (await AGENT_COMMANDS[0]?.complete?.(typed, scene.stage))?.map(({ value }) => value);
      assert.deepEqual(await complete("de"), ["delete", "defs"]);
      assert.deepEqual(await complete("edit r"), ["edit rev project"]);
      assert.deepEqual(await complete("edit x"), []);
      assert.deepEqual(await complete("new x"), []);
    },
  );
});

/** A model that begins, and goes on until it is stopped. */
async function* waits(signal: AbortSignal): AsyncGenerator<ModelEvent> {
  yield { type: "text_delta", delta: "{" };
  await new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  );
}

Deno.test("/agents new offers models that are connected, and what each is known to have", async () => {
  const models = [
    { id: "thinks", supported_reasoning_levels: ["low", "high"] },
    { id: "blurts", reasoning: false },
    { id: "silent" },
  ];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ data: models }),
  );
  const work = {
    provider: "openai-compatible",
    values: { baseURL: `http://127.0.0.1:${server.addr.port}/v1` },
  };
  const files = {
    "config/providers.json": JSON.stringify({ schemaVersion: 1, profiles: { work } }),
  };
  try {
    await withCommands({ ...OPTIONS, plugins: BUILTIN_PLUGINS, files }, async (scene) => {
      const { stage, type } = scene;
      const use = async (model: string) => {
        await choose(scene, "Model");
        await stage.shows("One of the connected providers");
        await choose(scene, "One of the connected providers");
        await stage.shows("blurts");
        await choose(scene, model);
        return await stage.shows(`work/${model}`);
      };
      const run = type("/agents new");
      await stage.shows("Create an agent (1/3)");
      await choose(scene, "Write it yourself");
      await stage.shows("(1/11)");
      assert.doesNotMatch(await use("blurts"), /Reasoning effort/);
      assert.match(await use("thinks"), /Reasoning effort +\(the one of the model\)/);
      await choose(scene, "Reasoning effort");
      await stage.shows("(1/3)");
      await choose(scene, "high");
      await stage.shows("Reasoning effort      high");
      // What is written already can be taken out, whatever the model.
      assert.match(await use("blurts"), /Reasoning effort +high/);
      await use("silent");
      await choose(scene, "Reasoning effort");
      await stage.shows("A level that the model has, such as high");
      await stage.press(KEYS.escape);
      await choose(scene, "Model");
      await stage.shows("The one in use");
      await choose(scene, "Another one");
      await stage.shows("<profile>/<model>");
      await stage.press("\x15", ..."work/other", KEYS.enter);
      await stage.shows("work/other");
      await choose(scene, "Description");
      await stage.shows("One sentence");
      await stage.press(..."Thinks", KEYS.enter);
      await choose(scene, "Save");
      await stage.shows("is saved");
      const saved = await read(scene, "ws/.agents/agents/agent.md");
      assert.match(saved, /^model: work\/other$/m);
      assert.match(saved, /^ {4}effort: high$/m);
      await stage.press(KEYS.escape);
      await run;
    });
  } finally {
    await server.shutdown();
  }
});
