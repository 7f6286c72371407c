import assert from "node:assert/strict";
import { loadYamlParser } from "../../../tools/standard_tools.ts";
import { withScene } from "../../support/application_scene.ts";

const never = new AbortController().signal;

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\nDo it.\n`;
}

async function configOf(folder: string): Promise<unknown> {
  return JSON.parse(await Deno.readTextFile(`${folder}/ws/.alisio/config.json`));
}

Deno.test("switchSkill() works at once, stays, and keeps the project trusted", async () => {
  await withScene({
    "config/skills/a/SKILL.md": skill("a"),
    "config/skills/b/SKILL.md": skill("b"),
    "config/config.json": `{"skillOverrides": {"b": {"enabled": false}}}`,
  }, async ({ folder, open }) => {
    const application = await open({ loadYamlParser });
    const states = async (of = application) =>
      (await of.listSkills()).skills.map(({ name, enabled }) => [name, enabled]);
    assert.deepEqual(await states(), [["a", true], ["b", false]]);
    assert.equal(await application.switchSkill("a", false, never), null);
    assert.equal(await application.switchSkill("b", true, never), null);
    assert.deepEqual(await states(), [["a", false], ["b", true]]);
    assert.deepEqual(await configOf(folder), {
      skillOverrides: { a: { enabled: false }, b: { enabled: true } },
    });
    const next = await open({ loadYamlParser });
    assert.equal(next.trust.state, "trusted");
    assert.deepEqual(await states(next), [["a", false], ["b", true]]);
    // What the person's own configuration says needs no word of the project.
    await next.switchSkill("a", true, never);
    await next.switchSkill("b", false, never);
    assert.deepEqual(await configOf(folder), {});
  });
});

Deno.test("switchSkill() refuses what it cannot switch, and changes nothing then", async () => {
  await withScene({
    "config/skills/a/SKILL.md": skill("a"),
    "p/p.js": `export default { id: "acme.p", version: "0.1.0", apiVersion: 1,
      setup: (api) => void api.resources.skills("skills") };`,
    "p/skills/brought/SKILL.md": skill("brought"),
    "ws/.alisio/prompts/x.md": "x",
    "own.json": "{}",
  }, async ({ folder, open }) => {
    const application = await open({ loadYamlParser, plugin: [`${folder}/p/p.js`] });
    const rows: readonly (readonly [string, RegExp])[] = [
      ["c", /^There is no skill "c"; did you mean "a"\?$|^There is no skill "c"$/],
      ["brought", /^Cannot switch skill "brought": plugin "acme\.p" brings it; switch the plugin$/],
      ["a", /^Cannot change the configuration of ".*ws": the project is not trusted; review it /],
    ];
    for (const [name, message] of rows) {
      await assert.rejects(application.switchSkill(name, false, never), { message }, name);
    }
    const explicit = await open({ loadYamlParser, config: `${folder}/own.json` });
    await assert.rejects(explicit.switchSkill("a", false, never), {
      message:
        'Cannot switch a skill: "--config" takes the place of the configuration of the project',
    });
    const { skills } = await application.listSkills();
    assert.deepEqual(skills.map(({ name, enabled }) => [name, enabled]), [
      ["a", true],
      ["brought", true],
    ]);
    await assert.rejects(configOf(folder), Deno.errors.NotFound);
  });
});
