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
      const [{ connectInPanels }, { assertMayConnect }] = await Promise.all([
        import("./connect_provider.ts"),
        import("./assert_may_connect.ts"),
      ]);
      assertMayConnect(stage);
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
      const [{ chooseModel }, { assertMayConnect }] = await Promise.all([
        import("./choose_model.ts"),
        import("./assert_may_connect.ts"),
      ]);
      assertMayConnect(stage);
      await chooseModel(stage, argument);
    },
  },
];
