/** What a key can do outside the text of the editor. */
export type KeyAction =
  | "interrupt"
  | "clear"
  | "exit"
  | "suspend"
  | "copyAnswer"
  | "toggleLast"
  | "scrollUp"
  | "scrollDown"
  | "scrollToStart"
  | "scrollToEnd"
  | "nextAgent"
  | "externalEditor";

/** Which keys do what, as the person configured it. */
export interface KeyMap {
  /**
   * Whether a key does something.
   *
   * @param data One key, as the terminal sent it.
   * @param action What it may do.
   */
  matches(data: string, action: KeyAction): boolean;
  /**
   * The key for people, such as `Ctrl+C`; empty where no key is bound.
   *
   * @param action What it does.
   */
  label(action: KeyAction): string;
}
