import assert from "node:assert/strict";
import { noticeOfEvent } from "../../../tui/transcript/event_notice.ts";
import { runEvent } from "./_scene.ts";

/** Events, and what a person is told about them. */
const ROWS: readonly (readonly [
  type: string,
  data: Record<string, unknown>,
  tone: string,
  text: string,
])[] = [
  [
    "run_failed",
    { error: "No key", code: "provider_authentication" },
    "error",
    "No key\nWhat helps: /connect signs in or takes another key.",
  ],
  ["run_failed", { error: "Odd" }, "error", "Odd"],
  ["run_failed", {}, "error", "The run failed"],
  ["run_cancelled", { error: "x" }, "warning", "Stopped. Say how to go on."],
  [
    "run_turns_exceeded",
    { turns: 1_000, maxTurns: 1_000 },
    "warning",
    "Paused after 1,000 turns, the limit. A new prompt goes on; /settings → Max turns raises the limit.",
  ],
  [
    "response_truncated",
    { turn: 1, maxOutputTokens: 4_096, source: "user" },
    "warning",
    'The answer was cut at 4,096 tokens (user); raise "limits.maxOutputTokens" for more.',
  ],
  [
    "request_retry",
    { attempt: 1, of: 2, reason: "first_token_timeout", afterMs: 500 },
    "info",
    "The model did not respond; asking again in 500ms (1/2)",
  ],
  [
    "request_retry",
    { attempt: 2, of: 3, reason: "rate_limited", afterMs: 2_000 },
    "info",
    "The request failed (rate limited); asking again in 2.0s (2/3)",
  ],
  [
    "truncation_recovery",
    { attempt: 1, of: 2, reason: "tool_call_cut", maxOutputTokens: 9 },
    "info",
    "The reply was cut inside a call; asking again with more room (1/2)",
  ],
  ["run_warning", { code: "x", message: "An odd server" }, "warning", "An odd server"],
  [
    "plugin_hook_failed",
    { source: "my.notes", hook: "events.on", error: "boom" },
    "warning",
    'The plugin "my.notes" failed in events.on, and the run goes on without it: boom',
  ],
  [
    "model_changed",
    { model: "b", previous: "a" },
    "info",
    "The model is b from here on; it was a.",
  ],
  [
    "session_context_injected",
    { tokens: 120, sources: ["memory"] },
    "info",
    "Context added: 120 tokens from memory",
  ],
  ["context_reduced", { messages: 3 }, "info", "3 long messages were shortened to fit the context"],
  [
    "compaction_started",
    { reason: "auto", before: 90_000, messages: 12 },
    "info",
    "Compacting the context (90,000 tokens)",
  ],
  [
    "compaction_completed",
    {
      reason: "auto",
      before: 90_000,
      after: 8_000,
      replaced: 12,
      partial: true,
      plugins: { "my.notes": "2 notes" },
    },
    "success",
    "Context compacted: 90,000 → 8,000 tokens, 12 messages summarised in part\nmy.notes: 2 notes",
  ],
  [
    "compaction_skipped",
    { reason: "manual", before: 1, detail: "there is little to say" },
    "info",
    "Nothing was compacted: there is little to say",
  ],
  [
    "compaction_failed",
    { reason: "manual", error: "no answer" },
    "error",
    "The context could not be compacted: no answer",
  ],
  [
    "artifact_published",
    {
      artifact: { kind: "spreadsheet", fileName: "sales.csv", bytes: 2_048 },
      path: "/a/sales.csv",
    },
    "success",
    "[T] sales.csv, 2.0 KB\n/a/sales.csv",
  ],
  [
    "autonomy:approval_timeout",
    { tool: "shell", reason: "silence" },
    "warning",
    "Nobody answered in time, so shell was refused: silence",
  ],
];

for (const [type, data, tone, text] of ROWS) {
  Deno.test(`noticeOfEvent() tells of ${type} ${JSON.stringify(data).slice(0, 40)}`, () => {
    assert.deepEqual(noticeOfEvent(runEvent(type, data)), { tone, text });
  });
}

/** Events that rows of their own show, or that change nothing for a person. */
for (
  const type of [
    "run_started",
    "turn_completed",
    "tool_started",
    "run_completed",
    "text_delta",
    "approval_requested",
    "autonomy:approval_granted",
    "autonomy:blocked",
    "constructor",
    "future",
  ]
) {
  Deno.test(`noticeOfEvent() is silent about ${type}`, () => {
    assert.equal(noticeOfEvent(runEvent(type, {})), undefined);
  });
}

Deno.test("noticeOfEvent() makes do with data of any shape", () => {
  for (const [type] of ROWS) {
    for (
      const data of [{}, {
        error: 1,
        code: {},
        turns: "x",
        sources: 3,
        artifact: "a",
        plugins: [1],
      }]
    ) {
      const notice = noticeOfEvent(runEvent(type, data));
      assert.ok(notice === undefined || notice.text !== "");
    }
    assert.equal(noticeOfEvent({ ...runEvent(type, {}), data: null as never }), undefined);
  }
});
