import type { KeyId } from "@earendil-works/pi-tui";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { KeyAction, KeyMap } from "../editor/key_map.ts";

const KEYS: Readonly<Record<KeyAction, KeyId>> = {
  interrupt: "escape",
  clear: "ctrl+c",
  exit: "ctrl+d",
  suspend: "ctrl+z",
  copyAnswer: "y",
  toggleLast: "x",
  scrollUp: "pageUp",
  scrollDown: "pageDown",
  scrollToStart: "ctrl+home",
  scrollToEnd: "ctrl+end",
  nextAgent: "shift+tab",
  externalEditor: "ctrl+g",
};

/** The keys that come with the program. */
export const PLAIN_KEYS: KeyMap = {
  matches: (data, action) => matchesKey(data, KEYS[action]),
  label: (action) => KEYS[action],
};
