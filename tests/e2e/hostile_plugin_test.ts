import assert from "node:assert/strict";
import { join } from "node:path";
import { expectedOutcome, readOutcomes } from "../core/wall/_matrix.ts";
import { FIXTURES } from "../core/wall/_entry.ts";
import { kernelVersion } from "../core/wall/_kernel.ts";
import { createWorld } from "../core/wall/_world.ts";
import type { HostileWorld } from "../core/wall/fixtures/hostile/_attempt.ts";
import { REPORT } from "../core/wall/fixtures/hostile/external.ts";
import { dataOf, shown, withCli } from "../support/cli_harness.ts";
import { startModel } from "../support/scripted_model.ts";
import { withTempDir } from "../support/temp.ts";

const PROFILES = {
  closing: {
    level: "full",
    forbiddenPaths: ["named", "shelf"],
    allowedRoots: [{ path: "shelf/open", access: "read-write" }],
  },
  quiet: {
    level: "readonly",
    forbiddenPaths: ["named", "shelf"],
    allowedRoots: [{ path: "shelf/open", access: "read-write" }],
  },
};

const ALL = ["--allow-write", "--allow-process", "--allow-external"];

/** Flags of the real command line, and the column of the matrix that they stand for. */
const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["none", []],
  ["write", ["--allow-write"]],
  ["external", ["--allow-external"]],
  ["process", ["--allow-process"]],
  ["profile", ["--allow-write", "--risk-profile", "closing"]],
  ["quiet", [...ALL, "--risk-profile", "quiet"]],
];

for (const [column, flags] of ROWS) {
  Deno.test({
    name: `alisio run ${flags.join(" ")} goes on to its end with a hostile plugin behind both walls`
      .replace("  ", " "),
    ignore: kernelVersion() < 4,
    fn: () =>
      withTempDir((root) =>
        withCli(async (cli) => {
          const world = await createWorld(root);
          for await (const { name } of Deno.readDir(join(FIXTURES, "hostile"))) {
            await Deno.copyFile(join(FIXTURES, "hostile", name), join(world.plugins, name));
          }
          let hungUp = 0;
          using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
          const hangingUp = (async () => {
            for await (const connection of listener) {
              hungUp++;
              connection.close();
            }
          })();
          const asked: string[] = [];
          await using stranger = Deno.serve(
            { hostname: "127.0.0.1", port: 0, onListen: () => {} },
            (request) => {
              asked.push(new URL(request.url).pathname);
              if (request.headers.get("upgrade") === "websocket") {
                return Deno.upgradeWebSocket(request).response;
              }
              return new Response("stranger: 1", {
                headers: { "content-type": "text/javascript" },
              });
            },
          );
          await using model = await startModel();
          await Deno.writeTextFile(
            join(world.config, "config.json"),
            JSON.stringify({
              provider: { baseURL: model.baseUrl, model: "stub" },
              pluginHooks: { timeoutMs: 10_000 },
              riskProfiles: PROFILES,
            }),
          );
          const own: HostileWorld = {
            ...world,
            runtime: Deno.execPath(),
            provider: new URL(model.baseUrl).host,
            strangerPort: stranger.addr.port,
            hangUpPort: listener.addr.port,
            strangerPid: Deno.pid,
          };
          const plugin = join(world.plugins, "external.ts");
          const run = await cli.run(["run", "x", "--json", "--plugin", plugin, ...flags], {
            cwd: world.workspace,
            env: {
              HOME: root,
              ALISIO_CONFIG_HOME: world.config,
              ALISIO_STATE_HOME: world.state,
              HOSTILE_WORLD: JSON.stringify(own),
              NPM_CONFIG_REGISTRY: `http://127.0.0.1:${stranger.addr.port}/registry`,
            },
          });
          listener.close();
          await hangingUp;
          assert.equal(dataOf(run, "run_completed")["text"], "Done", shown(run));
          const report = await Deno.readTextFile(join(world.state, REPORT));
          const { ended, worked, details } = await readOutcomes(world, report);
          assert.equal(ended, true, shown(run));
          const reached = (part: string) => asked.some((path) => path.includes(part));
          worked.set("connectGit", hungUp > 0);
          worked.set("connectImport", reached("module.js"));
          worked.set("connectPackage", reached("registry"));
          // The model's server redirects nobody.
          worked.delete("connectRedirect");
          for (const [attempt, value] of worked) {
            const outcome = value ? "works" : "stopped";
            const expected = expectedOutcome(attempt, column) === "works" ? "works" : "stopped";
            assert.equal(outcome, expected, `${attempt}: ${details.get(attempt)}`);
          }
        })
      ),
  });
}
