import { quoted } from "../../core/config/quoted.ts";
import { chooseEffort } from "../../core/provider/choose_effort.ts";
import { pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { remember } from "./agent_menu.ts";

const AUTO = "auto";

/**
 * Lets the person choose how much reasoning is asked of the model.
 *
 * @param stage The conversation.
 */
export async function openEffortMenu(stage: Stage): Promise<void> {
  const levels = stage.session()?.effortLevels() ?? [];
  if (levels.length === 0) {
    return stage.say(
      stage.session() === undefined
        ? "The levels are known once a session is open: write a prompt first, or name one, /effort high"
        : "This model's catalog lists no levels; name one to ask for it all the same: /effort high",
    );
  }
  const level = await pickFromList<string>(stage, {
    title: "Reasoning effort",
    items: [
      ...levels.map((value) => ({ value, label: value })),
      { value: AUTO, label: "Auto", description: "The default of the provider" },
    ],
    isFilterable: false,
  });
  if (level !== undefined) await setEffort(stage, level);
}

/**
 * Chooses how much reasoning is asked of the model, from the next prompt on.
 *
 * @param stage The conversation.
 * @param level The level, or `auto`.
 * @throws {AlisioError} `usage` if the model is known not to have it.
 */
export async function setEffort(stage: Stage, level: string): Promise<void> {
  const chosen = level === AUTO ? undefined : level;
  const session = stage.session();
  if (chosen !== undefined && session !== undefined) {
    const supportedLevels = session.effortLevels();
    chooseEffort({ chosen }, { id: session.model, effort: { supportedLevels } });
  }
  await stage.application.agents.setEffort(chosen);
  const note = await remember(stage, "agents.effort", chosen);
  stage.say(
    chosen === undefined
      ? `Reasoning effort: the default of the provider${note}`
      : `Reasoning effort: ${quoted(chosen, 40)}${note}`,
    "success",
  );
}
