import assert from "node:assert/strict";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { AlisioError } from "../../core/errors.ts";

Deno.test("parseCommandLine() takes flags anywhere, repeated lists, and words after --", () => {
  const line = parseCommandLine([
    "--allow-write",
    "run",
    "fix it",
    "--add-dir",
    "../a",
    "--add-dir=../b",
    "--json",
    "--",
    "--not-a-flag",
  ]);
  assert.equal(line.command?.name, "run");
  assert.deepEqual(line.args, ["fix it", "--not-a-flag"]);
  assert.deepEqual(line.flags, {
    trustProject: false,
    allowWrite: true,
    allowProcess: false,
    allowExternal: false,
    allowMcp: false,
    allowAgents: false,
    addDir: ["../a", "../b"],
    readOnly: false,
    noTui: false,
    noBanner: false,
    noSecondWall: false,
    plugin: [],
    disablePlugin: [],
    noHerdr: false,
    json: true,
    quiet: false,
  });
});

Deno.test("parseCommandLine() takes a value that looks like a flag when it is written with =", () => {
  assert.deepEqual(parseCommandLine(["run", "--add-dir=-odd", "x"]).flags.addDir, ["-odd"]);
});

Deno.test("parseCommandLine() reads a single dash as a word", () => {
  assert.deepEqual(parseCommandLine(["run", "-"]).args, ["-"]);
});

Deno.test("parseCommandLine() refuses what it does not know and names what was meant", () => {
  const rows: readonly (readonly [readonly string[], RegExp])[] = [
    [["run", "--alow-write", "x"], /Unknown flag "--alow-write": did you mean "--allow-write"\?/],
    [["run", "-x", "y"], /Unknown flag "-x"/],
    [["rnu", "x"], /Unknown command "rnu": did you mean "run"\?/],
    [["version"], /Unknown command "version": did you mean "alisio --version"\?$/],
    [["verison"], /Unknown command "verison": did you mean "alisio --version"\?$/],
    [["explain this code"], /alisio run "<prompt>"/],
    [["run", "--model"], /"--model" lacks its value/],
    [["run", "--model", "--json", "x"], /"--model" lacks its value/],
    [["run", "--json=yes", "x"], /takes no value/],
    [["run", "--yes", "x"], /belongs to "alisio sessions" and "alisio install"$/],
  ];
  for (const [argv, message] of rows) {
    assert.throws(
      () => parseCommandLine(argv),
      (error) =>
        error instanceof AlisioError && error.code === "usage" && message.test(error.message),
      argv.join(" "),
    );
  }
});
