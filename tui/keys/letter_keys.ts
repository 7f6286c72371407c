import type { KeyAction } from "./bindings.ts";
import type { KeyMap } from "./key_map.ts";

/** Whoever means a word goes on typing within this time. */
const WAIT_MS = 350;

/** What letters act on. */
export interface LetterPorts {
  /** Which keys do what. */
  readonly keys: KeyMap;
  /** What stands in the editor. */
  readonly text: () => string;
  /** Takes the letter out of the editor again. */
  readonly erase: () => void;
}

/**
 * Actions on letters, such as `c`, which may as well begin a prompt. The letter goes into the empty
 * editor; when nothing follows it for a moment, it was meant as a key.
 */
export class LetterKeys {
  readonly #ports: LetterPorts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ports What they act on. */
  constructor(ports: LetterPorts) {
    this.#ports = ports;
  }

  /**
   * Looks at a key before the editor gets it.
   *
   * @param data The key.
   * @param actions What it may do at the moment, and how; false says that there was nothing to do,
   * and leaves the letter where it is.
   * @returns Whether it is done with; the editor gets it otherwise.
   */
  press(
    data: string,
    actions: Readonly<Partial<Record<KeyAction, () => boolean | void>>>,
  ): boolean {
    this.cancel();
    const { keys, text, erase } = this.#ports;
    if (text() !== "") return false;
    const found = Object.entries(actions).find(([name]) => keys.matches(data, name as KeyAction));
    if (found === undefined) return false;
    const [, run] = found;
    if (!isLetter(data)) {
      run();
      return true;
    }
    this.#timer = setTimeout(() => {
      if (text().length !== 1) return;
      if (run() !== false) erase();
    }, WAIT_MS);
    return false;
  }

  /** Forgets a letter that waits. */
  cancel(): void {
    clearTimeout(this.#timer);
  }
}

/** Whether an editor would take it as text; the Kitty protocol spells letters as sequences. */
function isLetter(data: string): boolean {
  // deno-lint-ignore no-control-regex -- a letter as a sequence, without modifiers
  return /^[^\x00-\x1f\x7f]$/.test(data) || /^\x1b\[\d+(?::\d*)*(?:;1?(?::\d+)?)?u$/.test(data);
}
