import assert from "node:assert/strict";
import { RepetitionGuard, type RepetitionVerdict } from "../../../core/run/repetition_guard.ts";

const CALL = { name: "read_file", arguments: "{}", result: "same", durationMs: 1, polling: false };

function verdicts(
  calls: readonly Partial<typeof CALL & { turn: number }>[],
): readonly RepetitionVerdict[] {
  const guard = new RepetitionGuard();
  return calls.map((call, turn) => guard.observe({ ...CALL, turn, ...call }));
}

Deno.test("RepetitionGuard warns at the third equal call and stops at the sixth (field case 36)", () => {
  assert.deepEqual(verdicts([{}, {}, {}, {}, {}, {}]), [
    "fine",
    "fine",
    "warn",
    "warn",
    "warn",
    "stop",
  ]);
});

Deno.test("RepetitionGuard leaves what is no loop alone (field case 36)", () => {
  const fine = (length: number) => Array.from({ length }, () => "fine");
  const polls = Array.from({ length: 8 }, () => ({ polling: true }));
  const waits = Array.from({ length: 8 }, () => ({ durationMs: 1_500 }));
  const changing = Array.from({ length: 8 }, (_, index) => ({ result: `${index}` }));
  const alternating = Array.from({ length: 8 }, (_, index) => ({ arguments: `${index % 2}` }));
  assert.deepEqual(verdicts(polls), fine(8), "a tool made for polling");
  assert.deepEqual(verdicts(waits), fine(8), "a call that waits");
  assert.deepEqual(verdicts(changing), fine(8), "new results");
  assert.deepEqual(verdicts(alternating), fine(8), "other calls in between");
});

Deno.test("RepetitionGuard stops no model that could not read its warning yet", () => {
  const batch = Array.from({ length: 8 }, () => ({ turn: 1 }));
  assert.equal(verdicts(batch).at(-1), "warn");
  assert.equal(verdicts([...batch, { turn: 2 }]).at(-1), "stop");
});
