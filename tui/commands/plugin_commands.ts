import { visibleName } from "../../core/process/visible_text.ts";
import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/**
 * The commands that plugins registered. Theirs have the id of the plugin before the name, except
 * those of plugins that come with the program.
 *
 * @param stage The conversation.
 */
export function pluginCommands(stage: Stage): readonly SlashCommand[] {
  return stage.application.pluginCommands().map((command): SlashCommand => ({
    name: command.name,
    description: visibleName(command.description ?? ""),
    ...(command.argumentHint === undefined
      ? {}
      : { argumentHint: visibleName(command.argumentHint) }),
    source: "plugin",
    owner: command.plugin,
    duringRun: "wait",
    run: async (on, argument) => await runOfPlugin(on, `/${command.name} ${argument}`),
  }));
}

/** The catalog of plugins, and the long way to write a command of one. */
export const PLUGIN_COMMANDS: readonly SlashCommand[] = [{
  name: "plugins",
  aliases: ["plugin"],
  description: "Look at plugins, and switch them on and off in this project",
  source: "builtin",
  duringRun: "wait",
  run: async (stage) => {
    await (await import("./plugin_catalog.ts")).openPluginCatalog(stage);
  },
}, {
  name: "command",
  argumentHint: "<plugin.id>:<name> [arguments]",
  description: "Run a command of a plugin",
  source: "builtin",
  duringRun: "wait",
  complete: (typed, stage) =>
    stage.application.pluginCommands()
      .filter(({ name }) => name.startsWith(typed))
      .map(({ name, description = "" }) => ({
        value: name,
        label: name,
        description: visibleName(description),
      })),
  run: async (stage, argument) => {
    if (argument === "") stage.say("Usage: /command <plugin.id>:<name> [arguments]");
    else await runOfPlugin(stage, `/command ${argument}`);
  },
}];

async function runOfPlugin(stage: Stage, line: string): Promise<void> {
  const { whileWaiting } = await import("./waiting_panel.ts");
  const sessionId = stage.session()?.id;
  const answer = await whileWaiting(
    stage,
    `Running ${line.trim()}`,
    (signal) =>
      stage.application.runCommand(line, {
        signal,
        ...(sessionId === undefined ? {} : { sessionId }),
      }),
  );
  // Nothing but a command reaches this place; one that was taken back meanwhile is no prompt.
  if (answer === undefined) return;
  stage.say(answer === null ? `There is no command "${line.trim()}" any more` : answer.text);
}
