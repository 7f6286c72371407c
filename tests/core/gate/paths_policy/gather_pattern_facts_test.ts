import assert from "node:assert/strict";
import { join } from "node:path";
import { gatherPatternFacts } from "../../../../core/gate/paths_policy/gather_pattern_facts.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

type Row = readonly [pattern: string, matches: readonly string[]];

/** What each pattern may stand for beside its own text. */
const ROWS: readonly Row[] = [
  ["*.ts", ["a.ts", "b.ts"]],
  ["?.ts", ["a.ts", "b.ts"]],
  ["?", []],
  ["sub/*", ["sub/.hidden", "sub/c.ts"]],
  ["*/c.ts", ["sub/c.ts"]],
  ["s*/c*", ["sub/c.ts"]],
  ["[ab].ts", [".env", "a.ts", "b.ts", "gone", "other", "sub"]],
  ["missing/*", []],
  ["a.ts/*", []],
  ["other*", ["other"]],
  ["gon*", ["gone"]],
  ["a.t+", []],
  ["plain", []],
];

for (const [pattern, matches] of ROWS) {
  Deno.test(`gatherPatternFacts() finds ${matches.join(", ") || "nothing more"} for ${pattern}`, async () => {
    await withTree(async (workspace) => {
      const [literal, ...facts] = await gather(workspace, pattern);
      assert.equal(literal?.requested, pattern);
      assert.deepEqual(
        facts.map(({ requested }) => requested).sort(),
        matches.map((match) => join(workspace, match)).sort(),
      );
    });
  });
}

Deno.test("gatherPatternFacts() follows what a pattern matches to where it leads", async () => {
  await withTree(async (workspace, dir) => {
    const facts = await gather(workspace, "oth*");
    assert.equal(facts[1]?.real, join(dir, "outside"));
    const behind = await gather(workspace, "oth*/secret");
    assert.deepEqual(behind.slice(1).map(({ real }) => real), []);
    await Deno.writeTextFile(join(dir, "outside/secret"), "s");
    const found = await gather(workspace, "oth*/sec*");
    assert.deepEqual(found.slice(1).map(({ real }) => real), [join(dir, "outside/secret")]);
  });
});

Deno.test("gatherPatternFacts() refuses a pattern that matches more than is looked at", async () => {
  await withTree(async (workspace) => {
    const files = Array.from({ length: 501 }, (_, index) => [`many/${index}`, ""] as const);
    await writeTree(workspace, Object.fromEntries(files));
    const [facts, ...others] = await gather(workspace, "many/*");
    assert.deepEqual([facts?.trouble, facts?.real, others.length], ["too_many_matches", null, 0]);
    assert.equal((await gather(workspace, "many/50*")).length, 3);
  });
});

Deno.test("gatherPatternFacts() refuses braces that hold a slash", async () => {
  await withTree(async (workspace) => {
    const [facts] = await gather(workspace, "{/etc,sub}/passwd");
    assert.equal(facts?.trouble, "too_many_matches");
  });
});

async function gather(workspace: string, pattern: string) {
  return await gatherPatternFacts(pattern, {
    workspace,
    realWorkspace: workspace,
    home: null,
    isOwnFile: () => false,
  });
}

async function withTree(test: (workspace: string, dir: string) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "ws/a.ts": "",
      "ws/b.ts": "",
      "ws/.env": "",
      "ws/sub/c.ts": "",
      "ws/sub/.hidden": "",
      "outside/x": "",
    });
    await Deno.symlink(join(dir, "outside"), join(dir, "ws/other"));
    await Deno.symlink(join(dir, "nowhere"), join(dir, "ws/gone"));
    await test(join(dir, "ws"), dir);
  });
}
