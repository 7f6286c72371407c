import type { lexer, Token } from "marked";

/** Reads Markdown. The parser is loaded when there is Markdown to read, or it is about to come. */
export class MarkdownParser {
  readonly #onLoaded: () => void;
  #lexer: typeof lexer | undefined;
  #loading: Promise<void> | undefined;

  /** @param onLoaded Called when Markdown can be read. */
  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded;
  }

  /**
   * The tokens of a text.
   *
   * @param source The text.
   * @returns Undefined as long as the parser is not there, and the text is shown as it stands.
   * @throws What the parser throws on a text that it cannot read.
   */
  tokens(source: string): readonly Token[] | undefined {
    if (this.#lexer === undefined) this.load();
    return this.#lexer?.(source);
  }

  /** Begins to load the parser, so that it is there when it is needed. */
  load(): void {
    this.#loading ??= this.#load().catch(() => {});
  }

  /** Settles when the parser is there, or cannot be loaded; at once if nobody needs it. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  async #load(): Promise<void> {
    this.#lexer = (await import("marked")).lexer;
    this.#onLoaded();
  }
}
