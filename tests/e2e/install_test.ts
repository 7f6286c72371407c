import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import {
  type CliOptions,
  type CliResult,
  type CliScene,
  dataOf,
  jsonLines,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { type NpmRegistry, type ServedPackage, startNpmRegistry } from "../support/npm_registry.ts";
import { buildTarball } from "../support/tarball.ts";
import { writeTree } from "../support/temp.ts";
import { canRun } from "./_support.ts";

/** A plugin of the registry. */
function plugin(
  name: string,
  version: string,
  more: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): ServedPackage {
  return {
    manifest: { name, version, type: "module", keywords: ["alisio-plugin"], ...more },
    files: { "index.js": pluginSource(`acme.${name.replace(/^.*\//, "")}`), ...files },
  };
}

/** A scene whose npm knows one registry and keeps its files in the scene. */
async function withRegistry(
  packages: readonly ServedPackage[],
  fn: (scene: {
    readonly cli: CliScene;
    readonly registry: NpmRegistry;
    readonly env: Readonly<Record<string, string>>;
    readonly run: (...args: readonly string[]) => Promise<CliResult>;
  }) => Promise<void>,
): Promise<void> {
  await using registry = await startNpmRegistry(packages);
  await withCli(async (cli) => {
    const env = { npm_config_registry: registry.url, npm_config_cache: join(cli.dir, "cache") };
    await fn({ cli, registry, env, run: (...args) => cli.run(args, { env }) });
  });
}

/** Everything below the folder of the configuration, by path, without what npm keeps for itself. */
async function stateOf({ configHome }: CliScene): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const visit = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isDirectory) await visit(path);
      else if (!name.startsWith(".package-lock")) {
        // A file that was put back has other times.
        found[path.slice(configHome.length + 1)] = (await Deno.readTextFile(path))
          .replaceAll(/"stamp": "[0-9a-f]{64}"/g, `"stamp": ""`);
      }
    }
  };
  await visit(configHome);
  return found;
}

function configOf(state: Readonly<Record<string, string>>): unknown {
  return JSON.parse(state["config.json"] ?? "null");
}

async function idsOf(run: (...args: readonly string[]) => Promise<CliResult>): Promise<unknown> {
  const doctor = await run("plugins", "doctor", "--json");
  return jsonLines(doctor).map(({ type, data }) => type === "plugin" ? data.id : data.error);
}

