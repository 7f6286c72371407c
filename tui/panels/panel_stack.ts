import type { Panel, PanelFactory, PanelFrame, PanelHost } from "./panel.ts";

/** The place on the screen that panels are shown in. */
export interface PanelSlot extends PanelFrame {
  /**
   * Shows a panel and gives it the keyboard.
   *
   * @param panel The panel; undefined gives the keyboard back to the editor.
   */
  show(panel: Panel | undefined): void;
}

/** One panel, from when it was asked for until it is done. */
interface Entry {
  readonly kind: "person" | "question";
  /** Makes its panel, once. Throws what the factory throws. */
  readonly panel: () => Panel;
  /** Ends its wait with an error of the factory. */
  readonly fail: (error: unknown) => void;
  /** Ends its wait with nothing. */
  readonly close: () => void;
}

/** Decides which panel is on the screen: the first question, or the newest panel of the person. */
export class PanelStack implements PanelHost {
  readonly #slot: PanelSlot;
  readonly #questions: Entry[] = [];
  readonly #opened: Entry[] = [];
  #shown: Entry | undefined;
  #isClosed = false;

  /** @param slot Where they are shown. */
  constructor(slot: PanelSlot) {
    this.#slot = slot;
  }

  /** What is on the screen. */
  get shown(): "person" | "question" | undefined {
    return this.#shown?.kind;
  }

  /** How many questions there are, the one on the screen included. */
  get questions(): number {
    return this.#questions.length;
  }

  /**
   * Shows a panel until it is done.
   *
   * @param create Makes it when its turn comes.
   * @param options Who opened it, and what takes it back.
   */
  open<T>(
    create: PanelFactory<T>,
    options: { readonly kind?: "person" | "question"; readonly signal?: AbortSignal } = {},
  ): Promise<T | undefined> {
    const { kind = "person", signal } = options;
    if (this.#isClosed || signal?.aborted === true) return Promise.resolve(undefined);
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    const list = kind === "question" ? this.#questions : this.#opened;
    const leave = (): void => {
      signal?.removeEventListener("abort", close);
      const at = list.indexOf(entry);
      if (at !== -1) list.splice(at, 1);
      this.#update();
    };
    const done = (choice: T | undefined): void => {
      resolve(choice);
      leave();
    };
    const close = (): void => done(undefined);
    let panel: Panel | undefined;
    const entry: Entry = {
      kind,
      panel: () => panel ??= create(done, this.#slot),
      fail: (error) => {
        reject(error);
        leave();
      },
      close,
    };
    signal?.addEventListener("abort", close, { once: true });
    list.push(entry);
    this.#update();
    return promise;
  }

  /** Ends every wait with nothing, and shows no panel any more. */
  close(): void {
    this.#isClosed = true;
    for (const { close } of [...this.#questions, ...this.#opened]) close();
  }

  #update(): void {
    const entry = this.#isClosed ? undefined : this.#questions[0] ?? this.#opened.at(-1);
    if (entry === this.#shown) return;
    this.#shown = entry;
    if (entry === undefined) return this.#slot.show(undefined);
    try {
      const panel = entry.panel();
      // A panel may be done as soon as it is made.
      if (this.#shown === entry) this.#slot.show(panel);
    } catch (error) {
      entry.fail(error);
    }
  }
}
