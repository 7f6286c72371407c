import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { DiffBlock } from "@alisio/sdk";
import { applyPatch } from "diff";
import { createDiffPart, type DiffOptions, type FileChange } from "../../tools/unified_diff.ts";

async function diff(change: FileChange, options: DiffOptions = {}): Promise<DiffBlock> {
  const { block } = await createDiffPart(change, options);
  if (block.kind !== "diff") throw new TypeError(`Block is ${block.kind}`);
  return block;
}

Deno.test("createDiffPart() gives a unified patch with headers and language", async () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n";
  deepStrictEqual(await diff({ path: "src/a.ts", before, after: before.replace("5", "five") }), {
    kind: "diff",
    patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    path: "src/a.ts",
    lang: "ts",
  });
});

const ROWS: readonly (readonly [string, FileChange, string])[] = [
  [
    "a new file",
    { path: "Makefile", before: null, after: "a\nb\n" },
    "--- /dev/null\n+++ b/Makefile\n@@ -0,0 +1,2 @@\n+a\n+b\n",
  ],
  [
    "an emptied file",
    { path: "a", before: "a\n", after: "" },
    "--- a/a\n+++ b/a\n@@ -1,1 +0,0 @@\n-a\n",
  ],
  [
    "a lost final newline (field case 65)",
    { path: "a", before: "a\n", after: "a" },
    "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n",
  ],
  [
    "a missing final newline (field case 65)",
    { path: "a", before: "a\nb", after: "A\nb" },
    "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
  ],
  [
    "changed line ends",
    { path: "a", before: "a\r\n", after: "a\n" },
    "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\r\n+a\n",
  ],
  [
    "a name that would break the header",
    { path: 'a\n"b', before: "a\n", after: "b\n" },
    '--- "a/a\\n\\"b"\n+++ "b/a\\n\\"b"\n@@ -1,1 +1,1 @@\n-a\n+b\n',
  ],
];

for (const [name, change, patch] of ROWS) {
  Deno.test(`createDiffPart() shows ${name}`, async () => {
    strictEqual((await diff(change)).patch, patch);
  });
}

Deno.test("createDiffPart() gives patches that lead from one text to the other", async () => {
  // A generator of its own, so that every run sees the same texts.
  let state = 1;
  function pick(count: number): number {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  }
  function text(): string {
    const lines = Array.from({ length: pick(12) }, () => `${"abc"[pick(3)]}\n`).join("");
    return pick(3) === 0 ? lines.slice(0, -1) : lines;
  }
  for (let round = 0; round < 400; round++) {
    const change = { path: "a", before: text(), after: text() };
    if (change.before === change.after) continue;
    const { patch = "" } = await diff(change, { maxEditLength: pick(2) === 0 ? 2 : 100 });
    strictEqual(applyPatch(change.before, patch), change.after, JSON.stringify({ change, patch }));
  }
});

Deno.test("createDiffPart() compares only what differs in a long text", async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}\n`);
  const added = lines.with(9_999, `${"new\n".repeat(4_000)}`);
  const { patch = "", caption } = await diff({
    path: "a",
    before: lines.join(""),
    after: added.join(""),
  });
  ok(patch.startsWith(
    "--- a/a\n+++ b/a\n@@ -9997,7 +9997,4006 @@\n line 9997\n line 9998\n line 9999\n-line 10000\n+new\n",
  ));
  ok(patch.endsWith("+new\n line 10001\n line 10002\n line 10003\n"));
  match(caption ?? "", /^Too different/);
});

Deno.test("createDiffPart() shows a long addition without a caption", async () => {
  const after = "x\n".repeat(10_000);
  const { patch = "", caption } = await diff({
    path: "a",
    before: "a\nb",
    after: `a\nb\n${after}`,
  });
  ok(patch.startsWith("--- a/a\n+++ b/a\n@@ -1,2 +1,10002 @@\n a\n-b\n\\ No newline"));
  match(caption ?? "", /^Too different/);
  const plain = await diff({ path: "a", before: "a\nb\n", after: `a\nb\n${after}` });
  ok(plain.patch?.startsWith("--- a/a\n+++ b/a\n@@ -1,2 +1,10002 @@\n a\n b\n+x\n"));
  strictEqual(plain.caption, undefined);
});

Deno.test("createDiffPart() has no language for names without an extension", async () => {
  for (const [path, lang] of [["a.tar.gz", "gz"], [".env", undefined], ["a.b/c", undefined]]) {
    strictEqual((await diff({ path: path ?? "", before: "", after: "a" })).lang, lang);
  }
});

Deno.test("createDiffPart() cuts at the end of a line and says so", async () => {
  const after = "漢字漢字\n".repeat(30_000);
  const { patch = "", caption = "" } = await diff({ path: "a", before: null, after });
  const size = new TextEncoder().encode(patch).length;
  ok(size <= 204_800 && size > 204_700, `patch has ${size} bytes`);
  ok(patch.endsWith("+漢字漢字\n"));
  match(caption, /^Cut/);
  strictEqual((await diff({ path: "a", before: null, after: "a\n" })).caption, undefined);
});

Deno.test("createDiffPart() shows texts with little in common as replaced whole", async () => {
  const change = { path: "a", before: "1\n2\n3", after: "4\n5\n" };
  const { patch, caption } = await diff(change, { maxEditLength: 2 });
  strictEqual(
    patch,
    "--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n-1\n-2\n-3\n\\ No newline at end of file\n+4\n+5\n",
  );
  match(caption ?? "", /^Too different to compare/);
});

Deno.test("createDiffPart() answers soon however different the texts are", async () => {
  const text = (seed: number): string =>
    Array.from({ length: 100_000 }, (_, index) => `${(index * seed) % 997}`).join("\n");
  const startedAt = performance.now();
  const { patch = "" } = await diff({ path: "a", before: text(31), after: text(17) });
  ok(patch.length > 0);
  ok(performance.now() - startedAt < 5_000);
});
