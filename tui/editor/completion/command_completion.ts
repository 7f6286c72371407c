import type { CommandTable, SlashCommand } from "../../commands/slash_command.ts";
import type { Stage } from "../../stage.ts";
import type { Completion, CompletionItem, CompletionRequest } from "./completion.ts";
import { rankMatches } from "./rank_matches.ts";

/** Lines of a menu; what is below them takes another letter. */
const MAX_ITEMS = 100;

/**
 * Completes commands behind a slash at the start of the prompt, and what follows them.
 *
 * @param request Where.
 * @param table Every command.
 * @param stage What commands look at.
 */
export async function completeCommand(
  request: CompletionRequest,
  table: CommandTable,
  stage: Stage,
): Promise<Completion | undefined> {
  const parts = request.isFirstLine ? /^(\s*)\/(\S*)(\s+)?(.*)$/s.exec(request.before) : null;
  if (parts === null) return undefined;
  const [, indent = "", name = "", gap, argument = ""] = parts;
  if (gap === undefined) return completeName(name, indent.length, table);
  const choices = await table.find(name)?.complete?.(argument, stage) ?? [];
  if (choices.length === 0 || (choices.length === 1 && choices[0]?.value === argument)) {
    return undefined;
  }
  const start = indent.length + 1 + name.length + gap.length;
  const items = choices.slice(0, MAX_ITEMS).map(({ value, label, description }) => ({
    insert: value,
    label,
    ...(description === undefined ? {} : { description }),
  }));
  return { start, items };
}

function completeName(typed: string, start: number, table: CommandTable): Completion | undefined {
  const found = rankMatches(table.list(), {
    query: typed,
    textsOf: namesOf,
    limit: MAX_ITEMS,
  });
  return found.length === 0 ? undefined : { start, items: found.map(toItem) };
}

function namesOf({ name, aliases = [] }: SlashCommand): readonly string[] {
  return [name, ...aliases];
}

function toItem(command: SlashCommand): CompletionItem {
  const { name, argumentHint, description, source } = command;
  const needsMore = argumentHint?.startsWith("<") === true && source !== "skill";
  return {
    insert: `/${name} `,
    label: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    description,
    ...(needsMore ? {} : { then: "send" as const }),
  };
}
