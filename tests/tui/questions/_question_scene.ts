import assert from "node:assert/strict";
import type { ApprovalChoice, ApprovalQuestion } from "../../../core/gate/approval.ts";
import { approvalView, type CallPreview } from "../../../core/gate/approval/approval_view.ts";
import type { Panel } from "../../../tui/panels/panel.ts";
import { PanelStack } from "../../../tui/panels/panel_stack.ts";
import { createQuestions } from "../../../tui/questions/create_questions.ts";
import type { QuestionClock } from "../../../tui/questions/answer_guard.ts";
import type { Questions } from "../../../tui/questions/questions.ts";
import type { Theme } from "../../../tui/theme/theme.ts";
import { PLAIN_THEME, press, seen } from "../../support/panel_scene.ts";

/** A clock that stands still until it is moved. */
export class FakeClock implements QuestionClock {
  #now = 0;
  readonly #calls = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  schedule(afterMs: number, call: () => void): () => void {
    const once = (): void => call();
    this.#calls.set(once, this.#now + afterMs);
    return () => void this.#calls.delete(once);
  }

  /** How many calls are still to come. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    const end = this.#now + ms;
    while (true) {
      const [next] = [...this.#calls].sort(([, one], [, other]) => one - other);
      if (next === undefined || next[1] > end) break;
      const [call, at] = next;
      this.#calls.delete(call);
      this.#now = at;
      call();
    }
    this.#now = end;
  }
}

/** Questions on a screen that a test looks at. */
export interface QuestionScene {
  readonly questions: Questions;
  readonly panels: PanelStack;
  readonly clock: FakeClock;
  /** What was told in the conversation. */
  readonly said: string[];
  /** What was typed and is no answer. */
  readonly kept: string[];
  readonly called: string[];
  readonly interrupts: () => number;
  /** What is on the screen. */
  panel(): Panel;
  isEmpty(): boolean;
  /** The screen, as a person sees it. */
  screen(width?: number): string;
  /** Waits until a question is on the screen and can be answered. */
  ready(): Promise<void>;
  /** Presses keys as slowly as a person. */
  answer(...keys: readonly string[]): void;
}

/** Creates a screen for questions. */
export function createQuestionScene(
  options: {
    readonly rows?: number;
    readonly theme?: Theme;
    readonly preview?: CallPreview;
  } = {},
): QuestionScene {
  const { rows = 14, theme = PLAIN_THEME, preview = COMMAND } = options;
  const clock = new FakeClock();
  const said: string[] = [];
  const kept: string[] = [];
  const called: string[] = [];
  const shown: (Panel | undefined)[] = [];
  let interrupts = 0;
  const panels = new PanelStack({
    rows: () => rows,
    redraw() {},
    show: (panel) => shown.push(panel),
  });
  const questions = createQuestions({
    panels,
    theme: () => theme,
    view: (question) => Promise.resolve(approvalView(question, preview)),
    size: () => ({ columns: 80, rows }),
    redraw() {},
    say: (text) => said.push(text),
    interrupt: () => void interrupts++,
    keepTyped: (data) => kept.push(data),
    callPerson: (text) => called.push(text),
  }, clock);
  const panel = (): Panel => {
    const current = shown.at(-1);
    assert.ok(current !== undefined, "No question is shown");
    current.focused = true;
    return current;
  };
  return {
    questions,
    panels,
    clock,
    said,
    kept,
    called,
    interrupts: () => interrupts,
    panel,
    isEmpty: () => shown.at(-1) === undefined,
    screen: (width = 80) => seen(panel(), width),
    async ready() {
      // The view of a question is made first.
      await Promise.resolve();
      await Promise.resolve();
      panel().render(80);
      clock.pass(300);
    },
    answer(...keys) {
      for (const key of keys) {
        press(panel(), key);
        clock.pass(100);
      }
    },
  };
}

/** A command in a workspace. */
export const COMMAND: CallPreview = {
  facts: [["in", "/home/ana/shop"]],
  body: "make test",
  form: "command",
};

/** A question about a command. */
export function questionAbout(changes: Partial<ApprovalQuestion> = {}): ApprovalQuestion {
  return {
    sessionId: "s",
    agentPath: [],
    callId: "c",
    tool: "shell",
    effect: "process",
    arguments: '{"command":"make test"}',
    summary: { command: "make test", paths: [], programs: [] },
    subject: { kind: "effect" },
    reason: '"shell" means running processes',
    choices: ["once", "session", "deny", "edit"] satisfies ApprovalChoice[],
    ...changes,
  };
}
