import { definePlugin, type MascotProvider, type StartupScreenProvider } from "@alisio/sdk";

const MAGENTA = "\x1b[35m";
const PLAIN = "\x1b[0m";

/** A kite on its line, in characters that any screen of that kind has. */
const KITE = ["    ▲", "  ◀ █ ▶", "    ▼", "    │", "   ∽ ∽"];
const ASCII_KITE = ["    /\\", "   <  >", "    \\/", "    |", "   ~ ~"];

/** Stands beside what the startup screen says. It draws from its context and nothing else. */
export const kiteMascot: MascotProvider = {
  id: "kite",
  render({ terminal: { columns, unicode, color } }) {
    if (columns < 40) return unicode ? "◆∽∽" : "<>~~";
    const lines = unicode ? KITE : ASCII_KITE;
    return color ? lines.map((line) => MAGENTA + line + PLAIN) : lines;
  },
};

/** A whole screen of a few lines, around whichever mascot was chosen. */
export const smallScreen: StartupScreenProvider = {
  id: "kite.small",
  render({ mascot, terminal, version, model, plugins }) {
    const names = plugins.filter(({ builtin }) => !builtin).map(({ id }) => id);
    return [
      ...[mascot.render({ terminal, version })].flat(),
      `Alisio ${version} with ${model ?? "no model"}`,
      `Plugins: ${names.join(", ")}`,
    ];
  },
};

/** The option `"screen": "small"` of the plugin takes the whole screen too. */
export default definePlugin({
  id: "kite-mascot",
  name: "Kite mascot",
  description: "Flies a kite when a conversation opens",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["ui"],
  setup(api) {
    // Higher than what others declare, which stands at 0.
    api.extensions.register("mascot", kiteMascot, { priority: 10 });
    if (api.options?.screen === "small") api.extensions.register("startup-screen", smallScreen);
  },
});
