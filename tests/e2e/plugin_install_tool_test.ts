import assert from "node:assert/strict";
import { join } from "node:path";
import { BACKENDS } from "../core/sandbox/_world.ts";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm_registry.ts";
import {
  callTurn,
  type ScriptedModel,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { useModel } from "./_support.ts";

/** A scene with a registry, and a model that asks for one plugin. */
async function withAsked(
  spec: string,
  fn: (scene: {
    readonly cli: CliScene;
    readonly model: ScriptedModel;
    readonly registry: NpmRegistry;
    readonly env: Readonly<Record<string, string>>;
  }) => Promise<void>,
): Promise<void> {
  await using registry = await startNpmRegistry([{
    manifest: {
      name: "alisio-plugin-one",
      version: "1.2.3",
      type: "module",
      keywords: ["alisio-plugin"],
    },
    files: { "index.js": pluginSource("acme.one") },
  }]);
  await using model = await startModel([callTurn(["plugin_install", { spec }])]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const env = { npm_config_registry: registry.url, npm_config_cache: join(cli.dir, "cache") };
    await fn({ cli, model, registry, env });
  });
}

Deno.test("plugin_install installs as alisio install does, from behind the second wall", async () => {
  await withAsked("npm:alisio-plugin-one", async ({ cli, model, env }) => {
    const run = await cli.run(["run", "x", "--allow-process"], { env });
    assert.equal(run.status, 0, shown(run));
    const [text = ""] = toolResults(await model.chat(1));
    const path = join(cli.configHome, "plugins/node_modules/alisio-plugin-one");
    assert.deepEqual(JSON.parse(text), {
      package: "alisio-plugin-one",
      version: "1.2.3",
      entry: "alisio-plugin-one",
      config: join(cli.configHome, "config.json"),
      path,
      note: "The plugin runs as the person's own trusted code from the next start on, in every " +
        "project; --read-only keeps it from loading. alisio plugins doctor shows what it registers.",
    });
    const doctor = await cli.run(["plugins", "doctor", "--json"]);
    assert.deepEqual(jsonLines(doctor).map(({ data }) => data.id), ["acme.one"]);
  });
});

Deno.test("plugin_install is a program like any other to the gate", async () => {
  for (const args of [[], ["--read-only", "--allow-process"]]) {
    await withAsked("npm:alisio-plugin-one", async ({ cli, model, registry, env }) => {
      const run = await cli.run(["run", "x", ...args], { env });
      const [text = ""] = toolResults(await model.chat(1));
      assert.match(
        text,
        args.length === 0 ? /denied|not permitted|permit/i : /plugin_install/,
        text,
      );
      assert.deepEqual(registry.requests, [], shown(run));
    });
  }
});

Deno.test("plugin_install is not there under a risk profile, which could not grade it", async () => {
  await withAsked("npm:alisio-plugin-one", async ({ cli, model, registry, env }) => {
    await useModel(cli, model, {
      riskProfiles: { wide: { level: "full", allowedCommands: ["git"], sandboxBackend: "none" } },
    });
    const args = ["run", "x", "--allow-process", "--risk-profile", "wide"];
    const run = await cli.run(args, { env });
    assert.equal(run.status, 0, shown(run));
    const { tools } = JSON.parse((await model.chat(0)).body) as {
      readonly tools: readonly { readonly function: { readonly name: string } }[];
    };
    const names = tools.map((tool) => tool.function.name);
    assert.ok(names.includes("shell") && !names.includes("plugin_install"), shown(run));
    assert.deepEqual(registry.requests, []);
  });
});

Deno.test("plugin_install says what cannot be installed, and why", async () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["git+ssh://x/y.git", /^Cannot install "git\+ssh:\/\/x\/y\.git": "git\+ssh:" is no source/],
    ["./x.tgz", /^Cannot install a plugin from a file: .*ask the person/],
    ["npm:nowhere", /^Cannot install "npm:nowhere": the registry has no such package/],
  ];
  for (const [spec, message] of rows) {
    await withAsked(spec, async ({ cli, model, env }) => {
      const run = await cli.run(["run", "x", "--allow-process"], { env });
      assert.equal(run.status, 0, shown(run));
      const [text = ""] = toolResults(await model.chat(1));
      assert.match(text, message);
      assert.equal(
        await Deno.lstat(join(cli.configHome, "plugins/package.json")).catch(() => "absent"),
        "absent",
      );
    });
  }
});

for (const backend of BACKENDS) {
  Deno.test(`plugin_install leaves the sandbox "${backend}" to the person`, async () => {
    await withAsked("alisio-plugin-one", async ({ cli, model, registry, env }) => {
      await useModel(cli, model, { sandbox: backend });
      const run = await cli.run(["run", "x", "--allow-process"], { env });
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(toolResults(await model.chat(1)), [
        "Cannot install a plugin: programs of this run are kept from the person's configuration; " +
        "ask the person to run: alisio install npm:alisio-plugin-one",
      ]);
      assert.deepEqual(registry.requests, []);
    });
  });
}
