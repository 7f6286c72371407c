import assert from "node:assert/strict";
import { join } from "node:path";
import { VERSION } from "../../core/version.ts";
import { pluginSource, registerTool } from "../core/plugins/_plugin_files.ts";
import { jsonLines } from "../support/cli_harness.ts";
import { linkPackages, startRegistry } from "../support/local_registry.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { startHerdr } from "../support/fake_herdr.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { startSite } from "../tools/web/_site.ts";

interface PublishedScene {
  /** Holds `work`, where programs are started, and the cache of the runtime. */
  readonly dir: string;
  /** Runs the runtime as a person has it who has installed nothing but it. */
  deno(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where both packages can be had from a registry of this machine, and from nowhere else. */
async function withPublished(fn: (scene: PublishedScene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    await using registry = await startRegistry();
    await linkPackages(join(dir, "cache"));
    await Deno.mkdir(join(dir, "work"));
    await fn({
      dir,
      deno: async (args, env = {}) => {
        const { code, stdout, stderr } = await new Deno.Command(DENO, {
          args: [...args],
          cwd: join(dir, "work"),
          clearEnv: true,
          env: {
            PATH: Deno.env.get("PATH") ?? "",
            HOME: dir,
            DENO_DIR: join(dir, "cache"),
            JSR_URL: registry.url,
            ...env,
          },
          stdin: "null",
        }).output();
        const decoder = new TextDecoder();
        return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
      },
    });
  });
}

Deno.test({
  name: "The published program runs behind the second wall and loads plugins with packages",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
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
        const { code, stdout, stderr } = await deno([
          ...["run", "-A", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=none"],
          ...["jsr:@alisio/cli", "run", "hi", "--json", "--model", "scripted/s.json"],
          ...["--plugin", "../plugin"],
        ]);
        assert.equal(code, 0, `${start}: ${stdout}${stderr}`);
        const ended = jsonLines({ stdout }).find(({ type }) => type === "tool_completed");
        assert.equal(ended?.data.preview, "A b/ textResult prompt", `${start}: ${stdout}${stderr}`);
      }
    }),
});

Deno.test({
  name: "deno run -A jsr:@alisio/cli starts again under the second wall, whatever is permitted",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
      const work = join(dir, "work");
      const queries: readonly Deno.PermissionDescriptor[] = [
        { name: "write", path: work },
        { name: "write", path: dir },
        { name: "run", command: "sh" },
        { name: "net", host: "example.com:443" },
        { name: "ffi" },
      ];
      const states = `${JSON.stringify(queries)}` +
        `.map((query) => Deno.permissions.querySync(query).state).join(" ")`;
      await writeTree(dir, {
        "look.js": pluginSource("acme.one", registerTool("greet", states)),
        "work/s.json": JSON.stringify({
          turns: [{ calls: [{ name: "p_fe23c7961e_greet", arguments: {} }] }, { text: "Done" }],
        }),
      });
      const rows: readonly (readonly [readonly string[], string])[] = [
        [[], "prompt prompt prompt prompt denied"],
        [["--allow-write"], "granted prompt prompt prompt denied"],
        [["--allow-process"], "prompt prompt granted prompt denied"],
        [["--allow-external"], "prompt prompt prompt granted denied"],
        [["--no-second-wall"], "granted granted granted granted granted"],
      ];
      for (const [flags, expected] of rows) {
        const run = await deno([
          ...["run", "-A", "jsr:@alisio/cli", "run", "hi", "--json", "--model", "scripted/s.json"],
          ...["--plugin", "../look.js", ...flags],
        ]);
        assert.equal(run.code, 0, run.stdout + run.stderr);
        const ended = jsonLines(run).find(({ type }) => type === "tool_completed");
        assert.equal(ended?.data.preview, expected, flags.join(" "));
      }
    }),
});

Deno.test({
  name: "A plugin of the published program gets one contract, by every name that it has",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
      const names = ["@alisio/sdk", "jsr:@alisio/sdk", `jsr:@alisio/sdk@^${VERSION}`];
      const same = `(await Promise.all([${
        names.map((name) => `import(${JSON.stringify(name)})`).join(", ")
      }])).every((each) => each.textResult === textResult)`;
      const types = `import type { ToolResult } from "jsr:@alisio/sdk@^${VERSION}";\n`;
      await writeTree(dir, {
        "one.ts": types + pluginSource("acme.one", registerTool("greet", `String(${same})`)),
        "work/s.json": JSON.stringify({
          turns: [{ calls: [{ name: "p_fe23c7961e_greet", arguments: {} }] }, { text: "Done" }],
        }),
      });
      const run = await deno([
        ...["run", "-A", "jsr:@alisio/cli", "run", "hi", "--json", "--model", "scripted/s.json"],
        ...["--plugin", "../one.ts", "--plugin", join(ROOT, "examples/plugins/hello/hello.ts")],
      ]);
      assert.equal(run.code, 0, run.stdout + run.stderr);
      const ended = jsonLines(run).find(({ type }) => type === "tool_completed");
      assert.equal(ended?.data.preview, "true", run.stdout + run.stderr);
    }),
});

