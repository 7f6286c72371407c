import { listActions } from "../keys/bindings.ts";
import type { KeyMap } from "../keys/key_map.ts";
import { formatKey } from "../keys/parse_key.ts";
import type { Section } from "./layout.ts";
import type { CommandSource, SlashCommand } from "./slash_command.ts";

const HEADINGS: Readonly<Record<CommandSource, string>> = {
  builtin: "Commands",
  plugin: "Commands of plugins",
  prompt: "Prompt templates",
  skill: "Skills",
  agent: "Agents",
};

/** Keys of lists are told by the lists themselves. */
const SCOPES = [["screen", "Keys"], ["editor", "Keys while writing"]] as const;

/**
 * What help tells: every command by where it comes from, and every key that is bound. Pure.
 *
 * @param commands The commands, in order.
 * @param keys Which keys do what.
 */
export function helpSections(
  commands: readonly SlashCommand[],
  keys: KeyMap,
): readonly Section[] {
  const sources = Object.keys(HEADINGS) as CommandSource[];
  return [
    ...sources.map((source) => ({
      heading: HEADINGS[source],
      entries: commands.filter((command) => command.source === source).map((command) => ({
        name: formatUsage(command),
        text: command.description,
      })),
    })),
    ...SCOPES.map(([scope, heading]) => ({
      heading,
      entries: listActions().filter((action) => action.scope === scope).flatMap((action) => {
        const bound = keys.keys(action.name).map(formatKey);
        return bound.length === 0 ? [] : [{ name: bound.join(", "), text: action.description }];
      }),
    })),
  ];
}

/**
 * How a command is written, with its other names: `/clear, /new`.
 *
 * @param command The command.
 */
export function formatUsage({ name, aliases = [], argumentHint = "" }: SlashCommand): string {
  const names = [name, ...aliases].map((each) => `/${each}`).join(", ");
  return `${names} ${argumentHint}`.trimEnd();
}

/**
 * The part of the sections that a word is in.
 *
 * @param sections The sections.
 * @param word Any part of a name or what is said of it; empty for all.
 */
export function matchSections(sections: readonly Section[], word: string): readonly Section[] {
  const wanted = word.toLowerCase();
  return sections.map(({ heading, entries }) => ({
    heading,
    entries: entries.filter(({ name, text }) => `${name} ${text}`.toLowerCase().includes(wanted)),
  }));
}
