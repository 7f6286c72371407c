import { quoted } from "../../core/config/quoted.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../core/gate/permission_mode.ts";
import type { Stage } from "../stage.ts";
import type { ArgumentChoice, SlashCommand } from "./slash_command.ts";

const CHOICES: readonly ArgumentChoice[] = [
  { value: "ask", label: "ask", description: "Ask before everything that has an effect" },
  { value: "auto", label: "auto", description: "Change files of the workspace unasked" },
  { value: "full", label: "full", description: "Run everything unasked" },
  { value: "status", label: "status", description: "Show what runs, what asks and what is off" },
];

/** What runs without a question. */
export const PERMISSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: "permission",
    aliases: ["permissions"],
    argumentHint: "[ask|auto|full|status]",
    description: "Choose what runs without a question, or take grants back",
    source: "builtin",
    duringRun: "live",
    complete: (typed) => CHOICES.filter(({ value }) => value.startsWith(typed)),
    run: async (stage, argument) => {
      const module = await import("./permission_menu.ts");
      if (argument === "") return await module.openPermissionMenu(stage);
      if (argument === "status") return module.sayPermissionStatus(stage);
      if (isMode(argument)) return await module.choosePermissionMode(stage, argument);
      stage.say(
        `Unknown mode ${quoted(argument)}: write /permission with ask, auto, full or status`,
        "warning",
      );
    },
  },
  {
    name: "tools",
    description: "Show each tool: enabled, ask or disabled, and the rule behind it",
    source: "builtin",
    duringRun: "live",
    run: async (stage) => await showTools(stage),
  },
];

function isMode(name: string): name is PermissionMode {
  return Object.hasOwn(PERMISSION_MODES, name);
}

async function showTools(stage: Stage): Promise<void> {
  const [{ toolSections }, { showSections }] = await Promise.all([
    import("./tool_sections.ts"),
    import("./show_sections.ts"),
  ]);
  const status = stage.application.gate.status(stage.session()?.id ?? "");
  await showSections(stage, "Tools", toolSections(status));
}
