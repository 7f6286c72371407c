import assert from "node:assert/strict";
import { explainInstructions } from "../../../core/context/explain_instructions.ts";
import type { InstructionSources } from "../../../core/context/instruction_files.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const FILES = {
  "config/AGENTS.md": "mine",
  "p/AGENTS.md": "root",
  "p/part/AGENTS.md": "work",
  "p/part/sub/AGENTS.override.md": "sub",
  "p/other/AGENT.md": "other",
};

const GLOBAL = "global agents 4 loaded config/AGENTS.md";
const ROOT = "project agents 4 loaded p/AGENTS.md";
const WORK = "project agents 4 loaded p/part/AGENTS.md";
const SUB = "project override 3";
const SUB_PATH = "p/part/sub/AGENTS.override.md";

const ROWS: readonly (readonly [target: string, files: readonly string[]])[] = [
  ["p/part/a.ts", [GLOBAL, ROOT, WORK]],
  ["p/part", [GLOBAL, ROOT, WORK]],
  [
    "p/part/sub/a.ts",
    [GLOBAL, ROOT, WORK, `${SUB} given when a tool first touches its folder ${SUB_PATH}`],
  ],
  ["p", [GLOBAL, ROOT]],
  [
    "p/other/a.ts",
    [GLOBAL, ROOT, "project legacy 5 outside the working directory p/other/AGENT.md"],
  ],
  ["elsewhere/a.ts", [GLOBAL]],
];

Deno.test("explainInstructions() lists what applies, the closest last, and what is loaded", async () => {
  await withSources({}, async (sources, dir) => {
    for (const [target, files] of ROWS) {
      assert.deepEqual(await explain(target, sources, dir), files, target);
    }
    const attached = new Map([[`${dir}/${SUB_PATH}`, "fingerprint"]]);
    assert.deepEqual(await explain("p/part/sub/a.ts", sources, dir, attached), [
      GLOBAL,
      ROOT,
      WORK,
      `${SUB} loaded ${SUB_PATH}`,
    ]);
  });
});

Deno.test("explainInstructions() names the files of an untrusted project and loads none (field case 115)", async () => {
  await withSources({ trusted: false }, async (sources, dir) => {
    assert.deepEqual(await explain("p/part/a.ts", sources, dir), [
      GLOBAL,
      "project agents 4 the project is not trusted p/AGENTS.md",
      "project agents 4 the project is not trusted p/part/AGENTS.md",
    ]);
  });
});

Deno.test("explainInstructions() says what the limit leaves out", async () => {
  await withSources({ maxBytes: 1024 }, async (sources, dir) => {
    await Deno.writeTextFile(`${dir}/p/part/AGENTS.md`, "x".repeat(2000));
    assert.deepEqual(await explain("p/part/a.ts", sources, dir), [
      "global agents 4 closer files fill the limit config/AGENTS.md",
      "project agents 4 closer files fill the limit p/AGENTS.md",
      "project agents 2000 loaded, cut to fit p/part/AGENTS.md",
    ]);
  });
});

Deno.test("explainInstructions() says what cannot be used", async () => {
  await withSources({}, async (sources, dir) => {
    await Deno.remove(`${dir}/p/part/AGENTS.md`);
    await Deno.mkdir(`${dir}/p/part/AGENTS.md`);
    const { files, notices } = await explainInstructions(`${dir}/p/part`, sources);
    assert.equal(files.length, 2);
    assert.match(notices.join(), /^Left out instructions ".*": it is not a regular file$/);
  });
});

async function explain(
  target: string,
  sources: InstructionSources,
  dir: string,
  attached: ReadonlyMap<string, string> = new Map(),
): Promise<readonly string[]> {
  const { files, notices } = await explainInstructions(`${dir}/${target}`, sources, attached);
  assert.deepEqual(notices, []);
  return files.map(({ path, scope, kind, bytes, loaded, note }) => {
    const state = [loaded ? "loaded" : null, note].filter(Boolean).join(", ");
    return `${scope} ${kind} ${bytes} ${state} ${path.slice(dir.length + 1)}`;
  });
}

async function withSources(
  options: Partial<InstructionSources>,
  fn: (sources: InstructionSources, dir: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    await writeTree(dir, FILES);
    await fn({
      configHome: `${dir}/config`,
      root: `${dir}/p`,
      cwd: `${dir}/p/part`,
      trusted: true,
      claudeMdFallback: false,
      maxBytes: 32_768,
      ...options,
    }, dir);
  });
}
