import type { MascotProvider, StartupScreenProvider } from "@alisio/sdk";
import {
  composeSideBySide,
  infoSection,
  mascotSection,
  pluginsSection,
  tipsSection,
  titleSection,
  welcomeSection,
} from "./startup_sections.ts";

const NARROW_COLUMNS = 40;
const CYAN = "\x1b[36m";
const PLAIN = "\x1b[0m";

/** The trade wind, blowing over the sea. */
const ART = [
  "  ─────────╮",
  " ───────╮  │",
  "  ──╮ ──╯ ─╯",
  " ───╯",
  "∿∿∿∿∿∿∿∿∿∿∿∿",
];

const ASCII_ART = [
  "  _________",
  " _______   )",
  "  __    ) -'",
  " ___) -'",
  "~~~~~~~~~~~~",
];

/** The mascot where no plugin offers one, or the one that was offered fails. */
export const DefaultAlisioMascot: MascotProvider = {
  id: "alisio.default",
  render({ terminal: { columns, unicode, color } }) {
    if (columns < NARROW_COLUMNS) return unicode ? "∿─╮ alisio" : "~-) alisio";
    const art = unicode ? ART : ASCII_ART;
    return color ? art.map((line) => `${CYAN}${line}${PLAIN}`) : art;
  },
};

/** The startup screen where no plugin offers one, or the one that was offered fails. */
export const DefaultStartupScreen: StartupScreenProvider = {
  id: "alisio.default",
  render(context) {
    const about = [
      ...titleSection(context),
      ...welcomeSection(context),
      ...infoSection(context),
      ...pluginsSection(context),
    ];
    return [
      ...composeSideBySide(mascotSection(context), about, context.terminal),
      ...context.tips.length > 0 ? [""] : [],
      ...tipsSection(context),
    ];
  },
};
