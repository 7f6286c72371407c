import assert from "node:assert/strict";
import { formatNotes } from "./format_notes.ts";

Deno.test("formatNotes() tells what a person notices, by kind and scope", () => {
  const notes = formatNotes("1.2.0", [
    "chore: begin",
    "feat(tools): read <images> and *more*",
    "fix: keep quiet",
    "fix: keep quiet",
    "test(gate): try everything",
    "feat(cli)!: drop a flag",
    "feat(audit): show what was decided",
    "perf(run): start sooner",
    "docs: say so",
    "Without a type",
    "fix(gate): see read_file: and its colon",
  ]);
  assert.equal(
    notes,
    [
      "# Alisio 1.2.0",
      "",
      "## Changed in a way that breaks",
      "",
      "- **cli**: Drop a flag",
      "",
      "## New",
      "",
      "- **audit**: Show what was decided",
      "- **tools**: Read \\<images> and \\*more\\*",
      "",
      "## Fixed",
      "",
      "- Keep quiet",
      "- **gate**: See read\\_file: and its colon",
      "",
      "## Faster",
      "",
      "- **run**: Start sooner",
      "",
    ].join("\n"),
  );
});

Deno.test("formatNotes() says that there is nothing to notice", () => {
  assert.equal(
    formatNotes("1.2.0", ["test: more"]),
    "# Alisio 1.2.0\n\nNothing that a user would notice.\n",
  );
});
