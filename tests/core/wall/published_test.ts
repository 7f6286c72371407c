import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "../../support/paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { createWorld, factsOf } from "./_world.ts";

const WALL = [
  "call_filter",
  "ceiling",
  "current_wall",
  "deno_flags",
  "elf_interpreter",
  "landlock",
  "launch",
]
  .concat([
    "landlock_plan",
    "landlock_rights",
    "launcher_link",
    "replace_process",
    "terminal_filter",
    "runtime_flags",
    "warm_up",
  ]);
const FILES = [...WALL.map((name) => `core/wall/${name}.ts`), "core/errors.ts"]
  .concat("core/paths/is_inside.ts");

const ENTRY = `
import { computeCeiling } from "./core/wall/ceiling.ts";
import { currentWall } from "./core/wall/current_wall.ts";
import { launch } from "./core/wall/launch.ts";
import { warmUp } from "./core/wall/warm_up.ts";
const facts = JSON.parse(Deno.args[0]);
const main = new URL("./agent.ts", import.meta.url).href;
if (currentWall() === "none") {
  const notePath = facts.stateHome + "/warm";
  const { status } = await warmUp({ modules: [main], main, notePath, version: "1" });
  const env = { WARMED: status };
  const ceiling = computeCeiling(facts);
  Deno.exit(await launch({ ceiling, main, args: [], stateHome: facts.stateHome, env }));
}
`;

const AGENT = `
import { currentWall } from "./core/wall/current_wall.ts";
if (import.meta.main) {
  const { greet } = await import("./greet.ts");
  console.log([currentWall(), Deno.env.get("WARMED"), await greet()].join(" "));
}
`;

const GREET = `
export async function greet() {
  const diff = await import("npm:diff@8.0.2");
  return typeof diff.diffLines + (diff.hostile ?? "");
}
`;

Deno.test({
  ignore: Deno.build.os === "windows",
  name: "launch() starts a published program in a hostile folder with its own packages alone",
  fn: () =>
    withTempDir(async (root) => {
      const world = await createWorld(root);
      await writeTree(world.workspace, {
        "package.json": '{ "dependencies": { "diff": "8.0.2" } }',
        "deno.lock": "{}",
        "node_modules/diff/package.json": '{ "name": "diff", "version": "8.0.2" }',
        "node_modules/diff/index.js": 'exports.diffLines = 1; exports.hostile = " HOSTILE";',
      });
      await using server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        serveProgram,
      );
      const run = async (): Promise<string> => {
        const { code, stdout, stderr } = await new Deno.Command(DENO, {
          args: [
            ...["run", "-A", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=none"],
            `http://127.0.0.1:${server.addr.port}/cli.ts`,
            JSON.stringify(factsOf(world)),
          ],
          cwd: world.workspace,
          env: { DENO_DIR: join(root, "cache") },
          stdin: "null",
        }).output();
        assert.equal(code, 0, new TextDecoder().decode(stderr));
        return new TextDecoder().decode(stdout).trim();
      };
      await linkPackages(join(root, "cache"));
      // At the first start the modules are fetched, once for all.
      assert.equal(await run(), "flags warmed function");
      assert.equal(await run(), "flags ready function");
    }),
});

async function serveProgram(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname.slice(1);
  const own: Readonly<Record<string, string>> = {
    "cli.ts": ENTRY,
    "agent.ts": AGENT,
    "greet.ts": GREET,
  };
  const headers = { "content-type": "text/typescript" };
  if (own[path] !== undefined) return new Response(own[path], { headers });
  if (!FILES.includes(path)) return new Response(null, { status: 404 });
  return new Response(await Deno.readTextFile(join(ROOT, path)), { headers });
}

/** Gives a fresh cache the packages of the usual one, so that the test needs no registry. */
async function linkPackages(cache: string): Promise<void> {
  const { stdout } = await new Deno.Command(DENO, { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  await Deno.mkdir(cache);
  await Deno.symlink(npmCache, join(cache, "npm"));
}
