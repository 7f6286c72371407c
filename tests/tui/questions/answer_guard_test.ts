import assert from "node:assert/strict";
import { AnswerGuard } from "../../../tui/questions/answer_guard.ts";
import { KEYS } from "../../support/panel_scene.ts";
import { FakeClock } from "./_question_scene.ts";

type Step = readonly [waitMs: number, data: string];

/** Presses keys, and says which of them answered and which were dropped. */
function run(steps: readonly Step[]): { readonly answers: string[]; readonly dropped: string[] } {
  const clock = new FakeClock();
  const answers: string[] = [];
  const dropped: string[] = [];
  const guard = new AnswerGuard({
    clock,
    onReady() {},
    onDropped: (data) => dropped.push(data),
  });
  guard.shown();
  for (const [waitMs, data] of steps) {
    clock.pass(waitMs);
    guard.take(data, (key) => answers.push(key));
  }
  clock.pass(1_000);
  assert.equal(clock.waiting, 0);
  return { answers, dropped };
}

Deno.test("AnswerGuard takes keys of a person alone for answers", () => {
  const paste = "\x1b[200~y\r\x1b[201~";
  const rows: readonly (readonly [Step[], answers: string[], dropped: string[]])[] = [
    [[[300, "y"]], ["y"], []],
    [[[299, "y"]], [], ["y"]],
    // Whoever goes on typing has not read the question.
    [[[200, "y"], [200, "e"], [200, "s"]], [], ["y", "e", "s"]],
    [[[200, "x"], [300, "y"]], ["y"], ["x"]],
    [[[400, "y"], [100, "n"]], ["y", "n"], []],
    // What comes at once was pasted.
    [[[400, "y"], [0, "\r"]], [], ["y", "\r"]],
    [[[400, "n"], [1, "o"], [1, "y"], [29, "\r"]], [], ["n", "o", "y", "\r"]],
    [[[400, "n"], [1, "o"], [200, "y"]], ["y"], ["n", "o"]],
    [[[400, paste]], [], [paste]],
    [[[100, paste], [400, "y"]], ["y"], [paste]],
    // Keys that type nothing cannot be pasted.
    [[[400, KEYS.down], [0, KEYS.down], [0, "\r"]], [KEYS.down, KEYS.down, "\r"], []],
    [[[400, KEYS.escape]], [KEYS.escape], []],
    [[[100, KEYS.escape]], [], [KEYS.escape]],
  ];
  for (const [steps, answers, dropped] of rows) {
    assert.deepEqual(run(steps), { answers, dropped }, JSON.stringify(steps));
  }
});

Deno.test("AnswerGuard waits until the question is on the screen", () => {
  const clock = new FakeClock();
  const dropped: string[] = [];
  let ready = 0;
  const guard = new AnswerGuard({
    clock,
    onReady: () => void ready++,
    onDropped: (data) => dropped.push(data),
  });
  clock.pass(1_000);
  guard.take("y", () => assert.fail("answered"));
  clock.pass(1_000);
  assert.deepEqual([guard.isReady, ready, dropped], [false, 0, ["y"]]);
  guard.shown();
  guard.shown();
  clock.pass(300);
  assert.deepEqual([guard.isReady, ready], [true, 1]);
  guard.take("y", () => assert.fail("answered"));
  guard.close();
  clock.pass(1_000);
});

Deno.test("AnswerGuard begins anew after the question left the screen", () => {
  const clock = new FakeClock();
  const dropped: string[] = [];
  const answers: string[] = [];
  const guard = new AnswerGuard({
    clock,
    onReady: () => {},
    onDropped: (data) => dropped.push(data),
  });
  const take = (data: string) => guard.take(data, (key) => answers.push(key));
  guard.shown();
  clock.pass(400);
  take("y");
  guard.hidden();
  clock.pass(400);
  take("a");
  guard.shown();
  clock.pass(200);
  take("b");
  assert.deepEqual([guard.isReady, answers, dropped], [false, [], ["a", "b"]]);
  clock.pass(400);
  take("n");
  clock.pass(400);
  assert.deepEqual([guard.isReady, answers], [true, ["n"]]);
});
