import assert from "node:assert/strict";
import { discoverTemplates } from "../../../core/prompts/discover_templates.ts";
import type { PromptFolder } from "../../../core/prompts/find_templates.ts";
import { createYamlParser } from "../../../tools/yaml_parser.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const FINE = "---\ndescription: Fine\n---\nDo it.";

function discover(folders: readonly PromptFolder[], reserved: readonly string[] = []) {
  return discoverTemplates({
    folders,
    parse: createYamlParser(),
    isClosed: (real) => real.includes("closed"),
    reserved: new Set(reserved),
  });
}

Deno.test("discoverTemplates() has /init, and reads what a file says", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "review.md": '---\ndescription: " Review "\nargument-hint: "[branch]"\n' +
        "requires: [process, write]\n---\n\nReview $1.\n",
      "notes.txt": "x",
      ".hidden.md": "x",
      "folder.md/x": "",
    });
    const { templates, diagnostics } = await discover([{ path: dir, source: "user" }]);
    assert.deepEqual(diagnostics, []);
    assert.deepEqual(templates.map(({ name }) => name), ["init", "review"]);
    assert.deepEqual(templates[1], {
      name: "review",
      source: "user",
      path: `${dir}/review.md`,
      description: "Review",
      argumentHint: "[branch]",
      requires: ["write", "process"],
      body: "Review $1.",
    });
  });
});

Deno.test("discoverTemplates() lets the project win over the person, and both over plugins", async () => {
  await withTempDir(async (dir) => {
    const text = (who: string) => `---\ndescription: Of ${who}\n---\nx`;
    await writeTree(dir, {
      "z/a.md": text("z"),
      "b/a.md": text("b"),
      "b/help.md": text("b"),
      "user/init.md": text("user"),
      "user/c.md": text("user"),
      "project/c.md": text("project"),
    });
    const { templates, diagnostics } = await discover([
      { path: `${dir}/project`, source: "project" },
      { path: `${dir}/user`, source: "user" },
      { path: `${dir}/z`, source: "plugin", plugin: "acme.z" },
      { path: `${dir}/b`, source: "plugin", plugin: "acme.b" },
    ], ["help"]);
    assert.deepEqual(
      templates.map(({ name, description, source }) => [name, description, source]),
      [
        ["a", "Of b", "plugin"],
        ["c", "Of project", "project"],
        ["init", "Of user", "user"],
      ],
    );
    assert.deepEqual(diagnostics, [
      {
        code: "prompt_shadowed",
        path: `${dir}/b/help.md`,
        message: 'the command "/help" has its name; rename the file to use it',
      },
      {
        code: "prompt_conflict",
        path: `${dir}/z/a.md`,
        message: `"/a" is "${dir}/b/a.md" already, whose plugin comes first; this one is left out`,
      },
      {
        code: "prompt_override",
        path: `${dir}/user/init.md`,
        message: 'it takes the place of the one of Alisio as "/init"',
      },
      {
        code: "prompt_override",
        path: `${dir}/project/c.md`,
        message: `it takes the place of "${dir}/user/c.md" as "/c"`,
      },
    ]);
  });
});

const BROKEN: readonly (readonly [string, string | Uint8Array, string])[] = [
  ["empty.md", "", 'its first line is not "---", which begins the fields'],
  ["open.md", "---\ndescription: x\n", 'no second "---" ends its fields'],
  ["none.md", "---\n---\nx", 'its field "description" is missing'],
  [
    "list.md",
    "---\ndescription: [x]\n---\nx",
    'its field "description" is not text; put it in quotes',
  ],
  [
    "hint.md",
    "---\ndescription: x\nargument-hint: [focus]\n---\nx",
    'its field "argument-hint" is not text; put it in quotes',
  ],
  [
    "long.md",
    `---\ndescription: ${"x".repeat(301)}\nargument-hint: ${"y".repeat(121)}\n---\nx`,
    'its field "description" is 301 characters long, the limit is 300; ' +
    'its field "argument-hint" is 121 characters long, the limit is 120',
  ],
  [
    "require.md",
    "---\ndescription: x\nrequire: [write]\n---\nx",
    'it has a field "require" that no template has: did you mean "requires"?',
  ],
  [
    "model.md",
    "---\ndescription: x\nmodel: y\n---\nx",
    'it has a field "model" that no template has: the fields are "description", ' +
    '"argument-hint", "requires"',
  ],
  [
    "net.md",
    "---\ndescription: x\nrequires: [net]\n---\nx",
    'its field "requires" is no list of "write" and "process"',
  ],
  [
    "text.md",
    "---\ndescription: x\nrequires: write\n---\nx",
    'its field "requires" is no list of "write" and "process"',
  ],
  ["body.md", "---\ndescription: x\n---\n \n", "it holds no prompt"],
  ["big.md", FINE + "x".repeat(65_536), "it is larger than the limit of 65536 bytes"],
  ["bytes.md", new Uint8Array([0, 1, 2, 3]), "it is not text but unknown binary data"],
  ["closed.md", FINE, "it lies in a place that stays closed in this run"],
  [
    "Big Name.md",
    FINE,
    'its name "Big Name" is not made of 1 to 41 lowercase letters, digits and hyphens, the first no hyphen',
  ],
];

for (const [file, content, message] of BROKEN) {
  Deno.test(`discoverTemplates() says what is wrong with ${file}`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { [file]: content, "fine.md": FINE });
      const { templates, diagnostics } = await discover([{ path: dir, source: "user" }]);
      assert.deepEqual(diagnostics, [{ code: "prompt_invalid", path: `${dir}/${file}`, message }]);
      assert.deepEqual(templates.map(({ name }) => name), ["fine", "init"]);
    });
  });
}

Deno.test("discoverTemplates() gets over links and folders that are not there", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "out.md": FINE, "p/x": "" });
    await Deno.symlink(`${dir}/out.md`, `${dir}/p/out.md`);
    await Deno.symlink(`${dir}/gone`, `${dir}/p/gone.md`);
    const { templates, diagnostics } = await discover([
      { path: `${dir}/p`, source: "project", within: `${dir}/p` },
      { path: `${dir}/none`, source: "user" },
      { path: `${dir}/none`, source: "plugin", plugin: "acme.p" },
    ]);
    assert.deepEqual(templates.map(({ name }) => name), ["init"]);
    assert.deepEqual(
      diagnostics.map(({ path, message }) => [path.slice(dir.length + 1), message]),
      [
        ["none", "it is not there"],
        ["p/gone.md", "it is a link to something that does not exist"],
        ["p/out.md", "a link leads it outside the folder that it must lie in"],
      ],
    );
  });
});
