import { AlisioError } from "../../core/errors.ts";
import { readSmallFile } from "../../core/config/small_file.ts";
import { quoted } from "../../core/config/quoted.ts";
import { join } from "../../core/paths/path.ts";
import type { ThemeStyles } from "./built_in_themes.ts";
import { createTheme } from "./create_theme.ts";
import { parseTheme } from "./theme_file.ts";
import type { TerminalLook, Theme } from "./theme.ts";

/** Where a theme is looked for, and for what terminal. */
export interface OpenThemeOptions {
  /** What the terminal shows. */
  readonly look: TerminalLook;
  /** The folder of the person's configuration; own themes are in its folder `themes`. */
  readonly configHome: string;
}

/** A theme, and why it is not the one that was asked for. */
export interface OpenedTheme {
  readonly theme: Theme;
  /** For the person; absent where nothing is wrong. */
  readonly problem?: string;
}

const MAX_THEME_BYTES = 64 * 1024;
const NAME_REGEXP = /^[a-z0-9][a-z0-9-]{0,40}$/;

/**
 * Opens the theme that the configuration names. A theme that cannot be used never stops anything:
 * the one that fits the terminal takes its place.
 *
 * @param name `auto`, `dark`, `light`, or the name of a file without `.json`.
 * @param options Where it is looked for.
 */
export async function openTheme(name: string, options: OpenThemeOptions): Promise<OpenedTheme> {
  const { look, configHome } = options;
  if (isBuiltIn(name)) return { theme: createTheme(look, name) };
  try {
    return { theme: createTheme(look, name, await readTheme(name, configHome)) };
  } catch (error) {
    if (!(error instanceof AlisioError)) throw error;
    return { theme: createTheme(look), problem: error.message };
  }
}

/**
 * The names that can be chosen: `auto`, `dark`, `light`, and the person's own in order.
 *
 * @param configHome The folder of the person's configuration.
 */
export async function listThemes(configHome: string): Promise<readonly string[]> {
  const own: string[] = [];
  try {
    for await (const { name } of Deno.readDir(join(configHome, "themes"))) {
      const base = name.replace(/\.json$/, "");
      if (base !== name && NAME_REGEXP.test(base) && !isBuiltIn(base)) own.push(base);
    }
  } catch {
    // There is no such folder, or it cannot be read: then there are no own themes.
  }
  return ["auto", "dark", "light", ...own.sort()];
}

function isBuiltIn(name: string): boolean {
  return name === "auto" || name === "dark" || name === "light";
}

async function readTheme(name: string, configHome: string): Promise<ThemeStyles> {
  const file = join(configHome, "themes", `${name}.json`);
  const fail = (reason: string): never => {
    throw new AlisioError(
      "config_invalid",
      `Cannot use theme ${quoted(name, 100)}: ${reason}; correct "tui.theme", or the file`,
    );
  };
  if (!NAME_REGEXP.test(name)) return fail("a theme is named in lower case, such as my-theme");
  const read = await readSmallFile(file, MAX_THEME_BYTES);
  if (read.status === "missing") return fail(`there is no file ${quoted(file, 1000)}`);
  if (read.status === "unreadable") return fail(`${quoted(file, 1000)}: ${read.reason}`);
  return parseTheme(read.bytes, file);
}
