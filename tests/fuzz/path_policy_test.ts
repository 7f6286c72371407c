import assert from "node:assert/strict";
import { fuzzPathPolicy } from "./path_policy.ts";

Deno.test({
  name: "fuzzPathPolicy() finds no path that leads where it should not",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const report = await fuzzPathPolicy({ count: 300, seed: 20 });
    assert.deepEqual(report.failures, []);
    // Paths that are never followed, permitted or opened would prove nothing.
    assert.ok(report.followed > 100 && report.allowed > 100 && report.opened > 20);
  },
});
