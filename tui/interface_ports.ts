import type { Application } from "../core/application.ts";
import type { ApplicationOptions } from "../core/application_options.ts";
import type { ApprovalQuestion } from "../core/gate/approval.ts";
import type { ApprovalView } from "../core/gate/approval/approval_view.ts";
import type { FirstScreen } from "./first/first_screen.ts";

/** Who answers for the person, and what is told to them. */
export type PersonPorts = Required<
  Pick<ApplicationOptions, "approve" | "ask" | "onNotice" | "view">
>;

/** What the terminal interface gets from the command line. */
export interface InterfacePorts {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory that was asked for. */
  readonly cwd: string;
  /** Ends the program in order. */
  readonly signal: AbortSignal;
  /** The first frame, which the interface takes over. */
  readonly first: FirstScreen;
  /** The session to go on with; a new one begins with the first prompt otherwise. */
  readonly session?: string;
  /** Whether hints are left out. */
  readonly quiet: boolean;
  /**
   * Lets another program have the terminal: Ctrl+C is meant for that one meanwhile.
   *
   * @param use Waits for the other program.
   */
  lendTerminal<T>(use: () => Promise<T>): Promise<T>;
  /**
   * Opens the application.
   *
   * @param person Who answers for the person.
   * @param overrides What is changed beside the flags.
   */
  open(
    person: PersonPorts,
    overrides?: { readonly model?: string; readonly signal?: AbortSignal },
  ): Promise<Application>;
  /**
   * Puts a question about a call in words.
   *
   * @param question The question.
   * @param application Where it would run.
   */
  view(question: ApprovalQuestion, application: Application): Promise<ApprovalView>;
  /**
   * What changed between two texts, as lines that begin with `+`, `-`, a space or `@@`.
   *
   * @param before The earlier one.
   * @param after The later one.
   */
  compareTexts(before: string, after: string): Promise<readonly string[]>;
  /**
   * The lines that a conversation opens with; none where nobody wants them.
   *
   * @param application What it is held with.
   * @param options The model of the session, if one is open, and how wide the window is.
   */
  greet(
    application: Application,
    options: { readonly model?: string; readonly columns: number },
  ): Promise<readonly string[]>;
  /**
   * Throws where a prompt is too long for the configured context.
   *
   * @param prompt The prompt.
   * @param application What it is meant for.
   */
  assertFits(prompt: string, application: Application): void;
}
