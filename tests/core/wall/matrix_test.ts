import assert from "node:assert/strict";
import { kernelVersion } from "./_kernel.ts";
import { expectedOutcome, formatMatrix, POLICIES, runHostile } from "./_matrix.ts";
import { ATTEMPTS } from "./fixtures/hostile/plugin.ts";

/** The loader that two attempts name. */
const HAS_LOADER = exists("/lib64/ld-linux-x86-64.so.2");

const attempts = Object.keys(ATTEMPTS).filter((name) => HAS_LOADER || !name.startsWith("loader"));

for (const [name, policy] of Object.entries(POLICIES)) {
  Deno.test({
    ignore: Deno.build.os !== "linux" || kernelVersion() < 4,
    name:
      `A hostile plugin under the policy "${policy.title}" hits both walls (field cases 75, 81)`,
    fn: async () => {
      const { status, ended, worked, details, stderr } = await runHostile(policy, "with kernel");
      assert.equal(stderr, "");
      assert.deepEqual({ status, ended }, { status: 0, ended: true });
      for (const attempt of attempts) {
        const outcome = worked.get(attempt) ? "works" : "stopped";
        const expected = expectedOutcome(attempt, name) === "works" ? "works" : "stopped";
        assert.equal(outcome, expected, `${attempt}: ${details.get(attempt)}`);
      }
    },
  });

  Deno.test({
    ignore: Deno.build.os !== "linux",
    name: `A hostile plugin under the policy "${policy.title}" hits the flags alone`,
    fn: async () => {
      const { ended, worked, details } = await runHostile(policy, "without kernel");
      assert.equal(ended, true);
      for (const attempt of attempts) {
        const outcome = worked.get(attempt) ? "works" : "stopped";
        // What the kernel stops must get through here, or the table credits the wrong wall.
        const expected = expectedOutcome(attempt, name) === "flags" ? "stopped" : "works";
        assert.equal(outcome, expected, `${attempt}: ${details.get(attempt)}`);
      }
    },
  });
}

Deno.test("formatMatrix() has a row for each attempt and a column for each policy", () => {
  const rows = formatMatrix().trimEnd().split("\n");
  assert.equal(rows.length, Object.keys(ATTEMPTS).length + 2);
  for (const row of rows) assert.equal(row.split(" | ").length, Object.keys(POLICIES).length + 1);
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
