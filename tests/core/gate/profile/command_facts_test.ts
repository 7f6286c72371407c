import assert from "node:assert/strict";
import {
  commandFacts,
  type CommandPaths,
  type CommandVerdict,
} from "../../../../core/gate/profile/command_facts.ts";

const RUNS: CommandVerdict = {
  unapproved: "run",
  approved: "run",
  risk: "low",
  rule: "risk:low",
  reason: "it does no harm",
};
const NO_PATHS: CommandPaths = { paths: [], writes: [], hasUnknownPath: false };
const LISTED = { allowedCommands: ["git", "/opt/Tool", "~/bin/run", "*"], home: "/home/me" };

Deno.test("commandFacts() keeps what is said of the command, and says how each path is used", () => {
  const facts = commandFacts(
    {
      ...NO_PATHS,
      paths: [
        { path: "./a", use: "any", isProgram: false, isPattern: false },
        { path: "b*", use: "read", isProgram: false, isPattern: true },
        { path: "c", use: "write", isProgram: false, isPattern: false },
      ],
      writes: ["out"],
    },
    RUNS,
    LISTED,
  );
  assert.deepEqual(facts, {
    ...RUNS,
    paths: [
      { path: "./a", access: "either", isPattern: false },
      { path: "b*", access: "read", isPattern: true },
      { path: "c", access: "write", isPattern: false },
      { path: "out", access: "write", isPattern: false },
    ],
  });
});

Deno.test("commandFacts() exempts a program that is listed by its path, and no other word", () => {
  const rows: readonly (readonly [string, boolean, number])[] = [
    ["/opt/Tool", true, 0],
    ["/opt/tool", true, 1],
    ["/opt/Tool", false, 1],
    ["/usr/bin/git", true, 1],
    ["~/bin/run", true, 0],
    ["/home/me/bin/run", true, 0],
    ["/home/you/bin/run", true, 1],
  ];
  for (const [path, isProgram, expected] of rows) {
    const command = {
      ...NO_PATHS,
      paths: [{ path, use: "any" as const, isProgram, isPattern: false }],
    };
    assert.equal(commandFacts(command, RUNS, LISTED).paths.length, expected, path);
  }
});

Deno.test("commandFacts() leaves out the devices that take a program's output, for writing alone", () => {
  const rows: readonly (readonly [string, "write" | "any", number])[] = [
    ["/dev/stdout", "write", 0],
    ["/dev/stdout", "any", 1],
    ["/dev/sda", "write", 1],
  ];
  for (const [path, use, expected] of rows) {
    const command = { ...NO_PATHS, paths: [{ path, use, isProgram: false, isPattern: false }] };
    assert.equal(commandFacts(command, RUNS, LISTED).paths.length, expected, `${path} ${use}`);
  }
});

Deno.test("commandFacts() asks where a path is only known when the command runs", () => {
  const unknown = { ...NO_PATHS, hasUnknownPath: true };
  assert.equal(commandFacts(unknown, RUNS, LISTED).unapproved, "ask");
  assert.equal(commandFacts(unknown, RUNS, LISTED).risk, "medium");
  assert.equal(commandFacts(NO_PATHS, RUNS, LISTED).unapproved, "run");
  const blocked = { ...RUNS, unapproved: "block", approved: "block" } as const;
  assert.equal(commandFacts(unknown, blocked, LISTED).unapproved, "block");
});
