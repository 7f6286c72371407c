import type { RunEvent, ToolResultPart } from "@alisio/sdk";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import type { NoticeKind } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";

/** What a conversation is drawn with. */
export interface TranscriptPorts {
  /** The colours; asked for at each drawing, because a setting may change them. */
  readonly theme: () => Theme;
  /** Has the screen drawn again, soon; cheap, and may be called for each event. */
  readonly redraw: () => void;
  /** Empty columns on both sides of what the conversation shows. */
  readonly paddingX: () => number;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory that paths are shown in relation to. */
  readonly cwd: string;
  /**
   * What a call was answered, blocks and images included. Asked for when it ends, because an event
   * has no more than the start of its text, and where a call of an opened session is shown.
   *
   * @param sessionId The session.
   * @param callId The call.
   */
  readonly result?: (
    sessionId: string,
    callId: string,
  ) => readonly ToolResultPart[] | undefined;
}

/**
 * Everything that the conversation shows, from top to bottom.
 *
 * Contract: only what is on the screen costs. `render` is called for each frame, must answer within
 * a few milliseconds however long the conversation is, and lays out nothing that is not shown. A
 * row is never wider than asked for, and holds no control sequence but colours.
 */
export interface Transcript {
  /**
   * Takes in what happened in a run.
   *
   * @param event The event.
   */
  observe(event: RunEvent): void;
  /**
   * Adds what the person asked for.
   *
   * @param text What was typed.
   */
  addPrompt(text: string): void;
  /**
   * Adds a text that only the person sees.
   *
   * @param text Lines; control characters in it are shown, not obeyed.
   * @param kind How it looks.
   * @param topic What it is about. If the text before it is about the same, this one takes its place.
   */
  addNotice(text: string, kind: NoticeKind, topic?: string): void;
  /**
   * Adds Markdown that only the person sees.
   *
   * @param text The Markdown.
   */
  addMarkdown(text: string): void;
  /**
   * Adds lines that are drawn already, such as the startup screen.
   *
   * @param lines Rows, which hold no control sequence but colours.
   */
  addLines(lines: readonly string[]): void;
  /**
   * Shows the messages of a session that is opened again, after what is there.
   *
   * @param messages Every message, in order.
   * @param sessionId The session, which long results are looked up in where they are shown.
   */
  load(messages: readonly StoredMessage[], sessionId?: string): void;
  /** Takes everything away. */
  clear(): void;
  /**
   * Draws the part that is on the screen.
   *
   * @param width Columns.
   * @param height Rows.
   * @returns At most that many rows; fewer while the conversation is shorter.
   */
  render(width: number, height: number): readonly string[];
  /**
   * Moves what is on the screen. At the end, what comes in moves it on.
   *
   * @param rows How far; negative is towards the start.
   */
  scrollBy(rows: number): void;
  /** Shows the first row. */
  scrollToStart(): void;
  /** Shows the last row, and follows what comes in. */
  scrollToEnd(): void;
  /** Whether the last row is shown. */
  readonly isAtEnd: boolean;
  /**
   * Rows that will never change again and were not taken yet, for a terminal that keeps them in
   * its own scrollback. They are no longer drawn afterwards.
   *
   * @param width Columns.
   */
  takeFinished(width: number): readonly string[];
  /**
   * Opens or closes what can be opened at a row of the last drawing.
   *
   * @param row Counted from 0.
   * @returns Whether there was something.
   */
  toggleAt(row: number): boolean;
  /**
   * Opens or closes the last thing on the screen that can be opened.
   *
   * @returns Whether there was something.
   */
  toggleLast(): boolean;
  /** What the model answered last, as it wrote it. */
  lastAnswer(): string | undefined;
  /** Draws everything anew, because the colours changed. */
  invalidate(): void;
}

/** Makes an empty conversation. */
export type TranscriptFactory = (ports: TranscriptPorts) => Transcript;
