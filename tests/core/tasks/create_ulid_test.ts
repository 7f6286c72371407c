import assert from "node:assert/strict";
import { createUlid } from "../../../core/tasks/create_ulid.ts";

Deno.test("createUlid() begins with the time, so that ids sort by it, and is never the same", () => {
  assert.match(createUlid(0), /^0{10}[0-9A-HJKMNP-TV-Z]{16}$/);
  assert.match(createUlid(1_469_918_176_385), /^01ARYZ6S41/);
  assert.match(createUlid(2 ** 48 - 1), /^7ZZZZZZZZZ/);
  const ids = Array.from({ length: 1_000 }, () => createUlid(1));
  assert.equal(new Set(ids).size, 1_000);
  assert.ok(createUlid(1_000) < createUlid(1_001));
});
