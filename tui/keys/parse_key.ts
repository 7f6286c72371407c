import { nearestName } from "../../core/config/nearest_name.ts";

/** Keys with names, as the configuration and the terminal library spell them. */
const NAMED_KEYS = [
  "escape",
  "enter",
  "tab",
  "space",
  "backspace",
  "delete",
  "insert",
  "home",
  "end",
  "pageUp",
  "pageDown",
  "up",
  "down",
  "left",
  "right",
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
] as const;

/** Other names that people write. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  del: "delete",
  ins: "insert",
  pgup: "pageUp",
  pgdn: "pageDown",
  pgdown: "pageDown",
};

/** In the order in which keys are spelled. */
const MODIFIERS = ["ctrl", "shift", "alt", "super"] as const;

const OTHER_MODIFIERS: Readonly<Record<string, (typeof MODIFIERS)[number]>> = {
  control: "ctrl",
  option: "alt",
  opt: "alt",
  meta: "alt",
  cmd: "super",
  command: "super",
  win: "super",
};

/** How long a key is looked at; whatever is longer is none. */
const MAX_KEY_CHARS = 40;

/** A key as the terminal library spells it, or why it is none. */
export type ParsedKey = { readonly key: string } | { readonly problem: string };

/**
 * Reads a key from the configuration, such as `ctrl+g`, `Alt-Enter` or `F5`.
 *
 * @param text What was written.
 * @returns `problem` continues "Key … ".
 */
export function parseKey(text: string): ParsedKey {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > MAX_KEY_CHARS) return { problem: "is no key" };
  const { modifiers, last } = split(trimmed);
  const unknown = modifiers.find((modifier) => toModifier(modifier) === undefined);
  if (unknown !== undefined) {
    return { problem: `has the unknown modifier "${unknown}"${advise(unknown, MODIFIERS)}` };
  }
  const key = toKey(last);
  if (key === undefined) return { problem: `is unknown${advise(last, NAMED_KEYS)}` };
  const held = new Set(modifiers.map(toModifier));
  // A capital letter is its key with Shift.
  if (/^[A-Z]$/.test(last) && modifiers.length === 0) held.add("shift");
  return { key: [...MODIFIERS.filter((modifier) => held.has(modifier)), key].join("+") };
}

/**
 * A key for people: `ctrl+c` is `Ctrl+C`.
 *
 * @param key As {@linkcode parseKey} gives it.
 */
export function formatKey(key: string): string {
  const { modifiers, last } = split(key);
  return [...modifiers, last].map((part) => LABELS[part] ?? capitalise(part)).join("+");
}

const LABELS: Readonly<Record<string, string>> = {
  escape: "Esc",
  pageUp: "PgUp",
  pageDown: "PgDn",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
};

/** The last part is the key, which may be `+` or `-` itself. */
function split(text: string): { readonly modifiers: readonly string[]; readonly last: string } {
  const head = /^(?:[^+-]+[+-])*/.exec(text)?.[0] ?? "";
  const last = text.slice(head.length);
  return { modifiers: head.split(/[+-]/).filter((part) => part !== ""), last };
}

function toModifier(text: string): (typeof MODIFIERS)[number] | undefined {
  const lower = text.toLowerCase();
  return MODIFIERS.find((modifier) => modifier === lower) ?? OTHER_MODIFIERS[lower];
}

function toKey(text: string): string | undefined {
  if (/^[\x21-\x7e]$/.test(text)) return text.toLowerCase();
  const lower = text.toLowerCase();
  return NAMED_KEYS.find((name) => name.toLowerCase() === lower) ?? OTHER_NAMES[lower];
}

function advise(text: string, known: readonly string[]): string {
  const near = nearestName(text, known);
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

function capitalise(text: string): string {
  return text.length === 1 ? text.toUpperCase() : text.slice(0, 1).toUpperCase() + text.slice(1);
}
