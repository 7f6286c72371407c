import type { EditState } from "../edit_state.ts";
import { currentLine } from "../edit_state.ts";
import type { CompletionSource } from "./completion.ts";
import { CompletionMenu } from "./completion_menu.ts";

/** While somebody types on, sources that take time are not asked for each letter. */
const PAUSE_MS = 20;

/** Asks for completions while the person types on, and keeps the menu of the latest answer. */
export class Completer {
  readonly #sources: readonly CompletionSource[];
  readonly #redraw: () => void;
  #menu: CompletionMenu | undefined;
  #asking: AbortController | undefined;
  #isForced = false;

  /**
   * @param sources Who is asked, one after the other, until one knows something.
   * @param redraw Has the screen drawn again.
   */
  constructor(sources: readonly CompletionSource[], redraw: () => void) {
    this.#sources = sources;
    this.#redraw = redraw;
  }

  /** What is offered at the moment. */
  get menu(): CompletionMenu | undefined {
    return this.#menu;
  }

  /** Takes the menu away, and forgets who was asked. */
  close(): void {
    this.#asking?.abort();
    this.#asking = undefined;
    this.#menu = undefined;
    this.#isForced = false;
  }

  /**
   * Asks anew after the text or the cursor changed.
   *
   * @param state What is written now.
   * @param how Whether the person asked with Tab.
   * @returns When the answer is there, or nobody wants it any more; never rejects.
   */
  async update(state: EditState, how: "typed" | "forced"): Promise<CompletionMenu | undefined> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    // What was asked for with Tab stays open while it is narrowed down.
    this.#isForced = how === "forced" || (this.#isForced && this.#menu !== undefined);
    const request = {
      before: currentLine(state).slice(0, state.column),
      isFirstLine: state.line === 0,
      isForced: this.#isForced,
      signal: asking.signal,
    };
    const found = await this.#ask(request);
    if (asking.signal.aborted) return undefined;
    this.#asking = undefined;
    this.#menu = found === undefined ? undefined : new CompletionMenu(found);
    if (this.#menu === undefined) this.#isForced = false;
    this.#redraw();
    return this.#menu;
  }

  async #ask(request: Parameters<CompletionSource>[0]) {
    for (const source of this.#sources) {
      try {
        const found = await source(request);
        if (request.signal.aborted) return undefined;
        if (found !== undefined && found.items.length > 0) return found;
      } catch {
        // A source that fails knows nothing; the person goes on typing.
      }
    }
    return undefined;
  }
}

/**
 * Waits until the person has stopped typing for a moment.
 *
 * @param signal Aborts when the answer is no longer wanted, which ends the wait.
 */
export async function typingPause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
