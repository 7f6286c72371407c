import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginSource, registerTool } from "../core/plugins/_plugin_files.ts";
import { jsonLines } from "../support/cli_harness.ts";
import { linkPackages, startRegistry } from "../support/local_registry.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

Deno.test({
  name: "The published program runs behind the second wall and loads plugins with packages",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await using registry = await startRegistry();
      await linkPackages(join(dir, "cache"));
      const tool = registerTool(
        "greet",
        `[shout("a"), whisper("B"), textResult.name, ` +
          `Deno.permissions.querySync({ name: "run", command: "sh" }).state].join(" ")`,
      );
      await writeTree(dir, {
        "plugin/alisio-plugin.json": `{ "apiVersion": 1, "entry": "./index.ts" }`,
        "plugin/index.ts": `import { shout } from "esm-dep"; import { whisper } from "cjs-dep";
          const version: number = 1;
          ${pluginSource("acme.one", tool)}`
          .replace("@alisio/sdk", "jsr:@alisio/sdk"),
        "plugin/node_modules/esm-dep/package.json": `{ "type": "module", "exports": "./m.js" }`,
        "plugin/node_modules/esm-dep/m.js": `export const shout = (text) => text.toUpperCase();`,
        "plugin/node_modules/cjs-dep/index.js":
          `const path = require("path"); exports.whisper = (text) => text.toLowerCase() + path.sep;`,
        "work/s.json": JSON.stringify({
          turns: [{ calls: [{ name: "p_fe23c7961e_greet", arguments: {} }] }, { text: "Done" }],
        }),
        // What lies in the folder of the run has no say in where the program comes from.
        "work/package.json": `{ "dependencies": { "diff": "8.0.2" } }`,
        "work/node_modules/diff/index.js": `throw new Error("hostile");`,
      });
      // The second start finds everything in the cache.
      for (const start of ["first", "second"]) {
        const { code, stdout, stderr } = await new Deno.Command(DENO, {
          args: [
            ...["run", "-A", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=none"],
            ...["jsr:@alisio/cli", "run", "hi", "--json", "--model", "scripted/s.json"],
            ...["--plugin", "../plugin"],
          ],
          cwd: join(dir, "work"),
          clearEnv: true,
          env: {
            PATH: Deno.env.get("PATH") ?? "",
            HOME: dir,
            DENO_DIR: join(dir, "cache"),
            JSR_URL: registry.url,
          },
          stdin: "null",
        }).output();
        const shown = new TextDecoder().decode(stderr);
        const text = new TextDecoder().decode(stdout);
        assert.equal(code, 0, `${start}: ${text}${shown}`);
        const ended = jsonLines({ stdout: text }).find(({ type }) => type === "tool_completed");
        assert.equal(ended?.data.preview, "A b/ textResult prompt", `${start}: ${text}${shown}`);
      }
    }),
});
