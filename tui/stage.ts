import type { Application } from "../core/application.ts";
import type { OpenSession } from "../core/run/open_session.ts";
import type { KeyMap } from "./keys/key_map.ts";
import type { PanelHost } from "./panels/panel.ts";
import type { Theme } from "./theme/theme.ts";

/** How a notice looks. */
export type NoticeKind = "info" | "success" | "warning" | "error";

/** What commands and panels act on: the conversation that is open, and the screen around it. */
export interface Stage {
  /** The application; another one after a reload. */
  readonly application: Application;
  /** The colours. */
  readonly theme: Theme;
  /** Which keys do what. */
  readonly keys: KeyMap;
  /** Where panels are shown. */
  readonly panels: PanelHost;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The session, once one is open. */
  session(): OpenSession | undefined;
  /**
   * The session, which begins now where none is open.
   *
   * @throws {AlisioError} If none can begin.
   */
  ensureSession(): Promise<OpenSession>;
  /** Looks at the goal of the session again, and goes on with it. */
  goalChanged(): void;
  /** Whether a prompt runs. */
  isRunning(): boolean;
  /**
   * Adds a text to the conversation that only the person sees.
   *
   * @param text Lines; what is not printable in it is shown as it is spelled.
   * @param kind How it looks.
   * @param topic What it is about. If the text before it is about the same, this one takes its place.
   */
  say(text: string, kind?: NoticeKind, topic?: string): void;
  /**
   * Adds Markdown to the conversation that only the person sees.
   *
   * @param text The Markdown.
   */
  sayMarkdown(text: string): void;
  /**
   * Sends a prompt as if it had been typed. Settles when its run has ended.
   *
   * @param prompt What the model gets.
   * @param display What the conversation shows in its place.
   */
  submit(prompt: string, display?: string): Promise<void>;
  /**
   * Summarises the older part of the conversation; {@linkcode Stage.interrupt} stops it. Settles
   * when it has ended, and the conversation shows how.
   *
   * @param focus What the person wants to be kept in view; may be empty.
   */
  compact(focus: string): Promise<void>;
  /** Stops what runs; without effect otherwise. */
  interrupt(): void;
  /**
   * Leaves the session, and goes on in another one.
   *
   * @param id The session; a new one begins with the next prompt otherwise.
   * @param options Whether the person comes back at once, so that the session is not at its end.
   * @throws {AlisioError} If it cannot be opened; the one before stays open then.
   */
  switchSession(id?: string, options?: { readonly comesBack: boolean }): Promise<void>;
  /**
   * Opens the application anew, with what the files say now, and keeps the conversation.
   *
   * @param overrides What is changed beside it, such as another model.
   * @throws {AlisioError} If it cannot be opened; the one before goes on then.
   */
  reopen(overrides?: { readonly model?: string }): Promise<void>;
  /**
   * Puts a text on the clipboard.
   *
   * @param text The text.
   * @returns What it was done with, for the person.
   */
  copy(text: string): Promise<string>;
  /**
   * What changed between two texts, as lines that begin with `+`, `-`, a space or `@@`.
   *
   * @param before The earlier one.
   * @param after The later one.
   */
  compareTexts(before: string, after: string): Promise<readonly string[]>;
  /** What the model answered last, as it wrote it. */
  lastAnswer(): string | undefined;
  /** What stands in the editor. */
  draft(): string;
  /**
   * Puts a text into the editor.
   *
   * @param text The text.
   */
  setDraft(text: string): void;
  /** Draws the screen again when something changed that it shows. */
  redraw(): void;
  /**
   * Hands the terminal to another program, such as an editor, and draws everything anew afterwards.
   *
   * @param use Uses the terminal, which is as it was before Alisio came.
   */
  leaveScreen(use: () => Promise<void>): Promise<void>;
  /** Ends the program in order. */
  exit(): void;
}