Deno.test("alisio install puts a plugin with its packages there, names it and loads it", async () => {
  const esm = { manifest: { name: "esm", version: "1.0.0", type: "module", exports: "./m.js" } };
  const cjs = { manifest: { name: "@x/cjs", version: "2.0.0", main: "./m.js" } };
  const source = pluginSource("acme.one").replace(
    "import",
    'import { a } from "esm"; import cjs from "@x/cjs"; if (a + cjs.b !== 3) throw 1; import',
  );
  const dependencies = { esm: "^1.0.0", "@x/cjs": "^2.0.0" };
  await withRegistry([
    { ...esm, files: { "m.js": "export const a = 1;" } },
    { ...cjs, files: { "m.js": "exports.b = 2;" } },
    plugin("alisio-plugin-one", "1.0.0", { dependencies }, { "index.js": source }),
    plugin("alisio-plugin-one", "1.1.0", { dependencies }, { "index.js": source }),
  ], async ({ cli, run }) => {
    await cli.configure({
      limits: { maxTurns: 7 },
      plugins: ["./mine.js", "alisio-plugin-one@0.1.0"],
    });
    await Deno.writeTextFile(join(cli.configHome, "mine.js"), pluginSource("acme.mine"));
    const installed = await run("install", "npm:alisio-plugin-one@1.0.0", "--yes");
    assert.equal(installed.status, 0, shown(installed));
    const path = join(cli.configHome, "plugins/node_modules/alisio-plugin-one");
    assert.equal(installed.stdout, `Plugin "alisio-plugin-one" 1.0.0 is installed, in "${path}"\n`);
    const state = await stateOf(cli);
    // Everything else stays, and a plugin is named once.
    assert.deepEqual(configOf(state), {
      limits: { maxTurns: 7 },
      plugins: ["./mine.js", "alisio-plugin-one"],
    });
    assert.deepEqual(JSON.parse(state["plugins/package.json"] ?? ""), {
      dependencies: { "alisio-plugin-one": "1.0.0" },
    });
    assert.deepEqual(await idsOf(run), ["acme.mine", "acme.one"]);
    const list = await run("plugins", "list");
    assert.ok(list.stdout.includes(`"alisio-plugin-one" of "plugins" in `), shown(list));

    const { packages } = JSON.parse(state["plugins/.alisio/installed.json"] ?? "");
    const notes = Object.entries(packages as Record<string, Record<string, string>>);
    assert.deepEqual(notes.map(([place, { version }]) => [place, version]), [
      ["node_modules/alisio-plugin-one", "1.0.0"],
      ["node_modules/esm", "1.0.0"],
      ["node_modules/@x/cjs", "2.0.0"],
    ]);
    for (const [, note] of notes) assert.match(note.integrity ?? "", /^sha512-/);

    // npm is not run again, whatever is asked for.
    const again = await run("install", "alisio-plugin-one", "--yes");
    assert.equal(again.stdout, 'Plugin "alisio-plugin-one" 1.0.0 is installed already\n');
    assert.equal(
      again.stderr,
      "To replace it by the latest version: alisio install alisio-plugin-one --update\n",
    );
    const update = await run("install", "npm:alisio-plugin-one", "--update", "--yes");
    assert.equal(
      update.stdout,
      `Plugin "alisio-plugin-one" 1.1.0 is updated, was 1.0.0, in "${path}"\n`,
    );
    assert.deepEqual(configOf(await stateOf(cli)), configOf(state));

    const removed = await run("uninstall", "alisio-plugin-one");
    assert.equal(removed.stdout, 'Plugin "alisio-plugin-one" is removed\n', shown(removed));
    const left = await stateOf(cli);
    assert.deepEqual(configOf(left), { limits: { maxTurns: 7 }, plugins: ["./mine.js"] });
    assert.deepEqual(
      Object.keys(left).filter((each) => each.includes("node_modules/")),
      [],
    );
  });
});

Deno.test("alisio install takes no program and no setting of npm from the project", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, registry, env }) => {
    await writeTree(cli.workspace, {
      ".npmrc": "registry=http://127.0.0.1:9/\nignore-scripts=false\n",
      "package.json": '{ "name": "mine" }',
      "bin/npm": "#!/bin/sh\ntouch ran\n",
    });
    await Deno.chmod(join(cli.workspace, "bin/npm"), 0o755);
    const userconfig = join(cli.dir, "npmrc");
    await Deno.writeTextFile(userconfig, `registry=${registry.url}\n`);
    const installed = await cli.run(["install", "alisio-plugin-one", "--yes"], {
      env: {
        npm_config_cache: env.npm_config_cache ?? "",
        npm_config_userconfig: userconfig,
        npm_config_global: "true",
        npm_config_ignore_scripts: "false",
        npm_config_dry_run: "true",
        PATH: `${join(cli.workspace, "bin")}:${Deno.env.get("PATH")}`,
      },
    });
    assert.equal(installed.status, 0, shown(installed));
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(cli.workspace))).map(({ name }) => name).toSorted(),
      [".npmrc", "bin", "package.json"],
    );
  });
});

