import assert from "node:assert/strict";
import { type GoalArgument, parseGoalArgument } from "../../../tui/goals/parse_goal_argument.ts";

const ROWS: readonly (readonly [string, GoalArgument])[] = [
  ["", { kind: "menu" }],
  ["pause", { kind: "pause" }],
  ["resume", { kind: "resume" }],
  ["clear", { kind: "clear" }],
  ["help", { kind: "help" }],
  ["pause the server", { kind: "set", objective: "pause the server", tokens: undefined }],
  ["edit", { kind: "edit", objective: "" }],
  ["edit Do\nmore", { kind: "edit", objective: "Do\nmore" }],
  ["editor", { kind: "set", objective: "editor", tokens: undefined }],
  ["budget=50k", { kind: "budget", tokens: 50_000 }],
  ["budget=off", { kind: "budget", tokens: null }],
  ["Do it budget=1.5M", { kind: "set", objective: "Do it", tokens: 1_500_000 }],
  ["budget=0 Do it", { kind: "set", objective: "Do it", tokens: null }],
];

for (const [argument, expected] of ROWS) {
  Deno.test(`parseGoalArgument() reads "${argument.replaceAll("\n", " ")}"`, () => {
    assert.deepEqual(parseGoalArgument(argument), expected);
  });
}

for (const argument of ["x budget=1k budget=2k", "budget=", "x budget=lots"]) {
  Deno.test(`parseGoalArgument() refuses "${argument}"`, () => {
    assert.equal(parseGoalArgument(argument).kind, "wrong");
  });
}
