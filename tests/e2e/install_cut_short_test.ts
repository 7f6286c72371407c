import assert from "node:assert/strict";
import { join } from "node:path";
import { installFolder } from "../../core/plugins/install/install_folder.ts";
import { readRecord } from "../../core/plugins/install/install_record.ts";
import { packageClosure } from "../../core/plugins/install/package_closure.ts";
import { packageStamp } from "../../core/plugins/install/package_digest.ts";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { isRunning } from "../core/process/_is_running.ts";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { type NpmRegistry, type ServedPackage, startNpmRegistry } from "../support/npm_registry.ts";
import { isGone } from "./_support.ts";

/** Processes are looked for by their parents. */
const KNOWS_CHILDREN = Deno.build.os === "linux";

function plugin(version: string): ServedPackage {
  return {
    manifest: {
      name: "alisio-plugin-one",
      version,
      type: "module",
      keywords: ["alisio-plugin"],
    },
    files: { "index.js": `${pluginSource("acme.one")}// ${version}` },
  };
}

interface CutScene {
  readonly cli: CliScene;
  readonly registry: NpmRegistry;
  readonly env: Readonly<Record<string, string>>;
  /** Starts an update to 2.0.0; npm waits for its archive when this settles. */
  update(): Promise<{ readonly alisio: ReturnType<CliScene["start"]>; readonly npm: number }>;
}

/** Version 1.0.0 is installed, and the archive of 2.0.0 never comes. */
async function withUpdate(fn: (scene: CutScene) => Promise<void>): Promise<void> {
  await using registry = await startNpmRegistry([plugin("1.0.0")]);
  await withCli(async (cli) => {
    const env = { npm_config_registry: registry.url, npm_config_cache: join(cli.dir, "cache") };
    const installed = await cli.run(["install", "alisio-plugin-one", "--yes"], { env });
    assert.equal(installed.status, 0, shown(installed));
    await registry.add(plugin("2.0.0"));
    await fn({
      cli,
      registry,
      env,
      async update() {
        const arrived = registry.stallTarballs();
        const alisio = cli.start(["install", "alisio-plugin-one", "--update", "--yes"], { env });
        await Promise.race([arrived, alisio.ended]);
        const [npm] = await childrenOf(alisio.pid);
        assert.ok(npm !== undefined, "npm does not run");
        return { alisio, npm };
      },
    });
  });
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const text = await Deno.readTextFile(`/proc/${pid}/task/${name}/children`);
    ids.push(...text.split(" ").filter((each) => each !== "").map(Number));
  }
  return ids;
}

async function assertVersionOne({ cli, env }: CutScene): Promise<void> {
  // What was put back is known by its looks again.
  const folder = installFolder(cli.configHome);
  const [own] = await packageClosure(folder, "alisio-plugin-one");
  assert.ok(own !== undefined);
  assert.equal((await readRecord(folder))[own.key]?.stamp, await packageStamp(own.folder));
  const source = await Deno.readTextFile(
    join(cli.configHome, "plugins/node_modules/alisio-plugin-one/index.js"),
  );
  assert.ok(source.endsWith("// 1.0.0"));
  const wanted = JSON.parse(await Deno.readTextFile(join(cli.configHome, "plugins/package.json")));
  assert.deepEqual(wanted.dependencies, { "alisio-plugin-one": "1.0.0" });
  const notes = await Array.fromAsync(Deno.readDir(join(cli.configHome, "plugins/.alisio")));
  assert.deepEqual(notes.map(({ name }) => name), ["installed.json"]);
  const doctor = await cli.run(["plugins", "doctor", "--json"], { env });
  assert.deepEqual(jsonLines(doctor).map(({ data }) => data.id), ["acme.one"]);
}

Deno.test({
  name: "alisio install puts everything back when npm is killed half-way",
  ignore: !KNOWS_CHILDREN,
  fn: async () => {
    await withUpdate(async (scene) => {
      const { alisio, npm } = await scene.update();
      Deno.kill(npm, "SIGKILL");
      const result = await alisio.ended;
      assert.deepEqual([result.status, result.stderr], [
        1,
        'alisio: Cannot install "npm:alisio-plugin-one": npm was ended by SIGKILL\nEverything is as ' +
        "it was before. Try again with:\n  alisio install alisio-plugin-one --update --yes\n",
      ]);
      await assertVersionOne(scene);
    });
  },
});

Deno.test({
  name: "alisio install ends npm and puts everything back on Ctrl+C",
  ignore: !KNOWS_CHILDREN,
  fn: async () => {
    await withUpdate(async (scene) => {
      const { alisio, npm } = await scene.update();
      alisio.kill("SIGINT");
      const result = await alisio.ended;
      assert.deepEqual([result.status, result.stderr], [130, "alisio: Stopped by SIGINT\n"]);
      assert.ok(await isGone(npm), "npm still runs");
      await assertVersionOne(scene);
    });
  },
});

Deno.test({
  name: "What a killed alisio install had begun is ended and put back by the next one",
  ignore: !KNOWS_CHILDREN,
  fn: async () => {
    await withUpdate(async (scene) => {
      const { cli, env } = scene;
      const { alisio, npm } = await scene.update();
      // Nobody else changes the packages meanwhile.
      const busy = await cli.run(["uninstall", "alisio-plugin-one"], { env });
      assert.deepEqual([busy.status, busy.stderr], [
        1,
        "alisio: Cannot change the installed plugins: another process of Alisio changes them; wait " +
        "until it has ended, then try again\n",
      ]);
      alisio.kill("SIGKILL");
      await alisio.ended;
      assert.ok(isRunning(npm), "npm ended by itself");
      const doctor = await cli.run(["plugins", "doctor"], { env });
      assert.ok(
        doctor.stderr.includes(
          "A change of the installed plugins was cut short; alisio install --update puts back what " +
            "was there, and updates it\n",
        ),
        shown(doctor),
      );
      const next = await cli.run(["install", "alisio-plugin-one"], { env });
      assert.equal(next.status, 0, shown(next));
      assert.ok(
        next.stderr.startsWith(
          "An earlier change of the installed plugins was cut short; everything was put back as it " +
            "was before it\n",
        ),
        shown(next),
      );
      assert.ok(await isGone(npm), "npm still runs");
      await assertVersionOne(scene);
    });
  },
});
