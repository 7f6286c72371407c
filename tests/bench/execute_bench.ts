/**
 * `deno run -A tests/bench/execute_bench.ts`: what an empty snippet of `execute` takes, from the call
 * to its result, against a bare script that the runtime starts. Prints a table and fails nothing. The
 * two take turns, so that another program on the machine slows both.
 *
 * @module
 */
import type { HostToolContext } from "../../core/tools/host_tool.ts";
import { createExecuteTool } from "../../tools/execute/execute.ts";
import { DENO } from "../support/paths.ts";

const ROUNDS = 30;
const GOAL_MS = 80;

const tool = createExecuteTool({
  env: Deno.env.toObject(),
  limits: { timeoutMs: 10_000, maxCalls: 20, maxMemoryMb: 64 },
});
const context: HostToolContext = {
  signal: new AbortController().signal,
  workspace: Deno.cwd(),
  callId: "bench",
  roots: [Deno.cwd()],
  emit: () => {},
  path: () => {
    throw new TypeError("The tool opens no path");
  },
  calls: {
    mayOverlap: () => true,
    call: () => Promise.reject(new TypeError("An empty snippet makes no call")),
  },
};

const times: Record<"bare" | "execute", number[]> = { bare: [], execute: [] };
for (let round = 0; round < ROUNDS; round++) {
  const startedAt = performance.now();
  await new Deno.Command(DENO, {
    args: ["run", "--no-config", "data:text/javascript,"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  const between = performance.now();
  const { isError } = await tool.execute({ code: "return null;" }, context);
  if (isError === true) throw new TypeError("The empty snippet failed");
  times.bare.push(between - startedAt);
  times.execute.push(performance.now() - between);
}
const rows = Object.entries(times).map(([name, list]) => {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  return `${name.padEnd(10)} ${at(0).padStart(6)} ${at(0.5).padStart(8)}`;
});
const text = ["           fastest   median", ...rows, `goal: below ${GOAL_MS} ms`, ""].join("\n");
Deno.stdout.writeSync(new TextEncoder().encode(text));
