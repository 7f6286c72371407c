import type { ArgumentChoice, SlashCommand } from "../commands/slash_command.ts";

const CHOICES: readonly ArgumentChoice[] = [
  { value: "pause", label: "pause", description: "Stop after the turn at hand" },
  { value: "resume", label: "resume", description: "Go on" },
  { value: "edit", label: "edit", description: "Change the objective" },
  { value: "budget=", label: "budget=", description: "Tokens that it may use, such as 50k" },
  { value: "clear", label: "clear", description: "Forget the goal" },
  { value: "help", label: "help", description: "Show what can be written" },
];

/** What the model works toward by itself. */
export const GOAL_COMMANDS: readonly SlashCommand[] = [
  {
    name: "goal",
    argumentHint: "[objective|pause|resume|edit|budget=|clear|help]",
    description: "Have the model work toward a goal, turn after turn",
    source: "builtin",
    duringRun: "live",
    complete: (typed) => CHOICES.filter(({ value }) => value.startsWith(typed)),
    run: async (stage, argument) =>
      await (await import("./goal_actions.ts")).runGoalCommand(stage, argument),
  },
];
