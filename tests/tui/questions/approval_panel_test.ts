import assert from "node:assert/strict";
import type { ApprovalReply } from "../../../core/gate/approval.ts";
import { approvalView } from "../../../core/gate/approval/approval_view.ts";
import { approvalText } from "../../../tui/questions/approval_text.ts";
import { ApprovalPanel } from "../../../tui/questions/approval_panel.ts";
import { assertDrawable, KEYS, PLAIN_THEME } from "../../support/panel_scene.ts";
import { FakeClock, questionAbout } from "./_question_scene.ts";

const PASTE = "\x1b[200~y\ra\r\x1b[201~";
const PRESSED = [...Object.values(KEYS), "y", "a", "e", "n", "x", " ", PASTE];

/** The same numbers each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

/** What came of a question that was answered by keys at random. */
function play(seed: number): {
  readonly reply: ApprovalReply | undefined;
  readonly wasSeen: boolean;
} {
  const random = numbers(seed);
  const next = (below: number) => Math.floor(random.next().value * below);
  const clock = new FakeClock();
  let rows = 1 + next(20);
  let width = 1 + next(80);
  let reply: ApprovalReply | undefined;
  let wasSeen = false;
  const lines = Array.from({ length: next(40) }, (_, index) => `echo ${index}`);
  const view = approvalView(questionAbout(), {
    facts: [],
    body: lines.join("\n"),
    form: "command",
  });
  const panel = new ApprovalPanel({
    view,
    theme: () => PLAIN_THEME,
    frame: { rows: () => rows, redraw() {} },
    clock,
    onAnswer: (answer) => reply ??= answer,
    onInterrupt() {},
    onDropped() {},
  });
  for (let step = 0; step < 60 && reply === undefined; step++) {
    if (next(4) === 0) {
      rows = 1 + next(20);
      width = 4 + next(76);
    }
    assertDrawable(panel, { width, rows });
    const last = approvalText(view, { width, theme: PLAIN_THEME, withTitle: false }).rows.at(-1);
    wasSeen ||= width >= 8 && panel.render(width).includes(last ?? "");
    clock.pass(next(3) === 0 ? next(40) : 350);
    panel.handleInput(PRESSED[next(PRESSED.length)] ?? "");
    clock.pass(40);
  }
  return { reply, wasSeen };
}

Deno.test("ApprovalPanel allows nothing that was not shown to its end, whatever is pressed", () => {
  const replies = new Map<string, number>();
  for (let seed = 1; seed <= 400; seed++) {
    const { reply, wasSeen } = play(seed);
    const name = typeof reply === "object" ? "edit" : String(reply);
    replies.set(name, (replies.get(name) ?? 0) + 1);
    if (reply === "once" || reply === "session") assert.ok(wasSeen, `seed ${seed}`);
  }
  for (const name of ["once", "session", "deny", "edit"]) assert.ok(replies.has(name), name);
});
