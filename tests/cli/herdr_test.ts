import assert from "node:assert/strict";
import { join } from "node:path";
import { AGENT_TOOLS, agentsNotice, herdrPlugin, herdrUse } from "../../cli/herdr.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { gatherWallFacts } from "../../cli/wall_facts.ts";
import { agentTools } from "../../plugins/herdr/agent_tools.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const PANE = {
  HERDR_ENV: "1",
  HERDR_PANE_ID: "w1:p1",
  HERDR_BIN_PATH: "/opt/herdr",
  HERDR_SOCKET_PATH: "/run/herdr.sock",
};

const flagsOf = (...words: readonly string[]) => parseCommandLine(["run", "x", ...words]).flags;

Deno.test("herdrUse() is for a pane of Herdr alone, and for what flags leave of it", () => {
  const env = { ...PANE, HOME: "/home/a", OPENAI_API_KEY: "key", LD_PRELOAD: "/x.so" };
  const pane = { id: "w1:p1", program: "/opt/herdr", env: { ...PANE, HOME: "/home/a" } };
  const rows: readonly (readonly [readonly string[], ReturnType<typeof herdrUse>])[] = [
    [[], { pane, reports: true, talks: false }],
    [["--allow-agents"], { pane, reports: true, talks: true }],
    [["--no-herdr"], null],
    [["--no-herdr", "--allow-agents"], { pane, reports: false, talks: true }],
    [["--read-only"], null],
    [["--read-only", "--allow-agents"], null],
    [["--disable-plugin", "herdr", "--allow-agents"], null],
  ];
  for (const [words, expected] of rows) {
    assert.deepEqual(herdrUse(flagsOf(...words), env), expected, words.join(" "));
  }
  for (
    const change of [
      { HERDR_ENV: "0" },
      { HERDR_PANE_ID: "" },
      { HERDR_PANE_ID: "--help" },
      { HERDR_BIN_PATH: "herdr" },
      { HERDR_SOCKET_PATH: "" },
    ]
  ) {
    assert.equal(herdrUse(flagsOf(), { ...PANE, ...change }), null, JSON.stringify(change));
  }
  assert.equal(herdrUse(flagsOf("--allow-agents"), {}), null);
});

Deno.test("agentsNotice() says where --allow-agents permits nothing", () => {
  const rows: readonly (readonly [readonly string[], Readonly<Record<string, string>>, RegExp])[] =
    [
      [["--allow-agents"], {}, /outside a pane of Herdr$/],
      [["--allow-agents", "--read-only"], PANE, /"--read-only"/],
      [["--allow-agents", "--disable-plugin", "herdr"], PANE, /"--disable-plugin herdr"/],
    ];
  for (const [words, env, expected] of rows) {
    assert.match(agentsNotice(flagsOf(...words), env) ?? "", expected);
  }
  assert.equal(agentsNotice(flagsOf("--allow-agents"), PANE), null);
  assert.equal(agentsNotice(flagsOf(), {}), null);
});

Deno.test("herdrPlugin() is not needed outside Herdr, so nobody loads it", () => {
  const options = { isReady: false, say: () => {} };
  assert.equal(herdrPlugin(null, options).isNeeded, false);
  assert.equal(herdrPlugin(herdrUse(flagsOf(), PANE), options).isNeeded, true);
});

Deno.test("--allow-agents permits exactly the tools that there are", () => {
  const tools = agentTools({ id: "p", program: "/x", env: {} });
  assert.deepEqual(tools.map(({ name }) => name), AGENT_TOOLS);
  assert.ok(tools.every(({ effect }) => effect === "external"));
});

Deno.test({
  name: "gatherWallFacts() lets Herdr's program be started inside Herdr alone",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await writeTree(dir, { "ws/keep": "", "bin/herdr-1": "", "off/config.json": "{}" });
      await Deno.symlink(join(dir, "bin/herdr-1"), join(dir, "bin/herdr"));
      await writeTree(dir, {
        "off/config.json": `{ "builtinPlugins": { "herdr": { "enabled": false } } }`,
      });
      const programs = async (
        words: readonly string[],
        env: Readonly<Record<string, string>> = {},
      ) => {
        const { executables } = await gatherWallFacts({
          flags: flagsOf(...words),
          cwd: join(dir, "ws"),
          env: {
            HOME: dir,
            ALISIO_CONFIG_HOME: join(dir, "config"),
            ALISIO_STATE_HOME: join(dir, "state"),
            ...PANE,
            HERDR_BIN_PATH: join(dir, "bin/herdr"),
            ...env,
          },
        });
        return executables;
      };
      const both = [join(dir, "bin/herdr"), join(dir, "bin/herdr-1")];
      assert.deepEqual(await programs([]), both);
      assert.deepEqual(await programs(["--no-herdr", "--allow-agents"]), both);
      assert.deepEqual(await programs(["--no-herdr"]), []);
      assert.deepEqual(await programs(["--read-only", "--allow-agents"]), []);
      assert.deepEqual(await programs([], { HERDR_ENV: "" }), []);
      assert.deepEqual(await programs([], { HERDR_BIN_PATH: join(dir, "none") }), []);
      assert.deepEqual(await programs([], { ALISIO_CONFIG_HOME: join(dir, "off") }), []);
    }),
});
