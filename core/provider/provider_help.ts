import { quoted } from "../config/quoted.ts";

/**
 * What to do when no provider is configured: the four ways, ready to be copied.
 *
 * @param configFile Path of the person's own configuration file.
 */
export function formatProviderHelp(configFile: string): string {
  return [
    "Connect: run alisio connect, which asks for everything and keeps it",
    "Flags: set OPENAI_API_KEY to the key, then run " +
    'alisio run --base-url https://api.openai.com/v1 --model MODEL "…"',
    "Environment: set OPENAI_API_KEY and ALISIO_MODEL, and OPENAI_BASE_URL for another server",
    `File: write "provider" with "model" into ${
      quoted(configFile, 1000)
    }, or run alisio setup for ` +
    "an example in this project",
  ].map((way, index) => `  ${index + 1}. ${way}`).join("\n");
}