Deno.test("alisio install --update brings every plugin of npm to its latest version at once", async () => {
  await withRegistry([
    plugin("alisio-plugin-one", "1.0.0"),
    plugin("@acme/two", "1.0.0"),
  ], async ({ registry, run }) => {
    const nothing = await run("install", "--update");
    assert.equal(nothing.status, 0, shown(nothing));
    assert.equal(nothing.stdout, "No plugin is installed from npm; there is nothing to update\n");
    assert.deepEqual(registry.requests, []);

    await run("install", "alisio-plugin-one", "--yes");
    await run("install", "@acme/two", "--yes");
    await registry.add(plugin("alisio-plugin-one", "2.0.0"), plugin("@acme/two", "1.5.0"));
    const update = await run("install", "--update", "--yes", "--json");
    const { action, plugins } = dataOf(update, "install");
    assert.deepEqual(
      [
        action,
        (plugins as Record<string, string>[]).map((
          each,
        ) => [each.name, each.previous, each.version]),
      ],
      ["updated", [["@acme/two", "1.0.0", "1.5.0"], ["alisio-plugin-one", "1.0.0", "2.0.0"]]],
    );
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-one", "acme.two"]);
  });
});

Deno.test("alisio install asks nothing of the network before the person agreed", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, registry, run }) => {
    const rows: readonly (readonly [readonly string[], number, string])[] = [
      [
        ["install", "alisio-plugin-one"],
        2,
        'Cannot ask whether to go on: Install "npm:alisio-plugin-one"? A plugin runs with all your ' +
        "rights. If you trust it, write: alisio install alisio-plugin-one --yes",
      ],
      [
        ["install", "npm:alisio-plugin-one@1.0.0", "--json"],
        2,
        'Cannot ask whether to go on: Install "npm:alisio-plugin-one@1.0.0"? A plugin runs with ' +
        "all your rights. If you trust it, write: alisio install npm:alisio-plugin-one@1.0.0 --yes",
      ],
      [
        ["install", "alisio-plugin-one", "--yes", "--read-only"],
        2,
        'Cannot change the installed plugins: "--read-only" was given',
      ],
      [
        ["uninstall", "alisio-plugin-one", "--read-only"],
        2,
        'Cannot change the installed plugins: "--read-only" was given',
      ],
      [
        ["install", "alisio-plugin-one", "--update", "--yes"],
        2,
        'Cannot update "alisio-plugin-one": it is not installed; write alisio install ' +
        "alisio-plugin-one",
      ],
      [
        ["install", "npm:@alisio/sdk", "--yes"],
        2,
        'Cannot install "npm:@alisio/sdk": "@alisio/sdk" is no plugin; it comes with Alisio, and ' +
        "plugins find it without being installed",
      ],
      [
        ["uninstall", "alisio-plugin-one"],
        2,
        'Cannot uninstall "alisio-plugin-one": it is not installed; see alisio plugins list',
      ],
      [
        ["install"],
        2,
        "Write alisio install npm:<package>, alisio install <file>.tgz, or alisio install --update",
      ],
    ];
    for (const [args, status, message] of rows) {
      const result = await run(...args);
      assert.deepEqual(
        [result.status, result.stderr],
        [status, `alisio: ${message}\n`],
        args.join(" "),
      );
    }
    assert.deepEqual(registry.requests, []);
    assert.equal(await Deno.lstat(cli.configHome).catch(() => "absent"), "absent");
  });
});

Deno.test("alisio install --trust-plugin --json answers with one line", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, run }) => {
    const result = await run("install", "alisio-plugin-one", "--trust-plugin", "--json", "--quiet");
    assert.deepEqual([result.status, result.stderr], [0, ""]);
    assert.deepEqual(dataOf(result, "install"), {
      action: "installed",
      plugins: [{
        name: "alisio-plugin-one",
        version: "1.0.0",
        path: join(cli.configHome, "plugins/node_modules/alisio-plugin-one"),
      }],
      scriptsLeftOut: [],
      scriptsRun: [],
    });
    const removed = await run("uninstall", "npm:alisio-plugin-one", "--json");
    assert.deepEqual(dataOf(removed, "uninstall"), { name: "alisio-plugin-one" });
  });
});

