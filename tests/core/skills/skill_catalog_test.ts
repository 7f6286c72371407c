import assert from "node:assert/strict";
import { SkillCatalog } from "../../../core/skills/skill_catalog.ts";
import { createYamlParser } from "../../../tools/yaml_parser.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const REVIEW = "---\nname: review\ndescription: Reviews\n---\n\nLook first.\n";

async function withCatalog(
  body: (catalog: SkillCatalog, dir: string, disabled: Set<string>) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "s/review/SKILL.md": REVIEW,
      "s/review/scripts/run.sh": "echo hi\n",
      "s/review/image.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa]),
      "s/review/secret.txt": "no",
      "secret": "outside",
    });
    await Deno.symlink(`${dir}/secret`, `${dir}/s/review/link`);
    const disabled = new Set<string>();
    const catalog = new SkillCatalog({
      roots: () => [{ path: `${dir}/s`, scope: "project", within: `${dir}/s`, isNamed: false }],
      parse: createYamlParser(),
      isDisabled: (name) => disabled.has(name),
      isClosed: (real) => real.endsWith("secret.txt"),
    });
    await catalog.refresh();
    await body(catalog, dir, disabled);
  });
}

Deno.test("SkillCatalog loads a skill as it is at this moment, with the files beside it", async () => {
  await withCatalog(async (catalog, dir) => {
    await writeTree(dir, { "s/review/SKILL.md": REVIEW + "Then more.\n" });
    const { skill, body, files } = await catalog.load("review");
    assert.deepEqual([skill.folder, body], [`${dir}/s/review`, "Look first.\nThen more."]);
    assert.deepEqual(files, ["image.png", "scripts/run.sh", "secret.txt"]);
    await writeTree(dir, { "s/review/SKILL.md": "broken" });
    await assert.rejects(catalog.load("review"), {
      message: 'Cannot load skill "review": its first line is not "---", which begins the fields',
    });
  });
});

Deno.test("SkillCatalog names the nearest skill, and one that is switched off", async () => {
  await withCatalog(async (catalog, _dir, disabled) => {
    await assert.rejects(catalog.load("reviw"), {
      message: 'There is no skill "reviw": did you mean "review"?',
    });
    await assert.rejects(catalog.load("publish"), {
      message: 'There is no skill "publish": the skills are review',
    });
    disabled.add("review");
    assert.deepEqual(catalog.usable(), []);
    await assert.rejects(catalog.load("review"), {
      message: 'Skill "review" is switched off by the person',
    });
    await assert.rejects(catalog.load("publish"), {
      message: 'There is no skill "publish": there are none',
    });
  });
});

const RESOURCES: readonly (readonly [string, string])[] = [
  ["../../secret", "the path must be relative to the folder of the skill, and stay in it"],
  ["/etc/passwd", "the path must be relative to the folder of the skill, and stay in it"],
  ["link", "a link leads it outside the folder that it must lie in"],
  ["secret.txt", "it lies in a place that stays closed in this run"],
  ["scripts", "it is a folder, not a file"],
  ["image.png", "it is not text but PNG image"],
  ["script/run.sh", 'it is not there; did you mean "scripts/run.sh"?'],
];

for (const [path, reason] of RESOURCES) {
  Deno.test(`SkillCatalog refuses ${path} as a file of a skill`, async () => {
    await withCatalog(async (catalog) => {
      await assert.rejects(catalog.resource("review", path), (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.ok(
          error.message.includes(`Cannot read "${path}" of skill "review": ${reason}`),
          error.message,
        );
        return true;
      });
    });
  });
}

Deno.test("SkillCatalog reads a file of a skill", async () => {
  await withCatalog(async (catalog) => {
    assert.equal(await catalog.resource("review", "./scripts/run.sh"), "echo hi\n");
  });
});
