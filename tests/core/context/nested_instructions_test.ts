import assert from "node:assert/strict";
import type { InstructionSources } from "../../../core/context/instruction_files.ts";
import {
  type AttachedInstructions,
  attachNestedInstructions,
} from "../../../core/context/nested_instructions.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const FILES = {
  "AGENTS.md": "ROOT",
  "a/AGENTS.md": "A",
  "a/b/AGENTS.override.md": "B",
  "a/b/AGENTS.md": "unused",
  "a/b/c/file.ts": "",
  "x/CLAUDE.md": "X",
  "node_modules/pkg/AGENTS.md": "FOREIGN",
};

const ROWS: readonly { readonly paths: readonly string[]; readonly given: readonly string[] }[] = [
  { paths: ["."], given: [] },
  { paths: ["file.ts"], given: [] },
  { paths: ["a/new.ts"], given: ["A"] },
  { paths: ["a"], given: ["A"] },
  { paths: ["a/b/c/file.ts"], given: ["A", "B"] },
  { paths: ["a/b/c/file.ts", "a/other.ts"], given: ["A", "B"] },
  { paths: ["a/not/yet/there.ts"], given: ["A"] },
  { paths: ["x/file.ts"], given: [] },
  { paths: ["node_modules/pkg/index.js"], given: [] },
  { paths: ["../outside.ts"], given: [] },
  { paths: [], given: [] },
];

Deno.test("attachNestedInstructions() gives what applies below the working directory", async () => {
  await withSources(FILES, {}, async (sources) => {
    for (const { paths, given } of ROWS) {
      assert.deepEqual(await give(paths, sources, new Map()), given, paths.join(" "));
    }
  });
  await withSources(FILES, { claudeMdFallback: true }, async (sources) => {
    assert.deepEqual(await give(["x/file.ts"], sources, new Map()), ["X"]);
  });
});

Deno.test("attachNestedInstructions() gives a file once a session, and again when it changed", async () => {
  await withSources(FILES, {}, async (sources) => {
    const attached: AttachedInstructions = new Map();
    assert.deepEqual(await give(["a/one.ts"], sources, attached), ["A"]);
    assert.deepEqual(await give(["a/two.ts"], sources, attached), []);
    assert.deepEqual(await give(["a/b/x.ts"], sources, attached), ["B"]);
    await Deno.writeTextFile(`${sources.cwd}/a/AGENTS.md`, "Z");
    assert.deepEqual(await give(["a/b/x.ts"], sources, attached), ["Z"]);
    assert.deepEqual(await give(["a/b/x.ts"], sources, attached), []);
    assert.deepEqual(await give(["a/b/x.ts"], sources, new Map()), ["Z", "B"]);
  });
});

Deno.test("attachNestedInstructions() gives a file to one of two calls at once", async () => {
  await withSources(FILES, {}, async (sources) => {
    const attached: AttachedInstructions = new Map();
    const both = await Promise.all([
      give(["a/one.ts"], sources, attached),
      give(["a/two.ts"], sources, attached),
    ]);
    assert.deepEqual(both.flat(), ["A"]);
  });
});

Deno.test("attachNestedInstructions() gives nothing of an untrusted project (field case 115)", async () => {
  await withSources(FILES, { trusted: false }, async (sources) => {
    const attached: AttachedInstructions = new Map();
    const outcome = await attachNestedInstructions([`${sources.cwd}/a/b/x`], sources, attached);
    assert.deepEqual(outcome, { text: null, notices: [] });
    assert.equal(attached.size, 0);
  });
});

Deno.test("attachNestedInstructions() says once what cannot be used", async () => {
  await withSources({ "a/AGENTS.md/x": "" }, {}, async (sources) => {
    const attached: AttachedInstructions = new Map();
    const first = await attachNestedInstructions([`${sources.cwd}/a/x`], sources, attached);
    assert.equal(first.text, null);
    assert.match(first.notices.join(), /it is not a regular file$/);
    const second = await attachNestedInstructions([`${sources.cwd}/a/x`], sources, attached);
    assert.deepEqual(second, { text: null, notices: [] });
  });
});

Deno.test("attachNestedInstructions() holds a large file to the limit", async () => {
  await withSources(
    { "a/AGENTS.md": "x".repeat(1_000_000) },
    { maxBytes: 2048 },
    async (sources) => {
      const outcome = await attachNestedInstructions([`${sources.cwd}/a/x`], sources, new Map());
      assert.ok((outcome.text ?? "").length < 3500);
      assert.match(outcome.text ?? "", /\[cut here: 2048 of 1000000 bytes; /);
      assert.match(outcome.notices.join(), /^Cut instructions .* to 2048 of 1000000 bytes/);
    },
  );
});

async function give(
  paths: readonly string[],
  sources: InstructionSources,
  attached: AttachedInstructions,
): Promise<readonly string[]> {
  const reals = paths.map((path) =>
    new URL(path, `file://${sources.cwd}/`).pathname.replace(/\/$/, "")
  );
  const { text, notices } = await attachNestedInstructions(reals, sources, attached);
  assert.deepEqual(notices, []);
  return [...(text ?? "").matchAll(/<instructions [^>]*>\n(.*?)\n<\/instructions>/gs)]
    .map(([, content]) => content ?? "");
}

async function withSources(
  files: Readonly<Record<string, string>>,
  options: Partial<InstructionSources>,
  fn: (sources: InstructionSources) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    await writeTree(dir, files);
    const sources = { configHome: `${dir}/.config`, root: dir, cwd: dir, trusted: true };
    await fn({ ...sources, claudeMdFallback: false, maxBytes: 32_768, ...options });
  });
}