Deno.test("alisio install runs no script of any package unless it is named", async () => {
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" };
  await withRegistry([
    { manifest: { name: "native", version: "1.0.0", scripts } },
    { manifest: { name: "other", version: "1.0.0", scripts } },
    plugin("alisio-plugin-one", "1.0.0", { scripts, dependencies: { native: "1", other: "1" } }),
  ], async ({ cli, run }) => {
    const ran = async () => Object.keys(await stateOf(cli)).filter((path) => path.endsWith("/ran"));
    const installed = await run("install", "alisio-plugin-one", "--yes");
    assert.equal(installed.status, 0, shown(installed));
    assert.deepEqual(await ran(), []);
    for (const name of ["alisio-plugin-one", "native", "other"]) {
      assert.ok(
        installed.stderr.includes(`Not run, of package "${name}" 1.0.0: postinstall: "node -e `),
        shown(installed),
      );
    }
    assert.ok(
      installed.stderr.includes(
        "If it does not work without, let them run: alisio install alisio-plugin-one " +
          "--allow-scripts alisio-plugin-one --allow-scripts native --allow-scripts other\n",
      ),
      shown(installed),
    );
    const unasked = await run("install", "alisio-plugin-one", "--allow-scripts", "native");
    assert.equal(
      unasked.stderr,
      "alisio: Cannot ask whether to go on: Let the scripts of native run? A plugin runs with all " +
        "your rights. If you trust it, write: alisio install alisio-plugin-one --yes " +
        "--allow-scripts native\n",
    );
    assert.deepEqual(await ran(), []);
    const wrong = await run("install", "alisio-plugin-one", "--yes", "--allow-scripts", "nativ");
    assert.equal(
      wrong.stderr,
      'alisio: Cannot run scripts of "nativ": no such package of the plugin would run any when it ' +
        "is installed; those that do: alisio-plugin-one, native, other. Everything is as it was " +
        "before\n",
    );
    const allowed = await run("install", "alisio-plugin-one", "--yes", "--allow-scripts", "native");
    assert.equal(allowed.status, 0, shown(allowed));
    assert.deepEqual(await ran(), ["plugins/node_modules/native/ran"]);
    // What its own script made is part of what was installed.
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-one"]);
  });
});

type RefusalRow = readonly [spec: string, status: number, message: RegExp];

/** An npm of before has no settings for the sources of packages. */
const KNOWS_SOURCES = await knowsSources();

const OF_OTHER_SOURCES: readonly RefusalRow[] = [
  [
    "by-git",
    1,
    /^alisio: Cannot install "npm:by-git": one of its packages would be fetched with Git/,
  ],
  [
    "by-path",
    1,
    /^alisio: Cannot install "npm:by-path": one of its packages would be a folder of/,
  ],
];

async function knowsSources(): Promise<boolean> {
  const npm = new Deno.Command("npm", { args: ["config", "get", "allow-git"], stderr: "null" });
  return new TextDecoder().decode((await npm.output()).stdout).trim() === "all";
}

Deno.test("alisio install leaves nothing of what cannot be used", async () => {
  await withRegistry([
    plugin("alisio-plugin-one", "1.0.0"),
    { manifest: { name: "left-pad", version: "1.0.0" }, files: { "index.js": "" } },
    plugin("by-git", "1.0.0", { dependencies: { x: "git+file:///nowhere/x.git" } }),
    plugin("by-path", "1.0.0", { dependencies: { x: "file:../../../.." } }),
    plugin("no-entry", "1.0.0", { exports: { ".": { browser: "./index.js" } } }),
  ], async ({ cli, env, run }) => {
    assert.equal((await run("install", "alisio-plugin-one", "--yes")).status, 0);
    const before = await stateOf(cli);
    const rows: readonly RefusalRow[] = [
      ...(KNOWS_SOURCES ? OF_OTHER_SOURCES : []),
      [
        "left-pad",
        2,
        /^alisio: Cannot install "npm:left-pad": package "left-pad" is no Alisio plugin: its package\.json lacks the keyword "alisio-plugin"; everything is as it was before\n$/,
      ],
      ["no-entry", 2, /the "exports" of its package\.json offer no "\."/],
      [
        "nowhere",
        1,
        /^alisio: Cannot install "npm:nowhere": the registry has no such package, or does not show it to you; check the name\. npm says:\n(?: {2}npm .*\n)+Everything is as it was before\. Try again with:\n {2}alisio install nowhere --yes\n$/,
      ],
      [
        "alisio-plugin-two@9.9.9",
        1,
        /the registry has no such package/,
      ],
    ];
    for (const [spec, status, message] of rows) {
      const result = await run("install", spec, "--yes");
      assert.equal(result.status, status, shown(result));
      assert.match(result.stderr, message);
      assert.deepEqual(await stateOf(cli), before, spec);
    }
    const offline = await cli.run(["install", "alisio-plugin-two", "--yes"], {
      env: { ...env, npm_config_registry: "http://127.0.0.1:9/", SOME_TOKEN: "very-secret-value" },
    });
    assert.equal(offline.status, 1, shown(offline));
    assert.match(
      offline.stderr,
      /^alisio: Cannot install "npm:alisio-plugin-two": the registry cannot be reached; check the network\. npm says:\n/,
    );
    assert.match(offline.stderr, /Try again with:\n {2}alisio install alisio-plugin-two --yes\n$/);
    assert.deepEqual(await stateOf(cli), before);
  });
});

