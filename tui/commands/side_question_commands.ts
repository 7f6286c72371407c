import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/** What asks beside the prompt, and what has the model ask. */
export const SIDE_QUESTION_COMMANDS: readonly SlashCommand[] = [
  {
    name: "btw",
    argumentHint: "[question]",
    description: "Ask something beside the conversation, which does not learn of it",
    source: "builtin",
    duringRun: "live",
    run: async (stage, question) => await askAside(stage, question),
  },
  {
    name: "ask",
    argumentHint: "<question>",
    description: "Have the model put your question to you as choices",
    source: "builtin",
    duringRun: "wait",
    run: async (stage, question) => {
      if (question === "") return stage.say("Usage: /ask <question>");
      await stage.submit(
        "Call ask_user_question now to put the following to me as one to four questions, with two " +
          `to four options each, and go on with what I answer:\n\n${question}`,
        `/ask ${question}`,
      );
    },
  },
];

async function askAside(stage: Stage, question: string): Promise<void> {
  const session = stage.session();
  if (session === undefined) {
    return stage.say("There is no conversation yet; a side question is about one");
  }
  const [questions, { SideQuestionPanel }] = await Promise.all([
    stage.application.sideQuestions(),
    import("./side_question_panel.ts"),
  ]);
  const kept = questions.list(session.id);
  if (question === "" && kept.length === 0) return stage.say("Usage: /btw <question>");
  const { id: sessionId, model } = session;
  await stage.panels.open<never>((done, frame) =>
    new SideQuestionPanel({
      kept,
      question,
      ask: (text, signal) => questions.ask(text, { sessionId, model, signal }),
      theme: stage.theme,
      frame,
      close: () => done(undefined),
    })
  );
}
