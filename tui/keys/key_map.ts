import { type KeyId, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { nearestName } from "../../core/config/nearest_name.ts";
import { quoted } from "../../core/config/quoted.ts";
import { ACTIONS, isKeyAction, type KeyAction, listActions } from "./bindings.ts";
import { formatKey, parseKey } from "./parse_key.ts";

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
  /**
   * Every key of an action, as the terminal library spells it.
   *
   * @param action What they do.
   */
  keys(action: KeyAction): readonly string[];
}

/** `tui.keys` of the configuration: one key or several by the name of an action. */
export type KeySettings = Readonly<Record<string, string | readonly string[]>>;

/** A map of keys, and what is wrong with the settings it was made from. */
export interface CreatedKeyMap {
  readonly keys: KeyMap;
  /** One sentence for each setting that was left out or takes a key from another action. */
  readonly problems: readonly string[];
}

/**
 * Makes the map of keys. What is wrong in the settings is left out and told, so that a mistake
 * locks nobody out. A key that the person gives to an action is taken from the others that would
 * listen for it at the same time.
 *
 * @param settings `tui.keys`.
 */
export function createKeyMap(settings: KeySettings = {}): CreatedKeyMap {
  const { chosen, problems } = readSettings(settings);
  const takers = new Map<string, KeyAction>();
  const bound = new Map<KeyAction, readonly string[]>();
  for (const [action, keys] of chosen) {
    const own = keys.filter((key) => {
      const other = findTaker(takers, key, action);
      if (other !== undefined) problems.push(conflict(key, other, action));
      return other === undefined;
    });
    for (const key of own) takers.set(`${scopeOf(action)} ${key}`, action);
    bound.set(action, own);
  }
  for (const { name, keys } of listActions()) {
    if (!bound.has(name)) bound.set(name, withoutTaken(name, keys, takers, problems));
  }
  return { keys: new BoundKeys(bound), problems };
}

class BoundKeys implements KeyMap {
  readonly #bound: ReadonlyMap<KeyAction, readonly string[]>;

  constructor(bound: ReadonlyMap<KeyAction, readonly string[]>) {
    this.#bound = bound;
  }

  matches(data: string, action: KeyAction): boolean {
    return this.keys(action).some((key) => matchesKey(data, key as KeyId));
  }

  label(action: KeyAction): string {
    const [first] = this.keys(action);
    return first === undefined ? "" : formatKey(first);
  }

  keys(action: KeyAction): readonly string[] {
    return this.#bound.get(action) ?? [];
  }
}

function readSettings(settings: KeySettings): {
  readonly chosen: Map<KeyAction, readonly string[]>;
  readonly problems: string[];
} {
  const chosen = new Map<KeyAction, readonly string[]>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    if (!isKeyAction(name)) {
      const near = nearestName(name, Object.keys(ACTIONS));
      const advice = near === undefined ? "" : `; did you mean ${quoted(near)}?`;
      problems.push(`Cannot bind ${quoted(name)} of "tui.keys": there is no such action${advice}`);
      continue;
    }
    const keys: string[] = [];
    for (const text of typeof value === "string" ? [value] : value) {
      const parsed = parseKey(text);
      if ("key" in parsed) keys.push(parsed.key);
      else problems.push(`Cannot bind "tui.keys.${name}": key ${quoted(text)} ${parsed.problem}`);
    }
    // An empty list unbinds; a list of which nothing is left says nothing.
    if (keys.length > 0 || value.length === 0) chosen.set(name, [...new Set(keys)]);
  }
  return { chosen, problems };
}

function withoutTaken(
  action: KeyAction,
  keys: readonly string[],
  takers: ReadonlyMap<string, KeyAction>,
  problems: string[],
): readonly string[] {
  const left = keys.filter((key) => findTaker(takers, key, action) === undefined);
  const lost = keys.find((key) => !left.includes(key));
  if (lost !== undefined && left.length === 0) {
    const taker = findTaker(takers, lost, action) ?? action;
    problems.push(`No key is left for "${action}": ${formatKey(lost)} is bound to "${taker}"`);
  }
  return left;
}

/** Who was given a key that another action would listen for at the same time. */
function findTaker(
  takers: ReadonlyMap<string, KeyAction>,
  key: string,
  action: KeyAction,
): KeyAction | undefined {
  const taker = scopesBeside(action).map((scope) => takers.get(`${scope} ${key}`))
    .find((found) => found !== undefined && found !== action);
  return taker === undefined || shareByDefault(taker, action, key) ? undefined : taker;
}

/** Lists have the keyboard for themselves while they are open. */
function scopesBeside(action: KeyAction): readonly string[] {
  return scopeOf(action) === "list" ? ["list"] : ["editor", "screen"];
}

function scopeOf(action: KeyAction): string {
  return ACTIONS[action].scope;
}

/** Pairs such as `exit` and `deleteForward`, of which only one listens at a time. */
function shareByDefault(one: KeyAction, other: KeyAction, key: string): boolean {
  const has = (action: KeyAction) => (ACTIONS[action].keys as readonly string[]).includes(key);
  return scopeOf(one) !== scopeOf(other) && has(one) && has(other);
}

function conflict(key: string, one: KeyAction, other: KeyAction): string {
  return `Cannot bind ${formatKey(key)} to "${other}": "tui.keys" binds it to "${one}" already`;
}
