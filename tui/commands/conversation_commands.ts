import type { Stage } from "../stage.ts";
import type { SlashCommand } from "./slash_command.ts";

/** What begins, copies and ends a conversation. */
export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  {
    name: "clear",
    aliases: ["new"],
    description: "Begin a new session; the one before is kept",
    source: "builtin",
    duringRun: "wait",
    run: async (stage) => {
      const before = stage.session()?.id;
      await stage.switchSession();
      if (before !== undefined) {
        stage.say(`A new session begins; /resume ${before.slice(0, 8)} goes back`);
      }
    },
  },
  {
    name: "compact",
    argumentHint: "[focus]",
    description: "Summarise the older part of the conversation to make room",
    source: "builtin",
    duringRun: "wait",
    run: (stage, focus) => stage.compact(focus),
  },
  {
    name: "copy",
    description: "Copy the last answer, as the model wrote it",
    source: "builtin",
    duringRun: "live",
    run: copyAnswer,
  },
  {
    name: "stats",
    description: "Show tokens, times and calls of this session, plugins and what is wrong",
    source: "builtin",
    duringRun: "live",
    run: async (stage) => {
      const [{ gatherStats, statsSections }, { showSections }] = await Promise.all([
        import("./stats_sections.ts"),
        import("./show_sections.ts"),
      ]);
      const facts = await gatherStats(stage.application, stage.session());
      await showSections(stage, "Statistics", statsSections(facts));
    },
  },
  {
    name: "exit",
    aliases: ["quit"],
    description: "Leave; the session is kept",
    source: "builtin",
    duringRun: "live",
    run: (stage) => stage.exit(),
  },
];

async function copyAnswer(stage: Stage): Promise<void> {
  const answer = stage.lastAnswer();
  if (answer === undefined || answer.trim() === "") stage.say("There is no answer to copy yet");
  else stage.say(await stage.copy(answer), "success");
}
