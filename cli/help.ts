import { VERSION } from "../core/version.ts";
import { EXIT_STATUS_MEANINGS } from "./exit_status.ts";
import { COMMANDS, type CommandSpec, type FlagSpec, GLOBAL_FLAGS } from "./flags.ts";

/** Help for the whole program. */
export function formatHelp(): string {
  return [
    `Alisio ${VERSION}: a coding agent for the terminal that does what you permit and no more`,
    "",
    "Usage: alisio [flags]            a conversation, at a terminal",
    "       alisio <command> [flags]",
    "",
    "Commands:",
    ...columns(COMMANDS.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary])),
    "",
    "Flags of every command:",
    ...columns(GLOBAL_FLAGS.map(flagRow)),
    "",
    "Exit status:",
    ...columns(EXIT_STATUS_MEANINGS.map(([status, meaning]) => [String(status), meaning])),
    "",
    "Help for one command:  alisio help <command>",
    'Start with:  alisio doctor   and   alisio run "what does this project do?"',
    "",
  ].join("\n");
}

/**
 * Help for one command.
 *
 * @param command The command.
 */
export function formatCommandHelp(command: CommandSpec): string {
  const lines = [`Usage: alisio ${command.name} ${command.usage}`.trim(), "", command.summary];
  if (command.details !== undefined) lines.push("", ...command.details);
  if (command.flags !== undefined) lines.push("", "Flags:", ...columns(command.flags.map(flagRow)));
  lines.push("", "Flags of every command:", ...columns(GLOBAL_FLAGS.map(flagRow)), "");
  return lines.join("\n");
}

function flagRow(flag: FlagSpec): readonly [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.value === undefined
    ? ""
    : flag.kind === "optional"
    ? `[=<${flag.value}>]`
    : ` <${flag.value}>`;
  return [`${short}--${flag.name}${value}`, flag.help];
}

const MAX_LEFT_COLUMN = 34;

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const fitting = rows.map(([left]) => left.length).filter((length) => length <= MAX_LEFT_COLUMN);
  const width = Math.max(0, ...fitting);
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`]
  );
}
