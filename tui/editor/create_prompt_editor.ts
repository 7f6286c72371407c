import { stateHome, userHome } from "../../core/config/directories.ts";
import type { ImagePart } from "@alisio/sdk";
import { redactSecrets } from "../../core/redact.ts";
import { secretEnvironmentValues } from "../../core/secret_names.ts";
import { errorMessage } from "../../core/errors.ts";
import { Attachments, MAX_IMAGE_BYTES } from "./attachments.ts";
import { Completer } from "./completion/completer.ts";
import type { CompletionItem } from "./completion/completion.ts";
import { completeCommand } from "./completion/command_completion.ts";
import type { CompletionMenu } from "./completion/completion_menu.ts";
import { completePath } from "./completion/path_completion.ts";
import { WorkspaceFiles } from "./completion/workspace_files.ts";
import { drawEditor, textWidth } from "./draw_editor.ts";
import { currentLine } from "./edit_state.ts";
import { findImagePaths, readImageFile } from "./pasted_images.ts";
import { PastPrompts } from "./past_prompts.ts";
import type { PromptEditor, PromptEditorPorts } from "./prompt_editor.ts";
import { PromptHistory, promptHistoryPath } from "./prompt_history.ts";
import { TextEditor } from "./text_editor.ts";

const PASTE_REGEXP =
  // deno-lint-ignore no-control-regex -- what the terminal puts around a paste
  /^\x1b\[200~(.*)\x1b\[201~$/s;

/** Most rows of the menu, and the part of the window that it may take. */
const MAX_MENU_ROWS = 8;
const MENU_SHARE = 0.4;

/**
 * Makes an empty editor, with the earlier prompts of the workspace.
 *
 * @param ports What it works with.
 */
export function createPromptEditor(ports: PromptEditorPorts): PromptEditor {
  const { env } = ports.stage;
  const secrets = secretEnvironmentValues(env);
  const history = new PromptHistory({
    path: promptHistoryPath(stateHome(env), ports.workspace),
    redact: (text) => redactSecrets(text, secrets),
  });
  void history.load();
  return new WorkspacePromptEditor(ports, history);
}

/** The editor of prompts: a text with completions, earlier prompts, and pastes. */
class WorkspacePromptEditor implements PromptEditor {
  focused = false;
  readonly #ports: PromptEditorPorts;
  readonly #text: TextEditor;
  readonly #history: PromptHistory;
  readonly #past: PastPrompts;
  readonly #completer: Completer;
  readonly #attachments = new Attachments();
  /** An image that is still being read; the prompt waits for it. */
  #reading: Promise<void> | undefined;
  #top = 0;

  constructor(ports: PromptEditorPorts, history: PromptHistory) {
    this.#ports = ports;
    this.#text = new TextEditor(ports.keys);
    this.#history = history;
    this.#past = new PastPrompts(() => history.entries);
    const { workspace: root, stage: { env } } = ports;
    const files = new WorkspaceFiles({ root, env, exclude: [root] });
    const paths = { files, root, home: userHome(env) };
    this.#completer = new Completer([
      (request) => completeCommand(request, ports.commands(), ports.stage),
      (request) => completePath(request, paths),
    ], ports.redraw);
  }

  text(): string {
    return this.#text.text;
  }

  setText(text: string): void {
    this.#completer.close();
    this.#past.leave();
    this.#guarded(() => this.#text.setText(text));
    this.#ports.redraw();
  }

  isCompleting(): boolean {
    return this.#completer.menu !== undefined;
  }

  attachments(): readonly string[] {
    return this.#attachments.rows();
  }

  takeImages(): readonly ImagePart[] {
    return this.#attachments.take();
  }

  putImagesBack(images: readonly ImagePart[]): void {
    this.#guarded(() => this.#attachments.putBack(images));
  }

  async close(): Promise<void> {
    this.#completer.close();
    await Promise.all([this.#reading, this.#history.settled()]);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { rows: windowRows } = this.#ports.size();
    const { theme } = this.#ports.stage;
    const drawn = drawEditor({
      rows: this.#text.rows(textWidth(width)),
      state: this.#text.state,
      top: this.#top,
      isFocused: this.focused,
      width,
      windowRows,
      theme,
    });
    this.#top = drawn.top;
    const room = Math.max(1, Math.min(MAX_MENU_ROWS, Math.floor(windowRows * MENU_SHARE)));
    return [...this.#completer.menu?.render(width, room, theme) ?? [], ...drawn.lines];
  }

  handleInput(data: string): void {
    const pasted = PASTE_REGEXP.exec(data);
    if (pasted !== null) this.#paste(pasted[1] ?? "");
    else if (!this.#pressInMenu(data)) this.#press(data);
    this.#ports.redraw();
  }

  #paste(text: string): void {
    this.#completer.close();
    this.#past.leave();
    const { workspace: root, stage: { env } } = this.#ports;
    const paths = findImagePaths(text, { root, home: userHome(env) });
    if (paths.length === 0) this.#guarded(() => this.#text.paste(text));
    else this.#read(() => this.#attachFiles(paths, text));
  }

  /** Attaches the images; where a file is missing or none, the text is what was pasted. */
  async #attachFiles(paths: readonly string[], text: string): Promise<void> {
    const files = await Promise.all(paths.map(readImageFile));
    const images = files.filter((bytes) => bytes !== undefined);
    if (images.length < paths.length) this.#text.paste(text);
    else for (const bytes of images) this.#attach(bytes);
  }

  async #attachClipboard(): Promise<void> {
    const { readClipboardImage } = await import("../clipboard/read_image.ts");
    const { workspace, stage } = this.#ports;
    const found = await readClipboardImage({
      env: stage.env,
      exclude: [workspace],
      maxBytes: MAX_IMAGE_BYTES,
    });
    if (found.status === "image") return this.#attach(found.bytes);
    const reason = found.status === "none"
      ? "There is no image on the clipboard"
      : "Cannot look at the clipboard: no program for it can be started; install wl-paste or xclip, " +
        "or paste the path of an image file";
    stage.say(reason, "warning");
  }

  #attach(bytes: Uint8Array<ArrayBuffer>): void {
    this.#guarded(() => this.#attachments.add(bytes));
  }

  #read(read: () => Promise<void>): void {
    const reading = (this.#reading ?? Promise.resolve()).then(read).catch((error) => {
      this.#ports.stage.say(errorMessage(error), "warning");
    }).finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
      this.#ports.redraw();
    });
    this.#reading = reading;
  }

  #pressInMenu(data: string): boolean {
    const { menu } = this.#completer;
    const { keys } = this.#ports;
    if (menu === undefined) return false;
    if (keys.matches(data, "listCancel")) {
      this.#completer.close();
      return true;
    }
    if (menu.press(data, keys)) return true;
    if (keys.matches(data, "newLine")) return false;
    const isConfirmed = keys.matches(data, "listConfirm");
    if (!isConfirmed && !keys.matches(data, "complete")) return false;
    this.#choose(menu, isConfirmed ? "confirmed" : "completed");
    return true;
  }

  #choose(menu: CompletionMenu, how: "confirmed" | "completed"): void {
    const item = menu.selected;
    this.#completer.close();
    if (item === undefined) return;
    this.#insert(menu.completion.start, item);
    if (item.then === "complete") this.#complete("forced");
    else if (item.then === "send" && how === "confirmed") this.#send();
    // What follows a command has completions of its own.
    else if (item.then === "send" || item.insert.endsWith(" ")) this.#complete("typed");
  }

  #insert(start: number, item: CompletionItem): void {
    this.#past.leave();
    this.#text.replaceBefore(start, item.insert);
  }

  #press(data: string): void {
    const { keys } = this.#ports;
    if (keys.matches(data, "newLine")) this.#edit(data);
    else if (keys.matches(data, "send")) this.#enter();
    else if (keys.matches(data, "complete")) this.#complete("forced");
    else if (keys.matches(data, "pasteImage")) this.#read(() => this.#attachClipboard());
    else if (keys.matches(data, "removeImage")) this.#attachments.removeLast();
    else if (keys.matches(data, "historyPrevious")) this.#showPrevious();
    else if (keys.matches(data, "historyNext")) this.#showNext();
    else if (keys.matches(data, "cursorUp") && this.#isUpToHistory()) this.#showPrevious();
    else if (
      keys.matches(data, "cursorDown") && this.#past.isShowing && this.#text.isInLastRow()
    ) this.#showNext();
    else this.#edit(data);
  }

  #edit(data: string): void {
    const did = this.#text.press(data);
    if (did === "changed") this.#past.leave();
    if (did === "changed" || (did === "moved" && this.isCompleting())) this.#complete("typed");
  }

  /** In the first row, the first key up goes to its start, unless an earlier prompt is shown. */
  #isUpToHistory(): boolean {
    const { state } = this.#text;
    const isAtStart = state.line === 0 && state.column === 0;
    return this.#text.isInFirstRow() && (isAtStart || this.#past.isShowing);
  }

  #showPrevious(): void {
    const entry = this.#past.previous(this.#text.state);
    if (entry !== undefined) this.#text.replace(entry);
  }

  #showNext(): void {
    const entry = this.#past.next();
    if (entry !== undefined) this.#text.replace(entry);
  }

  #complete(how: "typed" | "forced"): void {
    void this.#completer.update(this.#text.state, how).then((menu) => {
      const [only, other] = menu?.completion.items ?? [];
      const isSure = how === "forced" && only !== undefined && other === undefined;
      if (isSure && menu !== undefined) this.#choose(menu, "completed");
    });
  }

  /** A backslash at the end of the line makes Enter a line end, in whatever terminal. */
  #enter(): void {
    const { state } = this.#text;
    const before = currentLine(state).slice(0, state.column);
    const isAtEnd = state.column === currentLine(state).length;
    if (isAtEnd && before.endsWith("\\")) this.#text.replaceBefore(state.column - 1, "\n");
    else this.#send();
  }

  #send(): void {
    if (this.#reading !== undefined) {
      void this.#reading.then(() => this.#send());
      return;
    }
    const prompt = this.#text.text.trim();
    const display = this.#text.typed.trim();
    if (prompt === "") return;
    this.#completer.close();
    this.#past.leave();
    this.#text.clear();
    this.#top = 0;
    void this.#history.add(prompt);
    this.#ports.onSubmit(display === prompt ? { prompt } : { prompt, display });
  }

  /** Tells the person what a prompt cannot hold; what stands there stays. */
  #guarded(change: () => void): void {
    try {
      change();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#ports.stage.say(error.message, "warning");
    }
  }
}
