import assert from "node:assert/strict";
import { discoverSkills } from "../../../core/skills/discover_skills.ts";
import type { SkillRoot } from "../../../core/skills/skill_roots.ts";
import { createYamlParser } from "../../../tools/yaml_parser.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const parse = createYamlParser();

/** A file of a skill that nothing is wrong with. */
function skill(name: string, description = `About ${name}`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;
}

function discover(roots: readonly Partial<SkillRoot>[], disabled: readonly string[] = []) {
  return discoverSkills({
    roots: roots.map((root) => ({ path: "", scope: "user", isNamed: false, ...root })),
    parse,
    isDisabled: (name) => disabled.includes(name),
    isClosed: (real) => real.includes("closed"),
  });
}

Deno.test("discoverSkills() gives each name to the first that has it", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "one/a/SKILL.md": skill("a"),
      "one/deep/er/b/SKILL.md": skill("b"),
      "two/a/SKILL.md": skill("a", "Another"),
      "two/c/SKILL.md": skill("c"),
    });
    const { skills, diagnostics } = await discover(
      [{ path: `${dir}/one`, scope: "project" }, {
        path: `${dir}/two`,
        scope: "plugin",
        plugin: "acme.p",
      }],
      ["b", "c"],
    );
    assert.deepEqual(diagnostics, []);
    const [first] = skills;
    assert.deepEqual(first, {
      name: "a",
      description: "About a",
      scope: "project",
      folder: `${dir}/one/a`,
      path: `${dir}/one/a/SKILL.md`,
      bytes: 44,
      tokens: 11,
      enabled: true,
      locked: false,
    });
    assert.deepEqual(
      skills.map((each) => [each.name, each.scope, each.enabled, each.locked, each.shadowedBy]),
      [
        ["a", "project", true, false, undefined],
        ["b", "project", false, false, undefined],
        ["a", "plugin", true, true, `${dir}/one/a/SKILL.md`],
        ["c", "plugin", true, true, undefined],
      ],
    );
  });
});

const BROKEN: readonly (readonly [string, string | Uint8Array, "error" | "warning", string])[] = [
  ["no fields", "Do it.", "error", 'its first line is not "---", which begins the fields'],
  ["no name", "---\ndescription: x\n---\nx", "error", 'its field "name" is missing'],
  [
    "a number for a name",
    "---\nname: 1\ndescription: x\n---\nx",
    "error",
    'its field "name" is not text',
  ],
  [
    "a name in capitals",
    "---\nname: Big\ndescription: x\n---\nx",
    "error",
    'its name "Big" is not made of lowercase letters, digits and single hyphens between them',
  ],
  [
    "a name with two hyphens",
    "---\nname: a--b\ndescription: x\n---\nx",
    "error",
    'its name "a--b" is not made of lowercase letters, digits and single hyphens between them',
  ],
  [
    "a long name",
    `---\nname: ${"a".repeat(65)}\ndescription: x\n---\nx`,
    "error",
    "its name is 65 characters long, the limit is 64",
  ],
  ["no description", "---\nname: it\n---\nx", "error", 'its field "description" is missing'],
  [
    "an empty description",
    '---\nname: it\ndescription: " "\n---\nx',
    "error",
    'its field "description" is empty',
  ],
  [
    "a list for a description",
    "---\nname: it\ndescription: [x]\n---\nx",
    "error",
    'its field "description" is not text',
  ],
  [
    "a long description",
    `---\nname: it\ndescription: ${"x".repeat(1_025)}\n---\nx`,
    "error",
    "its description is 1025 characters long, the limit is 1024",
  ],
  [
    "another name than its folder",
    skill("other"),
    "warning",
    'its name "other" is not the one of its folder, "it"',
  ],
  ["no text", "---\nname: it\ndescription: x\n---\n", "warning", "it holds no instructions"],
  [
    "bytes",
    new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
    "error",
    "it is not text but ELF program",
  ],
  [
    "Latin-1",
    new Uint8Array([...new TextEncoder().encode(skill("it")), 0xe9, 0x20]),
    "error",
    "it is not UTF-8 text",
  ],
  [
    "600 KB",
    skill("it") + "x".repeat(600_000),
    "error",
    "it is larger than the limit of 524288 bytes",
  ],
];

