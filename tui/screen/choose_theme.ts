import { configHome } from "../../core/config/directories.ts";
import { openTheme } from "../theme/open_theme.ts";
import type { TerminalLook, Theme } from "../theme/theme.ts";

/**
 * Opens the theme that the configuration names, and says what is wrong with it.
 *
 * @param name The name.
 * @param options The terminal, the environment, and who is told.
 */
export async function chooseTheme(
  name: string,
  { look, env, say }: {
    readonly look: TerminalLook;
    readonly env: Readonly<Record<string, string>>;
    readonly say: (text: string) => void;
  },
): Promise<Theme> {
  const { theme, problem } = await openTheme(name, { look, configHome: configHome(env) });
  if (problem !== undefined) say(problem);
  return theme;
}
