import assert from "node:assert/strict";
import { ApplicationSkills } from "../../../core/skills/application_skills.ts";
import { createYamlParser } from "../../../tools/yaml_parser.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

function sources(dir: string) {
  return {
    configHome: `${dir}/config`,
    root: dir,
    cwd: dir,
    trusted: false,
    configured: [],
    plugins: [],
  };
}

Deno.test("ApplicationSkills loads nothing where there are no folders of skills", async () => {
  await withTempDir(async (dir) => {
    const skills = new ApplicationSkills({
      sources: () => sources(dir),
      loadYamlParser: () => assert.fail("It was loaded"),
      isDisabled: () => false,
    });
    assert.deepEqual(await skills.look(), { skills: [], diagnostics: [] });
    assert.deepEqual(await skills.text(), { text: null, notices: [] });
    assert.deepEqual(skills.usable(), []);
  });
});

Deno.test("ApplicationSkills goes on without skills after a failure, and tries again", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "config/skills/a/SKILL.md": "---\nname: a\ndescription: A\n---\nDo it.",
    });
    let failures = 1;
    const skills = new ApplicationSkills({
      sources: () => sources(dir),
      loadYamlParser: () =>
        failures-- > 0
          ? Promise.reject(new Error("no module"))
          : Promise.resolve(createYamlParser()),
      isDisabled: () => false,
    });
    assert.deepEqual(await skills.text(), {
      text: null,
      notices: ["Skills are left out, because of a failure: no module"],
    });
    assert.match((await skills.text()).text ?? "", /\n- a: A$/);
    assert.equal((await skills.load("a")).body, "Do it.");
  });
});

Deno.test("ApplicationSkills says of a program without a parser that there are none", async () => {
  await withTempDir(async (dir) => {
    const skills = new ApplicationSkills({ sources: () => sources(dir), isDisabled: () => false });
    assert.deepEqual(await skills.text(), { text: null, notices: [] });
    await assert.rejects(skills.load("a"), { message: "There are no skills in this program" });
  });
});