for (const [name, content, severity, message] of BROKEN) {
  Deno.test(`discoverSkills() says what is wrong with a file with ${name}`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "it/SKILL.md": content, "fine/SKILL.md": skill("fine") });
      const { skills, diagnostics } = await discover([{ path: dir }]);
      assert.deepEqual(diagnostics, [{ path: `${dir}/it/SKILL.md`, severity, message }]);
      assert.equal(skills.length, severity === "error" ? 1 : 2);
      assert.equal(skills[0]?.name, "fine");
    });
  });
}

Deno.test("discoverSkills() says both when name and description are wrong", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "it/SKILL.md": "---\nnames: it\n---\nx" });
    const { diagnostics } = await discover([{ path: dir }]);
    assert.deepEqual(diagnostics.map(({ message }) => message), [
      'its field "name" is missing',
      'its field "description" is missing',
    ]);
  });
});

Deno.test("discoverSkills() gets over folders and links of every kind", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "root/closed/SKILL.md": skill("closed"),
      "root/lower/skill.md": skill("lower"),
      "root/node_modules/x/SKILL.md": skill("x"),
      "root/1/2/3/4/5/6/SKILL.md": skill("deep"),
      "root/isfolder/SKILL.md/x": "",
      "out/SKILL.md": skill("out"),
      "root/a/SKILL.md": skill("a"),
      "file": "",
    });
    await Deno.symlink(`${dir}/out`, `${dir}/root/out`);
    await Deno.symlink(`${dir}/nowhere`, `${dir}/root/gone`);
    await Deno.symlink(`${dir}/root`, `${dir}/root/a/circle`);
    await Deno.symlink(`${dir}/root/a`, `${dir}/root/again`);
    await Deno.mkdir(`${dir}/root/pipe`);
    await new Deno.Command("mkfifo", { args: [`${dir}/root/pipe/SKILL.md`] }).output();
    const { skills, diagnostics } = await discover([
      { path: `${dir}/root`, within: `${dir}/root` },
      { path: `${dir}/none` },
      { path: `${dir}/missing`, isNamed: true },
      { path: `${dir}/file`, isNamed: true },
    ]);
    assert.deepEqual(skills.map(({ name }) => name), ["a"]);
    const said = diagnostics.map(({ path, message }) => [path.slice(dir.length + 1), message]);
    assert.deepEqual(said.sort(), [
      ["file", "Skipped: it is not a folder"],
      ["missing", "Skipped: it is not there, or its link leads nowhere"],
      ["root", "Not looked through to the end: its folders are nested deeper than 5"],
      ["root/closed/SKILL.md", "it lies in a place that stays closed in this run"],
      ["root/gone", "Skipped: it is not there, or its link leads nowhere"],
      ["root/isfolder/SKILL.md", "it is a folder, not a file"],
      ["root/lower/skill.md", 'Skipped: its name must be written "SKILL.md"'],
      ["root/out", "Skipped: its link leads out of the project"],
      ["root/pipe/SKILL.md", "it is not a regular file"],
    ]);
  });
});

Deno.test("discoverSkills() follows links of the person's own folders, and looks into 2,000", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "elsewhere/SKILL.md": skill("elsewhere"),
      "user/z/SKILL.md": skill("z"),
    });
    await Deno.symlink(`${dir}/elsewhere`, `${dir}/user/elsewhere`);
    for (let at = 0; at < 2_000; at++) await Deno.mkdir(`${dir}/many/${at}`, { recursive: true });
    const { skills, diagnostics } = await discover([{ path: `${dir}/user` }, {
      path: `${dir}/many`,
    }]);
    assert.deepEqual(skills.map(({ name, folder }) => [name, folder]), [
      ["elsewhere", `${dir}/elsewhere`],
      ["z", `${dir}/user/z`],
    ]);
    assert.deepEqual(diagnostics, [{
      path: `${dir}/many`,
      severity: "warning",
      message: "Not looked through to the end: it has more than 2000 folders",
    }]);
  });
});
