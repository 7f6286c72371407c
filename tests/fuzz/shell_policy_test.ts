import assert from "node:assert/strict";
import { fuzzShellPolicy } from "./shell_policy.ts";

Deno.test({
  name: "fuzzShellPolicy() finds no command line that starts what it should not",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const report = await fuzzShellPolicy({ count: 200, seed: 20 });
    assert.deepEqual(report.failures, []);
    // Commands that are never understood or never run would prove nothing.
    assert.ok(report.understood > 100 && report.run > 50);
  },
});
