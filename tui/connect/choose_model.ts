import { quoted } from "../../core/config/quoted.ts";
import type { ConnectDesk, ProfileModels } from "../../core/provider/connect_desk.ts";
import { resolveModelReference } from "../../core/provider/model_reference.ts";
import type { ActiveProfile } from "../../core/provider/profiles.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import { askLine, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { usePair } from "./use_pair.ts";

/** A line of the list: a pair, or a profile whose model is to be named. */
type Line = ActiveProfile | { readonly profile: string; readonly model: null };

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
    ? await pick(stage, catalogs, active)
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

async function pick(
  stage: Stage,
  catalogs: readonly ProfileModels[],
  active: ActiveProfile | undefined,
): Promise<ActiveProfile | undefined> {
  const chosen = await pickFromList<Line>(stage, {
    title: "Model of new sessions",
    items: catalogs.flatMap((catalog) => linesOf(catalog, active)),
    selected: ({ value }) => isSame(value, active),
    detail: ({ value, description = "" }) => value.model === null ? description : "",
  });
  if (chosen === undefined || chosen.model !== null) return chosen;
  const model = await askLine(stage, `Model of ${quoted(chosen.profile)}`, {
    label: "Name",
    check: (typed) => typed === "" ? "It has no name" : undefined,
  });
  return model === undefined ? undefined : { profile: chosen.profile, model };
}

/** The models of one profile, and a line for any other; a catalog that fails has that line alone. */
function linesOf(
  { profile, title, models, failure }: ProfileModels,
  active: ActiveProfile | undefined,
): readonly PickerItem<Line>[] {
  const group = `${title} (${profile})`;
  const ids = models.map(({ id }) => id);
  const isOwn = active?.profile === profile;
  const all = isOwn && !ids.includes(active.model) ? [active.model, ...ids] : ids;
  return [
    ...all.map((model): PickerItem<Line> => {
      const info = models.find(({ id }) => id === model);
      const about = describe(info?.name, info?.contextWindow);
      return {
        value: { profile, model },
        label: model,
        mark: isOwn && active.model === model ? "*" : " ",
        group,
        keywords: `${title} ${profile}`,
        ...(about === "" ? {} : { description: about }),
      };
    }),
    {
      value: { profile, model: null },
      label: "Another model…",
      mark: " ",
      group,
      keywords: `${title} ${profile}`,
      ...(failure === undefined ? {} : { description: `Its models are not known: ${failure}` }),
    },
  ];
}

function isSame(line: Line, active: ActiveProfile | undefined): boolean {
  return line.profile === active?.profile && line.model === active.model;
}

function describe(name: string | undefined, contextWindow: number | undefined): string {
  const window = contextWindow === undefined ? [] : [`${contextWindow} tokens`];
  return [...name === undefined ? [] : [name], ...window].join(", ");
}
