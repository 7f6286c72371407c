import assert from "node:assert/strict";
import { readMessage } from "../../../tools/mcp/read_message.ts";

Deno.test("readMessage() tells messages apart, and takes nothing else for one", () => {
  const message = (fields: Readonly<Record<string, unknown>>) =>
    readMessage({ jsonrpc: "2.0", ...fields });
  const broken = { code: -32_600, message: "the answer is no message of the protocol" };
  assert.deepEqual(message({ id: 1, result: {} }), { kind: "result", id: 1, result: {} });
  assert.deepEqual(message({ id: "a", method: "ping" }), {
    kind: "request",
    id: "a",
    method: "ping",
    params: {},
  });
  assert.deepEqual(message({ method: "x", params: [1] }), {
    kind: "notification",
    method: "x",
    params: {},
  });
  assert.deepEqual(message({ id: 1, error: { code: 5, message: "no" } }), {
    kind: "error",
    id: 1,
    error: { code: 5, message: "no" },
  });
  for (const fields of [{ result: "text" }, { error: "text" }, {}, { result: [] }]) {
    assert.deepEqual(message({ id: 1, ...fields }), { kind: "error", id: 1, error: broken });
  }
  const none = [{ id: 1.5, result: {} }, { id: null, result: {} }, { method: 5 }, { result: {} }];
  for (const fields of none) assert.equal(message(fields), null);
  for (const value of [null, [], "text", 5, { id: 1, result: {} }, { jsonrpc: "1.0", id: 1 }]) {
    assert.equal(readMessage(value), null);
  }
});
