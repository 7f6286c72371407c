import type { ToolResult } from "@alisio/sdk";
import type { HostTool, HostToolContext } from "../core/tools/host_tool.ts";
import type { Question, QuestionAsker } from "../core/tools/user_question.ts";
import { jsonResult, quoted } from "./_json_result.ts";
import { ASK_USER_QUESTION } from "./tool_definitions.ts";

/** What {@linkcode createAskUserQuestionTool} needs. */
export interface AskUserQuestionPorts {
  /** Puts questions to the person; absent when nobody can answer. */
  readonly ask?: QuestionAsker;
}

/**
 * Creates `ask_user_question`: one to four questions with options to pick from. Where nobody can
 * answer it fails at once and tells the model to ask in its reply.
 *
 * @param ports Who asks the person.
 */
export function createAskUserQuestionTool(ports: AskUserQuestionPorts = {}): HostTool {
  return {
    ...ASK_USER_QUESTION,
    execute: (input, context) => askQuestions(ports, input, context),
  };
}

async function askQuestions(
  ports: AskUserQuestionPorts,
  input: Record<string, unknown>,
  context: HostToolContext,
): Promise<ToolResult> {
  const questions = readQuestions(input);
  const problem = findProblem(questions);
  if (problem !== undefined) return failure("invalid_questions", problem);
  if (ports.ask === undefined) {
    return failure(
      "not_interactive",
      "Nobody can answer here: put the question into your reply as plain text, or choose " +
        "sensibly and say what you assumed",
    );
  }
  const { callId, session, agentPath, signal } = context;
  const call = {
    callId,
    signal,
    ...(session === undefined ? {} : { session }),
    ...(agentPath === undefined ? {} : { agentPath }),
  };
  return jsonResult({ answers: await ports.ask(questions, call) });
}

function readQuestions(input: Record<string, unknown>): readonly Question[] {
  // The shape was checked against the schema above before the call was let through.
  const given = input["questions"] as readonly (Omit<Question, "multiSelect"> & {
    readonly multiSelect?: boolean;
  })[];
  return given.map((question) => ({ ...question, multiSelect: question.multiSelect ?? false }));
}

/** What a schema cannot say. */
function findProblem(questions: readonly Question[]): string | undefined {
  for (const { header, options } of questions) {
    const labels = options.map(({ label }) => label.trim());
    const twice = labels.find((label, index) => labels.indexOf(label) !== index);
    if (twice !== undefined) {
      return `Question ${quoted(header)} has the label ${quoted(twice)} twice: make labels unique`;
    }
    if (labels.includes("")) {
      return `Question ${quoted(header)} has an empty label: name the option`;
    }
    if (options.filter(({ recommended }) => recommended === true).length > 1) {
      return `Question ${quoted(header)} recommends several options: recommend one at most`;
    }
  }
  return undefined;
}

function failure(code: string, message: string): ToolResult {
  return jsonResult({ error: { code, message } }, true);
}
