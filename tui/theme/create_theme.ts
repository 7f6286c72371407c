import { BUILT_IN_THEMES, type RoleStyle, type ThemeStyles } from "./built_in_themes.ts";
import { colourCode } from "./colour.ts";
import { GLYPHS } from "./glyphs.ts";
import type { ColourDepth, Role, TerminalLook, Theme } from "./theme.ts";

/** What begins and what ends a style. */
interface Sequences {
  readonly start: string;
  readonly end: string;
}

const BOLD = "\x1b[1m";
const NORMAL = "\x1b[22m";
// deno-lint-ignore no-control-regex -- finds where bold and faint end
const NORMAL_REGEXP = /\x1b\[(?:\d+;)*22(?:;\d+)*m/g;

/**
 * Makes a theme for a terminal.
 *
 * @param look What the terminal shows.
 * @param name `dark`, `light`, `auto` for the one of the two that fits the background, or the name
 * of a theme of the person.
 * @param styles What that one says; for one of the person.
 */
export function createTheme(look: TerminalLook, name = "auto", styles?: ThemeStyles): Theme {
  const { depth } = look;
  const { roles } = styles ?? builtIn(look, name);
  const sequences = new Map<Role, Sequences>();
  const sequencesOf = (role: Role): Sequences => {
    const known = sequences.get(role) ?? toSequences(roles[role], depth);
    sequences.set(role, known);
    return known;
  };
  return {
    name,
    look,
    paint(role, text) {
      const { start, end } = sequencesOf(role);
      return start === "" || text === "" ? text : `${start}${text}${end}`;
    },
    bold(text) {
      if (depth === "none" || text === "") return text;
      return `${BOLD}${text.replace(NORMAL_REGEXP, `$&${BOLD}`)}${NORMAL}`;
    },
    italic(text) {
      return depth === "none" || text === "" ? text : `\x1b[3m${text}\x1b[23m`;
    },
    glyph(glyph) {
      const [unicode, ascii] = GLYPHS[glyph];
      return look.unicode ? unicode : ascii;
    },
  };
}

/** A theme whose colours can be exchanged while it is in use. */
export class CurrentTheme implements Theme {
  #theme: Theme;

  /** @param theme The first one. */
  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /**
   * Exchanges the colours. Whatever keeps coloured text must draw it again afterwards.
   *
   * @param theme The theme from now on.
   */
  use(theme: Theme): void {
    this.#theme = theme;
  }

  /** Its name, as the configuration has it. */
  get name(): string {
    return this.#theme.name;
  }

  /** The terminal that it was made for. */
  get look(): TerminalLook {
    return this.#theme.look;
  }

  paint(role: Role, text: string): string {
    return this.#theme.paint(role, text);
  }

  bold(text: string): string {
    return this.#theme.bold(text);
  }

  italic(text: string): string {
    return this.#theme.italic(text);
  }

  glyph(name: Parameters<Theme["glyph"]>[0]): string {
    return this.#theme.glyph(name);
  }
}

function builtIn({ background }: TerminalLook, name: string): ThemeStyles {
  return BUILT_IN_THEMES[name === "dark" || name === "light" ? name : background];
}

function toSequences(style: RoleStyle, depth: ColourDepth): Sequences {
  if (depth === "none") return { start: "", end: "" };
  const { color, background } = depth === "16" && style.basic !== undefined ? style.basic : style;
  // A grey of its own needs no second way to be less bright.
  const isFaint = style.faint === true && color === undefined;
  const pairs: readonly (readonly [start: string | undefined, end: string])[] = [
    [color === undefined ? undefined : colourCode(color, "text", depth), "39"],
    [background === undefined ? undefined : colourCode(background, "background", depth), "49"],
    [style.bold === true ? "1" : isFaint ? "2" : undefined, "22"],
    [style.italic === true ? "3" : undefined, "23"],
    [style.underline === true ? "4" : undefined, "24"],
    [style.inverse === true ? "7" : undefined, "27"],
  ];
  const used = pairs.filter(([start]) => start !== undefined);
  if (used.length === 0) return { start: "", end: "" };
  return {
    start: `\x1b[${used.map(([start]) => start).join(";")}m`,
    end: `\x1b[${used.map(([, end]) => end).join(";")}m`,
  };
}
