import assert from "node:assert/strict";
import { createToolReceipts, type ReceiptSubject } from "../../../core/run/tool_receipts.ts";
import { listSourceFiles, readModuleImports } from "../../support/module_imports.ts";
import { ROOT } from "../../support/paths.ts";

const AT = 1_764_561_907_999;
const CALL: ReceiptSubject = { name: "shell", arguments: '{"command":"ls"}', result: "a\nb" };

Deno.test("ToolReceipts makes receipts of the documented form, and verifies its own", async () => {
  const receipts = await createToolReceipts();
  const receipt = receipts.issue(CALL, AT);
  assert.match(receipt, /^zc-receipt-1764561907-[A-Za-z0-9_-]{43}$/);
  assert.ok(receipts.verify(receipt, CALL));
  const line = receipts.line(receipt);
  assert.equal(line, `[receipt: ${receipt}]`);
  assert.ok(line.length < receipts.lineChars);
  assert.ok(receipts.verify(receipt, { ...CALL, result: `${CALL.result}\n${line}` }));
  const empty = { ...CALL, result: "" };
  const ofEmpty = receipts.issue(empty, AT);
  assert.ok(receipts.verify(ofEmpty, { ...empty, result: receipts.line(ofEmpty) }));
});

Deno.test("R40: a receipt fails for another tool, arguments, result, time or session", async () => {
  const receipts = await createToolReceipts();
  const receipt = receipts.issue(CALL, AT);
  const code = receipt.slice(-43);
  const others: readonly Partial<ReceiptSubject>[] = [
    { name: "Shell" },
    { name: "shell " },
    { arguments: '{"command": "ls"}' },
    { arguments: '{"command":"ls -a"}' },
    { arguments: "" },
    { result: "a\nc" },
    { result: "a\nb\n" },
    { result: `a\nb\n${receipts.line(receipts.issue(CALL, AT + 1_000))}` },
    { result: "" },
    // What one part loses, the next one gains.
    { name: "shel", arguments: `l${CALL.arguments}` },
    { arguments: `${CALL.arguments}a`, result: "\nb" },
  ];
  for (const other of others) {
    assert.ok(!receipts.verify(receipt, { ...CALL, ...other }), JSON.stringify(other));
  }
  for (const epoch of ["1764561908", "1764561906", "01764561907", "0"]) {
    assert.ok(!receipts.verify(`zc-receipt-${epoch}-${code}`, CALL), epoch);
  }
  const other = await createToolReceipts();
  assert.ok(!other.verify(receipt, CALL));
  assert.notEqual(other.issue(CALL, AT), receipt);
});

Deno.test("R40: a malformed receipt fails and does not throw", async () => {
  const receipts = await createToolReceipts();
  const receipt = receipts.issue(CALL, AT);
  const last = receipt.at(-1) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const next = alphabet[(alphabet.indexOf(last) + 1) % 64] ?? "";
  const malformed = [
    "",
    "zc-receipt",
    "zc-receipt--",
    receipt.slice(0, -1),
    `${receipt}A`,
    `${receipt}=`,
    `${receipt}\n`,
    ` ${receipt}`,
    receipt.toUpperCase(),
    receipt.replace("zc-", "xc-"),
    receipt.replace("1764561907", "-1764561907"),
    receipt.replace("1764561907", "1.764561907e9"),
    receipt.replace("1764561907", "9".repeat(400)),
    // The same bytes in another spelling.
    `${receipt.slice(0, -1)}${next}`,
    `zc-receipt-1764561907-${"é".repeat(43)}`,
    `zc-receipt-1764561907-${"A".repeat(43)}`,
    "x".repeat(1_000_000),
  ];
  for (const text of malformed) assert.equal(receipts.verify(text, CALL), false, text.slice(0, 80));
});

Deno.test("Nothing that a run without receipts loads brings their code along", async () => {
  const imports = await readModuleImports(ROOT, await listSourceFiles(ROOT));
  const kinds = imports
    .filter(({ from, target }) =>
      target === "core/run/tool_receipts.ts" && !from.startsWith("tests/")
    )
    .map(({ from, kind }) => [from, kind]);
  assert.deepEqual(kinds.filter(([, kind]) => kind !== "type"), [[
    "core/application.ts",
    "dynamic",
  ]]);
});
