import assert from "node:assert/strict";
import { type Area, formatReload, type Snapshot } from "../../../tui/commands/reload.ts";
import { AlisioError } from "../../../core/errors.ts";
import { loadYamlParser } from "../../../tools/standard_tools.ts";
import { writeTree } from "../../support/temp.ts";
import { withCommands } from "./_command_scene.ts";

const area = (entries: Readonly<Record<string, string>>): Area => new Map(Object.entries(entries));
const NOTHING: Snapshot = {
  config: area({}),
  mcp: area({}),
  plugins: area({}),
};

Deno.test("formatReload() tells what was added, removed and changed, by kind", () => {
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`k${at}`, "1"]));
  const before = { ...NOTHING, config: area({ a: "1", b: "1" }), plugins: area({ acme: "1" }) };
  const after = {
    ...NOTHING,
    config: area({ b: "2", c: "1" }),
    mcp: area(many),
    plugins: area({ acme: "1", beta: "1" }),
  };
  assert.equal(
    formatReload(before, after, { agents: 2, skills: 3, prompts: 1 }),
    [
      "Reloaded; what was allowed for the session is forgotten",
      "config: 2; added c; removed a; changed b",
      "agents: 2, looked for at each use",
      "skills: 3, looked for at each use",
      "prompts: 1, looked for at each use",
      "mcp: 0 → 8; added k0, k1, k2, k3, k4 and 3 more",
      "plugins: 1 → 2; added beta",
      "Restart to load changed code of: acme",
    ].join("\n"),
  );
});

Deno.test("/reload reads files again, and keeps the mode that was chosen", async () => {
  await withCommands({ loadYamlParser }, async ({ stage, type, open, folder }) => {
    stage.application.setPermissionMode("auto");
    stage.onReopen = async () => {
      stage.application = await open({ loadYamlParser, approve: () => Promise.resolve("deny") });
    };
    await writeTree(folder, {
      "config/config.json": '{ "limits": { "maxTurns": 7 } }',
      "config/prompts/review.md": "---\ndescription: Review\n---\nReview $ARGUMENTS",
    });
    await type("/reload");
    assert.deepEqual(stage.log, [
      "reopen {}",
      [
        "success: Reloaded; what was allowed for the session is forgotten",
        "config: 0 → 1; added limits.maxTurns",
        "agents: 2, looked for at each use",
        "skills: 0, looked for at each use",
        "prompts: 2, looked for at each use",
        "mcp: 0, unchanged",
        "plugins: 0, unchanged",
      ].join("\n"),
    ]);
    assert.equal(stage.application.permissionMode(), "auto");
    assert.equal(stage.application.loaded.configuration.limits.maxTurns, 7);
  });
});

Deno.test("/reload says why it cannot, and leaves all as it was", async () => {
  await withCommands({}, async ({ stage, type }) => {
    const before = stage.application;
    stage.onReopen = () => Promise.reject(new AlisioError("config_invalid", "It is broken"));
    await type("/reload");
    stage.running = true;
    await type("/reload");
    stage.running = false;
    const question = stage.panels.open(
      () => ({ focused: false, invalidate() {}, handleInput() {}, render: () => [] }),
      { kind: "question" },
    );
    await type("/reload");
    stage.panels.close();
    await question;
    assert.deepEqual(stage.log, [
      "reopen {}",
      "error: Cannot reload, and the session goes on as it was: It is broken",
      "warning: /reload has to wait for the end of the run; press Esc to stop it first",
      "warning: Cannot reload: a question waits for your answer; answer it first",
    ]);
    assert.equal(stage.application, before);
  });
});
