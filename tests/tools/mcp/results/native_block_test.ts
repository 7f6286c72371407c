import assert from "node:assert/strict";
import { nativeBlock } from "../../../../tools/mcp/results/native_block.ts";

const tree = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>(
    (below) => ({ label: "x", ...(below === undefined ? {} : { children: [below] }) }),
    undefined,
  );

const SHOWN: readonly (readonly [string, unknown, unknown])[] = [
  ["a table without rows", { columns: ["a"], rows: [] }, {
    kind: "table",
    columns: ["a"],
    rows: [],
  }],
  ["rows by column, with gaps", { columns: ["a", "b"], rows: [{ b: null }, { a: true, b: 0 }] }, {
    kind: "table",
    columns: ["a", "b"],
    rows: [["", null], [true, 0]],
  }],
  ["a caption", { headers: ["a"], rows: [[1]], caption: "one" }, {
    kind: "table",
    columns: ["a"],
    rows: [[1]],
    caption: "one",
  }],
  ["names with values", { a: 1, b: null, c: false, d: "" }, {
    kind: "key-value",
    entries: [
      { key: "a", value: 1 },
      { key: "b", value: null },
      { key: "c", value: false },
      { key: "d", value: "" },
    ],
  }],
  ["a tree", { nodes: [{ label: "a", meta: "m", children: [{ label: "b", children: [] }] }] }, {
    kind: "tree",
    nodes: [{ label: "a", meta: "m", children: [{ label: "b" }] }],
  }],
];

for (const [name, value, expected] of SHOWN) {
  Deno.test(`nativeBlock() shows ${name}`, () => {
    assert.deepEqual(nativeBlock(value), expected);
  });
}

const PLAIN: readonly (readonly [string, unknown])[] = [
  ["no object", [1, 2]],
  ["null", null],
  ["an empty object", {}],
  ["an object with a list", { a: 1, tags: [] }],
  ["a text that no cell holds", { content: "x".repeat(2_001) }],
  ["more entries than are read", Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i, i]))],
  ["a row with another number of cells", { columns: ["a", "b"], rows: [[1]] }],
  ["a row with an unknown column", { columns: ["a"], rows: [{ a: 1, b: 2 }] }],
  ["a nested cell", { columns: ["a"], rows: [[{}]] }],
  ["a row that is none", { columns: ["a"], rows: [1] }],
  ["no columns", { columns: [], rows: [] }],
  ["columns that are no texts", { columns: [1], rows: [[1]] }],
  ["columns of one name", { columns: ["a", "a"], rows: [] }],
  ["columns and headers", { columns: ["a"], headers: ["a"], rows: [] }],
  ["a table with more to say", { columns: ["a"], rows: [[1]], nextCursor: "x" }],
  ["no nodes", { nodes: [] }],
  ["a node without label", { nodes: [{ name: "a" }] }],
  ["a node with more to say", { nodes: [{ label: "a", id: 1 }] }],
  ["children that are none", { nodes: [{ label: "a", children: {} }] }],
  ["a note that is no text", { nodes: [{ label: "a", meta: 1 }] }],
  ["a tree that is too deep", { nodes: [tree(25)] }],
  ["a tree that is too large", { nodes: Array(2_001).fill({ label: "a" }) }],
];

for (const [name, value] of PLAIN) {
  Deno.test(`nativeBlock() leaves ${name} as text`, () => {
    assert.equal(nativeBlock(value), undefined);
  });
}

Deno.test("nativeBlock() says how many rows it left out", () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => [index]);
  const block = nativeBlock({ columns: ["n"], rows });
  assert.ok(block?.kind === "table");
  assert.equal(block.rows.length, 1_000);
  assert.equal(block.caption, "first 1000 of 50000 rows");
});

Deno.test("nativeBlock() shows the deepest tree that is drawn", () => {
  assert.equal(nativeBlock({ nodes: [tree(24)] })?.kind, "tree");
});

Deno.test("nativeBlock() is not misled by names that every object has", () => {
  const row = JSON.parse('{"__proto__": 1}');
  assert.equal(nativeBlock({ columns: ["a"], rows: [row] }), undefined);
  assert.deepEqual(nativeBlock({ columns: ["constructor"], rows: [{}] }), {
    kind: "table",
    columns: ["constructor"],
    rows: [[""]],
  });
});
