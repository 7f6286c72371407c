/** Frames in a row that may fail, before nobody expects the next one to be better. */
const MAX_FAILURES = 3;

/** What a frame that cannot be drawn leads to. */
export interface FrameGuardOptions {
  /** Draws once more, from the start. */
  readonly again: () => void;
  /**
   * Gives the screen up.
   *
   * @param error Why the last frame failed.
   */
  readonly giveUp: (error: unknown) => void;
}

/**
 * Keeps a failure to draw from being repeated for ever: without it, each frame would fail, have the
 * terminal restored and the screen taken again, and no key would be seen.
 */
export class FrameGuard {
  readonly #options: FrameGuardOptions;
  #failures = 0;

  /** @param options What a failure leads to. */
  constructor(options: FrameGuardOptions) {
    this.#options = options;
  }

  /**
   * Draws a frame.
   *
   * @param draw Draws it, and may throw.
   */
  run(draw: () => void): void {
    try {
      draw();
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      if (this.#failures < MAX_FAILURES) this.#options.again();
      else if (this.#failures === MAX_FAILURES) this.#options.giveUp(error);
    }
  }
}
