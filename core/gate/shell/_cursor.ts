import type { ShellDialect, ShellScript, WordPart } from "./shell_syntax.ts";

/** Nested constructs that are followed before a command counts as not understood. */
const MAX_DEPTH = 40;

/** Thrown inside the parser only: the text, or what it means, is not certain. */
export class NotUnderstood extends Error {
  /** Names the error. */
  override readonly name = "NotUnderstood";
}

/** A here-document whose body starts after the line that is being read. */
export interface PendingHeredoc {
  /** The line that ends it. */
  readonly delimiter: string;
  /** Whether leading tabs are dropped. */
  readonly stripsTabs: boolean;
  /** Whether its body is expanded. */
  readonly isExpanded: boolean;
  /** Receives the expansions of the body. */
  readonly parts: WordPart[];
}

/** Reads the commands of a construct up to, not over, what ends it. */
export type ReadScript = (cursor: Cursor, ends: readonly string[]) => ShellScript;

/** A position in a command line, with what is left to be read at the next line end. */
export class Cursor {
  /** The text. */
  readonly text: string;
  /** Whose grammar it is read by. */
  readonly dialect: ShellDialect;
  /** Reads nested commands. */
  readonly readScript: ReadScript;
  /** The next character. */
  index = 0;
  /** Here-documents that were opened and not yet read. */
  heredocs: PendingHeredoc[] = [];
  /** Whether a construct around this one has here-documents to be read. */
  outerHeredocs = false;
  #depth: number;

  /**
   * Makes a cursor at the start of a text.
   *
   * @param text The text.
   * @param dialect Whose grammar it is read by.
   * @param readScript Reads nested commands.
   * @param depth How deep the text itself is nested.
   */
  constructor(text: string, dialect: ShellDialect, readScript: ReadScript, depth = 0) {
    this.text = text;
    this.dialect = dialect;
    this.readScript = readScript;
    this.#depth = depth;
  }

  /** Whether the text is read outside every nested construct. */
  get isOutermost(): boolean {
    return this.#depth === 0;
  }

  /** The next character, or the empty string at the end. */
  get next(): string {
    return this.text.charAt(this.index);
  }

  /** Whether nothing is left. */
  get isAtEnd(): boolean {
    return this.index >= this.text.length;
  }

  /**
   * Whether the text goes on with `text`.
   *
   * @param text What is looked for.
   */
  sees(text: string): boolean {
    return this.text.startsWith(text, this.index);
  }

  /**
   * Reads `text` if it is next.
   *
   * @param text What is looked for.
   */
  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.index += text.length;
    return true;
  }

  /**
   * Reads `text`, which has to be next.
   *
   * @param text What is expected.
   */
  expect(text: string): void {
    if (!this.take(text)) this.fail(`"${text}" is missing`);
  }

  /**
   * Reads what a sticky expression matches here.
   *
   * @param pattern An expression with the flag `y`.
   */
  match(pattern: RegExp): RegExpExecArray | null {
    const found = this.look(pattern);
    if (found !== null) this.index += found[0].length;
    return found;
  }

  /**
   * What a sticky expression matches here, without reading it.
   *
   * @param pattern An expression with the flag `y`.
   */
  look(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.index;
    return pattern.exec(this.text);
  }

  /**
   * Reads a construct that holds commands and shares the lines of what is around it.
   *
   * @param read Reads it.
   */
  deeper<T>(read: () => T): T {
    if (this.#depth >= MAX_DEPTH) this.fail("it is nested too deeply");
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  /**
   * Reads an expansion, which has its own here-documents.
   *
   * @param read Reads it.
   */
  nested<T>(read: () => T): T {
    const { heredocs, outerHeredocs } = this;
    this.heredocs = [];
    this.outerHeredocs = outerHeredocs || heredocs.length > 0;
    const result = this.deeper(read);
    if (this.heredocs.length > 0) this.fail("a here-document has no body");
    this.heredocs = heredocs;
    this.outerHeredocs = outerHeredocs;
    return result;
  }

  /**
   * A cursor for text inside this text that has to be unescaped before it is read.
   *
   * @param text The unescaped text.
   */
  inner(text: string): Cursor {
    if (this.#depth >= MAX_DEPTH) this.fail("it is nested too deeply");
    return new Cursor(text, this.dialect, this.readScript, this.#depth + 1);
  }

  /**
   * Refuses what shells do not agree on, where the shell is not known to be bash.
   *
   * @param what What it is.
   */
  requireBash(what: string): void {
    if (this.dialect !== "bash") this.fail(`${what} does not mean the same in every shell`);
  }

  /**
   * Gives up.
   *
   * @param reason Why.
   */
  fail(reason: string): never {
    throw new NotUnderstood(reason);
  }
}
