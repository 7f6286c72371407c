import type { KeyAction } from "./bindings.ts";
import type { KeyMap } from "./key_map.ts";

/** A map of keys that can be exchanged while it is in use. */
export class CurrentKeyMap implements KeyMap {
  #keys: KeyMap;

  /** @param keys The first one. */
  constructor(keys: KeyMap) {
    this.#keys = keys;
  }

  /**
   * Exchanges the keys.
   *
   * @param keys The keys from now on.
   */
  use(keys: KeyMap): void {
    this.#keys = keys;
  }

  matches(data: string, action: KeyAction): boolean {
    return this.#keys.matches(data, action);
  }

  label(action: KeyAction): string {
    return this.#keys.label(action);
  }

  keys(action: KeyAction): readonly string[] {
    return this.#keys.keys(action);
  }
}
