import { strictEqual } from "node:assert/strict";
import { isClosed } from "../../../core/paths/is_closed.ts";

const ROWS: readonly (readonly [string, boolean])[] = [
  ["/ws", false],
  ["/ws/a", false],
  ["/ws/vault", true],
  ["/ws/vault/a", true],
  ["/ws/vault2/a", false],
  ["/ws/vault/open/a", false],
  ["/ws/vault/open/closed/a", true],
  ["/both/a", true],
  ["/elsewhere", false],
];

for (const [path, expected] of ROWS) {
  Deno.test(`isClosed() says ${expected} for ${path}`, () => {
    const closed = ["/ws/vault", "/ws/vault/open/closed", "/both"];
    strictEqual(isClosed(path, closed, ["/ws", "/ws/vault/open", "/both"]), expected);
  });
}
