import type { CommandContext } from "@alisio/sdk";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { previewText } from "../text/bound_text.ts";
import { untilAborted } from "../until_aborted.ts";
import type { PluginHost } from "./plugin_host.ts";

/** What a command of a plugin answered. */
export interface CommandResult {
  /** The command, without its slash. */
  readonly command: string;
  /** What the person is shown. */
  readonly text: string;
}

/** The long way to write it, which means a command and nothing else. */
const LONG_REGEXP = /^\/command\s+\/?(?=\S)/;
const PROMPT_REGEXP = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/;

/**
 * Runs a command of a plugin, if a prompt is one: `/acme.hello:greetings arguments`, or
 * `/command acme.hello:greetings arguments`.
 *
 * @param prompt The prompt.
 * @param host Knows the commands.
 * @param signal Ends the wait for its answer.
 * @param context What is known of where it was called.
 * @returns Null if the prompt is for the model.
 * @throws {AlisioError} `usage` if the plugin has no such command, `plugin_failed` if it fails.
 */
export async function runPluginCommand(
  prompt: string,
  host: Pick<PluginHost, "command" | "commands" | "plugins">,
  signal: AbortSignal,
  context: CommandContext = {},
): Promise<CommandResult | null> {
  const typed = prompt.trim();
  const isLong = LONG_REGEXP.test(typed);
  const [, name, args = ""] = PROMPT_REGEXP.exec(typed.replace(LONG_REGEXP, "/")) ?? [];
  if (name === undefined) return null;
  const command = host.command(name);
  if (command === undefined) {
    assertNoSlip(name, host);
    if (isLong) throw new AlisioError("usage", `There is no command ${quoted(name)} of a plugin`);
    return null;
  }
  let text: unknown;
  try {
    text = await untilAborted(Promise.resolve(command.handler(args, context)), signal);
    if (typeof text !== "string") throw new TypeError("it answered no text");
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const reason = previewText(errorMessage(error), 1_000);
    throw new AlisioError("plugin_failed", `Command ${quoted(`/${name}`)} failed: ${reason}`, {
      cause: error,
    });
  }
  return { command: name, text };
}

/** A slip in the name of a command would be sent to the model, which costs and helps nobody. */
function assertNoSlip(name: string, host: Pick<PluginHost, "commands" | "plugins">): void {
  const [id, rest] = name.split(":", 2);
  if (rest === undefined || !host.plugins().some((plugin) => plugin.id === id)) return;
  const known = host.commands().filter(({ plugin }) => plugin === id).map((each) => each.name);
  const nearest = nearestName(name, known);
  const advice = nearest !== undefined
    ? `did you mean "/${nearest}"?`
    : known.length === 0
    ? "it has none"
    : `it has ${known.map((each) => `"/${each}"`).join(", ")}`;
  throw new AlisioError("usage", `Plugin "${id}" has no command ${quoted(`/${name}`)}: ${advice}`);
}
