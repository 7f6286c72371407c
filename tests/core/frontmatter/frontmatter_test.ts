import assert from "node:assert/strict";
import { type Frontmatter, readFrontmatter } from "../../../core/frontmatter/frontmatter.ts";
import { createYamlParser } from "../../../tools/yaml_parser.ts";

const parse = createYamlParser();

const READ:
  readonly (readonly [string, string, Omit<Frontmatter & { status: "read" }, "status">])[] = [
    ["fields and a body", "---\na: 1\nb: two\n---\n\nText\n", {
      fields: { a: 1, b: "two" },
      body: "Text",
    }],
    ["a byte order mark and line ends of Windows", "\uFEFF---\r\na: x\r\n---\r\nText\r\nmore", {
      fields: { a: "x" },
      body: "Text\nmore",
    }],
    ["no fields", "---\n---\nText", { fields: {}, body: "Text" }],
    ["no body", "---\na: x\n---", { fields: { a: "x" }, body: "" }],
    ["a text over several lines", "---\na: >\n  one\n  two\n---\n", {
      fields: { a: "one two\n" },
      body: "",
    }],
    ["a tag, which makes nothing", "---\na: !!js/function 'x'\n---\n", {
      fields: { a: "x" },
      body: "",
    }],
    ["a later line of hyphens", "---\na: x\n---\nText\n---\nmore", {
      fields: { a: "x" },
      body: "Text\n---\nmore",
    }],
    ["a colon in a value", "---\nname: x\ndescription: Use when: asked\n---\n", {
      fields: { name: "x", description: "Use when: asked" },
      body: "",
      flaw:
        "its fields are no valid YAML: Nested mappings are not allowed in compact mappings at " +
        "line 3, column 14; put the value in quotes",
    }],
  ];

for (const [name, text, expected] of READ) {
  Deno.test(`readFrontmatter() reads ${name}`, () => {
    assert.deepEqual(readFrontmatter(text, parse), { status: "read", ...expected });
  });
}

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ["an empty file", "", /^its first line is not "---", which begins the fields$/],
  ["a file without fields", "# Title\n", /^its first line is not "---"/],
  ["fields without an end", "---\na: x\n", /^no second "---" ends its fields$/],
  ["a list", "---\n- a\n---\n", /^its fields are not written as "name: value"$/],
  ["plain text", "---\nhello\n---\n", /^its fields are not written as "name: value"$/],
  ["a quote without an end", '---\na: "x\n---\n', /^its fields are no valid YAML: Missing closing/],
  ["a bracket without an end", "---\na: [x\n---\n", /^its fields are no valid YAML: /],
  ["a name that stands twice", "---\na: 1\na: 2\n---\n", /no valid YAML: Map keys must be unique/],
  [
    "aliases without bounds",
    `---\na: &a [x, x, x, x, x]\n${
      ["b", "c", "d", "e", "f"].map((it, at) =>
        `${it}: &${it} [${Array(9).fill(`*${"abcdef"[at]}`)}]`
      ).join("\n")
    }\n---\n`,
    /no valid YAML: Excessive alias count/,
  ],
  [
    "too many fields",
    `---\na: ${"x".repeat(20_000)}\n---\n`,
    /take 20004 characters, the limit is/,
  ],
];

for (const [name, text, reason] of BROKEN) {
  Deno.test(`readFrontmatter() refuses ${name}`, () => {
    const read = readFrontmatter(text, parse);
    assert.ok(read.status === "broken");
    assert.match(read.reason, reason);
  });
}
