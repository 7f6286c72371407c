import type { Colour } from "./colour.ts";
import type { Role } from "./theme.ts";

/** How a piece of text is drawn. */
export interface RoleStyle {
  /** Colour of the text. */
  readonly color?: Colour;
  /** Colour behind it. */
  readonly background?: Colour;
  /** Where there are sixteen colours only, in place of the nearest ones. */
  readonly basic?: { readonly color?: number; readonly background?: number };
  readonly bold?: boolean;
  /** Less bright than other text. */
  readonly faint?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  /** Text and background change places. */
  readonly inverse?: boolean;
}

/** A theme as data. */
export interface ThemeStyles {
  /** The background that it is made for. */
  readonly background: "dark" | "light";
  /** How each kind of text is drawn. */
  readonly roles: Readonly<Record<Role, RoleStyle>>;
}

/** The names that the configuration accepts beside those of the person's own themes. */
export const BUILT_IN_THEMES: Readonly<Record<"dark" | "light", ThemeStyles>> = {
  dark: {
    background: "dark",
    roles: {
      text: {},
      dim: { color: "#9a9aa2", basic: {}, faint: true },
      accent: { color: "#4fd6e8", basic: { color: 14 }, bold: true },
      heading: { color: "#5fe0f0", basic: { color: 14 }, bold: true },
      user: { color: "#f2f2f2", basic: { color: 15 }, bold: true },
      provider: { color: "#e08cf0", basic: { color: 13 } },
      success: { color: "#6fd873", basic: { color: 10 } },
      warning: { color: "#f2c744", basic: { color: 11 } },
      error: { color: "#ff7b76", basic: { color: 9 } },
      question: { color: "#f2c744", basic: { color: 11 }, bold: true },
      added: { color: "#6fd873", basic: { color: 10 } },
      removed: { color: "#ff7b76", basic: { color: 9 } },
      hunk: { color: "#4fd6e8", basic: { color: 14 } },
      code: { color: "#f0c890", basic: { color: 11 } },
      keyword: { color: "#d79bf5", basic: { color: 13 } },
      string: { color: "#a5d67d", basic: { color: 10 } },
      number: { color: "#f5a97f", basic: { color: 11 } },
      comment: { color: "#9a9aa2", basic: {}, faint: true },
      type: { color: "#4fd6e8", basic: { color: 14 } },
      function: { color: "#8db8ff", basic: { color: 14 } },
      link: { color: "#8db8ff", basic: { color: 14 }, underline: true },
      quote: { color: "#b4b4bc", basic: {}, italic: true },
      border: { color: "#8a8a94", basic: {}, faint: true },
      selected: {
        color: "#ffffff",
        background: "#2f4a78",
        basic: { color: 0, background: 6 },
        bold: true,
      },
    },
  },
  light: {
    background: "light",
    roles: {
      text: {},
      dim: { color: "#62626a", basic: {}, faint: true },
      accent: { color: "#006a80", basic: { color: 4 }, bold: true },
      heading: { color: "#005f73", basic: { color: 4 }, bold: true },
      user: { color: "#1a1a1e", basic: {}, bold: true },
      provider: { color: "#8a2a9c", basic: { color: 5 } },
      success: { color: "#1f6f2a", basic: { color: 2 } },
      warning: { color: "#7a5500", basic: { color: 5 } },
      error: { color: "#b3201c", basic: { color: 1 } },
      question: { color: "#7a5500", basic: { color: 5 }, bold: true },
      added: { color: "#1f6f2a", basic: { color: 2 } },
      removed: { color: "#b3201c", basic: { color: 1 } },
      hunk: { color: "#006a80", basic: { color: 4 } },
      code: { color: "#7a4a10", basic: { color: 5 } },
      keyword: { color: "#7a2aa0", basic: { color: 5 } },
      string: { color: "#1f6f2a", basic: { color: 2 } },
      number: { color: "#9a4000", basic: { color: 1 } },
      comment: { color: "#62626a", basic: {}, faint: true },
      type: { color: "#006a80", basic: { color: 4 } },
      function: { color: "#1d4fa8", basic: { color: 4 } },
      link: { color: "#1d4fa8", basic: { color: 4 }, underline: true },
      quote: { color: "#505058", basic: {}, italic: true },
      border: { color: "#6c6c74", basic: {}, faint: true },
      selected: {
        color: "#0f1a33",
        background: "#c4d7f7",
        basic: { color: 15, background: 4 },
        bold: true,
      },
    },
  },
};
