import type { lexer, Token } from "marked";

/** Reads Markdown. The parser is loaded when there is Markdown to read, or it is about to come. */
export class MarkdownParser {
  readonly #onLoaded: () => void;
  #lexer: typeof lexer | undefined;
  #loading: Promise<void> | undefined;
  #isPending = false;

  /** @param onLoaded Called when Markdown can be read, or never will be. */
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

  /** Whether the parser is on its way. */
  get isLoading(): boolean {
    return this.#isPending;
  }

  /** Begins to load the parser, so that it is there when it is needed. */
  load(): void {
    if (this.#loading !== undefined) return;
    this.#isPending = true;
    this.#loading = this.#load().catch(() => {}).then(() => {
      this.#isPending = false;
      this.#onLoaded();
    });
  }

  /** Settles when the parser is there, or cannot be loaded; at once if nobody needs it. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  async #load(): Promise<void> {
    this.#lexer = (await import("marked")).lexer;
  }
}
