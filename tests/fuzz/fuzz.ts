/**
 * Feeds random and mutated command lines and paths to the policies about them.
 *
 *     deno task fuzz [COUNT] [SEED]
 *
 * @module
 */
import { fuzzPathPolicy } from "./path_policy.ts";
import { fuzzShellPolicy } from "./shell_policy.ts";

const count = Number(Deno.args[0] ?? 2_000);
const seed = Number(Deno.args[1] ?? 1);

const shell = await timed(() => fuzzShellPolicy({ count, seed }));
await say(
  `${shell.tried} command lines (seed ${seed}): ${shell.understood} understood, ` +
    `${shell.run} run, ${shell.failures.length} wrong, ${shell.seconds} s`,
  shell.failures,
);
const paths = await timed(() => fuzzPathPolicy({ count, seed }));
await say(
  `${paths.tried} paths (seed ${seed}): ${paths.followed} followed, ${paths.allowed} permitted, ` +
    `${paths.opened} opened, ${paths.failures.length} wrong, ${paths.seconds} s`,
  paths.failures,
);
if (shell.failures.length + paths.failures.length > 0) Deno.exitCode = 1;

async function timed<T extends object>(
  fuzz: () => Promise<T>,
): Promise<T & { readonly seconds: string }> {
  const startedAt = performance.now();
  const report = await fuzz();
  return { ...report, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) };
}

async function say(summary: string, failures: readonly string[]): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${[summary, ...failures].join("\n")}\n`));
}
