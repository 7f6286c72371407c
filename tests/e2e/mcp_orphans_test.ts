import assert from "node:assert/strict";
import { type CliScene, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { smallServer } from "./_mcp.ts";
import { isGone, useModel } from "./_support.ts";

const isLinux = Deno.build.os === "linux";

/** How the server, and what it started, hold out against their end. */
const BEHAVIOURS = {
  "a server that ends": {},
  "a server that ends at nothing": { isStubborn: true },
  "what left the group of its server": { isStubborn: true, childLeaves: true },
};

interface Pids {
  readonly server: number;
  readonly child: number;
}

async function useServer(
  cli: CliScene,
  model: Parameters<typeof useModel>[1],
  behaviour: Readonly<Record<string, unknown>>,
): Promise<() => Promise<Pids>> {
  const pidFile = `${cli.dir}/pid`;
  const childFile = `${cli.dir}/child`;
  const small = smallServer({ ...behaviour, pidFile, childFile });
  await useModel(cli, model, { mcp: { servers: { small } } });
  return async () => ({
    server: Number(await Deno.readTextFile(pidFile)),
    child: await writtenNumber(childFile),
  });
}

/** The server does not wait for what it starts; the scene ends a test that waits in vain. */
async function writtenNumber(path: string): Promise<number> {
  for (;;) {
    try {
      return Number(await Deno.readTextFile(path));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function hasNoGuard({ stateHome }: CliScene): Promise<boolean> {
  const names = await Array.fromAsync(Deno.readDir(stateHome), ({ name }) => name);
  return !names.some((name) => name.startsWith("guard-"));
}

for (const [who, behaviour] of Object.entries(BEHAVIOURS)) {
  Deno.test({
    name: `alisio run without --allow-process leaves nothing of ${who} behind`,
    ignore: !isLinux,
    async fn() {
      await withCli(async (cli) => {
        const seen: Pids[] = [];
        await using model = await startModel([async () => {
          seen.push(await pids());
          return callTurn(["mcp_small_echo", { value: "a" }]);
        }]);
        const pids = await useServer(cli, model, behaviour);
        const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
        assert.equal(run.status, 0, shown(run));
        const [{ server, child } = { server: 0, child: 0 }] = seen;
        assert.ok(server > 0 && child > 0, shown(run));
        assert.ok(await isGone(server), "the server is there");
        assert.ok(await isGone(child), "what it started is there");
        assert.ok(await hasNoGuard(cli));
      });
    },
  });

  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    Deno.test({
      name: `alisio run ended by ${signal} leaves nothing of ${who} behind`,
      ignore: !isLinux,
      async fn() {
        await withCli(async (cli) => {
          await using model = await startModel([callTurn(["mcp_small_slow", {}])]);
          const pids = await useServer(cli, model, behaviour);
          const run = cli.start(["run", "x", "--json", "--allow-mcp"]);
          await run.event("tool_started");
          const { server, child } = await pids();
          run.kill(signal);
          await run.ended;
          assert.ok(await isGone(server), "the server is there");
          assert.ok(await isGone(child), "what it started is there");
          assert.ok(await hasNoGuard(cli));
        });
      },
    });
  }
}