Deno.test("alisio install explains plugins that do not fit together, and forces nothing", async () => {
  const peer = (range: string) => ({ peerDependencies: { "@alisio/sdk": range } });
  await withRegistry([
    { manifest: { name: "@alisio/sdk", version: "0.1.0" } },
    { manifest: { name: "@alisio/sdk", version: "0.2.0" } },
    plugin("alisio-plugin-old", "1.0.0", peer("^0.1.0")),
    plugin("alisio-plugin-new", "1.0.0", peer("^0.2.0")),
    plugin("alisio-plugin-none", "1.0.0"),
  ], async ({ cli, registry, run }) => {
    await run("install", "alisio-plugin-none", "--yes");
    await run("install", "alisio-plugin-old", "--yes");
    const before = await stateOf(cli);
    const conflict = await run("install", "npm:alisio-plugin-new", "--yes");
    assert.equal(conflict.status, 1, shown(conflict));
    assert.match(
      conflict.stderr,
      /^alisio: Cannot install "npm:alisio-plugin-new": it needs another version of a package that plugins share \(ERESOLVE\), because of: "alisio-plugin-old"\. npm says:\n/,
    );
    assert.ok(
      conflict.stderr.endsWith(
        "Everything is as it was before. Update all installed plugins together, then install " +
          "again:\n  alisio install --update\n  alisio install npm:alisio-plugin-new --yes\n",
      ),
      shown(conflict),
    );
    assert.doesNotMatch(conflict.stderr, /--force|--legacy-peer-deps|Try again/);
    assert.deepEqual(await stateOf(cli), before);

    // The way out that the message names.
    await registry.add(plugin("alisio-plugin-old", "2.0.0", peer("^0.2.0")));
    assert.equal((await run("install", "--update", "--yes")).status, 0);
    const installed = await run("install", "npm:alisio-plugin-new", "--yes");
    assert.equal(installed.status, 0, shown(installed));
    assert.ok(
      installed.stderr.includes(
        'Plugin "alisio-plugin-new" 1.0.0 is made for @alisio/sdk "^0.2.0", and this Alisio has ' +
          "0.1.0; it may not work\n",
      ),
      shown(installed),
    );

    await registry.add(plugin("alisio-plugin-old", "3.0.0", peer("^0.1.0")));
    const stuck = await run("install", "--update", "--yes");
    assert.match(
      stuck.stderr,
      /Cannot update 3 plugins: their newest versions do not fit together/,
    );
    assert.ok(
      stuck.stderr.endsWith(
        "Uninstall one of them, or wait until it is published for the same version\n",
      ),
      shown(stuck),
    );
  });
});

