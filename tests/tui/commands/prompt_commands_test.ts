import assert from "node:assert/strict";
import { createCommandTable } from "../../../tui/commands/command_table.ts";
import { loadYamlParser } from "../../../tools/standard_tools.ts";
import { withCommands } from "./_command_scene.ts";

const FILES = {
  "config/prompts/review.md":
    "---\ndescription: Review\\x1b a change\nargument-hint: '[focus]'\n---\nReview it: $ARGUMENTS",
  "config/prompts/clear.md": "---\ndescription: Shadowed\n---\nNever",
  "config/prompts/build.md": "---\ndescription: Build\nrequires: [process]\n---\nBuild it",
  "config/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Put it online\n---\nPush it.",
};
const OPTIONS = { files: FILES, loadYamlParser };

Deno.test("createCommandTable() has templates and skills of folders, behind its own", async () => {
  await withCommands(OPTIONS, async ({ stage }) => {
    const table = createCommandTable(stage);
    await table.refresh();
    const rows = table.list().filter(({ source }) => source === "prompt" || source === "skill");
    assert.deepEqual(
      rows.map(({ name, source, argumentHint, description }) => [
        name,
        source,
        argumentHint,
        description,
      ]),
      [
        ["build", "prompt", undefined, "Build"],
        ["review", "prompt", "[focus]", "Review\\x1b a change"],
        ["skill:deploy", "skill", "<request>", "[u] Put it online"],
      ],
    );
    assert.equal(table.find("clear")?.source, "builtin");
  });
});

Deno.test("createCommandTable() leaves skills out where the person wants no such commands", async () => {
  const files = { ...FILES, "config/config.json": '{"tui":{"skillSlashCommands":false}}' };
  await withCommands({ ...OPTIONS, files }, async ({ stage }) => {
    const table = createCommandTable(stage);
    await table.refresh();
    assert.deepEqual(table.list().filter(({ source }) => source === "skill"), []);
  });
});

Deno.test("A template and a skill are sent expanded, and shown as they were typed", async () => {
  await withCommands(OPTIONS, async ({ stage, type }) => {
    await type("/review the tests");
    await type("/skill:deploy to staging");
    assert.equal(stage.log[0], "submit: Review it: the tests as /review the tests");
    assert.match(
      stage.log[1] ?? "",
      /^submit: Follow the skill "deploy" .*\n\nPush it\.\n\nThe request:\n\nto staging as \/skill:deploy to staging$/s,
    );
    assert.equal(stage.log.length, 2);
  });
});

Deno.test("A template waits for the end of a run, and one that cannot run says why", async () => {
  await withCommands({ ...OPTIONS, readOnly: true }, async ({ stage, type }) => {
    stage.running = true;
    await type("/review x");
    stage.running = false;
    await type("/build");
    await type("/skill:nothing");
    assert.equal(
      stage.log[0],
      "warning: /review has to wait for the end of the run; press Esc to stop it first",
    );
    assert.match(stage.log[1] ?? "", /^error: Cannot run "\/build": /);
    assert.match(stage.log[2] ?? "", /^error: /);
    assert.equal(stage.log.length, 3);
  });
});

Deno.test("/init sends the template that comes with Alisio, or the person's own", async () => {
  await withCommands(OPTIONS, async ({ stage, type }) => {
    await type("/init the tests");
    assert.match(stage.log[0] ?? "", /^submit: .*AGENTS\.md.* as \/init the tests$/s);
  });
});
