import type { ConfiguredModel, PluginModels } from "@alisio/sdk";
import { splitModelReference } from "../provider/model_reference.ts";
import type { ProviderProfiles } from "../provider/profiles.ts";

/** What knows which models there are. */
export interface ModelsPorts {
  /** The model of new sessions; null if none can be used. */
  readonly chosen: () => Promise<Omit<ConfiguredModel, "isDefault"> | null>;
  /** Saved profiles. */
  readonly profiles: () => Promise<ProviderProfiles>;
}

/**
 * The models that are configured, for plugins. Nothing is sent to anybody, and nothing in it is a
 * secret.
 *
 * @param ports What knows them.
 */
export function createPluginModels(ports: ModelsPorts): PluginModels {
  return {
    list: () => listModels(ports),
    async resolve(reference) {
      if (typeof reference !== "string" || reference === "") {
        throw new TypeError("models.resolve needs the name of a model");
      }
      return await resolveModel(ports, reference);
    },
  };
}

async function listModels({ chosen, profiles }: ModelsPorts): Promise<readonly ConfiguredModel[]> {
  const [found, { active }] = await Promise.all([chosen(), profiles()]);
  const model = found === null ? null : withoutMore(found);
  const ofProfile = active === undefined ? [] : [fromProfile(active.profile, active.model)];
  const others = ofProfile.filter(({ reference }) => reference !== model?.reference);
  return [...model === null ? [] : [{ ...model, isDefault: true }], ...others];
}

async function resolveModel(
  ports: ModelsPorts,
  reference: string,
): Promise<ConfiguredModel | undefined> {
  const listed = await listModels(ports);
  const known = listed.find((each) => each.reference === reference);
  if (known !== undefined) return known;
  const { profiles } = await ports.profiles();
  const split = splitModelReference(reference, Object.keys(profiles));
  if (split !== undefined) return fromProfile(split.profile, split.model);
  const found = listed.filter(({ model }) => model === reference);
  if (found.length < 2) return found[0];
  const names = found.map((each) => `"${each.reference}"`).join(", ");
  throw new Error(`Several models are called "${reference}": name one of ${names}`);
}

function withoutMore({ provider, model, reference }: Omit<ConfiguredModel, "isDefault">) {
  return { provider, model, reference };
}

function fromProfile(profile: string, model: string): ConfiguredModel {
  return { provider: profile, model, reference: `${profile}/${model}`, isDefault: false };
}
