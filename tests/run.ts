/**
 * Runs the tests and ends with one line that a script can read: `N passed, N failed`.
 *
 * Arguments go to `deno test`; a path among them takes the place of the whole suite.
 *
 * @module
 */
import { resolve } from "node:path";
import { formatTestSummary, summariseTests } from "./support/test_summary.ts";
import { DENO, ROOT } from "./support/paths.ts";
import { streamProcess } from "./support/stream_process.ts";

const SUITE_TIMEOUT_MS = 18 * 60_000;

Deno.exitCode = await runTests(Deno.args);

async function runTests(args: readonly string[]): Promise<number> {
  const named = await Promise.all(args.map(isPath));
  const paths = named.includes(true) ? [] : ["tests/", "examples/"];
  const command = ["test", "-A", "--parallel", ...args, ...paths];
  const run = await streamProcess(DENO, command, { cwd: ROOT, timeoutMs: SUITE_TIMEOUT_MS });
  if (run.timedOut) await print(`Tests ended after ${SUITE_TIMEOUT_MS / 60_000} minutes`);
  const summary = summariseTests(run.stdoutTail, run.code);
  await print(formatTestSummary(summary));
  return summary.code;
}

function isPath(arg: string): Promise<boolean> {
  if (arg.startsWith("-")) return Promise.resolve(false);
  return Deno.stat(resolve(ROOT, arg)).then(() => true, () => false);
}

async function print(line: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
}
