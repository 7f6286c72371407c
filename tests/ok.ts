/**
 * The one gate: every check that a change must pass, each with its time, and at the end which of
 * them failed. Nothing is written except caches.
 *
 * @module
 */
import { pathToFileURL } from "node:url";
import { listPages } from "./support/generated_pages.ts";
import { listSourceFiles } from "./support/module_imports.ts";
import { DENO, ROOT } from "./support/paths.ts";
import { streamProcess } from "./support/stream_process.ts";
import { withTempDir } from "./support/temp.ts";

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  /**
   * Folder below the repository that it runs in.
   *
   * @default "."
   */
  readonly folder?: string;
  /** Whether its output is shown while it runs, rather than only when it failed. */
  readonly live?: boolean;
}

/** Fails where a type of the public interface would have to be inferred. */
const PUBLISH = ["publish", "--dry-run", "--allow-dirty"] as const;

const STEP_TIMEOUT_MS = 19 * 60_000;

Deno.exitCode = await withTempDir(runSteps);

async function runSteps(dir: string): Promise<number> {
  const failed: string[] = [];
  for (const step of await listSteps(dir)) {
    const startedAt = performance.now();
    const run = await streamProcess(DENO, step.args, {
      cwd: step.folder === undefined ? ROOT : `${ROOT}/${step.folder}`,
      timeoutMs: STEP_TIMEOUT_MS,
      show: step.live === true ? "streams" : "nothing",
    });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const passed = run.code === 0;
    if (!passed && step.live !== true) await print(run.stdoutTail + run.stderrTail);
    await print(`${passed ? "ok" : "FAILED"} ${step.name} (${seconds} s)\n`);
    if (!passed) failed.push(step.name);
  }
  await print(failed.length === 0 ? "Everything is ok\n" : `Failed: ${failed.join(", ")}\n`);
  return failed.length === 0 ? 0 : 1;
}

async function listSteps(dir: string): Promise<readonly Step[]> {
  const sources = await listSourceFiles(ROOT);
  const modules = sources.filter((file) => /^(?:(?:sdk\/)?mod|sdk\/testing)\.ts$/.test(file));
  const contract = sources.filter((file) => /^(?:sdk\/.*|mod)\.ts$/.test(file));
  const examples = [...contract, ...await listPages()];
  const config = await writeExampleConfig(dir);
  return [
    { name: "fmt", args: ["fmt", "--check"] },
    { name: "lint", args: ["lint"] },
    { name: "check", args: ["check", ...sources] },
    { name: "layers", args: ["test", "-A", "--no-check", "tests/layers_test.ts"] },
    { name: "doc lint", args: ["doc", "--lint", ...modules] },
    { name: "doc examples", args: ["test", "-A", "--doc", "--config", config, ...examples] },
    // Each package by itself: in the root of the workspace only the one that lies there is checked.
    { name: "publish cli", args: PUBLISH },
    { name: "publish sdk", args: PUBLISH, folder: "sdk" },
    { name: "tests", args: ["run", "-A", "tests/run.ts"], live: true },
  ];
}

/**
 * Examples are checked under the compiler options of the project but one: the runtime imports
 * every export of the documented module into each example, and most of them stay unused.
 */
async function writeExampleConfig(dir: string): Promise<string> {
  const { imports, compilerOptions } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  const addressOf = (path: string) => pathToFileURL(`${ROOT}/sdk/${path}`).href;
  const config = {
    nodeModulesDir: "none",
    imports: {
      ...imports,
      "@alisio/sdk": addressOf("mod.ts"),
      "@alisio/sdk/testing": addressOf("testing.ts"),
    },
    compilerOptions: { ...compilerOptions, noUnusedLocals: false },
    lock: false,
  };
  await Deno.writeTextFile(`${dir}/deno.json`, JSON.stringify(config));
  return `${dir}/deno.json`;
}

async function print(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
}
