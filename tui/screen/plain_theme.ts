import type { Glyph, Role, TerminalLook, Theme } from "../theme/theme.ts";

const COLOURS: Readonly<Partial<Record<Role, number>>> = {
  dim: 90,
  accent: 36,
  heading: 96,
  user: 94,
  provider: 35,
  success: 32,
  warning: 33,
  error: 31,
  question: 33,
  border: 90,
  selected: 36,
};

const GLYPHS: Readonly<Partial<Record<Glyph, readonly [unicode: string, ascii: string]>>> = {
  prompt: ["›", ">"],
  separator: ["·", "-"],
  branch: ["⎇", "git:"],
  cached: ["⚡", "cached "],
  ellipsis: ["…", "..."],
  horizontal: ["─", "-"],
  barFull: ["█", "#"],
  barEmpty: ["░", "."],
};

/**
 * A theme of the sixteen colours that every terminal has.
 *
 * @param look What is known of the terminal.
 */
export function plainTheme(look: TerminalLook): Theme {
  const { depth, unicode } = look;
  const wrap = (code: number, text: string): string =>
    depth === "none" ? text : `\x1b[${code}m${text}\x1b[0m`;
  return {
    name: "plain",
    look,
    paint: (role, text) => {
      const code = COLOURS[role];
      return code === undefined ? text : wrap(code, text);
    },
    bold: (text) => depth === "none" ? text : `\x1b[1m${text}\x1b[22m`,
    glyph: (name) => {
      const [sign, ascii] = GLYPHS[name] ?? ["•", "*"];
      return unicode ? sign : ascii;
    },
  };
}
