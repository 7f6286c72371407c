/**
 * `deno run -A tests/bench/sandbox_bench.ts`: what a sandbox adds to one command. Prints a table and
 * fails nothing. The backends take turns, so that another program on the machine slows all of them.
 *
 * @module
 */
import { childEnvironment } from "../../core/process/child_environment.ts";
import { runCommand } from "../../core/process/run_command.ts";
import { BACKENDS, openInWorld, withSandboxWorld } from "../core/sandbox/_world.ts";

const ROUNDS = 30;

await withSandboxWorld(async (world) => {
  const runs: (readonly [string, typeof runCommand])[] = [["none", runCommand]];
  for (const backend of BACKENDS) {
    const sandbox = await openInWorld(backend, world);
    runs.push([backend, (spec) => sandbox.run(spec)]);
  }
  const times = new Map<string, number[]>(runs.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of runs) {
      const startedAt = performance.now();
      await run({
        program: "true",
        args: [],
        cwd: world.workspace,
        env: childEnvironment(world.env),
        timeoutMs: 30_000,
        signal: new AbortController().signal,
        findEscaped: true,
      });
      times.get(name)?.push(performance.now() - startedAt);
    }
  }
  const medians = new Map([...times].map(([name, list]) => [name, medianOf(list)]));
  const plain = medians.get("none") ?? 0;
  const rows = [...medians].map(([name, median]) =>
    `${name.padEnd(12)} ${median.toFixed(1).padStart(8)} ${(median - plain).toFixed(1).padStart(8)}`
  );
  const text = ["sandbox      ms/command   added", ...rows, ""].join("\n");
  Deno.stdout.writeSync(new TextEncoder().encode(text));
});

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
