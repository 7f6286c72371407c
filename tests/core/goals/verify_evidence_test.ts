import assert from "node:assert/strict";
import type { Evidence } from "../../../core/goals/goal.ts";
import { type RanCall, verifyEvidence } from "../../../core/goals/verify_evidence.ts";

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
    assert.deepEqual(verifyEvidence([piece], calls), [
      verified === null ? piece : { ...piece, verified },
    ]);
  });
}
