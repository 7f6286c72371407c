import type { KeyId } from "@earendil-works/pi-tui/dist/keys.js";
import {
  type Keybinding,
  KeybindingsManager,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui/dist/keybindings.js";
import type { KeyAction } from "./bindings.ts";
import type { KeyMap } from "./key_map.ts";

/** What components of the terminal library call the actions of this program. */
const LIBRARY_NAMES: Readonly<Partial<Record<Keybinding, KeyAction>>> = {
  "tui.select.up": "listUp",
  "tui.select.down": "listDown",
  "tui.select.pageUp": "listPageUp",
  "tui.select.pageDown": "listPageDown",
  "tui.select.confirm": "listConfirm",
  "tui.select.cancel": "listCancel",
  "tui.input.submit": "listConfirm",
  "tui.input.tab": "complete",
  "tui.editor.cursorLeft": "cursorLeft",
  "tui.editor.cursorRight": "cursorRight",
  "tui.editor.cursorWordLeft": "wordLeft",
  "tui.editor.cursorWordRight": "wordRight",
  "tui.editor.cursorLineStart": "lineStart",
  "tui.editor.cursorLineEnd": "lineEnd",
  "tui.editor.deleteCharBackward": "deleteBackward",
  "tui.editor.deleteCharForward": "deleteForward",
  "tui.editor.deleteWordBackward": "deleteWordBackward",
  "tui.editor.deleteWordForward": "deleteWordForward",
  "tui.editor.deleteToLineStart": "deleteToLineStart",
  "tui.editor.deleteToLineEnd": "deleteToLineEnd",
  "tui.editor.yank": "yank",
  "tui.editor.yankPop": "yankPop",
  "tui.editor.undo": "undo",
  "tui.altScreen.pageUp": "scrollUp",
  "tui.altScreen.pageDown": "scrollDown",
  "tui.altScreen.top": "scrollToStart",
  "tui.altScreen.bottom": "scrollToEnd",
};

/**
 * Makes lists, fields and viewports of the terminal library listen to the keys of the person.
 * Called once, before the first of them is drawn.
 *
 * @param keys The keys.
 */
export function applyKeys(keys: KeyMap): void {
  const bindings = Object.fromEntries(
    Object.entries(LIBRARY_NAMES).map(([name, action]) => [name, keys.keys(action) as KeyId[]]),
  );
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, bindings));
}
