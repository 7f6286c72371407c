import type { CompactionOutcome } from "../../core/compaction/compactor.ts";
import { AlisioError } from "../../core/errors.ts";
import type { SlashCommand } from "./slash_command.ts";

/** What makes a conversation shorter. */
export const CONTEXT_COMMANDS: readonly SlashCommand[] = [{
  name: "compact",
  argumentHint: "[focus]",
  description: "Summarise older messages, with something kept in view",
  source: "builtin",
  duringRun: "wait",
  run: async (stage, focus) => {
    const session = stage.session();
    if (session === undefined) return stage.say("There is nothing to make shorter yet");
    const { whileWaiting } = await import("./waiting_panel.ts");
    const outcome = await whileWaiting(
      stage,
      "Compacting the context",
      (signal) => session.compact({ ...focus === "" ? {} : { focus }, signal, observers: [] }),
    );
    if (outcome === undefined) return stage.say("Stopped; the conversation is as it was");
    stage.say(describeOutcome(outcome), outcome.status === "completed" ? "success" : "info");
    stage.redraw();
  },
}];

function describeOutcome(outcome: CompactionOutcome): string {
  switch (outcome.status) {
    case "completed":
      return `Summarised ${outcome.replaced} messages: about ${outcome.before} tokens became ` +
        `${outcome.after}${outcome.partial ? "; the summary was cut" : ""}`;
    case "skipped":
      return `Nothing to make shorter: ${outcome.detail}`;
    case "failed":
      throw new AlisioError("usage", `Cannot make the conversation shorter: ${outcome.error}`);
  }
}
