import type { ColourDepth, TerminalLook } from "./theme.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Terminals that have no colours, or only say that they are terminals. */
const PLAIN_TERM_REGEXP = /^(?:dumb|unknown|emacs|network|dialup|vt\d.*|wy\d.*|tty\d.*|cons25.*)$/i;
/** Terminals that show every colour. */
const TRUE_TERM_REGEXP =
  /-direct$|^(?:xterm-)?(?:kitty|ghostty)|^alacritty|^foot|^wezterm|^contour|^rio/i;
const TRUE_PROGRAMS: ReadonlySet<string> = new Set([
  "iTerm.app",
  "WezTerm",
  "ghostty",
  "vscode",
  "Hyper",
  "rio",
  "WarpTerminal",
]);
/** The first release of VTE with every colour. */
const VTE_TRUE_VERSION = 3_600;
/** A console of the system has a few hundred characters, and hardly a sign among them. */
const ASCII_TERM_REGEXP = /^(?:linux|vt\d.*|wy\d.*|cons25.*|ansi.*)$/i;

/**
 * Finds out what a terminal shows from the environment. Pure.
 *
 * @param env Environment variables.
 * @param background Whether it is dark or light, where that is known better.
 */
export function terminalLook(env: Environment, background?: "dark" | "light"): TerminalLook {
  return {
    depth: colourDepth(env),
    unicode: showsUnicode(env),
    background: background ?? backgroundOf(env.COLORFGBG) ?? "dark",
  };
}

/**
 * Whether a terminal can be asked for its colours: some would show the question. Pure.
 *
 * @param env Environment variables.
 */
export function answersQueries(env: Environment): boolean {
  const { TERM: term = "" } = env;
  return term !== "" && !PLAIN_TERM_REGEXP.test(term) && !ASCII_TERM_REGEXP.test(term);
}

/** `NO_COLOR` counts before everything, then `FORCE_COLOR`, then what the terminal says. */
function colourDepth(env: Environment): ColourDepth {
  if ((env.NO_COLOR ?? "") !== "") return "none";
  const found = terminalDepth(env);
  switch (env.FORCE_COLOR?.toLowerCase()) {
    case undefined:
      return found;
    case "0":
    case "false":
      return "none";
    case "1":
      return "16";
    case "2":
      return "256";
    case "3":
      return "true";
    default:
      // Colours, however many there are.
      return found === "none" ? "16" : found;
  }
}

function terminalDepth(env: Environment): ColourDepth {
  const { TERM: term = "", COLORTERM: colours = "" } = env;
  if (Deno.build.os === "windows" && term === "") return "true";
  if (term === "" || PLAIN_TERM_REGEXP.test(term)) return "none";
  // It is on another terminal than the one that said this, and knows 256 colours at most.
  if (/^screen/.test(term) && env.TMUX === undefined) {
    return /256/.test(term) ? "256" : "16";
  }
  if (/^(?:truecolor|24bit)$/i.test(colours) || showsEveryColour(term, env)) return "true";
  if (/256|^tmux|^screen/.test(term) || env.TERM_PROGRAM === "Apple_Terminal") return "256";
  return "16";
}

function showsEveryColour(term: string, env: Environment): boolean {
  if (TRUE_TERM_REGEXP.test(term)) return true;
  // These speak of the terminal around a multiplexer, which may show fewer.
  if (env.TMUX !== undefined) return false;
  return TRUE_PROGRAMS.has(env.TERM_PROGRAM ?? "") || (env.WT_SESSION ?? "") !== "" ||
    (env.KONSOLE_VERSION ?? "") !== "" || Number(env.VTE_VERSION ?? 0) >= VTE_TRUE_VERSION;
}

/**
 * Whether signs beyond ASCII can be shown. Whoever says nothing of their language has a terminal
 * that knows more. Pure.
 *
 * @param env Environment variables.
 */
export function showsUnicode(env: Environment): boolean {
  const { TERM: term = "" } = env;
  if (ASCII_TERM_REGEXP.test(term) || term === "dumb") return false;
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((each) => (each ?? "") !== "");
  if (locale === undefined) return true;
  const [, encoding] = /\.([\w-]+)/.exec(locale) ?? [];
  return encoding === undefined ? !/^(?:C|POSIX)$/.test(locale) : /^utf-?8$/i.test(encoding);
}

/** Text and background as numbers of the first sixteen colours, such as `15;0`. */
function backgroundOf(value: string | undefined): "dark" | "light" | undefined {
  const last = value?.split(";").at(-1) ?? "";
  if (!/^\d{1,2}$/.test(last)) return undefined;
  const index = Number(last);
  if (index > 15) return undefined;
  return index === 7 || index > 8 ? "light" : "dark";
}
