import type { ToolResult } from "@alisio/sdk";
import assert from "node:assert/strict";
import { createToolReceipts, type ToolReceipts } from "../../../core/run/tool_receipts.ts";
import type { StoredToolMessage } from "../../../core/session/stored_message.ts";
import type { HostTool } from "../../../core/tools/host_tool.ts";
import { resultText } from "../../../core/tools/result_text.ts";
import { calls, type RunHarness, says, withRun } from "../../support/run_harness.ts";

const LINE_REGEXP = /\[receipt: (zc-receipt-\d{10}-[\w-]{43})\]$/;

function results(harness: RunHarness): readonly StoredToolMessage[] {
  return harness.messages().filter((message) => message.role === "tool");
}

function receiptOf(message: StoredToolMessage | undefined): string | undefined {
  return LINE_REGEXP.exec(resultText(message?.content ?? []))?.[1];
}

function tool(name: string, result: ToolResult): HostTool {
  return {
    name,
    description: name,
    effect: "read",
    inputSchema: { type: "object", properties: {}, additionalProperties: true },
    paths: () => [],
    execute: () => Promise.resolve(result),
  };
}

async function withReceipts(
  options: Parameters<typeof withRun>[0] & { readonly show?: boolean },
  body: (harness: RunHarness, receipts: ToolReceipts) => Promise<void>,
): Promise<void> {
  const { show = false, ...rest } = options;
  const receipts = await createToolReceipts();
  const proof = { receipts, showInResponse: show };
  await withRun({ ...rest, receipts: proof }, (harness) => body(harness, receipts));
}

Deno.test("A call that succeeded has a receipt, in the request, the record and nowhere else", async () => {
  await withReceipts({ allowWrite: true }, async (harness, receipts) => {
    const result = await harness.run("x", [
      calls([["look", { path: "a" }], ["change", { path: "b" }], ["look", { path: "a" }]]),
      says("Done"),
    ]);
    assert.equal(result.text, "Done");
    const inputs = [["look", { path: "a" }], ["change", { path: "b" }], ["look", { path: "a" }]];
    assert.equal(results(harness).length, 3);
    for (const [index, message] of results(harness).entries()) {
      const receipt = receiptOf(message) ?? "";
      const [name, input] = inputs[index] ?? [];
      const subject = {
        name: String(name),
        arguments: JSON.stringify(input),
        result: resultText(message.content),
      };
      assert.ok(receipts.verify(receipt, subject), receipt);
      assert.ok(!receipts.verify(receipt, { ...subject, name: "other" }));
    }
    const recorded = harness.store.calls(harness.sessionId).map(({ content }) => content);
    assert.deepEqual(recorded, results(harness).map(({ content }) => content));
  });
});

Deno.test("No call has a receipt that failed, was refused, was left out or is not known", async () => {
  const failing = tool("fails", { content: [{ type: "text", text: "no" }], isError: true });
  await withReceipts({ tools: [failing] }, async (harness) => {
    await harness.run("x", [
      calls([
        ["change", { path: "a" }],
        ["throws", {}],
        ["fails", {}],
        ["missing", {}],
        ["look", "{broken"],
        ["look", { unknown: 1 }],
        ["look", { path: "/outside" }],
      ]),
      says("Done"),
    ]);
    assert.equal(results(harness).length, 7);
    for (const message of results(harness)) {
      assert.ok(message.isError, resultText(message.content));
      assert.equal(receiptOf(message), undefined);
    }
  });
});

Deno.test("R29: what a person refused, or answered in its place, has no receipt", async () => {
  for (const answer of ["deny", { replacement: "do it later" }] as const) {
    await withReceipts({ approver: () => Promise.resolve(answer) }, async (harness) => {
      await harness.run("x", [calls([["change", { path: "a" }]]), says("Done")]);
      assert.deepEqual(results(harness).map(({ isError }) => isError), [answer === "deny"]);
      assert.deepEqual(results(harness).map(receiptOf), [undefined]);
    });
  }
});

Deno.test("A receipt fits the part of a long result that is kept, and the room for it is kept free", async () => {
  const long = tool("long", { content: [{ type: "text", text: "x".repeat(40_000) }] });
  const limits = { maxContextChars: 20_000 };
  await withReceipts({ tools: [long], limits }, async (harness, receipts) => {
    await harness.run("x", [calls([["long", {}]]), says("Done")]);
    const [message] = results(harness);
    const result = resultText(message?.content ?? []);
    assert.ok(result.length <= 10_000, `${result.length}`);
    assert.ok(receipts.verify(receiptOf(message) ?? "", { name: "long", arguments: "{}", result }));
  });
});

Deno.test("The final answer lists receipts where that is wanted, for the person alone", async () => {
  await withReceipts({ show: true }, async (harness) => {
    const result = await harness.run("x", [calls([["look", { path: "a" }]]), says("Done")]);
    const receipt = receiptOf(results(harness)[0]);
    const list = `\n\nReceipts:\nlook: ${receipt}`;
    assert.equal(result.text, `Done${list}`);
    const ends = harness.events.filter(({ type }) => type === "run_completed");
    assert.equal(ends[0]?.data["text"], `Done${list}`);
    const deltas = harness.events.filter(({ type }) => type === "text_delta");
    assert.deepEqual(deltas.map(({ data }) => data["delta"]), ["Done", list]);
    const said = harness.messages().flatMap((message) =>
      message.role === "assistant" ? message.text : []
    );
    assert.deepEqual(said, ["", "Done"]);
  });
});

Deno.test("The list of receipts has at most 50 lines, and none means none", async () => {
  await withReceipts({ show: true }, async (harness) => {
    assert.equal((await harness.run("x", [says("Done")])).text, "Done");
    const many = Array.from({ length: 60 }, (_, index) => ["look", { path: `a${index}` }] as const);
    const { text } = await harness.run("x", [calls(many), says("Done")]);
    assert.equal(text.split("\n").length, 2 + 2 + 50);
    assert.match(text, /^Done\n\nReceipts:\n\(10 earlier ones left out\)\nlook: zc-receipt-/);
  });
});

Deno.test("A model that repeats one call is stopped although each receipt is another", async () => {
  await withReceipts({}, async (harness) => {
    const again = calls([["look", { path: "a" }]]);
    await assert.rejects(harness.run("x", Array(30).fill(again)), { code: "repeated_calls" });
  });
});

Deno.test("OpenSession.verifyReceipt() verifies the receipts of its own runs", async () => {
  await withReceipts({}, async (harness) => {
    const session = await harness.open([calls([["look", { path: "a" }]]), says("Done")]);
    await session.run("x", { signal: new AbortController().signal, observers: [] });
    const [message] = results(harness);
    const subject = {
      name: "look",
      arguments: '{"path":"a"}',
      result: resultText(message?.content ?? []),
    };
    assert.ok(session.verifyReceipt(receiptOf(message) ?? "", subject));
    assert.ok(!session.verifyReceipt(receiptOf(message) ?? "", { ...subject, name: "change" }));
    await session.close();
  });
  await withRun({}, async (harness) => {
    const session = await harness.open([calls([["look", { path: "a" }]]), says("Done")]);
    await session.run("x", { signal: new AbortController().signal, observers: [] });
    assert.equal(receiptOf(results(harness)[0]), undefined);
    assert.equal(session.verifyReceipt("", { name: "", arguments: "", result: "" }), false);
    await session.close();
  });
});
