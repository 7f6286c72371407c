import assert from "node:assert/strict";
import { join } from "node:path";
import { findPresent } from "../../../../core/plugins/install/installed_plugins.ts";
import {
  type InstallOptions,
  installPlugins,
  uninstallPlugin,
} from "../../../../core/plugins/install/install_plugin.ts";
import { errorMessage } from "../../../../core/errors.ts";
import { type ServedPackage, startNpmRegistry } from "../../../support/npm_registry.ts";
import { withTempDir } from "../../../support/temp.ts";

function plugin(version: string): ServedPackage {
  return {
    manifest: {
      name: "alisio-plugin-one",
      version,
      type: "module",
      keywords: ["alisio-plugin"],
      dependencies: { dep: "^1.0.0" },
    },
    files: { "index.js": `export default ${JSON.stringify(version)};` },
  };
}

const DEP = {
  manifest: {
    name: "dep",
    version: "1.0.0",
    scripts: { postinstall: "touch ran" },
  },
  files: { "index.js": "exports.a = 1;" },
};

/** A machine without npm, on which only the runtime installs packages. */
async function withoutNpm(
  fn: (scene: {
    readonly configHome: string;
    readonly options: InstallOptions;
    readonly notices: readonly string[];
    add(...packages: readonly ServedPackage[]): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using registry = await startNpmRegistry([DEP, plugin("1.0.0")]);
  await withTempDir(async (dir) => {
    const configHome = join(dir, "config");
    const notices: string[] = [];
    await fn({
      configHome,
      notices,
      add: (...packages) => registry.add(...packages),
      options: {
        configHome,
        workspace: dir,
        env: {
          PATH: join(dir, "nothing"),
          HOME: dir,
          DENO_DIR: join(dir, "cache"),
          NPM_CONFIG_REGISTRY: registry.url,
        },
        secrets: [],
        signal: new AbortController().signal,
        allowScripts: [],
        retry: "alisio install alisio-plugin-one",
        notify: (notice) => void notices.push(notice),
      },
    });
  });
}

const ONE = { kind: "registry", name: "alisio-plugin-one" } as const;

Deno.test("installPlugins() lets the runtime install where there is no npm", async () => {
  await withoutNpm(async ({ configHome, options, add, notices }) => {
    const { plugins, silenced } = await installPlugins([ONE], options);
    assert.deepEqual(plugins.map(({ name, version }) => [name, version]), [[ONE.name, "1.0.0"]]);
    assert.deepEqual(silenced, [{
      name: "dep",
      version: "1.0.0",
      scripts: { postinstall: "touch ran" },
    }]);
    const present = await findPresent(configHome, ONE.name);
    assert.deepEqual([present?.version, present?.changed], ["1.0.0", []]);
    const config = join(configHome, "config.json");
    assert.deepEqual(JSON.parse(await Deno.readTextFile(config)), { plugins: [ONE.name] });

    await add(plugin("2.0.0"));
    const updated = await installPlugins([ONE], options);
    assert.deepEqual(
      updated.plugins.map(({ previous, version }) => [previous, version]),
      [["1.0.0", "2.0.0"]],
    );
    await uninstallPlugin(ONE.name, options);
    assert.equal(await findPresent(configHome, ONE.name), null);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(config)), { plugins: [] });
    assert.deepEqual(notices, []);
  });
});

Deno.test("installPlugins() says what the runtime cannot install without npm", async () => {
  await withoutNpm(async ({ configHome, options }) => {
    await assert.rejects(
      installPlugins([{ kind: "registry", name: "nowhere" }], options),
      (error) => {
        assert.match(
          errorMessage(error),
          /^Cannot install "npm:nowhere": the registry has no such package, or cannot be reached; check both\. deno says:\n {2}.*was not found\.?\nEverything is as it was before\. Try again with:/,
        );
        return true;
      },
    );
    const packed = { name: "x", version: "1.0.0", scripts: {} };
    const missing = {
      message: "npm was not found: install Node.js, or use the desktop app, which bundles it",
    };
    await assert.rejects(
      installPlugins([{ kind: "file", path: "/x.tgz", plugin: packed }], options),
      missing,
    );
    await assert.rejects(installPlugins([ONE], { ...options, allowScripts: ["dep"] }), missing);
    assert.equal(await Deno.lstat(join(configHome, "config.json")).catch(() => "absent"), "absent");
  });
});

Deno.test(
  "installPlugins() shows no secret of npm",
  { ignore: Deno.build.os === "windows" },
  async () => {
    await withTempDir(async (dir) => {
      const bin = join(dir, "bin");
      await Deno.mkdir(bin, { mode: 0o755 });
      // An npm that tells all it knows, and more than anybody wants to read.
      await Deno.writeTextFile(
        join(bin, "npm"),
        '#!/bin/sh\nPATH=/usr/bin:/bin; echo "npm error code E401"; env | sort; cat "$HOME/.npmrc"\n' +
          "yes 'npm error more' | head -n 100000\nexit 1\n",
        { mode: 0o755 },
      );
      await Deno.writeTextFile(
        join(dir, ".npmrc"),
        "//registry.example.com/:_authToken=file-secret-0001\n",
      );
      const options = {
        configHome: join(dir, "config"),
        workspace: join(dir, "work"),
        env: {
          PATH: bin,
          HOME: dir,
          NPM_TOKEN: "npm-secret-0002",
          OPENAI_API_KEY: "model-secret-0003",
          NVM_DIR: "/opt/nvm",
        },
        secrets: ["other-secret-0004"],
        signal: new AbortController().signal,
        allowScripts: [],
        retry: "alisio install alisio-plugin-one",
        notify: () => {},
      };
      await assert.rejects(installPlugins([ONE], options), (error) => {
        const message = errorMessage(error);
        assert.match(message, /the registry wants you to sign in; run npm login first/);
        assert.match(message, /NVM_DIR=\/opt\/nvm/);
        assert.match(message, /NPM_TOKEN=\[redacted\]/);
        assert.match(message, /_authToken=\[redacted\]/);
        assert.doesNotMatch(message, /secret-000|OPENAI_API_KEY/);
        assert.ok(message.length < 6_000, String(message.length));
        return true;
      });
      // The same npm in the project is not taken.
      await assert.rejects(
        installPlugins([ONE], {
          ...options,
          workspace: dir,
          env: { ...options.env, DENO_DIR: dir, NPM_CONFIG_REGISTRY: "http://127.0.0.1:9/" },
        }),
        (error) => errorMessage(error).includes("deno says:"),
      );
    });
  },
);
