import assert from "node:assert/strict";
import { MessageLines } from "../../../tools/mcp/message_lines.ts";

/** What comes out of bytes that are given in pieces of a size. */
function linesOf(text: string, pieceBytes: number, maxBytes = 1_000): readonly unknown[] {
  const seen: unknown[] = [];
  const lines = new MessageLines({
    maxBytes,
    onLine: (line) => seen.push(new TextDecoder().decode(line)),
    onTooLong: (id) => seen.push({ id }),
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    lines.write(bytes.slice(at, at + pieceBytes));
  }
  lines.end();
  return seen;
}

Deno.test("MessageLines splits bytes into lines, whatever the pieces", () => {
  for (const pieceBytes of [1, 2, 3, 7, 1_000]) {
    assert.deepEqual(linesOf("a\n\nbä\r\nlast", pieceBytes), ["a", "bä\r", "last"]);
    assert.deepEqual(linesOf("", pieceBytes), []);
  }
});

Deno.test("MessageLines lets a line above the limit go by, and finds whose answer it is", () => {
  const long = "x".repeat(50);
  const rows: readonly (readonly [string, number | null])[] = [
    [`{"jsonrpc":"2.0","id":7,"result":{"id":1,"text":"${long}"}}`, 7],
    [`{"result":{"id":1,"list":[{"id":2}],"text":"${long}"},"jsonrpc":"2.0","id":42}`, 42],
    [`{"result":"\\"id\\":1,${long}", "id" : 9 }`, 9],
    [`{"result":["id",3,"${long}"],"id":10}`, 10],
    [`{"x":"id","y":5,"z":"${long}","id":11}`, 11],
    [`{"i\\u0064":1,"id":"8","z":"${long}"}`, null],
    [`{"id":null,"z":"${long}"}`, null],
    [`{"id":-3,"z":"${long}"}`, null],
    [`{"id":1.5,"z":"${long}"}`, null],
    [`{"id":99999999999999999999,"z":"${long}"}`, null],
    [`[{"id":3},"${long}"]`, null],
    [long, null],
  ];
  for (const [line, id] of rows) {
    for (const pieceBytes of [1, 13, 1_000]) {
      assert.deepEqual(linesOf(`${line}\nnext\n`, pieceBytes, 40), [{ id }, "next"], line);
    }
  }
});
