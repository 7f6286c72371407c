import { quoted } from "../../core/config/quoted.ts";
import type { ProfileModels } from "../../core/provider/connect_desk.ts";
import type { ActiveProfile } from "../../core/provider/profiles.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import { askLine, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";

/** A line of the list: a pair, or a profile whose model is to be named. */
type Line = ActiveProfile | { readonly profile: string; readonly model: null };

/** How models are offered. */
export interface PickModelOptions {
  readonly title: string;
  /** The one that is marked and selected. */
  readonly active: ActiveProfile | undefined;
}

/**
 * Lets the person choose a model of the connected providers, or name another one of theirs.
 *
 * @param stage The conversation.
 * @param catalogs The models of each.
 * @param options How they are offered.
 * @returns Undefined if the person leaves.
 */
export async function pickModel(
  stage: Stage,
  catalogs: readonly ProfileModels[],
  { title, active }: PickModelOptions,
): Promise<ActiveProfile | undefined> {
  const chosen = await pickFromList<Line>(stage, {
    title,
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
