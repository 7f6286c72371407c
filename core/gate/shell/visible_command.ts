/** A character that a screen would not show as it is. */
export interface HiddenCharacter {
  /** Where it stands, in UTF-16 units of the original text. */
  readonly index: number;
  /** How many UTF-16 units of the original text the mark stands for. */
  readonly length: number;
  /** What it is, for the person. */
  readonly kind: "control" | "direction" | "invisible" | "tag" | "blank" | "padding" | "look-alike";
}

/** A piece of a command line as it is shown. */
export interface VisiblePart {
  /** What is shown. */
  readonly text: string;
  /** Whether it stands for something hidden; a front end should set it apart. */
  readonly isMark: boolean;
}

/** A command line that can be shown in full without hiding anything. */
export interface VisibleCommand {
  /** What is shown, as one text; line ends and tabs stay. */
  readonly text: string;
  /** The same in pieces, so that a mark cannot be confused with text that looks like one. */
  readonly parts: readonly VisiblePart[];
  /** What was made visible, in order; empty when the text shows itself. */
  readonly hidden: readonly HiddenCharacter[];
}

/** Blanks in a row that are shown as they are; more of them push what follows out of sight. */
const MAX_BLANKS = 16;
/** Indentation is common in scripts and shown as it is. */
const MAX_INDENTATION = 64;

const HIDDEN_REGEXP = new RegExp(
  [
    "(?<lines>\\n{4,})",
    "(?<padding>[ \\t]{9,})",
    // Every control character except tab and line end.
    "(?<control>[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]|\\p{Cs})",
    "(?<direction>[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069])",
    "(?<tag>[\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}])",
    "(?<blank>[\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000\\u3164\\uffa0])",
    "(?<invisible>[\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\ufe00-\\ufe0f])",
    "(?<word>[\\p{L}\\p{M}\\p{N}_.-]+)",
  ].join("|"),
  "gu",
);
const PICTURE_REGEXP = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const LATIN_REGEXP = /\p{Script=Latin}/u;
const LOOK_ALIKE_REGEXP =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const WIDE_REGEXP = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;

/**
 * Makes visible whatever in a command line a screen would hide or move: control characters, marks
 * that change the writing direction, characters without a shape, tags, unusual blanks, padding
 * that pushes text out of sight, and words that mix Latin letters with letters that look like them.
 *
 * Nothing is cut, however long the text is, and nothing else is changed: what is shown is what
 * runs. Joiners and variants inside emoji stay.
 *
 * @param command A command line, a path or a name.
 */
export function visibleCommand(command: string): VisibleCommand {
  const parts: VisiblePart[] = [];
  const hidden: HiddenCharacter[] = [];
  let shown = 0;
  for (const found of command.matchAll(HIDDEN_REGEXP)) {
    const [text] = found;
    const kind = kindOf(found, command);
    if (kind === null) continue;
    if (found.index > shown) {
      parts.push({ text: command.slice(shown, found.index), isMark: false });
    }
    parts.push(...marksFor(text, kind));
    hidden.push({ index: found.index, length: text.length, kind });
    shown = found.index + text.length;
  }
  if (shown < command.length) parts.push({ text: command.slice(shown), isMark: false });
  return { text: parts.map((part) => part.text).join(""), parts, hidden };
}

function kindOf(found: RegExpExecArray, command: string): HiddenCharacter["kind"] | null {
  const { lines, padding, control, direction, tag, blank, invisible, word } = found.groups ?? {};
  if (lines !== undefined) return "padding";
  if (padding !== undefined) {
    const isIndentation = found.index === 0 || command[found.index - 1] === "\n";
    return padding.length > (isIndentation ? MAX_INDENTATION : MAX_BLANKS) ? "padding" : null;
  }
  if (control !== undefined) return "control";
  if (direction !== undefined) return "direction";
  if (tag !== undefined) return "tag";
  if (blank !== undefined) return "blank";
  if (invisible !== undefined) return isInsidePicture(found, command) ? null : "invisible";
  return word !== undefined && isLookAlike(word) ? "look-alike" : null;
}

/** Joiners and variant selectors belong to the emoji that they follow. */
function isInsidePicture(found: RegExpExecArray, command: string): boolean {
  if (!/[\u200d\ufe0e\ufe0f]/.test(found[0])) return false;
  const before = [...command.slice(Math.max(0, found.index - 2), found.index)].at(-1) ?? "";
  return PICTURE_REGEXP.test(before);
}

function isLookAlike(word: string): boolean {
  return WIDE_REGEXP.test(word) || (LATIN_REGEXP.test(word) && LOOK_ALIKE_REGEXP.test(word));
}

function marksFor(text: string, kind: HiddenCharacter["kind"]): readonly VisiblePart[] {
  if (kind === "padding") {
    const what = text.startsWith("\n") ? "line ends" : "blanks";
    return [{ text: `⟨${text.length} ${what}⟩`, isMark: true }];
  }
  if (kind !== "look-alike") return [{ text: escape(text), isMark: true }];
  return Array.from(text, (character) => {
    const isForeign = LOOK_ALIKE_REGEXP.test(character) || WIDE_REGEXP.test(character);
    return isForeign
      ? { text: `${character}⟨${escape(character)}⟩`, isMark: true }
      : { text: character, isMark: false };
  });
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : `\\u{${code.toString(16).toUpperCase()}}`;
}
