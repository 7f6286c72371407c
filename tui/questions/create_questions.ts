import type { ApprovalChannel, ApprovalReply } from "../../core/gate/approval.ts";
import type { Question, QuestionAnswer, QuestionAsker } from "../../core/tools/user_question.ts";
import { pastedText, typedText } from "../panels/panel_keys.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { type QuestionClock, SYSTEM_CLOCK } from "./answer_guard.ts";
import { answerSummary } from "./answer_summary.ts";
import { ApprovalPanel } from "./approval_panel.ts";
import { QuestionPanel } from "./question_panel.ts";
import type { QuestionPorts, Questions } from "./questions.ts";

/** A panel that waits for time to pass. */
type ClosingPanel = Panel & { close(): void };

/**
 * Creates what the application asks the person with: approvals, questions of the model and of
 * plugins, all in one queue.
 *
 * @param ports What questions are asked with.
 * @param clock The time; that of the process.
 */
export function createQuestions(
  ports: QuestionPorts,
  clock: QuestionClock = SYSTEM_CLOCK,
): Questions {
  return { approvals: approvalChannel(ports, clock), ask: questionAsker(ports, clock) };
}

function approvalChannel(ports: QuestionPorts, clock: QuestionClock): ApprovalChannel {
  return {
    key: "terminal",
    async ask(question, { signal }) {
      const view = await ports.view(question);
      const reply = await showQuestion<ApprovalReply>(
        ports,
        signal,
        view.title,
        (done, frame) =>
          new ApprovalPanel({
            view,
            theme: ports.theme,
            frame,
            clock,
            onAnswer: done,
            onInterrupt: ports.interrupt,
            onDropped: (data) => keepText(ports, data),
          }),
      );
      if (reply !== undefined) return reply;
      if (!signal.aborted) return { undecided: "unavailable" };
      ports.say(`Taken back, no answer is needed any more: ${view.title}`, "info");
      return "deny";
    },
  };
}

function questionAsker(ports: QuestionPorts, clock: QuestionClock): QuestionAsker {
  return async (questions, { signal, plugin, server, plan, agentPath = [] }) => {
    const title = questions[0]?.header ?? "";
    const outsider = plugin !== undefined
      ? `plugin ${plugin}`
      : server !== undefined
      ? `MCP server ${server}`
      : undefined;
    if (plan !== undefined) {
      const { planMarkdown } = await import("../../core/plan/plan_markdown.ts");
      ports.sayMarkdown?.(planMarkdown(plan));
    }
    const answers = await showQuestion<readonly QuestionAnswer[]>(
      ports,
      signal,
      title,
      (done, frame) =>
        new QuestionPanel({
          questions,
          asker: outsider ?? agentPath.join(" › "),
          takesWords: outsider === undefined,
          theme: ports.theme,
          frame,
          clock,
          onAnswer: done,
          onInterrupt: () => {
            ports.interrupt();
            // Where no run is stopped, nobody takes such a question back.
            if (outsider !== undefined) done(skipAll(questions));
          },
          onDropped: (data) => keepText(ports, data),
        }),
    );
    if (answers !== undefined) {
      ports.say(answerSummary(answers), "info");
      return answers;
    }
    if (signal.aborted) {
      ports.say(`Taken back, no answer is needed any more: ${title}`, "info");
      signal.throwIfAborted();
    }
    // The screen was closed.
    return skipAll(questions);
  };
}

function skipAll(questions: readonly Question[]): readonly QuestionAnswer[] {
  return questions.map(({ header }) => ({ header, skipped: true, selected: [] }));
}

async function showQuestion<T>(
  { panels, callPerson }: QuestionPorts,
  signal: AbortSignal,
  title: string,
  create: (done: (answer: T | undefined) => void, frame: PanelFrame) => ClosingPanel,
): Promise<T | undefined> {
  const shown: ClosingPanel[] = [];
  try {
    return await panels.open<T>((done, frame) => {
      const panel = create(done, frame);
      shown.push(panel);
      callPerson?.(title);
      return panel;
    }, { kind: "question", signal });
  } finally {
    for (const panel of shown) panel.close();
  }
}

/** Only what types something: no key that was pressed too early is pressed later. */
function keepText({ keepTyped }: QuestionPorts, data: string): void {
  if (typedText(data) !== undefined || pastedText(data) !== undefined) keepTyped?.(data);
}
