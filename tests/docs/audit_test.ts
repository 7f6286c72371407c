import assert from "node:assert/strict";
import { documentedUnion } from "../support/documented_types.ts";
import { findTables, plain } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

const RECORD = "core/gate/decision_record.ts";

Deno.test("docs/audit.md lists every decision, and everybody who decides", async () => {
  const tables = findTables(await readPage("docs/audit.md"));
  for (const [title, type] of [["Decision", "DecisionOutcome"], ["Decided by", "DecisionSource"]]) {
    const rows = tables.find(({ header }) => header[0] === title)?.rows ?? [];
    assert.deepEqual(
      rows.map(([name = ""]) => plain(name)).toSorted(),
      (await documentedUnion(RECORD, type ?? "")).toSorted(),
    );
  }
});
