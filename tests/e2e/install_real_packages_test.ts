import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { linkPackages, startRegistry } from "../support/local_registry.ts";
import { type ServedPackage, startNpmRegistry } from "../support/npm_registry.ts";
import { DENO } from "../support/paths.ts";

/** Packages that come with npm itself: `chalk` is made of ES modules, `semver` of CommonJS. */
const NAMES = ["chalk", "semver"] as const;

const packages = await Promise.all(NAMES.map(packageOfNpm));

/** A package as it lies among those of npm, or null where npm brings none of that name. */
async function packageOfNpm(name: string): Promise<ServedPackage | null> {
  try {
    const npm = new Deno.Command("npm", { args: ["root", "--global"], stderr: "null" });
    const root = new TextDecoder().decode((await npm.output()).stdout).trim();
    const folder = join(root, "npm", "node_modules", name);
    const manifest = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
    const files: Record<string, string> = {};
    await readInto(files, folder, "");
    return { manifest, files };
  } catch {
    return null;
  }
}

async function readInto(
  files: Record<string, string>,
  folder: string,
  below: string,
): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) await readInto(files, folder, path);
    else if (path !== "package.json") files[path] = await Deno.readTextFile(join(folder, path));
  }
}

const SOURCE = `
import chalk from "chalk";
import semver from "semver";
import { definePlugin, textResult } from "@alisio/sdk";
export default definePlugin({
  id: "acme.real",
  version: "0.1.0",
  apiVersion: 1,
  setup(api) {
    api.commands.register("show", () =>
      Promise.resolve(typeof chalk.red("x") + " " + semver.inc("1.2.3", "minor")));
  },
});
`;

Deno.test({
  name: "A plugin of npm with real packages of both kinds loads, from a checkout and published",
  ignore: packages.includes(null) || Deno.build.os === "windows",
  fn: async () => {
    const [chalk, semver] = packages.map((each) => each?.manifest.version ?? "");
    await using npm = await startNpmRegistry([
      ...packages.filter((each) => each !== null),
      {
        manifest: {
          name: "alisio-plugin-real",
          version: "0.1.0",
          type: "module",
          keywords: ["alisio-plugin"],
          dependencies: { chalk, semver },
        },
        files: { "index.js": SOURCE },
      },
    ]);
    await using jsr = await startRegistry();
    await withCli(async (cli) => {
      const env = { npm_config_registry: npm.url, npm_config_cache: join(cli.dir, "cache") };
      const installed = await cli.run(["install", "alisio-plugin-real", "--yes"], { env });
      assert.equal(installed.status, 0, shown(installed));
      await Deno.writeTextFile(join(cli.workspace, "s.json"), '{ "turns": [] }');
      const args = ["run", "/acme.real:show", "--model", "scripted/s.json", "--json"];
      const run = await cli.run(args);
      assert.deepEqual(jsonLines(run).map(({ data }) => data.text), ["string 1.3.0"], shown(run));
      await linkPackages(join(cli.dir, "deno"));
      assert.equal(await runPublished(cli, jsr.url, args), "string 1.3.0");
    });
  },
});

async function runPublished(
  cli: CliScene,
  registry: string,
  args: readonly string[],
): Promise<unknown> {
  const command = new Deno.Command(DENO, {
    args: ["run", "-A", "jsr:@alisio/cli", ...args],
    cwd: cli.workspace,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: cli.dir,
      DENO_DIR: join(cli.dir, "deno"),
      JSR_URL: registry,
      ALISIO_CONFIG_HOME: cli.configHome,
      ALISIO_STATE_HOME: cli.stateHome,
    },
  });
  const { stdout, stderr } = await command.output();
  const [line] = jsonLines({ stdout: new TextDecoder().decode(stdout) });
  assert.ok(line, new TextDecoder().decode(stderr));
  return line.data.text;
}
