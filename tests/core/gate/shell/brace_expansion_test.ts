import assert from "node:assert/strict";
import { toArguments } from "../../../../core/gate/shell/_argument.ts";
import { parseShell } from "../../../../core/gate/shell/parse_shell.ts";

const BASH = "/bin/bash";

const WORDS = [
  "{a,b}",
  "x{a,b}y",
  "{a,b}{c,d}",
  "{a,{b,c},d}",
  "{,a}",
  "{a,,b}",
  "{1..3}",
  "{3..1}",
  "{01..10..4}",
  "{-2..2}",
  "{a..e}",
  "{e..a}",
  "{}",
  "{a}",
  "a{b}c",
  "stash@{0}",
  "{'a,b',c}",
  "'{a,b}'",
  "{a\\,b,c}",
  '{"x y",z}',
  "a,b",
  "a,b}",
  "{'',a}",
  "..",
];
const UNCLEAR = [
  "{a,b",
  "{a}{b,c}",
  "{a,b}}",
  "{{a,b}",
  "{x{a,b}}",
  "{1..99999}",
  "{a,{b}",
];

function expand(word: string, dialect: "bash" | "sh"): readonly (string | null)[] | null {
  const parsed = parseShell(`echo ${word}`, { dialect });
  const step = parsed.ok ? parsed.script.steps[0]?.command : undefined;
  if (step?.kind !== "simple") return null;
  return toArguments(step.words, dialect)?.slice(1).map(({ value }) => value) ?? null;
}

Deno.test({
  name: "toArguments() expands braces as bash does, or says that they are not clear",
  ignore: !(await Deno.stat(BASH).then(() => true, () => false)),
  fn: async () => {
    for (const word of WORDS) {
      const { stdout } = await new Deno.Command(BASH, {
        args: ["-c", `printf '%s\\n' ${word}`],
      }).output();
      const expected = new TextDecoder().decode(stdout).split("\n").slice(0, -1);
      assert.deepEqual(expand(word, "bash"), expected, word);
    }
  },
});

Deno.test("toArguments() takes no braces that shells read in more than one way", () => {
  for (const word of UNCLEAR) assert.equal(expand(word, "bash"), null, word);
  assert.equal(expand("{a,b}", "sh"), null);
  assert.deepEqual(expand("{a}", "sh"), ["{a}"]);
});
