import assert from "node:assert/strict";
import { sandboxGaps } from "../../../core/sandbox/sandbox_gaps.ts";
import type { SandboxEntry, SandboxPlan } from "../../../core/sandbox/sandbox_plan.ts";

const entry = (path: string, access: SandboxEntry["access"]): SandboxEntry => ({
  path,
  kind: "folder",
  access,
});

const PLAIN: SandboxPlan = {
  entries: [entry("/usr", "read-only"), entry("/usr/local", "closed"), entry("/ws", "read-write")],
  links: [],
  network: "closed",
};

const NARROW: SandboxPlan = {
  ...PLAIN,
  entries: [
    ...PLAIN.entries,
    entry("/out", "write-only"),
    ...["a", "b", "c", "d"].map((name) => entry(`/ws/${name}`, "closed")),
    entry("/ws/.alisio", "read-only"),
  ],
};

const MODES = "mode, owner and times of files";
const SOCKETS = "sockets that are files";

Deno.test("sandboxGaps() names what Landlock cannot close, by version", () => {
  assert.deepEqual(sandboxGaps("landlock", PLAIN, 7), [SOCKETS, MODES]);
  assert.deepEqual(sandboxGaps("landlock", { ...PLAIN, network: "open" }, 6), [MODES]);
  assert.deepEqual(sandboxGaps("landlock", PLAIN, 5), [
    SOCKETS,
    "signals to your other programs",
    MODES,
  ]);
  assert.deepEqual(sandboxGaps("landlock", PLAIN, 1), [
    "cutting of files anywhere",
    SOCKETS,
    "signals to your other programs",
    MODES,
  ]);
  assert.deepEqual(sandboxGaps("landlock", NARROW, 7), [
    '"/ws/a", "/ws/b", "/ws/c" and 1 more, in an open folder',
    'changes of "/ws/.alisio"',
    SOCKETS,
    MODES,
  ]);
});

Deno.test("sandboxGaps() names of Bubblewrap only folders for writing alone", () => {
  assert.deepEqual(sandboxGaps("bubblewrap", PLAIN), []);
  assert.deepEqual(sandboxGaps("bubblewrap", NARROW), [
    'reading of "/out", which is for writing only',
  ]);
  assert.deepEqual(sandboxGaps("sandbox-exec", NARROW), []);
});
