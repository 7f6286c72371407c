import { BUILTIN_COMMANDS } from "../../tui/commands/builtin_commands.ts";
import { formatUsage } from "../../tui/commands/help_sections.ts";

const START = "<!-- slash commands -->\n";
const END = "<!-- end of slash commands -->";

/**
 * Puts the table of slash commands into a page that has a place for it.
 *
 * @param page Markdown.
 */
export function fillCommandTable(page: string): string {
  const [before, rest] = page.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) return page;
  return `${before}${START}\n${formatCommandTable()}\n${END}${after}`;
}

/** Every command that comes with the program, as a table that is formatted already. */
export function formatCommandTable(): string {
  const rows = [
    ["Command", "What it does", "During a run"],
    ...BUILTIN_COMMANDS.map((command) => [
      `\`${formatUsage(command).replaceAll("|", "\\|")}\``,
      command.description.replaceAll("|", "\\|"),
      command.duringRun === "live" ? "at once" : "waits",
    ]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [head, widths.map((width) => "-".repeat(width)), ...body].map(line).join("\n") + "\n";
}
