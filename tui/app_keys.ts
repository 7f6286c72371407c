import type { KeyMap } from "./keys/key_map.ts";
import { LetterKeys } from "./keys/letter_keys.ts";
import { pastedText, typedText } from "./panels/panel_keys.ts";
import type { Transcript } from "./transcript/transcript.ts";
import type { PluginTrees } from "./trees/plugin_trees.ts";

/** What keys of the screen act on. */
export interface KeyTarget {
  readonly keys: KeyMap;
  readonly transcript: Transcript;
  /** Rows of a page of the conversation. */
  pageRows(): number;
  /** What is typed. */
  draft(): string;
  /** Whether the editor has a menu open. */
  isCompleting(): boolean;
  isRunning(): boolean;
  hasAnswer(): boolean;
  interrupt(): void;
  /** Puts prompts that wait for the end of the run into the editor; false if there are none. */
  takeBack(): boolean;
  clearDraft(): void;
  copyAnswer(): void;
  suspend(): void;
  openEditor(): void;
  nextAgent(): void;
  /** The trees of plugins. */
  readonly trees: Pick<PluginTrees, "isFocused" | "take" | "focus" | "blur" | "background">;
  exit(): void;
  /** Tells the person something. */
  hint(text: string): void;
}

/** Decides what a key does outside of the editor and of panels. */
export class AppKeys {
  readonly #target: KeyTarget;
  readonly #letters: LetterKeys;
  /** Whether Ctrl+C was pressed with nothing to stop and nothing to clear. */
  #wantsToLeave = false;

  /** @param target What keys act on. */
  constructor(target: KeyTarget) {
    this.#target = target;
    this.#letters = new LetterKeys({
      keys: target.keys,
      text: () => target.draft(),
      erase: () => target.clearDraft(),
    });
  }

  /**
   * Takes a key, if it is one of the screen.
   *
   * @param data The key.
   * @returns False for one that the editor gets.
   */
  take(data: string): boolean {
    const { keys } = this.#target;
    if (keys.matches(data, "clear")) return this.#clear();
    this.#wantsToLeave = false;
    if (this.#takeInTree(data)) return true;
    return this.#takeFree(data) || this.#takeBlank(data);
  }

  /**
   * Takes a key that acts also while a panel has the keyboard: back to the shell, and to either end
   * of the conversation, which can be read while something is asked.
   *
   * @param data The key.
   * @returns False for one that the panel gets.
   */
  takeBesidePanel(data: string): boolean {
    const { keys, transcript } = this.#target;
    if (keys.matches(data, "suspend")) this.#target.suspend();
    else if (keys.matches(data, "scrollToStart")) transcript.scrollToStart();
    else if (keys.matches(data, "scrollToEnd")) transcript.scrollToEnd();
    else return false;
    return true;
  }

  /** What types something goes back to the editor, and types it there. */
  #takeInTree(data: string): boolean {
    const { trees } = this.#target;
    if (!trees.isFocused) return false;
    if (trees.take(data)) return true;
    if (typedText(data) !== undefined || pastedText(data) !== undefined) trees.blur();
    return false;
  }

  /** Ctrl+C stops what runs, else clears what was typed, else leaves when it is pressed again. */
  #clear(): true {
    const target = this.#target;
    const wantsToLeave = this.#wantsToLeave;
    this.#wantsToLeave = false;
    this.#letters.cancel();
    target.trees.blur();
    if (target.isRunning()) target.interrupt();
    else if (target.draft() !== "") target.clearDraft();
    else if (wantsToLeave) target.exit();
    else {
      this.#wantsToLeave = true;
      target.hint(`Press ${target.keys.label("clear")} again to leave`);
    }
    return true;
  }

  /** Keys that act whatever is typed. A menu of the editor has pages of its own. */
  #takeFree(data: string): boolean {
    const { keys, transcript } = this.#target;
    if (keys.matches(data, "suspend")) {
      this.#target.suspend();
      return true;
    }
    if (keys.matches(data, "externalEditor")) {
      this.#letters.cancel();
      this.#target.openEditor();
      return true;
    }
    if (this.#target.isCompleting()) return false;
    const page = this.#target.pageRows();
    const { trees } = this.#target;
    const isRunning = this.#target.isRunning();
    if (keys.matches(data, "interrupt") && isRunning) this.#target.interrupt();
    else if (keys.matches(data, "focusAgents")) return trees.focus();
    else if (keys.matches(data, "backgroundAgents")) return isRunning && trees.background();
    else if (keys.matches(data, "nextAgent")) this.#target.nextAgent();
    else if (keys.matches(data, "scrollUp")) transcript.scrollBy(-page);
    else if (keys.matches(data, "scrollDown")) transcript.scrollBy(page);
    else if (keys.matches(data, "scrollToStart")) transcript.scrollToStart();
    else if (keys.matches(data, "scrollToEnd")) transcript.scrollToEnd();
    else return false;
    return true;
  }

  /** Keys that act only while nothing is typed. */
  #takeBlank(data: string): boolean {
    const { keys, transcript } = this.#target;
    const isBlank = this.#target.draft() === "";
    if (keys.matches(data, "exit") && isBlank) {
      this.#target.exit();
      return true;
    }
    if (keys.matches(data, "cursorUp") && isBlank && this.#target.takeBack()) return true;
    if (keys.matches(data, "cursorDown") && isBlank && this.#target.trees.focus()) return true;
    const canCopy = !this.#target.isRunning() && this.#target.hasAnswer();
    return this.#letters.press(data, {
      toggleLast: () => transcript.toggleLast(),
      ...canCopy ? { copyAnswer: () => this.#target.copyAnswer() } : {},
    });
  }
}
