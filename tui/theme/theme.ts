/** How many colours a terminal shows. */
export type ColourDepth = "none" | "16" | "256" | "true";

/** What is known of the terminal that is drawn on. */
export interface TerminalLook {
  /** How many colours it shows; `none` under `NO_COLOR` and on a dumb terminal. */
  readonly depth: ColourDepth;
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
  /** Whether text on it is light or dark. */
  readonly background: "dark" | "light";
}

/** What a piece of text is, from which its colour follows. */
export type Role =
  | "text"
  | "dim"
  | "accent"
  | "heading"
  | "user"
  | "provider"
  | "success"
  | "warning"
  | "error"
  | "question"
  | "added"
  | "removed"
  | "hunk"
  | "code"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "type"
  | "function"
  | "link"
  | "quote"
  | "border"
  | "selected";

/** A sign that a terminal without Unicode shows in another way. */
export type Glyph =
  | "ok"
  | "failed"
  | "running"
  | "waiting"
  | "pending"
  | "skipped"
  | "collapsed"
  | "expanded"
  | "thought"
  | "cursor"
  | "prompt"
  | "question"
  | "bullet"
  | "branch"
  | "copy"
  | "cached"
  | "separator"
  | "ellipsis"
  | "horizontal"
  | "vertical"
  | "treeBranch"
  | "treeLast"
  | "treeLine"
  | "barFull"
  | "barEmpty"
  | "up"
  | "down";

/** How everything on the screen is coloured. Pure: the same text gives the same result. */
export interface Theme {
  /** Its name, as the configuration has it. */
  readonly name: string;
  /** The terminal that it was made for. */
  readonly look: TerminalLook;
  /**
   * Colours a text of one line, which holds no control character.
   *
   * @param role What it is.
   * @param text The text.
   */
  paint(role: Role, text: string): string;
  /**
   * Makes a text of one line stand out.
   *
   * @param text The text, coloured or not.
   */
  bold(text: string): string;
  /**
   * Slants a text of one line, where the terminal can show that.
   *
   * @param text The text, coloured or not.
   */
  italic(text: string): string;
  /**
   * A sign as this terminal can show it.
   *
   * @param name Which.
   */
  glyph(name: Glyph): string;
}
