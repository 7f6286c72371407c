import assert from "node:assert/strict";
import { isInteractive } from "../../cli/is_interactive.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";

Deno.test("isInteractive() is true for alisio alone and a session without a prompt, at a terminal", () => {
  const rows: readonly (readonly [argv: readonly string[], expected: boolean])[] = [
    [[], true],
    [["--read-only", "--model", "m"], true],
    [["--json"], false],
    [["resume", "abc"], true],
    [["resume", "--quiet", "abc"], true],
    [["resume"], false],
    [["resume", "abc", "go on"], false],
    [["resume", "-"], false],
    [["resume", "abc", "-"], false],
    [["resume", "abc", "--json"], false],
    [["run"], false],
    [["run", "x"], false],
    [["doctor"], false],
  ];
  for (const [argv, expected] of rows) {
    const { command, args, flags } = parseCommandLine(argv);
    const request = { ...command === undefined ? {} : { command: command.name }, args, flags };
    assert.equal(isInteractive(request, true), expected, argv.join(" "));
    assert.equal(isInteractive(request, false), false, argv.join(" "));
  }
});
