import type { ImagePart } from "@alisio/sdk";
import type { Component, Focusable } from "@earendil-works/pi-tui";
import type { CommandTable } from "../commands/slash_command.ts";
import type { Stage } from "../stage.ts";
import type { KeyMap } from "../keys/key_map.ts";

/** What the person sends. */
export interface Submission {
  /** What the model gets, with pasted texts in full. */
  readonly prompt: string;
  /** What the conversation shows in its place, such as a short sign for a long paste. */
  readonly display?: string;
}

/** What an editor for prompts works with. */
export interface PromptEditorPorts {
  /** What it acts on, and whose colours it takes. */
  readonly stage: Stage;
  /** Real path of the workspace; the application need not be open yet. */
  readonly workspace: string;
  /** Which keys do what. */
  readonly keys: KeyMap;
  /** What can be typed in place of a prompt; asked for each time. */
  readonly commands: () => CommandTable;
  /** Rows and columns of the window. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Has the screen drawn again, soon. */
  readonly redraw: () => void;
  /**
   * Takes what was sent; the editor is empty by then.
   *
   * @param submission What it is.
   */
  readonly onSubmit: (submission: Submission) => void;
}

/**
 * The place where prompts are written.
 *
 * Contract: gets every key that neither a panel nor the screen took. Shows the cursor through
 * pi-tui's `CURSOR_MARKER`, takes no more rows than the screen can spare, and no row is wider than
 * asked for.
 */
export interface PromptEditor extends Component, Focusable {
  handleInput(data: string): void;
  /** What stands in it, with pasted texts in full. */
  text(): string;
  /**
   * Puts a text in, in place of what stands there, the cursor behind it.
   *
   * @param text The text.
   */
  setText(text: string): void;
  /** Whether a menu of completions is open, which then gets Esc, Tab and the arrows. */
  isCompleting(): boolean;
  /** What is attached to the prompt, one row each, shown above the editor. */
  attachments(): readonly string[];
  /** Takes away the images that go with the next prompt which reaches the model. */
  takeImages(): readonly ImagePart[];
  /**
   * Puts images back that could not be sent.
   *
   * @param images The images.
   */
  putImagesBack(images: readonly ImagePart[]): void;
  /** Waits for what is still being kept of the prompts that were sent; never rejects. */
  close(): Promise<void>;
}

/** Makes an empty editor. */
export type PromptEditorFactory = (ports: PromptEditorPorts) => PromptEditor;
