import assert from "node:assert/strict";
import { UI_BLOCK_KINDS, type UiBlock } from "@alisio/sdk";
import { blockRows } from "../../../tui/blocks/block_rows.ts";
import { textOfLine } from "../../../tui/text/span.ts";
import { cellsOfLine } from "../../../tui/text/wrap.ts";
import { markdownLook } from "../markdown/_look.ts";

const look = await markdownLook();

function rowsOf(block: unknown, width = 40): readonly string[] {
  return blockRows(block, { ...look, width }).map((row) => textOfLine(row).trimEnd());
}

/** Blocks, and how they are shown. */
const ROWS: readonly (readonly [block: UiBlock, rows: readonly string[]])[] = [
  [
    { kind: "table", columns: ["a", "b"], rows: [["1", null], [{ c: 2 }, true]], caption: "Two" },
    [
      "a       │ b",
      "────────┼─────",
      "1       │ null",
      '{"c":2} │ true',
      "Two",
    ],
  ],
  [{ kind: "key-value", entries: [{ key: "name", value: "x" }, { key: "n", value: [1, 2] }] }, [
    "name  x",
    "n     [1,2]",
  ]],
  [{
    kind: "tree",
    nodes: [{
      label: "a",
      meta: "2",
      children: [{ label: "b", children: [{ label: "c" }] }, {
        label: "d",
      }],
    }, { label: "e" }],
  }, ["a  2", "├─ b", "│  └─ c", "└─ d", "e"]],
  [{ kind: "code", code: "let a;\n", lang: "ts", caption: "a.ts" }, ["  let a;", "a.ts"]],
  [{ kind: "markdown", text: "# A\n\n- b" }, ["# A", "", "• b"]],
  [{ kind: "diff", path: "a.ts", patch: "--- a\n+++ b\n@@ -8,2 +8,2 @@ x\n a\n-b\n+c\n" }, [
    "a.ts",
    "@@ -8,2 +8,2 @@ x",
    "8   a",
    "9 - b",
    "9 + c",
  ]],
  [{ kind: "diff", before: "a\n", after: "b\nc\n" }, [
    "before",
    "1 - a",
    "after",
    "1 + b",
    "2 + c",
  ]],
  [{
    kind: "terminal",
    command: "make all",
    output: "\x1b[32mok\x1b[0m\n",
    exitCode: 1,
    durationMs: 2_900,
  }, ["$ make all", "ok", "exit 1 · 2.9s"]],
  [{ kind: "mermaid", source: "graph TD;\n  A-->B;", title: "Flow" }, [
    "Flow",
    "  graph TD;",
    "    A-->B;",
  ]],
  [{ kind: "math", latex: "\\frac{a}{b}" }, ["\\frac{a}{b}"]],
  [{ kind: "json", value: { a: [1] } }, ["  {", '    "a": [', "      1", "    ]", "  }"]],
  [{
    kind: "test-results",
    framework: "vitest",
    suites: [{
      name: "math",
      cases: [{ name: "adds", status: "passed", durationMs: 3 }, {
        name: "divides",
        status: "failed",
        message: "by zero",
      }],
    }],
  }, [
    "vitest · 1 passed, 1 failed",
    "Suite │ Case    │ Status   │ Time",
    "──────┼─────────┼──────────┼─────",
    "math  │ adds    │ ✓ passed │ 3ms",
    "math  │ divides │ ✗ failed │",
    "",
    "✗ math: divides",
    "by zero",
  ]],
  [{
    kind: "progress",
    title: "Steps",
    steps: [
      { label: "a", status: "done" },
      { label: "b", status: "running", detail: "now" },
      { label: "c", status: "pending" },
      { label: "d", status: "failed" },
    ],
  }, ["Steps", "✓ a", "● b now", "○ c", "✗ d"]],
];

for (const [block, rows] of ROWS) {
  Deno.test(`blockRows() shows ${JSON.stringify(block).slice(0, 60)}`, () => {
    assert.deepEqual(rowsOf(block), rows);
  });
}

Deno.test("blockRows() is tested with every kind of block", () => {
  const kinds = new Set(ROWS.map(([{ kind }]) => kind));
  assert.deepEqual([...kinds].toSorted(), [...UI_BLOCK_KINDS].toSorted());
});

for (const kind of UI_BLOCK_KINDS) {
  Deno.test(`blockRows() shows a ${kind} block that is none as JSON`, () => {
    assert.deepEqual(rowsOf({ kind }), [`[${kind}]`, "  {", `    "kind": "${kind}"`, "  }"]);
  });
}

const STRANGE: readonly (readonly [block: unknown, label: string])[] = [
  [{ kind: "future", a: 1 }, "[future]"],
  [{ kind: "constructor" }, "[constructor]"],
  [{ kind: "\x1b[31m" }, "[\\x1b[31m]"],
  [{}, "[unknown]"],
  [null, "[unknown]"],
  ["text", "[unknown]"],
  [[1], "[unknown]"],
  [{ kind: "table", columns: ["a"], rows: [1] }, "[table]"],
  [{ kind: "progress", steps: [{ label: "a", status: "toString" }] }, "[progress]"],
  [{ kind: "tree", nodes: [{ label: 1 }] }, "[tree]"],
];

for (const [block, label] of STRANGE) {
  Deno.test(`blockRows() labels ${JSON.stringify(block)} and shows it as JSON`, () => {
    assert.equal(rowsOf(block)[0], label);
  });
}

/** Blocks that are larger than anyone reads, and what says so. */
const LARGE: readonly (readonly [block: object, more: RegExp])[] = [
  [
    { kind: "table", columns: ["a"], rows: Array.from({ length: 9_999 }, () => ["x"]) },
    /9799 more rows/,
  ],
  [{ kind: "tree", nodes: Array.from({ length: 999 }, () => ({ label: "x" })) }, /799 more nodes/],
  [{ kind: "code", code: "x\n".repeat(99_999) }, /more rows/],
  [{ kind: "json", value: Array.from({ length: 9_999 }, () => 1) }, /more lines/],
  [{ kind: "json", value: "x".repeat(999_999) }, /more rows/],
  [{ kind: "terminal", output: "x\n".repeat(99_999) }, /earlier output left out/],
  [{ kind: "diff", before: "x\n".repeat(9_999) }, /9599 more lines/],
  [
    {
      kind: "progress",
      steps: Array.from({ length: 999 }, () => ({ label: "x", status: "done" })),
    },
    /799 more steps/,
  ],
  [{ kind: "future", a: "x".repeat(5_000_000) }, /more rows/],
];

for (const [block, more] of LARGE) {
  Deno.test(`blockRows() bounds ${JSON.stringify(block).slice(0, 40)}…`, () => {
    for (const width of [1, 40, 200]) {
      const rows = blockRows(block, { ...look, width });
      assert.ok(rows.length <= 601);
      for (const row of rows) if (width > 30) assert.ok(cellsOfLine(row) <= width);
    }
    assert.match(rowsOf(block).join("\n"), more);
  });
}

Deno.test("blockRows() shows the end of what a program printed, and failures before successes", () => {
  assert.match(
    rowsOf({ kind: "terminal", output: `${"x\n".repeat(9_999)}last` }).join("\n"),
    /last$/,
  );
  const cases = Array.from({ length: 900 }, (_, index) => ({
    name: `n${index}`,
    status: index === 899 ? "failed" : "passed",
  }));
  const rows = rowsOf({ kind: "test-results", suites: [{ name: "s", cases }] });
  assert.match(rows.join("\n"), /899 passed, 1 failed[^]*n899[^]*n0/);
});
