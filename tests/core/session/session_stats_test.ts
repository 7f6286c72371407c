import assert from "node:assert/strict";
import type { RunEventData } from "@alisio/sdk";
import { readSessionStats } from "../../../core/session/session_stats.ts";
import { openSessionStore } from "../../../core/session/session_store.ts";
import { withTempDir } from "../../support/temp.ts";

type Told = {
  [T in keyof RunEventData]: readonly [run: string, second: number, type: T, data: RunEventData[T]];
}[keyof RunEventData];

const TOLD: readonly Told[] = [
  ["r1", 0, "run_started", { model: "qwen" }],
  ["r1", 2, "turn_completed", {
    turn: 1,
    tokens: 110,
    calls: 2,
    model: "qwen",
    usage: { input: 100, output: 10, cachedInput: 40 },
    durationMs: 1_500,
    ttftMs: 300,
  }],
  ["r1", 3, "tool_completed", {
    id: "c1",
    name: "shell",
    isError: true,
    durationMs: 200,
    preview: "",
  }],
  ["r1", 3, "tool_completed", {
    id: "c2",
    name: "read_file",
    isError: false,
    durationMs: 5,
    preview: "",
  }],
  ["r1", 4, "tool_completed", {
    id: "c3",
    name: "shell",
    isError: true,
    durationMs: 0,
    preview: "",
    refused: { matched: "mode" },
  }],
  ["r1", 5, "request_retry", { attempt: 1, of: 1, reason: "overloaded", afterMs: 10 }],
  ["r1", 5, "run_warning", { code: "odd", message: "The server is odd" }],
  ["r1", 5, "run_warning", { code: "odd", message: "The server is odd" }],
  ["r1", 6, "run_completed", { tokens: 110, text: "Done" }],
  ["r2", 60, "run_started", { model: "gemma" }],
  ["r2", 61, "plugin_hook_failed", {
    source: "acme",
    hook: "events.on",
    error: "Oops",
    continued: true,
  }],
  ["r2", 62, "turn_completed", { turn: 1, tokens: 0, calls: 0, model: "gemma", durationMs: 500 }],
  ["r2", 62, "run_completed", { tokens: 0, text: "Done" }],
];

Deno.test("readSessionStats() adds up what is stored, over all runs", async () => {
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/sessions.sqlite`);
    const base = { workspace: dir, model: "qwen", provider: "p", createdAt: 1 };
    for (const id of ["s1", "s2"]) store.createSession({ ...base, id });
    for (const id of ["r1", "r2"]) {
      store.beginRun({ id, sessionId: "s1", model: "qwen", startedAt: 1, ownerPid: 1 });
    }
    store.endRun({ id: "r1", status: "completed", endedAt: 2 });
    TOLD.forEach(([runId, second, type, data], seq) => {
      const timestamp = new Date(second * 1_000).toISOString();
      store.appendEvent({ sessionId: "s1", runId, seq, type, timestamp, data });
    });
    // As many events as to need several pages.
    for (let seq = 100; seq < 2_100; seq++) {
      const data = {
        id: `d${seq}`,
        name: "list_files",
        isError: false,
        durationMs: 1,
        preview: "",
      };
      const timestamp = new Date(61_000).toISOString();
      const event = { sessionId: "s1", runId: "r2", seq, type: "tool_completed", timestamp, data };
      store.appendEvent(event);
    }
    assert.deepEqual(readSessionStats(store, "s1"), {
      runs: { completed: 1, running: 1 },
      turns: 2,
      uncountedTurns: 1,
      tokens: { input: 100, output: 10, cachedInput: 40 },
      durationMs: 8_000,
      modelMs: 2_000,
      firstTokenMs: 300,
      tools: [
        { name: "list_files", calls: 2_000, errors: 0, refused: 0, durationMs: 2_000 },
        { name: "read_file", calls: 1, errors: 0, refused: 0, durationMs: 5 },
        { name: "shell", calls: 2, errors: 1, refused: 1, durationMs: 200 },
      ],
      models: [
        { model: "qwen", turns: 1, tokens: { input: 100, output: 10, cachedInput: 40 } },
        { model: "gemma", turns: 1, tokens: { input: 0, output: 0, cachedInput: 0 } },
      ],
      retries: 1,
      warnings: ["The server is odd", 'Plugin "acme" failed in events.on: Oops'],
    });
    assert.equal(readSessionStats(store, "s2").turns, 0);
    store.close();
  });
});
