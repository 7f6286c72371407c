import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import {
  type CliOptions,
  type CliScene,
  jsonLines,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { ROOT } from "../support/paths.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { writeTree } from "../support/temp.ts";

const KITE = join(ROOT, "examples/plugins/custom-mascot/kite_mascot.ts");

/** What a person sees of a conversation that they leave at once. */
async function opening(
  cli: CliScene,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options: CliOptions = { ...IN_TERMINAL, env: { ...IN_TERMINAL.env, ...env } };
  const person = new Person(cli.start(args, options));
  // A terminal that knows no sequences shows no place to write that could be waited for.
  if (env.TERM === undefined) await person.atPrompt();
  else await person.sees(/Ctrl\+D leaves/);
  await person.type("\x04");
  const result = await person.run.ended;
  assert.equal(result.status, 0, shown(result));
  return result.stdout.replaceAll("\r\n", "\n");
}

Deno.test({
  name: "A conversation opens with the startup screen of Alisio, and where it should not, without",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await cli.configure({ provider: { baseURL: "http://127.0.0.1:9/v1", model: "m-1" } });
      const screen = await opening(cli, [], { USER: "ada", COLUMNS: "80" });
      for (
        const part of [
          /─╮ {3}Alisio \d/,
          /Welcome, ada\n/,
          /Model {7}m-1\n/,
          /Server {6}127\.0\.0\.1:9\n/,
          /Permission {2}ask\n/,
          /\nTip: /,
        ]
      ) assert.match(screen, part);
      assert.match(await opening(cli, ["--read-only"]), /Permission {2}read-only\n/);
      assert.match(await opening(cli, [], { LC_ALL: "C" }), /_{9} {3} {0,2}Alisio/);
      for (
        const [args, env] of [
          [["--no-banner"], {}],
          [["--quiet"], {}],
          [[], { CI: "true" }],
        ] as const
      ) assert.doesNotMatch(await opening(cli, args, env), /Welcome|Tip:/);
      assert.match(await opening(cli, [], { CI: "false" }), /Welcome/);
      const plain = await opening(cli, [], { TERM: "dumb" });
      // deno-lint-ignore no-control-regex -- whatever drives a terminal, or is not ASCII
      assert.doesNotMatch(plain.slice(0, plain.indexOf("Tip:")), /[\x1b\u0080-\uffff]/);
    }),
});

Deno.test({
  name: "A plugin draws the mascot or all of the screen, and one that fails is replaced and named",
  ignore: !HAS_TERMINAL,
  fn: () =>
    withCli(async (cli) => {
      await cli.configure({ provider: { baseURL: "http://127.0.0.1:9/v1", model: "m-1" } });
      const kite = await opening(cli, ["--plugin", KITE]);
      assert.match(kite, /◀ █ ▶ {3,}\w/);
      assert.match(kite, /Plugins {2}kite-mascot 0\.1\.0\n/);

      await cli.configure({
        provider: { baseURL: "http://127.0.0.1:9/v1", model: "m-1" },
        pluginOverrides: { "kite-mascot": { options: { screen: "small" } } },
      });
      const small = await opening(cli, ["--plugin", KITE]);
      assert.match(small, /◀ █ ▶\n[^]*Alisio \S+ with m-1\nPlugins: kite-mascot\n/);
      assert.doesNotMatch(small, /Welcome/);

      await writeTree(cli.dir, {
        "bad.js": pluginSource(
          "acme.bad",
          `api.extensions.register("mascot", { id: "m", render() { throw new Error("no wind"); } },
             { priority: 99 });
           api.extensions.register("startup-screen", { id: "s", render: () => "▞▞ Allow?\\x1b[2J" });`,
        ),
      });
      const bad = await opening(cli, ["--plugin", join(cli.dir, "bad.js")]);
      assert.match(bad, /\\u259e\\u259e Allow\?\n/);
      const mascot = `${
        pluginSource(
          "acme.mascot",
          `api.extensions.register("mascot", { id: "m", render() { throw new Error("no wind"); } });`,
        )
      }`;
      await writeTree(cli.dir, { "mascot.js": mascot });
      const replaced = await opening(cli, ["--plugin", join(cli.dir, "mascot.js")]);
      assert.match(replaced, /─╮ {3}Alisio/);
      assert.match(replaced, /Plugin "acme\.mascot" failed in mascot.*: no wind\n/);
    }),
});

Deno.test("alisio plugins doctor shows who takes which place, and where nobody decided it", async () => {
  await withCli(async (cli) => {
    const offer = (priority: string) =>
      `api.extensions.register("mascot", { id: "m", render: () => "" }${priority});
       api.extensions.register("websearch", { id: "w", search: async () => [] });`;
    await writeTree(cli.dir, {
      "a.js": pluginSource("acme.a", offer("")),
      "b.js": pluginSource("acme.b", offer(", { priority: 2 }")),
    });
    const args = ["plugins", "doctor", "--plugin", "../b.js", "--plugin", "../a.js"];
    const text = await cli.run(args);
    assert.equal(text.status, 0, shown(text));
    assert.match(text.stdout, /^ {2}in General$/m);
    assert.match(text.stdout, /^ {2}extension mascot m \(priority 2\)$/m);
    assert.match(text.stdout, /^mascot: acme\.b\/m$/m);
    assert.match(
      text.stdout,
      /^extension_conflict: websearch is acme\.a\/w, and equally high stand acme\.b\/w; /m,
    );
    const lines = jsonLines(await cli.run([...args, "--json"]));
    const data = (type: string) =>
      lines.filter((line) => line.type === type).map((line) => line.data);
    assert.deepEqual(data("extension"), [
      { point: "mascot", provider: "acme.b/m", priority: 2 },
      { point: "websearch", provider: "acme.a/w", priority: 0 },
    ]);
    assert.deepEqual(data("extension_conflict"), [
      { point: "websearch", winner: "acme.a/w", losers: ["acme.b/w"] },
    ]);
  });
});
