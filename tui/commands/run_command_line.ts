import { nearestName } from "../../core/config/nearest_name.ts";
import { quoted } from "../../core/config/quoted.ts";
import { errorMessage } from "../../core/errors.ts";
import type { Stage } from "../stage.ts";
import type { CommandTable, SlashCommand } from "./slash_command.ts";

/** A line that is a command. */
export interface CommandLine {
  /** Without its slash; empty where nothing follows it. */
  readonly name: string;
  /** What follows the name, without spaces around. */
  readonly argument: string;
}

const COMMAND_REGEXP = /^\/(?<name>[A-Za-z0-9][\w.:-]*)?(?:\s+(?<argument>[\s\S]*))?$/;

/**
 * Tells a command from a prompt: a slash at the very beginning, and one word after it. A prompt may
 * begin with a path, with `//` or with a comment, and with a slash behind a space. Pure.
 *
 * @param line What was typed.
 * @returns Null for a prompt.
 */
export function parseCommandLine(line: string): CommandLine | null {
  const { groups } = COMMAND_REGEXP.exec(line.trimEnd()) ?? {};
  if (groups === undefined) return null;
  return { name: groups.name ?? "", argument: groups.argument?.trim() ?? "" };
}

/**
 * Runs what was typed, if it is a command. What goes wrong is said to the person.
 *
 * @param line What was typed.
 * @param stage The conversation.
 * @param table Its commands.
 * @returns False for a prompt, which is left to the caller.
 */
export async function runCommandLine(
  line: string,
  stage: Stage,
  table: CommandTable,
): Promise<boolean> {
  const typed = parseCommandLine(line);
  if (typed === null) return false;
  const command = table.find(typed.name);
  if (command === undefined) return await runUnlisted(line, typed, { stage, table });
  if (command.duringRun === "wait" && stage.isRunning()) {
    stage.say(
      `/${typed.name} has to wait for the end of the run; press Esc to stop it first`,
      "warning",
    );
    return true;
  }
  await runCommand(command, stage, typed.argument);
  return true;
}

async function runCommand(command: SlashCommand, stage: Stage, argument: string): Promise<void> {
  try {
    await command.run(stage, argument);
  } catch (error) {
    stage.say(errorMessage(error), "error");
  }
}

/** What lies in folders may be there since a moment ago. */
async function runUnlisted(
  line: string,
  typed: CommandLine,
  { stage, table }: { readonly stage: Stage; readonly table: CommandTable },
): Promise<boolean> {
  try {
    const { sendExpanded } = await import("./prompt_commands.ts");
    const reserved = table.list().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    if (await sendExpanded(stage, line, reserved)) return true;
  } catch (error) {
    stage.say(errorMessage(error), "error");
    return true;
  }
  return await refuseUnknown(typed, stage, table);
}

/** Sent to the model, a slip would cost and help nobody. */
async function refuseUnknown(
  { name, argument }: CommandLine,
  stage: Stage,
  table: CommandTable,
): Promise<boolean> {
  if (argument !== "" && await isPath(`/${name}`)) return false;
  if (name === "") {
    stage.say("Write the name of a command after the slash; /help shows what there is");
    return true;
  }
  const known = table.list().flatMap((each) => [each.name, ...each.aliases ?? []]);
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? "/help shows what there is" : `did you mean /${nearest}?`;
  stage.say(
    `Unknown command ${quoted(`/${name}`)}: ${advice}\n` +
      "With a space before the slash it is sent as a prompt",
    "warning",
  );
  return true;
}

/** `/tmp is full` begins with a path. */
async function isPath(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false;
  }
}
