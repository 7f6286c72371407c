import type { ApprovalChannel, ApprovalQuestion } from "../../core/gate/approval.ts";
import type { ApprovalView } from "../../core/gate/approval/approval_view.ts";
import type { QuestionAsker } from "../../core/tools/user_question.ts";
import type { PanelHost } from "../panels/panel.ts";
import type { NoticeKind } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";

/** What questions of a run are asked with. */
export interface QuestionPorts {
  /** Where they are shown, as panels of kind `question`, which is the one queue for all of them. */
  readonly panels: PanelHost;
  /** The colours. */
  readonly theme: () => Theme;
  /**
   * Puts a question about a call in words: what exactly would run, whole.
   *
   * @param question The question.
   */
  readonly view: (question: ApprovalQuestion) => Promise<ApprovalView>;
  /** Rows and columns of the window. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Has the screen drawn again, soon. */
  readonly redraw: () => void;
  /** Tells the person something in the conversation. */
  readonly say: (text: string, kind: NoticeKind) => void;
  /**
   * Adds Markdown to the conversation, such as a plan that is asked about.
   *
   * @param text The Markdown.
   */
  readonly sayMarkdown?: (text: string) => void;
  /** Stops the run, as Ctrl+C in a question does. */
  readonly interrupt: () => void;
  /**
   * Gets what the person typed or pasted while a question could not take it, so that it is not
   * lost.
   *
   * @param data What the terminal sent.
   */
  readonly keepTyped?: (data: string) => void;
  /**
   * Called when a question waits, to tell a person who looks elsewhere.
   *
   * @param text What is asked, in a few words.
   */
  readonly callPerson?: (text: string) => void;
}

/** What the application asks the person with. */
export interface Questions {
  /** Asks for approval of calls. */
  readonly approvals: ApprovalChannel;
  /** Asks what the model or a plugin wants to know. */
  readonly ask: QuestionAsker;
}

/** Makes what the application asks the person with. */
export type QuestionsFactory = (ports: QuestionPorts) => Questions;
