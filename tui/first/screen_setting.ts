import { configHome } from "../../core/config/directories.ts";
import { join } from "../../core/paths/path.ts";

/** Where the conversation is shown. */
export type ScreenSetting = "alternate" | "inline";

/** A person's configuration is smaller. */
const MAX_BYTES = 256 * 1024;

/**
 * `tui.screen` of the person's own configuration, which decides how the first frame is drawn before
 * anything else is known. Never fails: what is wrong with the file is said when it is loaded.
 *
 * @param env Environment variables.
 */
export function readScreenSetting(env: Readonly<Record<string, string>>): ScreenSetting {
  try {
    const path = join(configHome(env), "config.json");
    if (Deno.statSync(path).size > MAX_BYTES) return "alternate";
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    return isRecord(value) && isRecord(value.tui) && value.tui.screen === "inline"
      ? "inline"
      : "alternate";
  } catch {
    return "alternate";
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
