import type { ConnectDesk, ProfileModels } from "../../core/provider/connect_desk.ts";
import { resolveModelReference } from "../../core/provider/model_reference.ts";
import type { ActiveProfile } from "../../core/provider/profiles.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import type { Stage } from "../stage.ts";
import { pickModel } from "./pick_model.ts";
import { usePair } from "./use_pair.ts";

/**
 * Has a model of the connected providers chosen, saves it and begins a new session with it. The
 * active pair changes nothing.
 *
 * @param stage The conversation.
 * @param reference What the person named already; empty shows the list.
 * @throws {AlisioError} If there is no such model, several are meant, or it cannot be saved.
 */
export async function chooseModel(stage: Stage, reference: string): Promise<void> {
  const desk = await stage.application.connectDesk();
  const { active, profiles } = await desk.profiles();
  if (Object.keys(profiles).length === 0) {
    return stage.say("No provider is connected; /connect connects one", "warning");
  }
  const catalogs = await whileWaiting(
    stage,
    "Asking the servers for their models…",
    (signal) => desk.catalogs(signal),
  );
  if (catalogs === undefined) return;
  const pair = reference === ""
    ? await pickModel(stage, catalogs, { title: "Model of new sessions", active })
    : await resolve(reference, catalogs);
  if (pair === undefined) return;
  await select(stage, desk, pair);
}

async function select(stage: Stage, desk: ConnectDesk, pair: ActiveProfile): Promise<void> {
  const reference = `${pair.profile}/${pair.model}`;
  if (await desk.select(pair)) return await usePair(stage, reference);
  stage.say(`${reference} is the active model already`);
}

async function resolve(
  reference: string,
  catalogs: readonly ProfileModels[],
): Promise<ActiveProfile> {
  const { profile, model } = await resolveModelReference(
    reference,
    catalogs.map(({ profile, models, failure }) => ({
      profile,
      load: () =>
        failure === undefined ? Promise.resolve(models) : Promise.reject(new Error(failure)),
    })),
    { signal: new AbortController().signal },
  );
  return { profile, model };
}
