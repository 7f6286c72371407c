/**
 * What the wall costs: run as a program, it prints how long the same agent takes to start and end
 * without it, and behind each part of it.
 *
 * @module
 */
import { computeCeiling } from "../../../core/wall/ceiling.ts";
import { denoFlags } from "../../../core/wall/deno_flags.ts";
import { ROOT } from "../../support/paths.ts";
import { withTempDir } from "../../support/temp.ts";
import { entryArgs } from "./_entry.ts";
import { createWorld, factsOf } from "./_world.ts";

const ROUNDS = 25;

if (import.meta.main) {
  await withTempDir(async (root) => {
    const facts = { ...factsOf(await createWorld(root)), readable: [ROOT] };
    const start = (options: { readonly kernel?: boolean; readonly form?: "child" }): string[] =>
      entryArgs({ facts, ...options }, "nothing.ts");
    const launched = start({});
    const entry = launched.slice(3);
    const flags = denoFlags(computeCeiling(facts), "file:///entry.ts");
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ["the agent alone, under its flags", ["run", "--no-config", ...flags, ...entry]],
      ["launcher, without the kernel", start({ kernel: false })],
      ["launcher and kernel", launched],
      ["launcher and kernel, agent as a child", start({ form: "child" })],
    ];
    const times = new Map<string, number[]>(rows.map(([name]) => [name, []]));
    // In turns, so that whatever else the machine does hits all alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, args] of rows) times.get(name)?.push(await timeOf(args));
    }
    const base = times.get(rows[0]?.[0] ?? "") ?? [];
    for (const [name, list] of times) {
      const extra = quantile(list, 0.5) - quantile(base, 0.5);
      print(
        `${name.padEnd(40)} fastest ${quantile(list, 0).toFixed(1)} ms, ` +
          `median ${quantile(list, 0.5).toFixed(1)} ms (+${extra.toFixed(1)} ms)`,
      );
    }
  });
}

async function timeOf(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot measure: the agent failed (${args.join(" ")})`);
  return performance.now() - startedAt;
}

function quantile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