Deno.test({
  name: "The published program resumes, knows its version, reports to Herdr, and can be embedded",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
      await using herdr = await startHerdr(join(dir, "herdr"));
      await writeTree(dir, {
        "work/s.json": JSON.stringify({ turns: [{ text: "Done" }, { text: "Again" }] }),
        "work/embed.ts": `import { createApplication, VERSION } from "jsr:@alisio/cli/embed";
          console.log(typeof createApplication, VERSION);`,
      });
      const start = ["run", "-A", "jsr:@alisio/cli"];
      const model = ["--json", "--model", "scripted/s.json"];
      assert.equal((await deno([...start, "--version"])).stdout, `${VERSION}\n`);
      const first = await deno([...start, "run", "hi", ...model], herdr.env);
      assert.equal(first.code, 0, first.stdout + first.stderr);
      assert.ok(herdr.calls.some((args) => args.includes("working")), first.stderr);
      assert.equal(herdr.calls.at(-1)?.[1], "release-agent");
      const session = jsonLines(first)[0]?.sessionId ?? "none";
      const second = await deno([...start, "resume", session, "go on", ...model]);
      assert.equal(second.code, 0, second.stdout + second.stderr);
      const { code, stdout, stderr } = await deno(["run", "-A", "embed.ts"]);
      assert.deepEqual([code, stdout], [0, `function ${VERSION}\n`], stderr);
    }),
});

Deno.test({
  name: "The published program converts a page of the web on its thread",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
      await using site = await startSite((_request, response) => {
        response.setHeader("content-type", "text/html");
        response.end(`<h2>Head</h2>${"<p>A <b>word</b> or two.</p>".repeat(2_000)}`);
      });
      await writeTree(dir, {
        ".config/alisio/config.json": JSON.stringify({
          webfetch: { allowedHosts: [`127.0.0.1:${site.port}`] },
        }),
        "work/s.json": JSON.stringify({
          turns: [
            { calls: [{ name: "webfetch", arguments: { url: site.origin } }] },
            { text: "Done" },
          ],
        }),
      });
      const run = await deno([
        ...["run", "-A", "jsr:@alisio/cli", "run", "hi", "--json", "--allow-external"],
        ...["--model", "scripted/s.json"],
      ]);
      assert.equal(run.code, 0, run.stdout + run.stderr);
      const folder = join(dir, "work/.alisio/cache/webfetch");
      const [page] = await Array.fromAsync(Deno.readDir(folder));
      assert.match(page?.name ?? "none", /\.md$/);
      const text = await Deno.readTextFile(join(folder, page?.name ?? ""));
      assert.match(text, /^## Head\n\nA \*\*word\*\* or two\.\n/);
    }),
});

Deno.test({
  name: "The published program has the skills and prompt templates of a package and of the person",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPublished(async ({ dir, deno }) => {
      const plugin = "work/node_modules/alisio-plugin-one";
      await writeTree(dir, {
        [`${plugin}/package.json`]: JSON.stringify({
          name: "alisio-plugin-one",
          version: "1.0.0",
          keywords: ["alisio-plugin"],
          exports: { ".": "./dist/index.js" },
        }),
        [`${plugin}/dist/index.js`]: pluginSource(
          "acme.one",
          `api.resources.skills("../skills"); api.resources.prompts("../prompts");`,
        ),
        [`${plugin}/skills/brought/SKILL.md`]: skillFile("brought"),
        [`${plugin}/skills/brought/more.md`]: "More",
        [`${plugin}/prompts/both.md`]: "---\ndescription: Both\n---\nUse both: $1",
        ".config/alisio/skills/own/SKILL.md": skillFile("own"),
        "work/s.json": JSON.stringify({
          turns: [
            {
              calls: [
                { name: "skill_load", arguments: { name: "brought" } },
                { name: "skill_resource", arguments: { name: "brought", path: "more.md" } },
                { name: "skill_load", arguments: { name: "own" } },
              ],
            },
            { text: "Done" },
          ],
        }),
      });
      const start = ["run", "-A", "--quiet", "--no-config", "--no-lock", "jsr:@alisio/cli"];
      const run = await deno([
        ...[...start, "run", "/both now", "--json", "--model", "scripted/s.json"],
        ...["--plugin", "alisio-plugin-one"],
      ]);
      assert.equal(run.code, 0, run.stdout + run.stderr);
      const previews = jsonLines(run).filter(({ type }) => type === "tool_completed")
        .map(({ data }) => JSON.parse(String(data.preview)).content);
      assert.deepEqual(previews, ["About brought.", "More", "About own."], run.stderr);
      const session = jsonLines(run)[0]?.sessionId ?? "none";
      const shown = await deno([...start, "sessions", "export", session]);
      assert.match(shown.stdout, /Use both: now/);
      const list = await deno([...start, "skills", "list"]);
      assert.match(list.stdout, /^own {2}user {2}~\d+ tokens {2}Skill own$/m, list.stderr);
    }),
});

function skillFile(name: string): string {
  return `---\nname: ${name}\ndescription: Skill ${name}\n---\nAbout ${name}.\n`;
}
