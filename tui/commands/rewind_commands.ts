import type { SlashCommand } from "./slash_command.ts";

/** What goes back in a conversation, or on from an earlier point of it. */
export const REWIND_COMMANDS: readonly SlashCommand[] = [
  {
    name: "rewind",
    argumentHint: "[message|undo]",
    description: "Go back to before a prompt, with the files or without, or undo that",
    source: "builtin",
    duringRun: "wait",
    complete: async (typed, stage) =>
      (await import("./rewind_flow.ts")).completePoint(stage, typed, ["undo"]),
    run: async (stage, argument) =>
      await (await import("./rewind_flow.ts")).rewindHere(stage, argument),
  },
  {
    name: "fork",
    argumentHint: "[message]",
    description: "Go on in a copy of the conversation, or of its part before a prompt",
    source: "builtin",
    duringRun: "wait",
    complete: async (typed, stage) =>
      (await import("./rewind_flow.ts")).completePoint(stage, typed, []),
    run: async (stage, argument) =>
      await (await import("./rewind_flow.ts")).forkHere(stage, argument),
  },
];
