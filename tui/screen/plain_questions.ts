import { wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import { visibleLines } from "../../core/process/visible_text.ts";
import type { ApprovalChoice } from "../../core/gate/approval.ts";
import type { QuestionAnswer } from "../../core/tools/user_question.ts";
import type { Panel, PanelFactory } from "../panels/panel.ts";
import type { QuestionPorts, Questions } from "../questions/questions.ts";

/** Asks with one key for each answer. */
export function plainQuestions(ports: QuestionPorts): Questions {
  const ask = async (
    lines: readonly string[],
    keys: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string | undefined> =>
    await ports.panels.open<string>(keyPanel(ports, lines, keys), { kind: "question", signal });
  return {
    approvals: {
      key: "terminal",
      async ask(question, { signal }) {
        const view = await ports.view(question);
        const chosen = await ask(
          [view.title, ...view.facts.map(([label, value]) => `  ${label}: ${value}`), view.body],
          { y: "once", a: "session", n: "deny" },
          signal,
        );
        const choice = view.choices.find((each) => each === chosen);
        return choice === undefined || choice === "edit"
          ? "deny"
          : choice satisfies Exclude<ApprovalChoice, "edit">;
      },
    },
    async ask(questions, { signal }) {
      const answers: QuestionAnswer[] = [];
      for (const { header, question, options } of questions) {
        const keys = Object.fromEntries(options.map(({ label }, at) => [String(at + 1), label]));
        const label = await ask([`${header}: ${question}`], keys, signal);
        signal.throwIfAborted();
        answers.push({ header, skipped: label === undefined, selected: label ? [label] : [] });
      }
      return answers;
    },
  };
}

function keyPanel(
  { theme }: QuestionPorts,
  lines: readonly string[],
  keys: Readonly<Record<string, string>>,
): PanelFactory<string> {
  return (done): Panel => ({
    focused: false,
    invalidate: () => {},
    render: (width) => [
      theme().paint("border", theme().glyph("horizontal").repeat(width)),
      ...lines.flatMap((line) => visibleLines(line).split("\n")).flatMap((line) =>
        wrapTextWithAnsi(line, width)
      ),
      theme().paint(
        "question",
        Object.entries(keys).map(([key, label]) => `${key} ${visibleLines(label)}`).join("   "),
      ),
    ],
    handleInput: (data) => {
      if (data === "\x1b") done(undefined);
      const answer = Object.entries(keys).find(([key]) => key === data)?.[1];
      if (answer !== undefined) done(answer);
    },
  });
}
