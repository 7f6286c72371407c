import type { SlashCommand } from "../commands/slash_command.ts";

/** What chooses who answers. */
export const CONNECT_COMMANDS: readonly SlashCommand[] = [
  {
    name: "connect",
    argumentHint: "[provider]",
    description: "Connect a model provider, and begin a session with it",
    source: "builtin",
    duringRun: "wait",
    async run(stage, argument) {
      const { connectInPanels } = await import("./connect_provider.ts");
      await connectInPanels(stage, argument === "" ? undefined : argument);
    },
    async complete(_typed, stage) {
      const kinds = await (await stage.application.connectDesk()).kinds();
      return kinds.map(({ id, name, description }) => ({
        value: id,
        label: name,
        ...(description === undefined ? {} : { description }),
      }));
    },
  },
  {
    name: "model",
    aliases: ["models"],
    argumentHint: "[profile/model]",
    description: "Choose the model of new sessions among the connected providers",
    source: "builtin",
    duringRun: "wait",
    async run(stage, argument) {
      const { chooseModel } = await import("./choose_model.ts");
      await chooseModel(stage, argument);
    },
  },
];