Deno.test("alisio install does not start npm where the configuration cannot be changed", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, registry, run }) => {
    await cli.configure({});
    await Deno.chmod(join(cli.configHome, "config.json"), 0o400);
    const result = await run("install", "alisio-plugin-one", "--yes");
    assert.deepEqual([result.status, result.stderr], [
      1,
      `alisio: Cannot change configuration "${
        join(cli.configHome, "config.json")
      }": this user may ` +
      "not write it; nothing was installed or removed; make the file and its folder writable, " +
      "then try again\n",
    ]);
    await Deno.chmod(join(cli.configHome, "config.json"), 0o600);
    await Deno.writeTextFile(join(cli.configHome, "config.json"), '{ "plugins": 1 }');
    const invalid = await run("install", "alisio-plugin-one", "--yes");
    assert.equal(invalid.status, 2, shown(invalid));
    assert.match(invalid.stderr, /config\.json/);
    assert.deepEqual(registry.requests, []);
  });
});

Deno.test("alisio install does not start npm where the folder of plugins is none", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, registry, run }) => {
    await cli.configure({});
    await Deno.writeTextFile(join(cli.configHome, "plugins"), "");
    const result = await run("install", "alisio-plugin-one", "--yes");
    assert.equal(result.status, 1, shown(result));
    assert.match(
      result.stderr,
      /^alisio: Cannot use the folder of plugins ".*\/plugins": .*; nothing was changed; make it a folder that you may write\n$/,
    );
    assert.deepEqual(registry.requests, []);
  });
});

Deno.test("A plugin without readable notes is not loaded, and the way out is named", async () => {
  await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, run }) => {
    await run("install", "alisio-plugin-one", "--yes");
    const notes = join(cli.configHome, "plugins/.alisio/installed.json");
    await Deno.writeTextFile(notes, "{");
    const refusal =
      `Cannot read "${notes}", the notes about installed plugins; remove the file and ` +
      "run alisio install --update";
    assert.deepEqual(await idsOf(run), [refusal]);
    assert.equal((await run("install", "--update", "--yes")).stderr, `alisio: ${refusal}\n`);
    await Deno.remove(notes);
    assert.equal((await run("install", "--update", "--yes")).status, 0);
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-one"]);
  });
});

Deno.test("A plugin whose files were changed is not loaded until it is fetched anew", async () => {
  await withRegistry([
    { manifest: { name: "dep", version: "1.0.0" }, files: { "index.js": "exports.a = 1;" } },
    plugin("alisio-plugin-one", "1.0.0", { dependencies: { dep: "1" } }),
    plugin("alisio-plugin-two", "1.0.0"),
  ], async ({ cli, run }) => {
    await run("install", "alisio-plugin-one", "--yes");
    const dependency = join(cli.configHome, "plugins/node_modules/dep/index.js");
    await Deno.writeTextFile(dependency, "exports.a = 2;");
    const refusal =
      `Cannot load plugin "alisio-plugin-one" of "plugins" in "${
        join(cli.configHome, "config.json")
      }": the files of "dep" are not those that were installed; fetch them anew: alisio install ` +
      "npm:alisio-plugin-one --update";
    assert.deepEqual(await idsOf(run), [refusal]);
    // Another plugin does not make it good.
    await run("install", "alisio-plugin-two", "--yes");
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-two", refusal]);
    const present = await run("install", "alisio-plugin-one", "--yes");
    assert.ok(
      present.stderr.includes(
        'The files of "dep" are not those that were installed, so it is not loaded. To fetch it ' +
          "anew: alisio install alisio-plugin-one --update",
      ),
      shown(present),
    );
    const update = await run("install", "alisio-plugin-one", "--update", "--yes");
    assert.equal(update.status, 0, shown(update));
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-one", "acme.alisio-plugin-two"]);
    assert.equal(await Deno.readTextFile(dependency), "exports.a = 1;");

    // A package that takes the place of one that was installed is noticed like a changed one.
    const nested = join(cli.configHome, "plugins/node_modules/alisio-plugin-one/node_modules/dep");
    await Deno.mkdir(nested, { recursive: true });
    await Deno.writeTextFile(join(nested, "package.json"), '{ "name": "dep", "version": "1.0.0" }');
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-two", refusal]);
  });
});

