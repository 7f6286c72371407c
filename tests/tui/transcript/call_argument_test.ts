import assert from "node:assert/strict";
import { callArgument } from "../../../tui/transcript/call_argument.ts";

const ROWS: readonly (readonly [args: unknown, shown: string])[] = [
  [{ path: "src/a.ts", limit: 3 }, "src/a.ts"],
  [{ path: "/work/src/a.ts" }, "src/a.ts"],
  [{ path: "/work" }, "."],
  [{ path: "/workshop/a.ts" }, "/workshop/a.ts"],
  [{ path: "/etc/passwd" }, "/etc/passwd"],
  [{ command: "deno", args: ["test", "a b", "it's"] }, String.raw`deno test 'a b' 'it'\''s'`],
  [{ command: "ls -l\n| wc" }, "ls -l | wc"],
  [{ pattern: "x+", path: "src" }, "src"],
  [{ url: "https://a.example/" }, "https://a.example/"],
  [{ questions: [{ question: "Which one?", options: [] }] }, "Which one?"],
  [{ n: 3 }, '{"n":3}'],
  [{}, ""],
  [{ path: "" }, '{"path":""}'],
  [{ path: "a\u001b]0;x\u0007" }, "a\\x1b]0;x\\x07"],
];

for (const [args, shown] of ROWS) {
  Deno.test(`callArgument() shows ${JSON.stringify(args)} as ${shown || "nothing"}`, () => {
    assert.equal(callArgument(JSON.stringify(args), "/work"), shown);
  });
}

Deno.test("callArgument() shows what is no JSON as it stands, and no more than a line of it", () => {
  assert.equal(callArgument('{"path": "a', "/work"), '{"path": "a');
  assert.equal(callArgument("[1]", "/work"), "[1]");
  assert.equal(callArgument("x".repeat(9_000), "/work").length, 301);
});
