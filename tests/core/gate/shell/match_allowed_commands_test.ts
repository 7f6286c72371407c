import assert from "node:assert/strict";
import { gradeCommand } from "../../../../core/gate/shell/grade_command.ts";
import {
  DEFAULT_ALLOWED_COMMANDS,
  defaultAllowedCommands,
  matchAllowedCommands,
  type MatchOptions,
} from "../../../../core/gate/shell/match_allowed_commands.ts";

function check(
  command: string,
  allowed: readonly string[],
  options: MatchOptions = {},
): string {
  const match = matchAllowedCommands(gradeCommand(command, { dialect: "bash" }), allowed, options);
  if (!match.isAllowed) return match.check;
  const weak = match.byBareName.length > 0 ? ", a path by its bare name" : "";
  return (match.isByName ? "by name" : `by *: ${match.byWildcard.map(({ name }) => name)}`) + weak;
}

Deno.test("matchAllowedCommands() follows the forms of entries", () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ["ls", [], "list"],
    ["ls", ["", "  "], "list"],
    ["ls", ["ls"], "by name"],
    ["ls", [" ls "], "by name"],
    ["LS", ["ls"], "by name"],
    ["ls", ["LS"], "by name"],
    ["ls", ["l"], "list"],
    ["ls", ["l*"], "list"],
    ["lsx", ["ls"], "list"],
    ["ls", ["*"], "by *: ls"],
    ["ls | wc", ["*", "ls"], "by *: wc"],
    ["ls | wc", ["wc", "ls"], "by name"],
    ["ls | wc", ["ls"], "list"],
    ["/bin/ls", ["ls"], "by name, a path by its bare name"],
    ["/bin/ls", ["/bin/ls"], "by name"],
    ["/bin/ls", ["/bin/LS"], "list"],
    ["/bin/../bin/ls", ["/bin/ls"], "list"],
    ["ls", ["/bin/ls"], "list"],
    ["$X", ["ls"], "list"],
    ["$X", ["*"], "form"],
    ["", ["*"], "empty"],
    ["ls '", ["*"], "not-understood"],
    ["(ls)", ["ls"], "form"],
    ["(ls)", ["ls", "*"], "by name"],
    ["env ls", ["env"], "list"],
    ["env ls", ["ls"], "list"],
    ["env ls", ["env", "ls"], "by name"],
  ];
  for (const [command, allowed, expected] of rows) {
    assert.equal(check(command, allowed), expected, `${command} by ${JSON.stringify(allowed)}`);
  }
});

Deno.test("matchAllowedCommands() expands the home folder on both sides", () => {
  const options = { home: "/home/me" };
  assert.equal(check("~/bin/x", ["~/bin/x"], options), "by name");
  assert.equal(check("/home/me/bin/x", ["~/bin/x"], options), "by name");
  assert.equal(check("~/bin/x", ["/home/me/bin/x"], options), "by name");
  assert.equal(check("/home/you/bin/x", ["~/bin/x"], options), "list");
  assert.equal(check("~you/bin/x", ["~/bin/x"], options), "list");
});

Deno.test("matchAllowedCommands() lets a denied program win over every entry (field case 97)", () => {
  const options = { deniedCommands: ["rm", "/opt/x"], skipsForm: true };
  const rows: readonly (readonly [string, string])[] = [
    ["ls", "by *: ls"],
    ["rm x", "denied"],
    ["RM x", "denied"],
    ["/bin/rm x", "denied"],
    ["ls; rm x", "denied"],
    ["ls | xargs rm", "denied"],
    ["echo $(rm x)", "denied"],
    ["find . -exec rm {} +", "denied"],
    ["/opt/x", "denied"],
    ["/opt/y", "by *: y"],
    ["$X", "denied"],
    ["echo $X", "by *: echo"],
  ];
  for (const [command, expected] of rows) {
    assert.equal(check(command, ["*"], options), expected, command);
  }
  assert.equal(check("ls", ["ls"], { deniedCommands: ["*"] }), "denied");
  assert.equal(check("ls", ["ls"], { deniedCommands: [" "] }), "by name");
});

Deno.test("matchAllowedCommands() skips the form only when it is told to", () => {
  assert.equal(check("echo $(ls) > x", ["*"]), "form");
  assert.equal(check("echo $(ls) > x", ["*"], { skipsForm: true }), "by *: ls,echo");
  assert.equal(check("echo $(ls", ["*"], { skipsForm: true }), "not-understood");
});

Deno.test("matchAllowedCommands() quotes a refused program, shortened, and its launcher", () => {
  const reason = (command: string) => {
    const match = matchAllowedCommands(gradeCommand(command, { dialect: "bash" }), ["env"]);
    return match.isAllowed ? "" : match.reason;
  };
  assert.equal(reason("env rm"), '"rm", started by "env", is not an allowed command');
  assert.ok(reason("x".repeat(10_000)).length < 140);
});

Deno.test("defaultAllowedCommands() lists free where there is one", () => {
  assert.deepEqual(defaultAllowedCommands("linux"), [...DEFAULT_ALLOWED_COMMANDS, "free"]);
  assert.deepEqual(defaultAllowedCommands("darwin"), DEFAULT_ALLOWED_COMMANDS);
});
