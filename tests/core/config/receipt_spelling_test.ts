import assert from "node:assert/strict";
import { parseConfigFile } from "../../../core/config/parse_config.ts";

function parse(value: unknown): unknown {
  return parseConfigFile(new TextEncoder().encode(JSON.stringify(value)), "/c.json");
}

Deno.test("parseConfigFile() takes the keys of receipts in both spellings", () => {
  const agent = {
    toolReceipts: { enabled: true, showInResponse: true, injectSystemPrompt: false },
  };
  const snake = {
    tool_receipts: { enabled: true, show_in_response: true, inject_system_prompt: false },
  };
  assert.deepEqual(parse({ agent }), { agent });
  assert.deepEqual(parse({ agent: snake }), { agent });
});

Deno.test("parseConfigFile() refuses a key of receipts in two spellings, or another one", () => {
  const rows: readonly (readonly [unknown, RegExp])[] = [
    [{ toolReceipts: {}, tool_receipts: {} }, /"agent\.tool_receipts" is not a known key/],
    [
      { tool_receipts: { showInResponse: true, show_in_response: true } },
      /"agent\.toolReceipts\.show_in_response" is not a known key/,
    ],
    [{ tool_receipt: {} }, /"agent\.tool_receipt" is not a known key; did you mean/],
    [{ tool_receipts: true }, /"agent\.toolReceipts" must be an object/],
    [{ tool_receipts: { enabled: "yes" } }, /"agent\.toolReceipts\.enabled" must be true or false/],
    [{ show_in_response: true }, /"agent\.showInResponse" is not a known key/],
    [null, /"agent" must be an object/],
  ];
  for (const [agent, message] of rows) assert.throws(() => parse({ agent }), { message });
});
