import { globalConfigPath } from "../../core/config/load_config.ts";
import { configHome } from "../../core/config/directories.ts";
import type { QuestionAnswer } from "../../core/tools/user_question.ts";
import { SYSTEM_CLOCK } from "../questions/answer_guard.ts";
import { QuestionPanel } from "../questions/question_panel.ts";
import type { Stage } from "../stage.ts";

/** For how long a consent counts. */
export type McpConsent = "session" | "global";

const ONCE = "Allow for this session";
const ALWAYS = "Grant and remember";
const NO = "Not now";

/**
 * Asks the person whether MCP servers may be started and reached. Keys that were pressed before the
 * question could be read answer nothing.
 *
 * @param stage The conversation.
 * @param servers Names of the servers that the consent covers.
 * @returns Undefined for no.
 */
export async function askForConsent(
  stage: Stage,
  servers: readonly string[],
): Promise<McpConsent | undefined> {
  const canRemember = await mayWriteConfig(stage);
  const question = {
    header: "MCP servers",
    question: [
      "An MCP server is a program that runs with all your rights, outside every sandbox, or an " +
      "address that is sent what its tools are given.",
      `The consent covers every enabled server: ${servers.join(", ")}.`,
      "Calls of their tools are asked about as other calls are. Allow it?",
    ].join("\n"),
    multiSelect: false,
    options: [
      { label: ONCE, description: "Until Alisio ends" },
      ...(canRemember
        ? [{
          label: ALWAYS,
          description:
            "Writes mcp.allow to your configuration: each start connects every enabled server",
        }]
        : []),
      { label: NO, description: "Nothing is started or reached" },
    ],
  };
  let panel: QuestionPanel | undefined;
  try {
    const answers = await stage.panels.open<readonly QuestionAnswer[]>((done, frame) => {
      panel = new QuestionPanel({
        questions: [question],
        asker: "",
        takesWords: false,
        theme: () => stage.theme,
        frame,
        clock: SYSTEM_CLOCK,
        onAnswer: done,
        onInterrupt: () => done(undefined),
        onDropped: () => {},
      });
      return panel;
    }, { kind: "question" });
    const [picked] = answers?.[0]?.selected ?? [];
    return picked === ONCE ? "session" : picked === ALWAYS ? "global" : undefined;
  } finally {
    panel?.close();
  }
}

/** Whether what is remembered can be written at all. */
async function mayWriteConfig(stage: Stage): Promise<boolean> {
  if (stage.application.permissionMode() === "read-only") return false;
  const path = globalConfigPath(configHome(stage.env));
  return (await Deno.permissions.query({ name: "write", path })).state === "granted";
}
