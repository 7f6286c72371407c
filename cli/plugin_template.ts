import { VERSION } from "../core/version.ts";

/** What a new plugin is made from. */
export interface PluginTemplate {
  /** Its id. */
  readonly id: string;
  /** Name of its npm package. */
  readonly packageName: string;
  /** Where `@alisio/sdk` and what is for its tests come from. */
  readonly sdk: { readonly contract: string; readonly testing: string };
  /** How a test starts Alisio: a program, and arguments before its own. */
  readonly alisio: readonly string[];
}

/**
 * The files of a new plugin, by path: one tool, one command, tests of both, and what npm and the
 * runtime need.
 *
 * @param template What it is made from.
 */
export function pluginFiles(template: PluginTemplate): Readonly<Record<string, string>> {
  return {
    "alisio-plugin.json": json({ apiVersion: 1, entry: "./src/plugin.ts" }),
    "package.json": packageJson(template),
    "deno.json": denoJson(template),
    ".gitignore": "dist/\nnode_modules/\n",
    "src/plugin.ts": pluginModule(template),
    "tests/plugin_test.ts": testModule(template),
    "README.md": readme(template),
  };
}

function packageJson({ packageName }: PluginTemplate): string {
  return json({
    name: packageName,
    version: "0.1.0",
    description: "A plugin for Alisio",
    keywords: ["alisio-plugin"],
    license: "MIT",
    type: "module",
    exports: { ".": "./dist/plugin.js" },
    files: ["dist"],
    peerDependencies: { "@alisio/sdk": `^${VERSION}` },
    peerDependenciesMeta: { "@alisio/sdk": { optional: true } },
  });
}

function denoJson({ sdk }: PluginTemplate): string {
  return json({
    nodeModulesDir: "none",
    imports: { "@alisio/sdk": sdk.contract, "@alisio/sdk/testing": sdk.testing },
    tasks: {
      test: "deno test -A",
      build: "deno transpile --output dist/plugin.js src/plugin.ts",
    },
    fmt: { lineWidth: 100 },
  });
}

function pluginModule({ id }: PluginTemplate): string {
  return `import { definePlugin, textResult } from "@alisio/sdk";

export default definePlugin({
  id: ${JSON.stringify(id)},
  version: "0.1.0",
  apiVersion: 1,
  description: "Greets people, and counts",
  setup(api) {
    const greetings = () => Number(api.state.get("greetings") ?? 0);

    api.tools.register({
      name: "hello",
      description: "Greets a person by name.",
      effect: "read",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
      },
      execute(input) {
        api.state.set("greetings", greetings() + 1);
        return Promise.resolve(textResult(\`Hello, \${String(input.name)}!\`));
      },
    });

    api.commands.register("greetings", () => Promise.resolve(\`Greetings so far: \${greetings()}\`), {
      description: "Shows how many people were greeted",
    });
  },
});
`;
}

function testModule({ alisio }: PluginTemplate): string {
  const words = alisio.map((word, index) =>
    index === 0 && word === "deno" ? "Deno.execPath()" : JSON.stringify(word)
  );
  return `import assert from "node:assert/strict";
import { runAlisio, setUpPlugin, textOf, toolName } from "@alisio/sdk/testing";
import description from "../package.json" with { type: "json" };
import plugin from "../src/plugin.ts";

/** How Alisio is started. */
const ALISIO = [
${words.map((word) => `  ${word},\n`).join("")}];

Deno.test("hello greets by name, and greetings counts", async () => {
  await using host = await setUpPlugin(plugin);
  const result = await host.callTool("hello", { name: "Ada" });
  assert.equal(textOf(result), "Hello, Ada!");
  assert.equal(await host.runCommand("greetings"), "Greetings so far: 1");
});

Deno.test("The package has the version of the plugin", () => {
  assert.equal(description.version, plugin.version);
});

Deno.test({
  name: "Alisio runs the plugin for a model",
  // It starts the real program: deno task test.
  ignore: Deno.permissions.querySync({ name: "run" }).state !== "granted",
  async fn() {
    const name = await toolName(plugin.id, "hello");
    const { status, events, stderr } = await runAlisio({
      alisio: ALISIO,
      plugin: Deno.realPathSync("."),
      turns: [{ calls: [{ name, arguments: { name: "Ada" } }] }, { text: "Done" }],
    });
    assert.equal(status, 0, stderr);
    const ended = events.find(({ type }) => type === "tool_completed");
    assert.equal(ended?.data.preview, "Hello, Ada!");
  },
});
`;
}

function readme({ id, packageName }: PluginTemplate): string {
  return `# ${packageName}

A plugin for Alisio, with the id \`${id}\`. Its code is \`src/plugin.ts\`.

Try it, from this folder:

\`\`\`sh
alisio plugins doctor --plugin .
alisio run --plugin . "/${id}:greetings"
\`\`\`

Test it: \`deno test\` sets the plugin up on a host that exists for the test alone, and
\`deno task test\` runs Alisio itself too, with a scripted model.

Publish it to npm, as JavaScript:

\`\`\`sh
deno task build
npm publish
\`\`\`

The task takes the types out of one file. When the plugin has more of them, bundle them instead:
\`deno bundle --external @alisio/sdk --output dist/plugin.js src/plugin.ts\`. Keep the keyword
\`alisio-plugin\` in \`package.json\`: Alisio loads no package without it.
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
