import assert from "node:assert/strict";
import type { Evidence } from "../../../core/goals/goal.ts";
import {
  isBorneOut,
  type RanCall,
  type Refusal,
  verifyEvidence,
} from "../../../core/goals/verify_evidence.ts";

function shell(command: string, exitCode: number | null, rest: Partial<RanCall> = {}): RanCall {
  return {
    name: "shell",
    arguments: JSON.stringify({ command }),
    status: "completed",
    content: [{ type: "text", text: `{"exitCode":${exitCode},"stdout":"cut off` }],
    ...rest,
  };
}

const PROCESS: RanCall = {
  ...shell("", 0),
  name: "run_process",
  arguments: JSON.stringify({ command: "deno", args: ["test", "-A"] }),
};

const ROWS: readonly (readonly [Evidence["kind"], string, readonly RanCall[], boolean | null])[] = [
  ["test", "`deno test -A`: 12 passed", [PROCESS], true],
  ["test", "deno  test\n-A", [PROCESS], true],
  ["test", "deno test", [PROCESS], false],
  ["test", "deno test -All", [PROCESS], false],
  ["test", "npm test", [shell("npm test", 0), shell("npm test", 1)], false],
  ["test", "npm test", [shell("npm test", 1), shell("npm test", 0)], true],
  ["command", "npm test", [shell("npm test", 1)], true],
  ["command", "npm test", [shell("npm test", null)], false],
  ["command", "npm test", [shell("npm test", 0, { status: "pending", content: [] })], false],
  ["test", "npm test", [shell("cd app && npm test", 0)], true],
  ["test", "cd app", [shell("cd app && npm test", 0)], false],
  ["test", "npm test", [shell("npm test | tail -3", 0)], false],
  ["command", "npm test", [shell("npm test | tail -3", 0)], true],
  ["test", "npm test || true", [shell("npm test || true", 0)], true],
  ["command", "ls", [shell("ls", 0)], true],
  ["command", "tools", [shell("ls", 0)], false],
  ["command", "lsof", [shell("ls", 0)], false],
  ["command", "npm test", [{ ...shell("x", 0), name: "write_file", arguments: "{" }], false],
  ["test", "npm test", [shell('echo "x && npm test && y"', 0)], false],
  ["command", "npm test", [shell('echo "x && npm test && y"', 0)], false],
  ["command", "npm test", [shell("echo x \\&\\& npm test", 0)], false],
  ["test", "npm test", [shell("true # && npm test && x", 0)], false],
  ["command", "npm test", [shell("true || npm test", 0)], false],
  ["command", "npm test", [shell("false && npm test", 1)], false],
  ["command", "npm test", [shell("npm test || true", 0)], true],
  ["test", 'npm test -t "a; b"', [shell('cd app && npm test -t "a; b"', 0)], true],
  ["file", "a.txt", [], null],
];

for (const [index, [kind, detail, calls, verified]] of ROWS.entries()) {
  Deno.test(`verifyEvidence() holds ${kind} "${detail}" against the record (${index + 1})`, () => {
    const piece = { kind, detail };
    assert.deepEqual(verifyEvidence([piece], { commands: calls, refusals: [] }), [
      verified === null ? piece : { ...piece, verified },
    ]);
  });
}

const REFUSALS: readonly Refusal[] = [
  { tool: "shell", summary: "npm publish", reason: "the person refused it" },
  { tool: "webfetch", summary: "", reason: "" },
];

for (
  const [detail, verified] of [
    ["shell: npm publish was refused", true],
    ["`npm  publish` is not allowed", true],
    ["webfetch may not be used", true],
    ["The server wants a key", false],
    ["shells", false],
    ["", false],
  ] as const
) {
  Deno.test(`verifyEvidence() holds the refusal "${detail}" against the record`, () => {
    const piece = { kind: "denied", detail } as const;
    const journal = { commands: [], refusals: REFUSALS };
    assert.deepEqual(verifyEvidence([piece], journal), [{ ...piece, verified }]);
    const empty = { commands: [], refusals: [] };
    assert.deepEqual(verifyEvidence([piece], empty), [{ ...piece, verified: false }]);
  });
}

Deno.test("isBorneOut() wants something that was looked up, and all of that found", () => {
  const rows: readonly (readonly [readonly (boolean | undefined)[], boolean])[] = [
    [[], false],
    [[undefined], false],
    [[true], true],
    [[true, undefined], true],
    [[true, false], false],
    [[false], false],
  ];
  for (const [marks, expected] of rows) {
    const evidence = marks.map((verified) => ({
      kind: "command" as const,
      detail: "x",
      ...(verified === undefined ? {} : { verified }),
    }));
    assert.equal(isBorneOut({ evidence }), expected, String(marks));
  }
});