Deno.test("alisio install needs no contract from the registry, whatever range plugins name", async () => {
  const peer = (range: string) => ({ peerDependencies: { "@alisio/sdk": range } });
  await withRegistry([
    plugin("alisio-plugin-new", "1.0.0", peer("^0.2.0")),
    plugin("alisio-plugin-both", "1.0.0", peer("^0.1.0 || ^0.2.0")),
  ], async ({ cli, run }) => {
    const first = await run("install", "npm:alisio-plugin-new", "--yes");
    assert.equal(first.status, 0, shown(first));
    assert.equal(
      first.stderr,
      'Plugin "alisio-plugin-new" 1.0.0 is made for @alisio/sdk "^0.2.0", and this Alisio has ' +
        '0.1.0; it may not work\nIt is named in "plugins" of your configuration and loaded in ' +
        "every project; see alisio plugins doctor\n",
    );
    const second = await run("install", "alisio-plugin-both", "--yes");
    assert.equal(second.status, 0, shown(second));
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-new", "acme.alisio-plugin-both"]);
    const update = await run("install", "--update", "--yes");
    assert.equal(update.status, 0, shown(update));
    const removed = await run("uninstall", "alisio-plugin-new");
    assert.equal(removed.status, 0, shown(removed));
    assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-both"]);
    // A package that the plugin itself needs must be there all the same.
    const before = await stateOf(cli);
    const missing = await run("install", "npm:@alisio/sdkk", "--yes");
    assert.equal(missing.status, 1, shown(missing));
    assert.deepEqual(await stateOf(cli), before);
  });
});

Deno.test("alisio install takes a plugin from a file, and keeps a copy of it", async () => {
  await withRegistry([
    { manifest: { name: "dep", version: "1.0.0" }, files: { "index.js": "" } },
  ], async ({ cli, run }) => {
    const pack = async (version: string, name: string, marker = "") => {
      const { manifest, files = {} } = plugin("@acme/own", version, {
        main: "./index.js",
        dependencies: { dep: "1" },
        scripts: { preinstall: "exit 1" },
        peerDependencies: { "@alisio/sdk": "^9.0.0" },
        peerDependenciesMeta: { "@alisio/sdk": { optional: true } },
      });
      const tarball = await buildTarball([
        { path: "package/package.json", content: JSON.stringify(manifest) },
        { path: "package/index.js", content: `${files["index.js"]}//${marker}` },
      ]);
      await Deno.writeFile(join(cli.workspace, name), tarball);
    };
    const copies = async () =>
      Object.keys(await stateOf(cli)).filter((path) => path.endsWith(".tgz"));
    await pack("1.0.0", "own.tgz");
    const installed = await run("install", "./own.tgz", "--yes");
    assert.equal(installed.status, 0, shown(installed));
    assert.equal(
      installed.stderr,
      'Plugin "@acme/own" 1.0.0 is made for @alisio/sdk "^9.0.0", and this Alisio has 0.1.0; it ' +
        'may not work\nNot run, of package "@acme/own" 1.0.0: preinstall: "exit 1"\n' +
        "If it does not work without, let them run: alisio install @acme/own --allow-scripts " +
        '@acme/own\nIt is named in "plugins" of your configuration and loaded in every project; ' +
        "see alisio plugins doctor\n",
    );
    await Deno.remove(join(cli.workspace, "own.tgz"));
    assert.deepEqual(await idsOf(run), ["acme.own"]);
    assert.deepEqual(await copies(), ["plugins/local-packages/@acme/own-1.0.0.tgz"]);

    await pack("1.0.0", "own.tgz", "changed");
    const same = await run("install", "own.tgz", "--yes", "--update");
    assert.equal(same.status, 0, shown(same));
    const source = await Deno.readTextFile(
      join(cli.configHome, "plugins/node_modules/@acme/own/index.js"),
    );
    assert.ok(source.endsWith("//changed"));

    await pack("1.1.0", "own.tgz");
    const update = await run("install", "own.tgz", "--yes", "--update");
    assert.match(update.stdout, /^Plugin "@acme\/own" 1\.1\.0 is updated, was 1\.0\.0, in /);
    assert.deepEqual(await copies(), ["plugins/local-packages/@acme/own-1.1.0.tgz"]);
    const others = await run("install", "--update", "--yes");
    assert.equal(
      others.stderr,
      'Left as they are, because they came from a file: "@acme/own"\n',
      shown(others),
    );
    const mixed = await run("install", "@acme/own", "--update", "--yes");
    assert.equal(
      mixed.stderr,
      'alisio: Cannot update "@acme/own" from npm: it was installed from a file; name its new ' +
        "file, or uninstall it first: alisio uninstall @acme/own\n",
    );
    const removed = await run("uninstall", "@acme/own");
    assert.equal(removed.status, 0, shown(removed));
    assert.deepEqual(await copies(), []);
    assert.deepEqual(configOf(await stateOf(cli)), { plugins: [] });
  });
});

