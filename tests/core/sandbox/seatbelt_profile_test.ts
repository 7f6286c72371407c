import assert from "node:assert/strict";
import { seatbeltProfile } from "../../../core/sandbox/seatbelt_profile.ts";
import type { SandboxPlan } from "../../../core/sandbox/sandbox_plan.ts";

const PLAN: SandboxPlan = {
  entries: [
    { path: "/usr", kind: "folder", access: "read-only" },
    { path: "/Users/a", kind: "folder", access: "private" },
    { path: "/out", kind: "folder", access: "write-only" },
    { path: "/Users/a/ws", kind: "folder", access: "read-write" },
    { path: '/Users/a/ws/"x\\y', kind: "folder", access: "closed" },
    { path: "/Users/a/ws/.git/hooks", kind: "folder", access: "read-only" },
  ],
  links: [],
  network: "closed",
};

Deno.test("seatbeltProfile() denies by default, and what lies deeper comes later", () => {
  const lines = seatbeltProfile(PLAN, "/state/tmp/1").split("\n");
  assert.deepEqual(lines.slice(0, 2), ["(version 1)", "(deny default)"]);
  assert.deepEqual(lines.slice(lines.indexOf('(allow file-read* (subpath "/usr"))')), [
    '(allow file-read* (subpath "/usr"))',
    '(deny file-write* (subpath "/usr"))',
    '(deny file-read* file-write* (subpath "/Users/a"))',
    '(deny file-read-data (subpath "/out"))',
    '(allow file-write* (subpath "/out"))',
    '(allow file-read* file-write* (subpath "/Users/a/ws"))',
    '(deny file-write-unlink (literal "/Users/a/ws"))',
    '(deny file-read* file-write* (subpath "/Users/a/ws/\\"x\\\\y"))',
    '(allow file-read* (subpath "/Users/a/ws/.git/hooks"))',
    '(deny file-write* (subpath "/Users/a/ws/.git/hooks"))',
    '(allow file-read* file-write* (subpath "/state/tmp/1"))',
    '(deny file-write-unlink (literal "/state/tmp/1"))',
  ]);
});

Deno.test("seatbeltProfile() allows the network only where the plan opens it", () => {
  assert.doesNotMatch(seatbeltProfile(PLAN, "/t"), /network/);
  assert.match(seatbeltProfile({ ...PLAN, network: "open" }, "/t"), /^\(allow network\*\)$/m);
});

Deno.test("seatbeltProfile() is balanced, so that the system can read it", () => {
  const text = seatbeltProfile({ ...PLAN, network: "open" }, "/t").replace(
    /"(?:[^"\\]|\\.)*"/g,
    "",
  );
  for (const line of text.split("\n")) {
    assert.equal(line.split("(").length, line.split(")").length, line);
  }
});
