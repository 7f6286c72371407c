import assert from "node:assert/strict";
import type { YamlChange } from "../../core/frontmatter/yaml_editor.ts";
import { createYamlEditor } from "../../tools/yaml_editor.ts";

const edit = createYamlEditor();

const HEAD = `# Whose it is
name:   reviewer # never change
description: >-
  Reviews
  changes

# Claude Code
tools: [Read,   'Grep']
x-foreign: {b: 1,   a: [2]}
alisio:   # of Alisio
    displayName: "Reviewer"   # shown
    # how much
    reasoning: {effort: high,  summary: auto}
    # the end
model: &m inherit
copy: *m
# tail
`;

function set(path: string, value: YamlChange["value"]): YamlChange {
  return { path: path.split("."), value };
}

/** Lines that differ, as \`- before\` and \`+ after\`. */
function difference(before: string, after: string): readonly string[] {
  const [was, is] = [before.split("\n"), after.split("\n")];
  return [
    ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
  ];
}

const ROWS: readonly (readonly [name: string, change: YamlChange, lines: readonly string[]])[] = [
  ["leaves what is so already", set("name", "reviewer"), []],
  ["leaves out what is not there", set("color", undefined), []],
  ["replaces a plain value, and keeps its remark", set("name", "a: b"), [
    "- name:   reviewer # never change",
    '+ name:   "a: b" # never change',
  ]],
  ["replaces a value of several lines", set("description", "Looks"), [
    "- description: >-",
    "-   Reviews",
    "-   changes",
    "+ description: Looks",
  ]],
  ["writes several lines into one", set("description", "a\nb\x1b"), [
    "- description: >-",
    "-   Reviews",
    "-   changes",
    '+ description: "a\\nb\\e"',
  ]],
  ["replaces a list", set("tools", ["Read", "Bash(git diff:*, ls)"]), [
    "- tools: [Read,   'Grep']",
    '+ tools: [Read, "Bash(git diff:*, ls)"]',
  ]],
  ["replaces below a mapping", set("alisio.displayName", "true"), [
    '-     displayName: "Reviewer"   # shown',
    '+     displayName: "true"   # shown',
  ]],
  ["replaces below a mapping in braces", set("alisio.reasoning.effort", "low"), [
    "-     reasoning: {effort: high,  summary: auto}",
    "+     reasoning: {effort: low,  summary: auto}",
  ]],
  ["adds below a mapping, with its indent", set("alisio.updatedAt", "2026-12-01"), [
    "+     updatedAt: 2026-12-01",
  ]],
  ["adds a mapping below a mapping", set("alisio.text.verbosity", "low"), [
    "+     text:",
    "+       verbosity: low",
  ]],
  ["adds a field", set("mode", "all"), ["+ mode: all"]],
  ["adds a field with a strange name", set("a: b", null), ['+ "a: b": null']],
  ["removes a field with its remark", set("name", undefined), [
    "- name:   reviewer # never change",
  ]],
  ["removes a field of several lines", set("description", undefined), [
    "- description: >-",
    "-   Reviews",
    "-   changes",
  ]],
  ["removes below a mapping", set("alisio.displayName", undefined), [
    '-     displayName: "Reviewer"   # shown',
  ]],
];

for (const [name, change, lines] of ROWS) {
  Deno.test(`YamlEditor ${name}`, () => {
    assert.deepEqual(difference(HEAD, edit(HEAD, [change])), lines);
    // The same with the line ends of Windows.
    const windows = edit(HEAD.replaceAll("\n", "\r\n"), [change]);
    assert.equal(windows.replaceAll("\r\n", ""), edit(HEAD, [change]).replaceAll("\n", ""));
  });
}

Deno.test("YamlEditor keeps the rest where only the library can make the change", () => {
  const before = "# top\nalisio: {displayName: A}\nx: 1 # one\n";
  assert.equal(
    edit(before, [set("alisio.reasoning.effort", "low")]),
    "# top\nalisio: { displayName: A, reasoning: { effort: low } }\nx: 1 # one\n",
  );
  assert.equal(
    edit("tools:\n  - Read # a\n  - Grep\nx: 1 # one\n", [set("tools", ["Read"])]),
    "tools:\n  - Read\nx: 1 # one\n",
  );
});

Deno.test("YamlEditor takes a mapping out with its last field, and makes one of nothing", () => {
  assert.equal(
    edit("name: a\nalisio:\n  reasoning:\n    effort: low\n# tail\n", [
      set("alisio.reasoning.effort", undefined),
    ]),
    "name: a\n# tail\n",
  );
  assert.equal(edit("", [set("a", "1"), set("b.c", true)]), 'a: "1"\nb:\n  c: true\n');
  assert.equal(edit("# nothing yet\n", [set("a", 1)]), "# nothing yet\na: 1\n");
  assert.equal(edit("alisio:\nx: 1", [set("alisio.a", 1)]), "alisio: {a: 1}\nx: 1\n");
});

Deno.test("YamlEditor refuses what is no mapping of fields", () => {
  for (const text of ["- a\n", "text\n", "a: [1\n", "a: b: c\n"]) {
    assert.throws(() => edit(text, [set("name", "x")]), Error, text);
  }
});
