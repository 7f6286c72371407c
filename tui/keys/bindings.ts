/** Where an action is listened for. */
export type ActionScope = "editor" | "screen" | "list";

/** One thing that a key can do. */
export interface ActionDefinition {
  /** Who listens: the text that is written, the screen around it, or any list that is open. */
  readonly scope: ActionScope;
  /** Its keys where the configuration names none. */
  readonly keys: readonly string[];
  /** What it does, for help; begins with a capital letter and ends without a full stop. */
  readonly description: string;
}

/**
 * Everything that a key can do, in the order of help. Help, documentation and `tui.keys` are made
 * from it. Where the screen and the editor have a key in common, the screen takes it only while
 * its description says so.
 */
export const ACTIONS = {
  send: { scope: "editor", keys: ["enter"], description: "Send the prompt" },
  newLine: {
    scope: "editor",
    keys: ["shift+enter", "alt+enter", "ctrl+j"],
    description: "Begin a new line; a backslash before Enter does it in every terminal",
  },
  complete: {
    scope: "editor",
    keys: ["tab"],
    description: "Complete a command, a path after @, or the path before the cursor",
  },
  cursorUp: {
    scope: "editor",
    keys: ["up"],
    description: "Move up a line; in the first one, the prompt before",
  },
  cursorDown: {
    scope: "editor",
    keys: ["down"],
    description: "Move down a line; in the last one, the prompt after",
  },
  historyPrevious: { scope: "editor", keys: ["ctrl+p"], description: "Show the prompt before" },
  historyNext: { scope: "editor", keys: ["ctrl+n"], description: "Show the prompt after" },
  cursorLeft: { scope: "editor", keys: ["left", "ctrl+b"], description: "Move left" },
  cursorRight: { scope: "editor", keys: ["right", "ctrl+f"], description: "Move right" },
  wordLeft: {
    scope: "editor",
    keys: ["alt+left", "ctrl+left", "alt+b"],
    description: "Move to the start of a word",
  },
  wordRight: {
    scope: "editor",
    keys: ["alt+right", "ctrl+right", "alt+f"],
    description: "Move to the end of a word",
  },
  lineStart: {
    scope: "editor",
    keys: ["home", "ctrl+a"],
    description: "Move to the start of the line",
  },
  lineEnd: { scope: "editor", keys: ["end", "ctrl+e"], description: "Move to the end of the line" },
  deleteBackward: {
    scope: "editor",
    keys: ["backspace", "shift+backspace"],
    description: "Delete what stands before the cursor",
  },
  deleteForward: {
    scope: "editor",
    keys: ["delete", "shift+delete", "ctrl+d"],
    description: "Delete what stands under the cursor",
  },
  deleteWordBackward: {
    scope: "editor",
    keys: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
    description: "Cut the word before the cursor",
  },
  deleteWordForward: {
    scope: "editor",
    keys: ["alt+d", "alt+delete"],
    description: "Cut the word after the cursor",
  },
  deleteToLineStart: {
    scope: "editor",
    keys: ["ctrl+u"],
    description: "Cut up to the start of the line",
  },
  deleteToLineEnd: {
    scope: "editor",
    keys: ["ctrl+k"],
    description: "Cut up to the end of the line",
  },
  yank: { scope: "editor", keys: ["ctrl+y"], description: "Put in what was cut last" },
  yankPop: {
    scope: "editor",
    keys: ["alt+y"],
    description: "Put in what was cut before that, in its place",
  },
  undo: { scope: "editor", keys: ["ctrl+-"], description: "Undo" },
  pasteImage: {
    scope: "editor",
    keys: ["ctrl+v"],
    description: "Attach the image on the clipboard",
  },
  removeImage: {
    scope: "editor",
    keys: ["ctrl+r"],
    description: "Remove the image that was attached last",
  },
  externalEditor: {
    scope: "screen",
    keys: ["ctrl+g"],
    description: "Write the prompt in the program that VISUAL or EDITOR names",
  },
  interrupt: { scope: "screen", keys: ["escape"], description: "Interrupt what runs" },
  clear: {
    scope: "screen",
    keys: ["ctrl+c"],
    description: "Clear the prompt; interrupt what runs; twice with nothing typed, exit",
  },
  exit: { scope: "screen", keys: ["ctrl+d"], description: "Exit, while nothing is typed" },
  suspend: { scope: "screen", keys: ["ctrl+z"], description: "Go back to the shell; fg returns" },
  copyAnswer: {
    scope: "screen",
    keys: ["c", "y"],
    description: "Copy the last answer, while nothing is typed and nothing runs",
  },
  toggleLast: {
    scope: "screen",
    keys: ["x"],
    description: "Expand or collapse the last block that can be, while nothing is typed",
  },
  scrollUp: { scope: "screen", keys: ["pageUp"], description: "Scroll the conversation up" },
  scrollDown: { scope: "screen", keys: ["pageDown"], description: "Scroll the conversation down" },
  scrollToStart: {
    scope: "screen",
    keys: ["ctrl+home"],
    description: "Show the start of the conversation",
  },
  scrollToEnd: {
    scope: "screen",
    keys: ["ctrl+end"],
    description: "Show the end of the conversation",
  },
  focusAgents: {
    scope: "screen",
    keys: ["ctrl+x"],
    description: "Go into the tree of agents; down, with nothing typed, does it too",
  },
  backgroundAgents: {
    scope: "screen",
    keys: ["ctrl+b"],
    description: "Send the agents that a run waits for to the background, while any works",
  },
  cancelAgent: {
    scope: "screen",
    keys: ["ctrl+k"],
    description: "Cancel the agent that is selected in the tree, or looked at",
  },
  nextAgent: { scope: "screen", keys: ["shift+tab"], description: "Change to the next agent" },
  listUp: { scope: "list", keys: ["up"], description: "Move up" },
  listDown: { scope: "list", keys: ["down"], description: "Move down" },
  listPageUp: { scope: "list", keys: ["pageUp"], description: "Move up a page" },
  listPageDown: { scope: "list", keys: ["pageDown"], description: "Move down a page" },
  listConfirm: { scope: "list", keys: ["enter"], description: "Choose" },
  listCancel: { scope: "list", keys: ["escape", "ctrl+c"], description: "Close without a choice" },
} as const satisfies Readonly<Record<string, ActionDefinition>>;

/** What a key can do, by the name that `tui.keys` has for it. */
export type KeyAction = keyof typeof ACTIONS;

/** Every action, in the order of help. */
export function listActions(): readonly (ActionDefinition & { readonly name: KeyAction })[] {
  return Object.entries(ACTIONS).map(([name, definition]) => ({
    name: name as KeyAction,
    ...definition,
  }));
}

/**
 * Whether an action has that name.
 *
 * @param name Any name.
 */
export function isKeyAction(name: string): name is KeyAction {
  return Object.hasOwn(ACTIONS, name);
}
