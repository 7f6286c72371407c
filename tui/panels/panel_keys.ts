import { getKeybindings } from "@earendil-works/pi-tui/dist/keybindings.js";
import { formatKey } from "../keys/parse_key.ts";
import { decodePrintableKey, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";

/** What a key means in a list. */
export type ListKey =
  | "up"
  | "down"
  | "pageUp"
  | "pageDown"
  | "home"
  | "end"
  | "confirm"
  | "cancel";

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
// deno-lint-ignore no-control-regex -- finds what is no text
const CONTROL_REGEXP = /[\x00-\x1f\x7f-\x9f]/;

/**
 * What a key means in a list, as the person has bound it.
 *
 * @param data One key, as the terminal sent it.
 */
export function listKey(data: string): ListKey | undefined {
  const bindings = getKeybindings();
  if (bindings.matches(data, "tui.select.up")) return "up";
  if (bindings.matches(data, "tui.select.down")) return "down";
  if (bindings.matches(data, "tui.select.pageUp")) return "pageUp";
  if (bindings.matches(data, "tui.select.pageDown")) return "pageDown";
  if (bindings.matches(data, "tui.select.confirm") || data === "\n") return "confirm";
  if (bindings.matches(data, "tui.select.cancel")) return "cancel";
  if (matchesKey(data, "home")) return "home";
  return matchesKey(data, "end") ? "end" : undefined;
}

/**
 * What a key of a list does, for a row of help.
 *
 * @param key The key, as the person has bound it.
 * @param does What it does, such as `close`.
 * @returns Such as `Esc close`; none where no key is bound.
 */
export function keyHelp(key: "confirm" | "cancel", does: string): readonly string[] {
  const [bound] = getKeybindings().getKeys(`tui.select.${key}`);
  return bound === undefined ? [] : [`${formatKey(bound)} ${does}`];
}

/**
 * The text of one key.
 *
 * @param data One key, as the terminal sent it.
 * @returns Undefined for a key that types nothing, and for a paste.
 */
export function typedText(data: string): string | undefined {
  const decoded = decodePrintableKey(data);
  if (decoded !== undefined) return decoded;
  return data === "" || CONTROL_REGEXP.test(data) ? undefined : data;
}

/**
 * What was pasted.
 *
 * @param data What the terminal sent.
 * @returns Undefined where it is no paste.
 */
export function pastedText(data: string): string | undefined {
  if (!data.startsWith(PASTE_START)) return undefined;
  const end = data.lastIndexOf(PASTE_END);
  return data.slice(PASTE_START.length, end === -1 ? undefined : end);
}
