import type { SlashCommand } from "../commands/slash_command.ts";

/** What shows the plans of a session. */
export const PLAN_COMMANDS: readonly SlashCommand[] = [
  {
    name: "plan",
    argumentHint: "[number|diff]",
    description: "Show the plans of this session, one of them, or what a revision changed",
    source: "builtin",
    duringRun: "live",
    complete: (typed) =>
      [{ value: "diff", label: "diff", description: "Show what the latest revision changed" }]
        .filter(({ value }) => value.startsWith(typed)),
    run: async (stage, argument) =>
      await (await import("./show_plans.ts")).showPlans(stage, argument),
  },
];
