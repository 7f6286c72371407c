import { quoted } from "../../core/config/quoted.ts";
import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/** What tells what releases brought. */
export const CHANGELOG_COMMANDS: readonly SlashCommand[] = [{
  name: "changelog",
  argumentHint: "[version]",
  description: "Show what the latest versions brought",
  source: "builtin",
  duringRun: "live",
  complete: async (typed) =>
    (await import("../../core/changelog/entries.ts")).CHANGELOG
      .filter(({ version }) => version.startsWith(typed))
      .map(({ version }) => ({ value: version, label: version })),
  run: async (stage, version) => await showChangelog(stage, version),
}];

async function showChangelog(stage: Stage, version: string): Promise<void> {
  const [{ CHANGELOG }, { findEntries }, { showText }] = await Promise.all([
    import("../../core/changelog/entries.ts"),
    import("../../core/changelog/find_entries.ts"),
    import("../panels/show_panels.ts"),
  ]);
  const entries = findEntries(CHANGELOG, version);
  if (entries.length === 0) {
    return stage.say(`There is no version ${quoted(version)} in the list of changes`, "warning");
  }
  await showText(stage, {
    title: "What is new",
    body: entries.map((entry) => `Alisio ${entry.version}\n\n${entry.notes.trim()}`).join("\n\n"),
  });
}
