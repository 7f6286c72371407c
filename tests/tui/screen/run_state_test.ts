import assert from "node:assert/strict";
import type { KnownRunEventType, RunEvent, RunEventData } from "@alisio/sdk";
import { RunState } from "../../../tui/screen/run_state.ts";

function event<T extends KnownRunEventType>(type: T, data: Partial<RunEventData[T]>): RunEvent {
  return {
    schemaVersion: 1,
    runId: "run",
    sessionId: "session",
    seq: 1,
    timestamp: "2026-12-01T00:00:00.000Z",
    type,
    data,
  } as RunEvent;
}

const call = (id: string, name: string, input: unknown): RunEvent =>
  event("tool_started", { id, name, arguments: JSON.stringify(input), effect: "read" });

const ROWS: readonly (readonly [expected: string, ...events: readonly RunEvent[]])[] = [
  ["waiting for the model"],
  ["thinking", event("reasoning_delta", { delta: "Hm" })],
  ["writing the answer", event("reasoning_delta", {}), event("text_delta", { delta: "I" })],
  ["running shell", call("1", "shell", { command: "curl https://secret.example" })],
  ["running read_file (notes.md)", call("1", "read_file", { path: "a/b/notes.md" })],
  ["running read_file (..)", call("1", "read_file", { path: "../.." })],
  [String.raw`running read\x1b[2J`, call("1", "read\x1b[2J", {})],
  ["waiting for your answer", call("1", "ask_user_question", {})],
  [
    "waiting for your approval",
    call("1", "shell", {}),
    event("approval_requested", { id: "1", name: "shell", effect: "process" }),
  ],
  [
    "running shell",
    call("1", "shell", {}),
    event("approval_requested", { id: "1" }),
    event("approval_resolved", { id: "1" }),
  ],
  [
    "running list_files",
    call("1", "list_files", {}),
    call("2", "shell", {}),
    event("tool_completed", { id: "2" }),
  ],
  [
    "waiting for the model",
    call("1", "shell", {}),
    event("tool_completed", { id: "1", name: "shell" }),
  ],
  [
    "running shell: 3 of 9",
    call("1", "shell", {}),
    event("tool_progress", { id: "1", data: "2 of 9\n3 of 9\n\n" }),
  ],
  [
    "the model did not respond; retrying (1/2)",
    event("request_retry", { attempt: 1, of: 2 }),
  ],
  [
    "the response was cut off; retrying in smaller steps (2/2)",
    event("truncation_recovery", { attempt: 2, of: 2 }),
  ],
  ["compacting context", event("compaction_started", {})],
];

for (const [expected, ...events] of ROWS) {
  Deno.test(`RunState names "${expected}" after ${events.map(({ type }) => type).join(", ")}`, () => {
    const state = new RunState(() => 0);
    state.begin();
    for (const each of events) state.observe(each);
    assert.equal(state.text()?.activity, expected);
  });
}

Deno.test("RunState tells silence after 15 seconds, and doubt after 60", () => {
  let now = 1_000;
  const state = new RunState(() => now);
  assert.equal(state.text(), undefined);
  state.begin();
  state.observe(event("text_delta", { delta: "I" }));
  const silenceAfter = (ms: number) => {
    now = 1_000 + ms;
    return state.text()?.silence;
  };
  assert.equal(silenceAfter(14_999), undefined);
  assert.deepEqual(silenceAfter(15_000), { ms: 15_000, isStuck: false });
  assert.deepEqual(silenceAfter(60_000), { ms: 60_000, isStuck: true });
  state.observe(event("text_delta", { delta: "am" }));
  assert.deepEqual(state.text(), { activity: "writing the answer", elapsedMs: 60_000 });
  state.end();
  assert.equal(state.text(), undefined);
});

Deno.test("RunState counts no silence while a person is waited for", () => {
  let now = 0;
  const state = new RunState(() => now);
  state.begin();
  state.observe(call("1", "shell", {}));
  state.observe(event("approval_requested", { id: "1" }));
  now = 600_000;
  assert.deepEqual(state.text(), { activity: "waiting for your approval", elapsedMs: 600_000 });
});
