import { quoted } from "../../core/config/quoted.ts";
import type { Stage } from "../stage.ts";

/**
 * Begins a new session with a pair of profile and model that was just saved.
 *
 * @param stage The conversation.
 * @param reference The pair, `profile/model`.
 * @throws {AlisioError} If the application cannot be opened anew.
 */
export async function usePair(stage: Stage, reference: string): Promise<void> {
  await stage.switchSession();
  let chosen = await stage.application.chosenModel();
  if (chosen?.reference !== reference) {
    // A flag that names a model is stronger than what is saved.
    await stage.reopen({ model: reference });
    chosen = await stage.application.chosenModel();
  }
  if (chosen === null) {
    return stage.say(
      `${reference} is saved, but cannot be used yet; alisio doctor says why`,
      "warning",
    );
  }
  if (chosen.reference === reference) {
    return stage.say(`New sessions use ${reference}`, "success");
  }
  stage.say(
    `${quoted(reference, 300)} is saved, but here flags, the environment or the project's ` +
      "configuration choose another model",
    "warning",
  );
}