/** Gives the command line a terminal of its own, which is fed from standard input. */
const IN_TERMINAL: CliOptions = {
  stdin: "open",
  wrap: ["bash", "-c", 'exec script -qec "exec $(printf "%q " "$@")" /dev/null', "bash"],
};

const HAS_TERMINAL = Deno.build.os === "linux" &&
  await canRun(["script", "-qec", "true", "/dev/null"]);

Deno.test({
  name: "alisio install asks the person at a terminal",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await withRegistry([plugin("alisio-plugin-one", "1.0.0")], async ({ cli, registry, env }) => {
      for (const [answer, status] of [["n", 2], ["y", 0]] as const) {
        const command = cli.start(["install", "alisio-plugin-one"], { ...IN_TERMINAL, env });
        await command.outputText(
          /A plugin is code that runs as a part of Alisio, with what you permit and in every project\.\r\nScripts that its packages run when they are installed are left out; you are asked about each\.\r\nInstall "npm:alisio-plugin-one"\? \[y\/N\] $/,
        );
        assert.deepEqual(registry.requests, []);
        await command.stdin.write(new TextEncoder().encode(`${answer}\n`));
        const result = await command.ended;
        assert.equal(result.status, status, shown(result));
        if (status === 2) assert.match(result.stdout, /alisio: Nothing was installed\r\n$/);
      }
      assert.deepEqual(configOf(await stateOf(cli)), { plugins: ["alisio-plugin-one"] });
    });
  },
});

Deno.test({
  name: "alisio install asks at a terminal about the scripts of each package, by name",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" };
    await withRegistry([
      { manifest: { name: "native", version: "1.0.0", scripts } },
      { manifest: { name: "other", version: "1.0.0", scripts } },
      plugin("alisio-plugin-one", "1.0.0", { dependencies: { native: "1", other: "1" } }),
    ], async ({ cli, env, run }) => {
      const command = cli.start(["install", "alisio-plugin-one"], { ...IN_TERMINAL, env });
      const answer = (text: string) => command.stdin.write(new TextEncoder().encode(`${text}\n`));
      await command.outputText(/Install "npm:alisio-plugin-one"\? \[y\/N\] $/);
      await answer("y");
      await command.outputText(
        /is installed, in [^\n]*\r\n[\s\S]*Package "native" 1\.0\.0 would run postinstall: "node -e [^\n]*", with all your rights\r\nLet the scripts of "native" run\? \[y\/N\] $/,
      );
      await answer("y");
      await command.outputText(/Let the scripts of "other" run\? \[y\/N\] $/);
      await answer("");
      const result = await command.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(result.stdout, /\r\nScripts were run: native\r\n/);
      assert.match(
        result.stdout,
        /If it does not work without, let them run: alisio install alisio-plugin-one --allow-scripts other\r\n$/,
      );
      const ran = Object.keys(await stateOf(cli)).filter((path) => path.endsWith("/ran"));
      assert.deepEqual(ran, ["plugins/node_modules/native/ran"]);
      assert.deepEqual(await idsOf(run), ["acme.alisio-plugin-one"]);
    });
  },
});
