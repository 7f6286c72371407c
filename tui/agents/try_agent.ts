import type { AgentSaved } from "../../core/agents/agent_store.ts";
import { quoted } from "../../core/config/quoted.ts";
import { errorMessage } from "../../core/errors.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { reopenKeepingChoices } from "../commands/reopen.ts";
import { pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";

/**
 * Says that an agent was saved, has it count at once, and offers to try it.
 *
 * @param stage The conversation.
 * @param id What it is chosen by.
 * @param saved Where it was written.
 */
export async function afterSaving(
  stage: Stage,
  id: string,
  { path, notice }: AgentSaved,
): Promise<void> {
  stage.say(`Saved agent ${quoted(id, 80)} in ${visibleName(path)}`, "success");
  if (notice !== null) stage.say(notice, "warning");
  await takeOver(stage, id);
  const answer = await pickFromList<"try" | "stay">(stage, {
    title: `Agent ${visibleName(id)} is saved`,
    items: [
      {
        value: "try",
        label: `${stage.theme.look.unicode ? "▶" : ">"} Try it in a new session`,
      },
      { value: "stay", label: "Go on here" },
    ],
    isFilterable: false,
  });
  if (answer === "try") await tryAgent(stage, id);
}

/**
 * Lets an agent hold a new session. Later conversations begin with the one that is configured.
 *
 * @param stage The conversation.
 * @param id The agent.
 * @throws {AlisioError} If it cannot hold a conversation.
 */
export async function tryAgent(stage: Stage, id: string): Promise<void> {
  // A project that had nothing to trust is trusted from the first file on, at the next opening.
  if (!await isKnown(stage, id)) await reopenKeepingChoices(stage);
  const agent = await stage.application.agents.choose(id);
  const { model } = agent.definition ?? {};
  await stage.switchSession();
  if (model !== undefined) await reopenKeepingChoices(stage, { model });
  stage.redraw();
  stage.say(
    `Agent: ${visibleName(agent.name)}${agent.onlyReads ? " (read-only)" : ""}, in a new session ` +
      "and for this conversation",
    "success",
  );
}

/** The agent that runs goes on with what its file says now. */
async function takeOver(stage: Stage, id: string): Promise<void> {
  const { agents } = stage.application;
  if (agents.active.id !== id) return;
  try {
    await agents.choose(id);
  } catch (error) {
    stage.say(errorMessage(error), "warning");
  }
}

async function isKnown(stage: Stage, id: string): Promise<boolean> {
  return (await stage.application.agents.list()).agents.some((agent) => agent.id === id);
}
