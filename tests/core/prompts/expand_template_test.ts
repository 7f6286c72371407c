import assert from "node:assert/strict";
import { expandTemplate, splitArguments } from "../../../core/prompts/expand_template.ts";
import { parsePromptCommand } from "../../../core/prompts/prompt_command.ts";
import { requirementProblem } from "../../../core/prompts/requirement_problem.ts";

const EXPANDED: readonly (readonly [string, string, string])[] = [
  ["Review $ARGUMENTS.", "  the diff ", "Review the diff."],
  ["Compare $1 with $2", "a b c", "Compare a with b"],
  ["$1 and $1, not $3", "a", "a and a, not "],
  ["$10", "x", "x0"],
  ["$0 $ $A costs $$1", "x", "$0 $ $A costs $x"],
  ["$1", "'two words'", "two words"],
  ["$1|$2", `"a b"c d`, "a bc|d"],
  ["No placeholder", "", "No placeholder"],
  ["No placeholder", "more", "No placeholder\n\nmore"],
  ["$1", "$ARGUMENTS", "$ARGUMENTS"],
  ["$ARGUMENTS", "$1 $& $`", "$1 $& $`"],
  ["$1 $2", "it's fine", "it's fine"],
  ["$ARGUMENTS!", "one\ntwo", "one\ntwo!"],
];

for (const [body, args, expected] of EXPANDED) {
  Deno.test(`expandTemplate() makes ${JSON.stringify([body, args])} what it says`, () => {
    assert.equal(expandTemplate(body, args), expected);
  });
}

Deno.test("splitArguments() keeps empty words that are quoted", () => {
  assert.deepEqual(splitArguments(`'' "x"  y`), ["", "x", "y"]);
  assert.deepEqual(splitArguments(""), []);
});

Deno.test("parsePromptCommand() reads a name and what follows it", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["/init", { kind: "template", name: "init", args: "" }],
    [" /review a\nb ", { kind: "template", name: "review", args: "a\nb" }],
    ["/skill:pdf fill it", { kind: "skill", name: "pdf", args: "fill it" }],
    ["/skill:pdf", { kind: "skill", name: "pdf", args: "" }],
    ["/skill:", { kind: "skill", name: "", args: "" }],
    ["/skill: pdf", { kind: "skill", name: "", args: "pdf" }],
    ["/acme.hello:hi", null],
    ["/etc/passwd is what?", null],
    ["/Init", null],
    [`/${"a".repeat(42)}`, null],
    ["say /init", null],
    ["/", null],
  ];
  for (const [prompt, expected] of rows) {
    assert.deepEqual(parsePromptCommand(prompt), expected, prompt);
  }
});

Deno.test("requirementProblem() says what is missing, and how it is permitted", () => {
  const run = { offered: ["read"] as const, readOnly: false, canAsk: false };
  assert.equal(requirementProblem(["write"], { ...run, offered: ["read", "write"] }), null);
  assert.equal(requirementProblem([], run), null);
  assert.equal(
    requirementProblem(["write", "process"], run),
    "it changes files and runs programs, and nobody can be asked; " +
      "pass --allow-write and --allow-process",
  );
  assert.equal(
    requirementProblem(["process"], { ...run, readOnly: true }),
    'it runs programs, and "--read-only" was given',
  );
  assert.equal(
    requirementProblem(["write"], { ...run, canAsk: true }),
    "it changes files, and the active agent or the risk profile does not let it",
  );
});
