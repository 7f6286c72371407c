import assert from "node:assert/strict";
import { parse } from "yaml";
import { nextAgent } from "../../../tui/agents/agent_menu.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { withCommands } from "../commands/_command_scene.ts";

const OPTIONS = {
  trustProject: true,
  loadYamlParser: () => Promise.resolve((text: string) => parse(text)),
  files: {
    "ws/.alisio/agents/reviewer.md":
      "---\nname: reviewer\ndescription: Reviews changes\nmode: primary\ntools: Read\n---\nReview.\n",
    "ws/.alisio/agents/broken.md": "no fields\n",
  },
};

Deno.test("/agents offers the agents that can hold a conversation, and says that one is broken", async () => {
  await withCommands(OPTIONS, async ({ stage, type, screens }) => {
    const run = type("/agents");
    assert.equal(
      await screens(),
      `Agent: build (1/5)
› build                   Does the work, with what the run permits
  plan                    Looks and plans, and changes nothing (read-only)
  reviewer                Reviews changes
  + Create agent…
  ✎ Manage saved agents…
Enter choose · Esc close · type to search
========================================
Agent: build (1/5)
› build                 Does the work, …
  plan                  Looks and plans…
  reviewer              Reviews changes
  + Create agent…
  ✎ Manage saved agents…
Enter choose · Esc close
`,
    );
    await stage.press(KEYS.down, KEYS.enter);
    await run;
    assert.deepEqual(stage.log, [
      "info: A definition has something wrong: see /agents defs",
      "success: Agent: plan (read-only)",
    ]);
    const file = `${stage.env["ALISIO_CONFIG_HOME"]}/config.json`;
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), { agents: { active: "plan" } });
    assert.equal(stage.application.agents.active.id, "plan");
    assert.deepEqual(stage.application.effectVerdicts(), {
      write: "deny",
      process: "deny",
      external: "deny",
    });
  });
});

Deno.test("/agent:<id> lets an agent take over, and says which there is not", async () => {
  await withCommands(OPTIONS, async ({ stage, type, folder }) => {
    await type("/agent:reviewer");
    await type("/agent reviwer");
    await type("/agent:plan");
    await type("/agents defs");
    assert.deepEqual(stage.log.map((line) => line.replaceAll(folder, "")), [
      "success: Agent: reviewer",
      'error: Cannot change the agent: there is no agent "reviwer" that could hold a conversation; ' +
      'did you mean "reviewer"?',
      "success: Agent: plan (read-only)",
      "info: reviewer (primary, /ws/.alisio/agents/reviewer.md): Reviews changes",
      'warning: /ws/.alisio/agents/broken.md: Left out: its first line is not "---", which begins ' +
      "the fields",
    ]);
  });
});

Deno.test("nextAgent() goes through the agents in a circle", async () => {
  await withCommands(OPTIONS, async ({ stage }) => {
    const seen: string[] = [];
    for (let count = 0; count < 4; count++) {
      await nextAgent(stage, "Shift+Tab");
      seen.push(stage.application.agents.active.id);
    }
    assert.deepEqual(seen, ["plan", "reviewer", "build", "plan"]);
    assert.equal(stage.log[0], "info: Agent: plan (read-only) · Shift+Tab cycles agents");
  });
});

Deno.test("/effort takes a level for a model that says nothing of levels", async () => {
  await withCommands(OPTIONS, async ({ stage, type }) => {
    await type("/effort high");
    await type("/effort");
    await type("/effort auto");
    assert.deepEqual(stage.log, [
      'success: Reasoning effort: "high"',
      "info: The levels are known once a session is open: write a prompt first, or name one, " +
      "/effort high",
      "success: Reasoning effort: the default of the provider",
    ]);
  });
});
